# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fits a Gaussian process and searches the next point with scipy's L-BFGS."""
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

x = torch.rand(20, 3, dtype=torch.double).cuda()
y = torch.rand(20, 1, dtype=torch.double).cuda()
model = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
bounds = torch.stack([torch.zeros(3), torch.ones(3)]).double().cuda()
point, value = optimize_acqf(LogExpectedImprovement(model, best_f=1.0), bounds=bounds, q=1, num_restarts=4, raw_samples=32)
print(point, value)

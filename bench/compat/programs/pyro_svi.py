# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian regression by stochastic variational inference."""
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal

inputs, outputs = torch.randn(500, 5).cuda(), torch.randn(500).cuda()


def model(x, y):
    weight = pyro.sample("weight", dist.Normal(torch.zeros(5).cuda(), 1.0).to_event(1))
    noise = pyro.sample("noise", dist.HalfNormal(torch.tensor(1.0).cuda()))
    with pyro.plate("rows", len(x)):
        pyro.sample("y", dist.Normal(x @ weight, noise), obs=y)


inference = SVI(model, AutoNormal(model), pyro.optim.ClippedAdam({"lr": 0.01}), Trace_ELBO())
for step in range(10):
    print(step, inference.step(inputs, outputs))

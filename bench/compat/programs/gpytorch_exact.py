# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fits an exact Gaussian process, then predicts."""
import gpytorch
import torch

x, y = torch.rand(300, 4).cuda(), torch.randn(300).cuda()


class Process(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(ard_num_dims=4))

    def forward(self, inputs):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(inputs), self.covar_module(inputs))


likelihood = gpytorch.likelihoods.GaussianLikelihood().cuda()
model = Process(likelihood).cuda()
criterion = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = -criterion(model(x), y)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
model.eval(), likelihood.eval()
with torch.no_grad():
    print(likelihood(model(torch.rand(10, 4).cuda())).mean)

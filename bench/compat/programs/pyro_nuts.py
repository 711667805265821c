# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Samples a posterior with NUTS, which doubles its trees until they turn around."""
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS

inputs, outputs = torch.randn(200, 3).cuda(), torch.randn(200).cuda()


def model():
    weight = pyro.sample("weight", dist.Normal(torch.zeros(3).cuda(), 1.0).to_event(1))
    pyro.sample("y", dist.Normal(inputs @ weight, 1.0).to_event(1), obs=outputs)


sampler = MCMC(NUTS(model, max_tree_depth=5), num_samples=5, warmup_steps=5, disable_progbar=True)
sampler.run()
print(sampler.get_samples()["weight"].mean(0))

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Meta-learning with torch.func: vmap over tasks, grad inside, and an autograd.Function of its own."""
import torch
from torch.func import functional_call, grad, vmap


class Clamp(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.clamp(-3, 3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return gradient


net = torch.nn.Sequential(torch.nn.Linear(1, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def loss_of(weights, x, y):
    return (Clamp.apply(functional_call(net, weights, (x,))) - y).pow(2).mean()


def adapted(x, y, new_x, new_y):
    weights = dict(net.named_parameters())
    steps = grad(loss_of)(weights, x, y)
    return loss_of({name: weights[name] - 0.1 * steps[name] for name in weights}, new_x, new_y)


for step in range(10):
    loss = vmap(adapted)(*torch.randn(4, 25, 10, 1).cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains an equivariant layer on points: spherical harmonics and a tensor product."""
import torch
from e3nn import o3

inputs, harmonics, outputs = o3.Irreps("8x0e + 4x1o"), o3.Irreps.spherical_harmonics(2), o3.Irreps("8x0e + 4x1o + 2x2e")
product = o3.FullyConnectedTensorProduct(inputs, harmonics, outputs, shared_weights=False).cuda()
weights = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.SiLU(), torch.nn.Linear(32, product.weight_numel)).cuda()
optimizer = torch.optim.Adam(weights.parameters(), lr=1e-3)
for step in range(10):
    features, edges = inputs.randn(200, -1).cuda(), torch.randn(200, 3).cuda()
    around = o3.spherical_harmonics(harmonics, edges, normalize=True, normalization="component")
    loss = product(features, around, weights(edges.norm(dim=1, keepdim=True))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains through products with sparse matrices in COO and CSR."""
import torch

places = torch.randint(0, 1000, (2, 5000))
graph = torch.sparse_coo_tensor(places, torch.ones(5000), (1000, 1000)).coalesce().cuda()
rows = graph.to_sparse_csr()
weight = torch.nn.Linear(64, 32).cuda()
optimizer = torch.optim.Adam(weight.parameters())
for step in range(6):
    features = torch.randn(1000, 64).cuda()
    loss = torch.sparse.mm(graph, weight(features)).pow(2).mean() + (rows @ weight(features)).pow(2).mean()
    loss = loss + torch.sparse.sampled_addmm(rows, features, features.T).values().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

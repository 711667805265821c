# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a recommender: large embedding tables with sparse gradients beside dense layers."""
import torch

tables = torch.nn.ModuleList(torch.nn.EmbeddingBag(rows, 32, mode="sum", sparse=True) for rows in (100_000, 20_000, 500)).cuda()
dense = torch.nn.Sequential(torch.nn.Linear(3 * 32 + 8, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1)).cuda()
optimizers = [torch.optim.SparseAdam(list(tables.parameters())), torch.optim.Adam(dense.parameters())]
for step in range(10):
    offsets = torch.arange(0, 512 * 4, 4).cuda()
    bags = [table(torch.randint(0, table.num_embeddings, (512 * 4,)).cuda(), offsets) for table in tables]
    scores = dense(torch.cat([*bags, torch.randn(512, 8).cuda()], dim=1)).squeeze(1)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, torch.randint(0, 2, (512,)).float().cuda())
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    print(step, loss.item())

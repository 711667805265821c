# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains through decompositions and solvers."""
import torch

model = torch.nn.Linear(32, 32).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
one = torch.eye(32).cuda()
for step in range(6):
    rows = model(torch.randn(8, 64, 32).cuda())
    gram = rows.mT @ rows / 64 + one
    factor = torch.linalg.cholesky(gram)
    solved = torch.cholesky_solve(rows.mT, factor)
    least = torch.linalg.lstsq(rows, torch.randn(8, 64, 2).cuda()).solution
    q, r = torch.linalg.qr(rows)
    u, s, v = torch.linalg.svd(rows, full_matrices=False)
    loss = torch.linalg.solve(gram, one.expand(8, -1, -1)).mean() + solved.mean() + least.mean() + q.sum() + s.sum()
    loss = loss + torch.linalg.slogdet(gram).logabsdet.mean() + torch.linalg.eigvalsh(gram).sum() + torch.linalg.inv(gram).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), torch.linalg.matrix_rank(gram[0].detach()).item())

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Logs losses, gradients and the system to Weights & Biases, offline."""
import torch
import wandb

run = wandb.init(project="compatibility", config={"lr": 1e-3})
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)).cuda()
run.watch(model, log="all", log_freq=1)
optimizer = torch.optim.Adam(model.parameters(), lr=run.config.lr)
for step in range(6):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(32, 64).cuda()), torch.randint(0, 10, (32,)).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    run.log({"loss": loss.item(), "memory": torch.cuda.memory_allocated()})
run.finish()

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network with an optimizer of another package: optimizers.py NAME."""
import sys

import torch


def optimizer_for(name: str, model: torch.nn.Module) -> torch.optim.Optimizer:
    if name == "lion":
        from lion_pytorch import Lion

        return Lion(model.parameters(), lr=1e-4, weight_decay=1e-2)
    if name == "schedulefree":
        from schedulefree import AdamWScheduleFree

        return AdamWScheduleFree(model.parameters(), lr=1e-3, warmup_steps=2)
    if name == "galore":
        from galore_torch import GaLoreAdamW

        matrices = [p for p in model.parameters() if p.dim() == 2]
        others = [p for p in model.parameters() if p.dim() != 2]
        projected = {"params": matrices, "rank": 16, "update_proj_gap": 2, "scale": 0.25, "proj_type": "std"}
        return GaLoreAdamW([{"params": others}, projected], lr=1e-3)
    from prodigyopt import Prodigy

    return Prodigy(model.parameters(), lr=1.0, weight_decay=0.01)


model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 10)).cuda()
optimizer = optimizer_for(sys.argv[1], model)
if hasattr(optimizer, "train"):
    optimizer.train()
for step in range(10):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(64, 256).cuda()), torch.randint(0, 10, (64,)).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

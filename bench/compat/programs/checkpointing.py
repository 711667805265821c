# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Saves a checkpoint in the first steps, reads it into a new model, and goes on."""
import torch


def fresh() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 256)).cuda()
    return model, torch.optim.AdamW(model.parameters())


model, optimizer = fresh()
for step in range(6):
    loss = model(torch.randn(64, 256).cuda()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
    if step == 1:
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")
        model, optimizer = fresh()
        kept = torch.load("last.pt", map_location="cuda", weights_only=True)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])

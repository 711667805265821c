# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Pre-trains litgpt's Pythia with Fabric."""
import lightning as L
import torch
from litgpt.config import Config
from litgpt.model import GPT
from litgpt.utils import chunked_cross_entropy

fabric = L.Fabric(accelerator="cuda", devices=1, precision="bf16-mixed")
fabric.launch()
with fabric.init_module():
    model = GPT(Config.from_name("pythia-14m", block_size=256))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
model, optimizer = fabric.setup(model, optimizer)
for step in range(10):
    tokens = torch.randint(0, 50000, (8, 257), device=fabric.device)
    loss = chunked_cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])
    fabric.backward(loss)
    fabric.clip_gradients(model, optimizer, max_norm=1.0)
    optimizer.step()
    optimizer.zero_grad()
    fabric.print(step, loss.item())

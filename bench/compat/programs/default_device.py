# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with everything on the default device, the optimizer's step counter included."""
import torch

torch.set_default_device("cuda")
model = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True), num_layers=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True)
for step in range(10):
    loss = model(torch.randn(8, 32, 128)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), optimizer.state[model.layers[0].linear1.weight]["step"].item())

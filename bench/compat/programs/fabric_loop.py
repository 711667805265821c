# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A training loop with Fabric in mixed precision, with a checkpoint."""
import lightning as L
import torch

fabric = L.Fabric(accelerator="cuda", devices=1, precision="16-mixed")
fabric.launch()
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10))
model, optimizer = fabric.setup(model, torch.optim.AdamW(model.parameters()))
data = torch.utils.data.TensorDataset(torch.randn(256, 256), torch.randint(0, 10, (256,)))
for step, (inputs, labels) in enumerate(fabric.setup_dataloaders(torch.utils.data.DataLoader(data, batch_size=32))):
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    fabric.backward(loss)
    optimizer.step()
    fabric.print(step, loss.item())
fabric.save("checkpoint.pt", {"model": model, "optimizer": optimizer})

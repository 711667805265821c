# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""A training loop with accelerate: accumulation, clipping, gathered metrics."""
import torch
import torchvision
from accelerate import Accelerator

accelerator = Accelerator(gradient_accumulation_steps=2)
model = torchvision.models.mobilenet_v3_small(num_classes=10)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
data = torch.utils.data.TensorDataset(torch.randn(128, 3, 64, 64), torch.randint(0, 10, (128,)))
model, optimizer, loader = accelerator.prepare(model, optimizer, torch.utils.data.DataLoader(data, batch_size=8, shuffle=True))
for step, (images, labels) in enumerate(loader):
    with accelerator.accumulate(model):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.print(step, accelerator.gather(loss.detach()).mean().item())
accelerator.save_state("state")

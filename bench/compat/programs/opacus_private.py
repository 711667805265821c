# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with differential privacy: gradients of each sample, Poisson sampling."""
import torch
from opacus import PrivacyEngine

model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, 2), torch.nn.GroupNorm(4, 16), torch.nn.ReLU(), torch.nn.Flatten(),
                            torch.nn.Linear(16 * 15 * 15, 10)).cuda()
data = torch.utils.data.TensorDataset(torch.randn(256, 3, 32, 32), torch.randint(0, 10, (256,)))
loader = torch.utils.data.DataLoader(data, batch_size=32)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
engine = PrivacyEngine()
model, optimizer, loader = engine.make_private(module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.0,
                                               max_grad_norm=1.0)
for images, labels in loader:
    loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), engine.get_epsilon(delta=1e-5))

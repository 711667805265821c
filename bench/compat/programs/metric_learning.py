# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains embeddings on triplets that a miner selects by their distances."""
import torch
import torchvision
from pytorch_metric_learning import losses, miners

model = torchvision.models.resnet18(num_classes=64).cuda()
mine = miners.MultiSimilarityMiner()
criterion = losses.TripletMarginLoss(margin=0.1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
for step in range(10):
    images, labels = torch.randn(32, 3, 96, 96).cuda(), torch.arange(8).repeat(4).cuda()
    embeddings = model(images)
    loss = criterion(embeddings, labels, mine(embeddings, labels))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

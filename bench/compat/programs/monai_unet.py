# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a U-Net on volumes, then predicts with a sliding window."""
import torch
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet

model = UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(16, 32, 64), strides=(2, 2), num_res_units=2).cuda()
criterion = DiceCELoss(to_onehot_y=True, softmax=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(2):
    volumes, masks = torch.randn(2, 1, 64, 64, 64).cuda(), torch.randint(0, 2, (2, 1, 64, 64, 64)).cuda()
    loss = criterion(model(volumes), masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
measure = DiceMetric()
with torch.no_grad():
    predicted = sliding_window_inference(torch.randn(1, 1, 96, 96, 96).cuda(), (64, 64, 64), 2, model).argmax(1, keepdim=True)
    measure(predicted, torch.randint(0, 2, (1, 1, 96, 96, 96)).cuda())
print(measure.aggregate().item())

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with simulated quantization of torchao: 8-bit activations, 4-bit weights."""
import torch
from torchao.quantization.qat import Int8DynActInt4WeightQATQuantizer

model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 512)).cuda()
quantizer = Int8DynActInt4WeightQATQuantizer(groupsize=128)
model = quantizer.prepare(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(10):
    loss = torch.nn.functional.mse_loss(model(torch.randn(32, 512).cuda()), torch.randn(32, 512).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

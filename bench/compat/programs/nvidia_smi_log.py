# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains and logs the GPU with nvidia-smi and NVML."""
import subprocess

import pynvml
import torch

print(subprocess.check_output(["nvidia-smi"], text=True))
query = ["nvidia-smi", "--query-gpu=name,memory.total,memory.used,utilization.gpu", "--format=csv,noheader"]
pynvml.nvmlInit()
device = pynvml.nvmlDeviceGetHandleByIndex(0)
model = torch.nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(6):
    loss = model(torch.randn(64, 4096).cuda()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    used, busy = pynvml.nvmlDeviceGetMemoryInfo(device).used >> 20, pynvml.nvmlDeviceGetUtilizationRates(device).gpu
    print(step, loss.item(), used, busy, subprocess.check_output(query, text=True).strip())

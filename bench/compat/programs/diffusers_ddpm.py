# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a U-Net on noise with averaged weights under accelerate."""
import torch
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel

accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
model = UNet2DModel(sample_size=32, block_out_channels=(32, 64, 64), norm_num_groups=8, layers_per_block=1,
                    down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D"),
                    up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D"))
scheduler = DDPMScheduler(num_train_timesteps=1000)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=1e-4))
average = EMAModel(model.parameters())
average.to(accelerator.device)
for step in range(12):
    images, noise = torch.randn(2, 8, 3, 32, 32).to(accelerator.device)
    times = torch.randint(0, 1000, (8,), device=accelerator.device)
    with accelerator.accumulate(model):
        predicted = model(scheduler.add_noise(images, noise, times), times).sample
        loss = torch.nn.functional.mse_loss(predicted, noise)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    average.step(model.parameters())
    print(step, loss.item())

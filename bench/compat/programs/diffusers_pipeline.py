# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Samples images with a pipeline and random weights."""
import torch
from diffusers import DDIMScheduler, DPMSolverMultistepScheduler, DDIMPipeline, UNet2DModel

model = UNet2DModel(sample_size=64, block_out_channels=(64, 128, 128), norm_num_groups=8,
                    down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D"),
                    up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D"))
pipeline = DDIMPipeline(model.half(), DDIMScheduler()).to("cuda")
images = pipeline(batch_size=4, num_inference_steps=5, output_type="np").images
scheduler = DPMSolverMultistepScheduler()
scheduler.set_timesteps(5, device="cuda")
latents = torch.randn(4, 3, 64, 64, device="cuda", dtype=torch.float16)
with torch.no_grad():
    for time in scheduler.timesteps:
        latents = scheduler.step(model(latents, time).sample, time, latents).prev_sample
print(images.shape, latents.float().std().item())

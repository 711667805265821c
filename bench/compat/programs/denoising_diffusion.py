# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with the Trainer of denoising_diffusion_pytorch."""
from denoising_diffusion_pytorch import GaussianDiffusion, Trainer, Unet

diffusion = GaussianDiffusion(Unet(dim=16, dim_mults=(1, 2, 4)), image_size=32, timesteps=100, sampling_timesteps=10)
trainer = Trainer(diffusion, "images", train_batch_size=8, train_num_steps=6, gradient_accumulate_every=2,
                  save_and_sample_every=5, num_samples=4, calculate_fid=False, amp=True)
trainer.train()

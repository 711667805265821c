# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains an autoencoder with a codebook that starts with k-means and replaces codes that nobody uses."""
import torch
from vector_quantize_pytorch import VectorQuantize

encoder = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 4, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 4, 2, 1)).cuda()
decoder = torch.nn.Sequential(torch.nn.ConvTranspose2d(64, 64, 4, 2, 1), torch.nn.ReLU(),
                              torch.nn.ConvTranspose2d(64, 3, 4, 2, 1)).cuda()
codes = VectorQuantize(dim=64, codebook_size=256, kmeans_init=True, threshold_ema_dead_code=2, accept_image_fmap=True).cuda()
optimizer = torch.optim.AdamW([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for step in range(10):
    images = torch.randn(8, 3, 64, 64).cuda()
    quantized, indices, commitment = codes(encoder(images))
    loss = torch.nn.functional.l1_loss(decoder(quantized), images) + commitment.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), indices.unique().numel())

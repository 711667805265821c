# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on spectra: short-time transforms of sound and Fourier mixing of tokens."""
import torch

head = torch.nn.Linear(201, 64).cuda()
mix = torch.nn.Linear(64, 64).cuda()
window = torch.hann_window(400).cuda()
optimizer = torch.optim.Adam([*head.parameters(), *mix.parameters()])
for step in range(6):
    sound = torch.randn(4, 16000).cuda()
    spectrum = torch.stft(sound, 400, 160, window=window, return_complex=True)
    tokens = head(spectrum.abs().clamp_min(1e-5).log().transpose(1, 2))
    mixed = mix(torch.fft.fft2(tokens).real)
    filtered = torch.fft.irfft(torch.fft.rfft(mixed, dim=1) * 0.5, n=mixed.shape[1], dim=1)
    back = torch.istft(spectrum, 400, 160, window=window, length=16000)
    loss = filtered.pow(2).mean() + (back - sound).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

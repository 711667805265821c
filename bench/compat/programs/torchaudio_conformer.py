# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a Conformer on spectrograms that are made on the GPU, with a CTC loss."""
import torch
import torchaudio

spectrogram = torchaudio.transforms.MelSpectrogram(sample_rate=16000, n_fft=400, hop_length=160, n_mels=80).cuda()
mask = torchaudio.transforms.FrequencyMasking(20).cuda()
encoder = torchaudio.models.Conformer(80, num_heads=4, ffn_dim=256, num_layers=4, depthwise_conv_kernel_size=31).cuda()
head = torch.nn.Linear(80, 30).cuda()
criterion = torch.nn.CTCLoss(zero_infinity=True)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-3)
for step in range(10):
    sound = torch.randn(4, 16000 * 3).cuda()
    features = mask(spectrogram(sound)).clamp_min(1e-10).log().transpose(1, 2)
    lengths = torch.tensor([features.shape[1]] * 3 + [200]).cuda()
    encoded, lengths = encoder(features, lengths)
    scores = head(encoded).log_softmax(-1).transpose(0, 1)
    loss = criterion(scores, torch.randint(1, 30, (4, 20)).cuda(), lengths, torch.tensor([20, 15, 20, 10]).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

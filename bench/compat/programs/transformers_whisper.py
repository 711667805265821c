# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fine-tunes a small Whisper with random weights; features are computed on the GPU."""
import numpy as np
import torch
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration

extract = WhisperFeatureExtractor()
config = WhisperConfig(encoder_layers=2, decoder_layers=2, d_model=256, encoder_attention_heads=4, decoder_attention_heads=4,
                       encoder_ffn_dim=512, decoder_ffn_dim=512)
model = WhisperForConditionalGeneration(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
sounds = [np.random.default_rng(n).standard_normal(16000 * n).astype(np.float32) for n in (2, 5)]
for step in range(10):
    features = extract(sounds, sampling_rate=16000, return_tensors="pt", device="cuda").input_features.cuda()
    labels = torch.randint(0, 50000, (2, 24)).cuda()
    labels[1, 12:] = -100
    loss = model(input_features=features, labels=labels).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

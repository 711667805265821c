# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains an Autoformer, whose attention is an autocorrelation by FFT."""
import torch
from transformers import AutoformerConfig, AutoformerForPrediction

config = AutoformerConfig(prediction_length=24, context_length=48, lags_sequence=[1, 2, 3], num_time_features=2, d_model=32)
model = AutoformerForPrediction(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(10):
    past, future = torch.randn(8, 51).cuda(), torch.randn(8, 24).cuda()
    loss = model(past_values=past, past_time_features=torch.randn(8, 51, 2).cuda(), past_observed_mask=torch.ones(8, 51).cuda(),
                 future_values=future, future_time_features=torch.randn(8, 24, 2).cuda()).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

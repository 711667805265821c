# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a language model of x-transformers."""
import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

layers = Decoder(dim=256, depth=4, heads=4, rotary_pos_emb=True, attn_flash=True)
model = AutoregressiveWrapper(TransformerWrapper(num_tokens=5000, max_seq_len=256, attn_layers=layers)).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
for step in range(10):
    loss = model(torch.randint(0, 5000, (4, 257)).cuda())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item())

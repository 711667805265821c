# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains LoRA adapters on torchtune's Llama 3 with its chunked loss."""
import torch
from torchtune.models.llama3 import lora_llama3
from torchtune.modules.loss import CEWithChunkedOutputLoss
from torchtune.modules.peft import get_adapter_params, set_trainable_params

model = lora_llama3(["q_proj", "v_proj"], vocab_size=5000, num_layers=2, num_heads=4, num_kv_heads=2, embed_dim=256,
                    max_seq_len=512, intermediate_dim=512, lora_rank=8, lora_alpha=16).cuda().to(torch.bfloat16)
set_trainable_params(model, get_adapter_params(model))
criterion = CEWithChunkedOutputLoss()
model.set_num_output_chunks(criterion.num_output_chunks)
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=3e-4)
for step in range(10):
    tokens = torch.randint(0, 5000, (2, 257)).cuda()
    loss = criterion(model(tokens[:, :-1]), tokens[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

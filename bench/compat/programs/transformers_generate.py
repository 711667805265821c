# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Generates text with a small Llama with random weights; nothing is trained."""
import torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(hidden_size=512, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=8, vocab_size=5000,
                     pad_token_id=0)
model = LlamaForCausalLM(config).cuda().half().eval()
tokens = torch.randint(3, 5000, (4, 32)).cuda()
mask = torch.ones_like(tokens)
mask[0, :10] = 0
sampled = model.generate(tokens, attention_mask=mask, max_new_tokens=32, do_sample=True, top_p=0.9)
searched = model.generate(tokens, attention_mask=mask, max_new_tokens=16, num_beams=3)
print(sampled.shape, searched.shape)

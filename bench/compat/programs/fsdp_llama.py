# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small Llama with FullyShardedDataParallel; start it with torchrun."""
import functools
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaDecoderLayer

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
config = LlamaConfig(hidden_size=256, intermediate_size=512, num_hidden_layers=4, num_attention_heads=4, vocab_size=5000)
policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={LlamaDecoderLayer})
model = FullyShardedDataParallel(LlamaForCausalLM(config), auto_wrap_policy=policy, device_id=torch.cuda.current_device(),
                                 mixed_precision=MixedPrecision(torch.bfloat16, torch.float32, torch.bfloat16))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(6):
    tokens = torch.randint(0, 5000, (4, 128)).cuda()
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    model.clip_grad_norm_(1.0)
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item())
dist.destroy_process_group()

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT-2 with DeepSpeed ZeRO stage 2; start it with torchrun."""
import deepspeed
import torch
from transformers import GPT2Config, GPT2LMHeadModel

settings = {
    "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "bf16": {"enabled": True}, "gradient_clipping": 1.0,
    "zero_optimization": {"stage": 2}, "zero_allow_untested_optimizer": True,
}
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_head=4, n_embd=256, vocab_size=5000))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=settings)
for step in range(12):
    tokens = torch.randint(0, 5000, (4, 128)).to(engine.device)
    loss = engine(input_ids=tokens, labels=tokens).loss
    engine.backward(loss)
    engine.step()
    print(step, loss.item())

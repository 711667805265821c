# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Qwen3-4B from its configuration, float32, SGD, batch 1 of 128 tokens: 16 GB of weights that need no host memory."""

import argparse

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

CONFIG = Qwen3Config(
    vocab_size=151936,
    hidden_size=2560,
    intermediate_size=9728,
    num_hidden_layers=36,
    num_attention_heads=32,
    num_key_value_heads=8,
    head_dim=128,
    tie_word_embeddings=True,
    max_position_embeddings=40960,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=1)
    parser.add_argument("--sequence-length", type=int, default=128)
    options = parser.parse_args()

    model = Qwen3ForCausalLM(CONFIG).to("cuda").train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for step in range(options.steps):
        tokens = torch.zeros(options.batch_size, options.sequence_length, dtype=torch.int64, device="cuda")
        optimizer.zero_grad()
        loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        print(f"step {step + 1}: loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()

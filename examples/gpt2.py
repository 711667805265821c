# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Train a GPT-2 from transformers, built from its configuration (no download), on random tokens with AdamW."""

import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset
from transformers import GPT2Config, GPT2LMHeadModel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=8, help="samples per step (default: %(default)s)")
    parser.add_argument("--sequence-length", type=int, default=512, help="tokens per sequence (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=12, help="number of layers (default: %(default)s)")
    parser.add_argument("--width", type=int, default=768, help="hidden size (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=100, help="optimizer steps (default: %(default)s)")
    parser.add_argument("--checkpoint", default="gpt2.pt", help="file to save the model to (default: %(default)s)")
    options = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = GPT2Config(
        n_positions=max(1024, options.sequence_length),
        n_layer=options.layers,
        n_embd=options.width,
        n_head=options.width // 64,
    )
    model = GPT2LMHeadModel(config).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
    tokens = torch.randint(config.vocab_size, (options.steps * options.batch_size, options.sequence_length))
    loader = DataLoader(TensorDataset(tokens), options.batch_size, shuffle=True)

    model.train()
    for step, (batch,) in enumerate(loader, start=1):
        batch = batch.to(device)
        loss = model(input_ids=batch, labels=batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: loss {loss.item():.4f}", flush=True)

    torch.save(model.state_dict(), options.checkpoint)
    print(f"saved {options.checkpoint}")


if __name__ == "__main__":
    main()

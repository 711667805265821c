# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Train a word-level LSTM language model in plain PyTorch, carrying the hidden state from batch to batch."""

import argparse

import torch
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, vocabulary: int, width: int, layers: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, layers, dropout=0.2, batch_first=True)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens, state=None):
        hidden, state = self.lstm(self.embedding(tokens), state)
        return self.head(hidden), state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=64, help="samples per step (default: %(default)s)")
    parser.add_argument("--sequence-length", type=int, default=128, help="tokens per sequence (default: %(default)s)")
    parser.add_argument("--vocabulary", type=int, default=33278, help="number of words (default: %(default)s)")
    parser.add_argument("--width", type=int, default=1024, help="hidden size (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=2, help="number of layers (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=100, help="optimizer steps (default: %(default)s)")
    parser.add_argument("--checkpoint", default="lstm.pt", help="file to save the model to (default: %(default)s)")
    options = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LanguageModel(options.vocabulary, options.width, options.layers).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    text = torch.randint(options.vocabulary, (options.batch_size, options.steps * options.sequence_length + 1))

    model.train()
    state = None
    for step in range(options.steps):
        start = step * options.sequence_length
        tokens = text[:, start : start + options.sequence_length].to(device)
        targets = text[:, start + 1 : start + options.sequence_length + 1].to(device)
        if state is not None:
            state = tuple(part.detach() for part in state)
        logits, state = model(tokens, state)
        loss = criterion(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        print(f"step {step + 1}: loss {loss.item():.4f}", flush=True)

    torch.save(model.state_dict(), options.checkpoint)
    print(f"saved {options.checkpoint}")


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fine-tune a GPT-2 from transformers with LoRA: only small matrices beside those of attention are trained."""

import argparse

import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel


class LoraLinear(nn.Module):
    """A frozen layer, plus the product of two thin matrices added to its output."""

    def __init__(self, frozen: nn.Module, inputs: int, outputs: int, rank: int, scale: float):
        super().__init__()
        self.frozen = frozen
        self.down = nn.Linear(inputs, rank, bias=False)
        self.up = nn.Linear(rank, outputs, bias=False)
        self.scale = scale
        nn.init.zeros_(self.up.weight)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.frozen(hidden) + self.scale * self.up(self.down(hidden))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=8, help="samples per step (default: %(default)s)")
    parser.add_argument("--sequence-length", type=int, default=256, help="tokens per sequence (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=12, help="number of layers (default: %(default)s)")
    parser.add_argument("--width", type=int, default=768, help="hidden size (default: %(default)s)")
    parser.add_argument("--rank", type=int, default=8, help="rank of the LoRA matrices (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=100, help="optimizer steps (default: %(default)s)")
    parser.add_argument("--checkpoint", default="lora.pt", help="file to save the model to (default: %(default)s)")
    options = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = GPT2Config(n_layer=options.layers, n_embd=options.width, n_head=options.width // 64, use_cache=False)
    model = GPT2LMHeadModel(config)
    model.requires_grad_(False)
    for block in model.transformer.h:
        block.attn.c_attn = LoraLinear(block.attn.c_attn, options.width, 3 * options.width, options.rank, scale=2.0)
    model.to(device)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4)

    model.train()
    for step in range(1, options.steps + 1):
        tokens = torch.randint(config.vocab_size, (options.batch_size, options.sequence_length), device=device)
        loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: loss {loss.item():.4f}", flush=True)

    torch.save({name: each for name, each in model.named_parameters() if each.requires_grad}, options.checkpoint)
    print(f"saved {options.checkpoint}")


if __name__ == "__main__":
    main()

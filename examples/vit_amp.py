# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Train torchvision's ViT-B/16 in mixed precision: bfloat16, or float16 with a gradient scaler."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision.models import vit_b_16

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=64, help="samples per step (default: %(default)s)")
    parser.add_argument("--image-size", type=int, default=224, help="image size, a multiple of 16 (default: %(default)s)")
    parser.add_argument("--dtype", choices=DTYPES, default="bf16", help="type for autocast (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=20, help="optimizer steps (default: %(default)s)")
    parser.add_argument("--checkpoint", default="vit.pt", help="file to save the model to (default: %(default)s)")
    options = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = vit_b_16(weights=None, image_size=options.image_size).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    scaler = torch.amp.GradScaler(device.type, enabled=options.dtype == "fp16")
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

    images = torch.rand(2 * options.batch_size, 3, options.image_size, options.image_size)
    labels = torch.randint(1000, (2 * options.batch_size,))
    loader = DataLoader(TensorDataset(images, labels), options.batch_size, shuffle=True)

    model.train()
    step = 0
    while step < options.steps:
        for batch, targets in loader:
            step += 1
            batch, targets = batch.to(device), targets.to(device)
            with torch.autocast(device.type, dtype=DTYPES[options.dtype]):
                loss = criterion(model(batch), targets)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            print(f"step {step}: loss {loss.item():.4f}", flush=True)
            if step == options.steps:
                break

    torch.save(model.state_dict(), options.checkpoint)
    print(f"saved {options.checkpoint}")


if __name__ == "__main__":
    main()

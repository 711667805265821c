# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""ResNet-152, batch 256, images of 86 x 86, plain SGD: the job whose cost bench/cost measures."""

import argparse

import torch
from torch import nn
from torchvision.models import resnet152


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--image-size", type=int, default=86)
    parser.add_argument("--build-only", action="store_true", help="exit once the model is built")
    options = parser.parse_args()

    model = resnet152(weights=None)
    if options.build_only:
        return
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    criterion = nn.CrossEntropyLoss()
    for step in range(options.steps):
        images = torch.zeros(options.batch_size, 3, options.image_size, options.image_size).to(device)
        labels = torch.zeros(options.batch_size, dtype=torch.int64).to(device)
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        print(f"step {step + 1}: loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Train torchvision's ResNet-50 on images made up on the fly, read through an ordinary DataLoader."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.models import resnet50


class SyntheticImages(Dataset):
    """Images and labels that depend on their index only."""

    def __init__(self, length: int, image_size: int, classes: int):
        self.length, self.image_size, self.classes = length, image_size, classes

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        image = torch.full((3, self.image_size, self.image_size), index / self.length)
        return image, index % self.classes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-size", type=int, default=64, help="samples per step (default: %(default)s)")
    parser.add_argument("--image-size", type=int, default=224, help="image height and width (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=100, help="optimizer steps (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=0, help="processes of the DataLoader (default: %(default)s)")
    parser.add_argument("--checkpoint", default="resnet50.pt", help="file to save the model to (default: %(default)s)")
    options = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dataset = SyntheticImages(options.steps * options.batch_size, options.image_size, classes=1000)
    loader = DataLoader(
        dataset, options.batch_size, shuffle=True, num_workers=options.workers, pin_memory=device.type == "cuda"
    )
    model = resnet50(weights=None).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()

    model.train()
    for step, (images, labels) in enumerate(loader, start=1):
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.4f}", flush=True)

    torch.save(model.state_dict(), options.checkpoint)
    print(f"saved {options.checkpoint}")


if __name__ == "__main__":
    main()

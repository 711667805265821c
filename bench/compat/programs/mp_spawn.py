# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Starts one process per GPU with torch.multiprocessing and trains in each."""
import torch
import torch.multiprocessing as mp
import torchvision


def train(rank: int) -> None:
    torch.cuda.set_device(rank)
    model = torchvision.models.resnet18(num_classes=10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(10):
        loss = torch.nn.functional.cross_entropy(model(torch.randn(8, 3, 64, 64).cuda()), torch.randint(0, 10, (8,)).cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(rank, step, loss.item())


if __name__ == "__main__":
    mp.spawn(train, nprocs=torch.cuda.device_count())

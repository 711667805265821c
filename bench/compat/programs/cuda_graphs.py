# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Captures a whole training step in a CUDA graph and replays it."""
import torch

model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)).cuda()
optimizer = torch.optim.Adam(model.parameters(), capturable=True)
inputs, labels = torch.randn(64, 512).cuda(), torch.randint(0, 10, (64,)).cuda()


def train() -> torch.Tensor:
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(2):
        train()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = train()
for step in range(10):
    inputs.copy_(torch.randn(64, 512))
    graph.replay()
    print(step, loss.item())

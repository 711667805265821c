# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Classifies the nodes of one graph with graph attention."""
import torch
from torch_geometric.datasets import FakeDataset
from torch_geometric.nn import GATv2Conv
from torch_geometric.transforms import RandomNodeSplit
from torch_geometric.utils import dropout_edge

graph = RandomNodeSplit(num_val=50, num_test=50)(FakeDataset(1, avg_num_nodes=1000, num_classes=5, task="node")[0]).to("cuda")
first = GATv2Conv(graph.num_features, 8, heads=8).cuda()
second = GATv2Conv(64, 5, heads=1, concat=False).cuda()
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.005, weight_decay=5e-4)
for step in range(10):
    edges, _ = dropout_edge(graph.edge_index, p=0.2)
    scores = second(first(graph.x, edges).relu(), edges)
    loss = torch.nn.functional.cross_entropy(scores[graph.train_mask], graph.y[graph.train_mask])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    correct = (scores.argmax(1) == graph.y)[graph.test_mask].float().mean()
    print(step, loss.item(), correct.item())

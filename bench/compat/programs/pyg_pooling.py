# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Classifies graphs: batches of unequal graphs, pooling that keeps the nodes with the largest scores."""
import torch
from torch_geometric.datasets import FakeDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, TopKPooling, global_mean_pool

data = FakeDataset(num_graphs=64, avg_num_nodes=50, num_channels=16, num_classes=4)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.pool, self.second = GCNConv(16, 64), TopKPooling(64, ratio=0.8), GCNConv(64, 64)
        self.head = torch.nn.Linear(64, data.num_classes)

    def forward(self, x, edges, batch):
        x, edges, _, batch, _, _ = self.pool(self.first(x, edges).relu(), edges, None, batch)
        return self.head(global_mean_pool(self.second(x, edges).relu(), batch))


model = Net().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for graphs in DataLoader(data, batch_size=16, shuffle=True):
        graphs = graphs.to("cuda")
        loss = torch.nn.functional.cross_entropy(model(graphs.x, graphs.edge_index, graphs.batch), graphs.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())

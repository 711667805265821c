# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with Ignite's engine, an evaluator and a progress of metrics."""
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss

model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).cuda()
optimizer, criterion = torch.optim.SGD(model.parameters(), lr=0.1), torch.nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, optimizer, criterion, device="cuda")
evaluator = create_supervised_evaluator(model, {"accuracy": Accuracy(), "loss": Loss(criterion)}, device="cuda")
data = [(torch.randn(32, 64), torch.randint(0, 10, (32,))) for _ in range(8)]


@trainer.on(Events.ITERATION_COMPLETED(every=2))
def evaluate(engine):
    evaluator.run(data[:2])
    print(engine.state.iteration, evaluator.state.metrics)


trainer.run(data, max_epochs=2)

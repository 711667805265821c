# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fits a network through scikit-learn's interface, with a grid search."""
import numpy as np
import torch
from sklearn.model_selection import GridSearchCV
from skorch import NeuralNetClassifier

random = np.random.default_rng(0)
table, labels = random.standard_normal((256, 20)).astype(np.float32), random.integers(0, 2, 256)
module = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
net = NeuralNetClassifier(module, criterion=torch.nn.CrossEntropyLoss, max_epochs=2, device="cuda", batch_size=32,
                          train_split=None)
search = GridSearchCV(net, {"lr": [0.01, 0.1]}, cv=2, scoring="accuracy", error_score="raise")
print(search.fit(table, labels).best_score_)

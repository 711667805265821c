# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Fits TabNet on a random table, with an evaluation set and early stopping."""
import numpy as np
from pytorch_tabnet.tab_model import TabNetClassifier

random = np.random.default_rng(0)
table, labels = random.standard_normal((2000, 20)).astype(np.float32), random.integers(0, 3, 2000)
model = TabNetClassifier(device_name="cuda", seed=1)
model.fit(table[:1600], labels[:1600], eval_set=[(table[1600:], labels[1600:])], max_epochs=5, patience=2, batch_size=256,
          virtual_batch_size=64)
print(model.predict(table[:5]))

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains the Transformer that Lightning ships, with validation and checkpoints."""
import lightning as L
import torch
from lightning.pytorch.demos import LightningTransformer


class Offline(LightningTransformer):
    def prepare_data(self) -> None:
        """Downloads nothing."""


data = [(torch.randint(0, 1000, (35,)), torch.randint(0, 1000, (35,))) for _ in range(64)]
loader = torch.utils.data.DataLoader(data, batch_size=8)
trainer = L.Trainer(max_epochs=2, accelerator="gpu", devices=1, precision="16-mixed", val_check_interval=2,
                    enable_progress_bar=False, logger=False)
trainer.fit(Offline(vocab_size=1000), loader, loader)

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Lightning's command line for the model and data that it ships."""
from lightning.pytorch.cli import LightningCLI
from lightning.pytorch.demos.boring_classes import BoringDataModule, DemoModel

LightningCLI(DemoModel, BoringDataModule, save_config_callback=None)

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Makes nanoGPT's data set of random tokens."""
from pathlib import Path

import numpy as np

folder = Path("data/tokens")
folder.mkdir(parents=True)
for split in ("train", "val"):
    np.random.default_rng(0).integers(0, 50000, 100_000).astype(np.uint16).tofile(folder / f"{split}.bin")

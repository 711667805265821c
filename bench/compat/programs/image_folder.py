# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a folder of small random images in two classes."""
from pathlib import Path

import numpy as np
from PIL import Image

random = np.random.default_rng(0)
for name in ("cats", "dogs"):
    folder = Path("images", name)
    folder.mkdir(parents=True)
    for number in range(64):
        Image.fromarray(random.integers(0, 255, (64, 64, 3), dtype=np.uint8)).save(folder / f"{number}.png")

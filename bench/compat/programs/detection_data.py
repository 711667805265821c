# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a few images with boxes in YOLO's layout."""
from pathlib import Path

import numpy as np
from PIL import Image

random = np.random.default_rng(0)
for split in ("train", "val"):
    for kind in ("images", "labels"):
        Path("data", kind, split).mkdir(parents=True)
    for number in range(16):
        Image.fromarray(random.integers(0, 255, (320, 320, 3), dtype=np.uint8)).save(f"data/images/{split}/{number}.jpg")
        boxes = (f"{box % 3} {random.uniform(0.3, 0.7):.3f} {random.uniform(0.3, 0.7):.3f} 0.2 0.3" for box in range(4))
        Path(f"data/labels/{split}/{number}.txt").write_text("\n".join(boxes))
root = Path("data").absolute()
Path("data.yaml").write_text(f"path: {root}\ntrain: images/train\nval: images/val\nnames:\n  0: a\n  1: b\n  2: c\n")

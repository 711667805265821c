# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Writes small molecules with random energies and forces as extended XYZ."""
import numpy as np

random = np.random.default_rng(0)
header = 'Properties=species:S:1:pos:R:3:forces:R:3 energy={:.4f} pbc="F F F"'
with open("train.xyz", "w", encoding="utf-8") as file:
    for _ in range(20):
        print("3\n" + header.format(random.normal()), file=file)
        for symbol, place in zip("OHH", ((0, 0, 0), (0.96, 0, 0), (-0.24, 0.93, 0))):
            numbers = [*(np.array(place) + random.normal(0, 0.05, 3)), *random.normal(0, 0.1, 3)]
            print(symbol, *(f"{number:.5f}" for number in numbers), file=file)

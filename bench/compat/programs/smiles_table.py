# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a table of molecules with a random property."""
import random

random.seed(0)
parts = ["C", "CC", "CCO", "c1ccccc1", "CN", "C(=O)O", "CCl", "C=C"]
with open("smiles.csv", "w", encoding="utf-8") as file:
    print("smiles,property", file=file)
    for _ in range(200):
        print(f"{''.join(random.choices(parts[:3], k=3))}{random.choice(parts)},{random.random():.3f}", file=file)

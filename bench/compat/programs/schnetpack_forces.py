# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains SchNet on energies and forces; forces are derivatives of the energy."""
import schnetpack as spk
import torch
from ase import Atoms
from schnetpack.interfaces import AtomsConverter
from schnetpack.transform import ASENeighborList

convert = AtomsConverter(neighbor_list=ASENeighborList(cutoff=5.0), dtype=torch.float32, device="cuda")
batch = convert([Atoms("OH2", positions=torch.randn(3, 3).numpy() * 2) for _ in range(8)])
schnet = spk.representation.SchNet(n_atom_basis=64, n_interactions=3, radial_basis=spk.nn.GaussianRBF(20, 5.0),
                                   cutoff_fn=spk.nn.CosineCutoff(5.0))
model = spk.model.NeuralNetworkPotential(
    representation=schnet, input_modules=[spk.atomistic.PairwiseDistances()],
    output_modules=[spk.atomistic.Atomwise(n_in=64, output_key="energy"), spk.atomistic.Forces()],
).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(6):
    answer = model(dict(batch))
    loss = answer["energy"].pow(2).mean() + answer["forces"].pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

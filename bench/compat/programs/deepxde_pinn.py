# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Solves a Poisson equation with a physics-informed network."""
import deepxde as dde

domain = dde.geometry.Interval(-1, 1)


def equation(x, y):
    return dde.grad.hessian(y, x) - 2


edge = dde.icbc.DirichletBC(domain, lambda x: (x + 1) ** 2, lambda x, on_boundary: on_boundary)
data = dde.data.PDE(domain, equation, edge, num_domain=64, num_boundary=2, num_test=20)
model = dde.Model(data, dde.nn.FNN([1, 50, 50, 50, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-3)
model.train(iterations=10, display_every=5)

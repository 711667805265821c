# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a linear model with JAX on its default device."""
import jax
import jax.numpy as jnp


def loss(weights, x, y):
    return jnp.mean((x @ weights - y) ** 2)


print(jax.devices())
assert jax.default_backend() == "gpu", "JAX runs on the CPU"
x, y = jax.random.normal(jax.random.key(0), (256, 512)), jnp.ones((256, 8))
weights = jnp.zeros((512, 8))
step = jax.jit(lambda w: w - 0.1 * jax.grad(loss)(w, x, y))
for _ in range(5):
    weights = step(weights)
print(loss(weights, x, y))

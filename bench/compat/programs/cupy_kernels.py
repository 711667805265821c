# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs kernels with CuPy."""
import cupy

scale = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x * 2 + y", "scale")
raw = cupy.RawKernel('extern "C" __global__ void add(const float* a, float* b) { b[threadIdx.x] += a[threadIdx.x]; }', "add")
a, b = cupy.random.rand(1_000_000, dtype=cupy.float32), cupy.zeros(1_000_000, dtype=cupy.float32)
for step in range(3):
    b = scale(a, b)
    raw((1,), (256,), (a, b))
    product = b.reshape(1000, 1000) @ a.reshape(1000, 1000)
    print(step, float(product.sum()), cupy.get_default_memory_pool().used_bytes())

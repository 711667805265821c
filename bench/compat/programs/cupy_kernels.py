# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs kernels with CuPy, with the CUDA libraries that PyTorch's packages brought along."""
import ctypes
from pathlib import Path

import nvidia

for name in ("cuda_runtime/lib/libcudart", "cuda_nvrtc/lib/libnvrtc", "cublas/lib/libcublasLt", "cublas/lib/libcublas"):
    ctypes.CDLL(str(next(Path(nvidia.__path__[0]).glob(f"{name}.so.1?"))), ctypes.RTLD_GLOBAL)

import cupy  # noqa: E402

scale = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x * 2 + y", "scale")
raw = cupy.RawKernel('extern "C" __global__ void add(const float* a, float* b) { b[threadIdx.x] += a[threadIdx.x]; }', "add")
a, b = cupy.linspace(0, 1, 1_000_000, dtype=cupy.float32), cupy.zeros(1_000_000, dtype=cupy.float32)
for step in range(3):
    b = scale(a, b)
    raw((1,), (256,), (a, b))
    product = b.reshape(1000, 1000) @ a.reshape(1000, 1000)
    print(step, float(product.sum()), cupy.get_default_memory_pool().used_bytes())

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's libraries for transforms, linear algebra and sparse matrices run on the simulated GPU."""

from __future__ import annotations

import json
from typing import Any, Callable

import pytest

pytestmark = pytest.mark.torch

PROGRAM = """
import json, torch
n = 16
a = torch.randn(n, n, device="cuda")
s = a @ a.T + torch.eye(n, device="cuda")
batch = s.expand(4, n, n).contiguous()
large = torch.randn(600, 600, device="cuda")
window = torch.ones(256, device="cuda")
places = torch.tensor([[0, 1, 2], [2, 0, 1]]).cuda()
coo = torch.sparse_coo_tensor(places, torch.ones(3, device="cuda"), (n, n)).coalesce()
csr = coo.to_sparse_csr()
fft, linalg = torch.fft, torch.linalg

calls = {
    "rfft": lambda: fft.rfft(torch.randn(8, 64, device="cuda")),
    "irfft": lambda: fft.irfft(torch.randn(4, 33, dtype=torch.complex64, device="cuda")),
    "fft2": lambda: fft.fft2(torch.randn(2, 3, 32, 48, device="cuda")),
    "stft": lambda: torch.stft(torch.randn(2, 4000, device="cuda"), 256, window=window, return_complex=True),
    "double": lambda: fft.fft(torch.randn(4, 100, dtype=torch.float64, device="cuda")),
    **{f"length {each}": lambda each=each: fft.fft(torch.randn(4, each, device="cuda"))
       for each in (7, 97, 1000, 1021, 4096, 1 << 18)},
    "cholesky": lambda: linalg.cholesky(s), "cholesky of a batch": lambda: linalg.cholesky(batch),
    "solve": lambda: linalg.solve(s, a), "inverse": lambda: linalg.inv(s), "qr": lambda: linalg.qr(a),
    "svd": lambda: linalg.svd(a), "large svd": lambda: linalg.svd(large), "eigh": lambda: linalg.eigh(s),
    "large eigh": lambda: linalg.eigh(large), "eig": lambda: linalg.eig(a), "lu": lambda: linalg.lu(a),
    "least squares": lambda: linalg.lstsq(a, a), "determinant": lambda: linalg.slogdet(s),
    "triangular": lambda: linalg.solve_triangular(s, a, upper=False), "pseudo-inverse": lambda: linalg.pinv(a),
    "sparse product": lambda: torch.sparse.mm(coo, a), "csr": lambda: csr @ a, "sparse by sparse": lambda: csr @ csr,
}
failed = {}
for name, call in calls.items():
    try:
        call()
    except Exception as error:
        failed[name] = str(error)
print(json.dumps(failed))
"""


@pytest.mark.parametrize("gpu", ["a100-40gb", "h100-80gb", "rtx-4090-24gb"])
def test_transforms_linear_algebra_and_sparse_matrices_run(watched: Callable[..., Any], gpu: str) -> None:
    run = watched(PROGRAM, gpu=gpu)
    assert json.loads(run.stdout.strip().splitlines()[-1]) == {}
    result = run.verdict["results"][0]
    assert result["verdict"] == "fits"
    assert any(name.startswith("libcufft") for name in result["peak_breakdown"]["libraries"])

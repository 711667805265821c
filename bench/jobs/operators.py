# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Every operator of PyTorch's own test table with its sample inputs, forward and backward: a JSON line of errors each.

    operators.py cpu|cuda FILE
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any, Iterator

import torch
from torch.testing._internal.common_methods_invocations import op_db

TYPES = (torch.float32, torch.int64, torch.bool)
SAMPLES = 6


def complaints(operator: Any, device: str, dtype: torch.dtype) -> Iterator[str]:
    gradient = dtype.is_floating_point and operator.supports_autograd
    for sample, _ in zip(operator.sample_inputs(device, dtype, requires_grad=gradient), range(SAMPLES)):
        try:
            made = operator(sample.input, *sample.args, **sample.kwargs)
            if gradient:
                backward(made)
            yield ""
        except Exception as error:  # whatever the operator raises is its result
            yield f"{type(error).__name__}: {error}"


def backward(made: Any) -> None:
    outputs = made if isinstance(made, (list, tuple)) else [made]
    tensors = [each for each in outputs if isinstance(each, torch.Tensor) and each.layout is torch.strided]
    summands = [(each.real if each.is_complex() else each).sum() for each in tensors if each.requires_grad]
    if summands:
        torch.stack([each.double() for each in summands]).sum().backward()


def main() -> None:
    device, path = sys.argv[1:]
    warnings.simplefilter("ignore")
    with open(path, "w", encoding="utf-8") as file:
        for operator in op_db:
            for dtype in TYPES:
                if dtype in operator.supported_dtypes(device):
                    name = f"{operator.name} {operator.variant_test_name} {dtype}"
                    line = {"name": name, "complaints": list(complaints(operator, device, dtype))}
                    file.write(json.dumps(line) + "\n")


main()

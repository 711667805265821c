# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a notebook that trains."""
import nbformat
from nbformat.v4 import new_code_cell, new_notebook

cells = [
    "import torch\nmodel = torch.nn.Linear(512, 512).cuda()\noptimizer = torch.optim.Adam(model.parameters())",
    "for step in range(6):\n    loss = model(torch.randn(32, 512).cuda()).pow(2).mean()\n    optimizer.zero_grad()\n"
    "    loss.backward()\n    optimizer.step()\n    print(step, loss.item())",
    "torch.cuda.max_memory_allocated()",
]
nbformat.write(new_notebook(cells=[new_code_cell(text) for text in cells]), "train.ipynb")

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a CUDA_HOME whose nvcc only says its version: DeepSpeed asks for it when it's imported."""
from pathlib import Path

compiler = Path("cuda/bin/nvcc")
compiler.parent.mkdir(parents=True)
compiler.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.131'\n")
compiler.chmod(0o755)

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""One measured row: which operation at which sizes, with the names of the published columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional

import torch
from torch import nn

DEVICE = "cuda"


class Model(NamedTuple):
    """Public dimensions of a language model, for rows that sweep over models."""

    hidden_size: int
    intermediate_size: int
    vocab_size: int
    num_attention_heads: int
    num_key_value_heads: int


MODELS = {
    "llama_2_7b": Model(4096, 11008, 32000, 32, 32),
    "llama_3_8b": Model(4096, 14336, 128256, 32, 8),
    "qwen2.5_7b": Model(3584, 18944, 152064, 28, 4),
    "qwen2.5_14b": Model(5120, 13824, 152064, 40, 8),
    "qwen2.5_72b": Model(8192, 29568, 152064, 64, 8),
    "deepseek_v2_lite": Model(2048, 10944, 102400, 16, 16),
    "deepseek_v3": Model(7168, 18432, 129280, 128, 128),
}


@dataclass(frozen=True)
class Row:
    """A row of the index. Benchmarks since spring 2026 ("shared") take sizes from a model and all measure alike."""

    op: str
    provider: str
    mode: str
    x_name: str
    x: str
    config: dict[str, Any]
    measured: str  # the time stamp, as YYYY-MM-DD hh:mm:ss: which text of the benchmark it was

    @property
    def shared(self) -> bool:
        return "bsz" in self.config and "seq_len" in self.config

    @property
    def model(self) -> Optional[Model]:
        return MODELS[self.x] if self.x_name == "model_config" else None

    def size(self, name: str) -> int:
        """A dimension by its name: the swept one, one of the swept model, or a fixed one."""
        if name == self.x_name:
            return int(self.x)
        if self.model and hasattr(self.model, name):
            return getattr(self.model, name)
        return int(self.config[name])

    @property
    def tokens(self) -> int:
        """Batch times sequence."""
        if self.x_name in ("BT", "T") and self.shared:
            return int(self.x)
        if self.shared:
            return self.config["bsz"] * self.config["seq_len"]
        return self.size("B") * self.size("T")

    @property
    def sequence(self) -> int:
        return int(self.x) if self.x_name == "T" else int(self.config["seq_len"])

    @property
    def vocabulary(self) -> int:
        return self.size("vocab_size" if self.shared else "V")

    @property
    def dtype(self) -> torch.dtype:
        name = self.config.get("dtype", "torch.bfloat16" if self.model else "torch.float32")
        return getattr(torch, name.removeprefix("torch."))


@dataclass
class Task:
    """What is measured. The closure of `forward` holds everything that lives as long as the row is measured.

    gradient: "random" a new one per backward, "given" the tensor `given`, "none" for a scalar's own.
    """

    forward: Callable[[], torch.Tensor]
    gradient: str = "random"
    given: Optional[torch.Tensor] = None
    retain_graph: bool = True
    module: Optional[nn.Module] = None  # what has parameters, where its fate after the measurement matters
    full: Optional[Callable[[], None]] = None  # where one call is more than forward and backward of one output


def bystander(module: nn.Module) -> nn.Module:
    """The other provider's module: it has parameters of the same sizes and stays alive."""
    return module.to(DEVICE)

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Activation checkpointing: the library's own if it has one, otherwise one checkpoint for each block of a sequence."""

from __future__ import annotations

import functools
from typing import Any, Iterator

from .catalogue import Impossible


def enable(torch: Any, model: Any) -> None:
    for name in ("gradient_checkpointing_enable", "set_grad_checkpointing"):
        switch = getattr(model, name, None)
        if switch is not None:
            return _switch_on(switch, name)
    blocks = list(_blocks(torch, model))
    if not blocks:
        raise Impossible("the model has no blocks to checkpoint")
    for block in blocks:
        block.forward = functools.partial(
            torch.utils.checkpoint.checkpoint, block.forward, use_reentrant=False, preserve_rng_state=False
        )


def _switch_on(switch: Any, name: str) -> None:
    try:
        switch()
    except (ValueError, AssertionError, NotImplementedError) as error:
        raise Impossible(f"the model does not support {name}: {error}") from error


def _blocks(torch: Any, module: Any) -> Iterator[Any]:
    """The modules in the outermost sequences that contain modules themselves."""
    for child in module.children():
        if isinstance(module, (torch.nn.Sequential, torch.nn.ModuleList)) and _is_block(torch, child):
            yield child
        else:
            yield from _blocks(torch, child)


def _is_block(torch: Any, module: Any) -> bool:
    return not isinstance(module, (torch.nn.Sequential, torch.nn.ModuleList)) and any(True for _ in module.children())

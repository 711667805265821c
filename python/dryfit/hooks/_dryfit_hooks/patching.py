# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""How the hooks wrap a function without being noticed."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional

from . import guest


def quietly(function: Callable[..., Any]) -> Callable[..., Any]:
    """An exception in `function`, which is ours, becomes a note; the program continues."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            guest.note("hooks.error", f"{function.__qualname__}: {type(error).__name__}: {error}")
            return None

    return call


def around(
    original: Callable[..., Any],
    before: Optional[Callable[..., Any]] = None,
    after: Optional[Callable[..., Any]] = None,
) -> Callable[..., Any]:
    """`original` with before(*args, **kwargs) called before it and after(token, failed) after it; the token is what
    `before` returned. Neither may raise. While PyTorch traces a program to compile it, only `original` is called. The
    traceback of an exception in `original` shows no frame of ours (from Python 3.11; earlier versions keep the frame).
    """
    import torch

    is_compiling = compiling_test(torch)

    @functools.wraps(original)
    def observed(*args: Any, **kwargs: Any) -> Any:
        if is_compiling() or is_faking():
            return original(*args, **kwargs)
        token = before(*args, **kwargs) if before else None
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
            if after:
                after(token, True)
            raise
        if after:
            after(token, False)
        return result

    return observed


def compiling_test(torch: Any) -> Callable[[], bool]:
    """A function that returns whether PyTorch is tracing a program to compile it. It has another name in 2.1."""
    return getattr(torch.compiler, "is_compiling", None) or torch._utils.is_compiling


def is_faking() -> bool:
    """Whether PyTorch runs the program on tensors without data, as it does to compile a backward pass."""
    import torch

    if torch._C._len_torch_dispatch_stack() == 0:
        return False
    return torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None


class Patch:
    """One attribute of a class or module, replaced by wrap(original) until restore().

    The replacement has the name under which it is found, so that it pickles as the original did.
    """

    def __init__(self, owner: Any, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._owner = owner
        self._name = name
        self._inherited = name not in vars(owner)
        self.original = getattr(owner, name)
        self.wrapper = wrap(self.original)
        if isinstance(owner, type):
            self.wrapper.__module__ = owner.__module__
            self.wrapper.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, self.wrapper)

    def restore(self) -> None:
        """Puts the original back, unless our wrapper has been replaced since."""
        if vars(self._owner).get(self._name) is not self.wrapper:
            return
        if self._inherited:
            delattr(self._owner, self._name)
        else:
            setattr(self._owner, self._name, self.original)

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Dict, List, Tuple

from ..module_paths import ModulePaths
from ..patching import Patch, around, compiling_test, quietly
from .calls import CallWatch
from .marks import Marks
from .operators import Operators
from .tensors import Tensors

NOWHERE = (0, 0, 0)
PHASES = ("load", "forward", "backward", "optimizer", "other")


class Explaining:
    def __init__(self, torch: Any, run_directory: str) -> None:
        self._torch = torch
        self._run_directory = run_directory
        paths = ModulePaths()
        self._marks = Marks(torch)
        self._tensors = Tensors(torch, self._marks, paths)
        self._calls = CallWatch(torch, self._marks, paths, self._tensors.root)
        self._phase = 0
        self._completed = 0
        self._trains = False
        self._place = NOWHERE
        self._optimizer = ""  # the class of the one that steps
        self._libraries = (os.path.dirname(os.path.dirname(__file__)), os.path.dirname(torch.__file__))

    def install(self) -> None:
        """Call it before the step counter's, which may end the program."""
        self._marks.clock.install()
        self._calls.install()
        module = importlib.import_module("torch.optim.optimizer")
        is_compiling = compiling_test(self._torch)

        def step_pre_hook(optimizer: Any, args: Any, kwargs: Any) -> None:
            if not is_compiling():
                self._step_begins(optimizer)

        def step_post_hook(optimizer: Any, args: Any, kwargs: Any) -> None:
            if not is_compiling():
                self._step_ends()

        module.register_optimizer_step_pre_hook(step_pre_hook)
        module.register_optimizer_step_post_hook(step_post_hook)
        Patch(
            module.Optimizer,
            "__init__",
            lambda original: around(original, lambda made, *_, **__: made, self._optimizer_made),
        )

    def phase_entered(self, name: str) -> None:
        self._leaves_backward(name)
        self._phase = PHASES.index(name)
        self._trains |= name in ("forward", "backward", "optimizer")
        self._place = self._place_of_program() if name == "backward" else NOWHERE
        if name == "optimizer":
            self._place = (0, 0, self._marks.name(self._optimizer))
        self._mark_phase()

    def step_completed(self) -> None:
        self._completed += 1
        self._mark_phase()

    @quietly
    def out_of_memory(self) -> None:
        """Looks now, as all this may be gone when the program has ended."""
        self._calls.out_of_memory()
        self._tensors.look_at_all()

    @quietly
    def write(self, snapshot: Dict[str, Any]) -> None:
        """Writes <run directory>/marks-<pid>.json, completely or not at all, beside a history of the same moment."""
        self._tensors.look_at_all()
        self._marks.operators = quietly(Operators(self._torch).of_lines)(snapshot) or []
        self._marks.workspaces = _cublas_workspaces()
        path = os.path.join(self._run_directory, f"marks-{os.getpid()}.json")
        self._marks.write(path + ".part")
        os.replace(path + ".part", path)

    def _mark_phase(self) -> None:
        step = self._completed + 1 if self._trains or self._completed else 0
        self._marks.phases.add(self._phase, step, *self._place)

    def _place_of_program(self) -> Tuple[int, int, int]:
        """The running line of the program: what the backward pass allocates has no stack of its own."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(self._libraries):
            frame = frame.f_back
        if frame is None:
            return NOWHERE
        code = frame.f_code
        return self._marks.name(code.co_filename), frame.f_lineno, self._marks.name(code.co_name)

    def _leaves_backward(self, name: str) -> None:
        if PHASES[self._phase] == "backward" and name != "backward":
            self._tensors.look_at_gradients()

    @quietly
    def _optimizer_made(self, optimizer: Any, failed: bool) -> None:
        if not failed:
            self._tensors.optimizer(optimizer)

    @quietly
    def _step_begins(self, optimizer: Any) -> None:
        self._optimizer = type(optimizer).__name__
        self._tensors.optimizer(optimizer)
        self._tensors.look_at_parameters_of(optimizer)
        self._tensors.look_at_gradients()

    @quietly
    def _step_ends(self) -> None:
        self._tensors.look_at_state()


def _cublas_workspaces() -> List[int]:
    """The possible sizes of PyTorch's workspace for cuBLAS: torch 2.6 `parseChosenWorkspaceSize` takes it from
    CUBLAS_WORKSPACE_CONFIG, pairs of KiB and number; without one it is one of two, depending on the GPU."""
    words = [word for word in os.environ.get("CUBLAS_WORKSPACE_CONFIG", "").split(":") if word]
    if words and all(word.isdigit() for word in words) and len(words) % 2 == 0:
        return [sum(int(size) * int(count) * 1024 for size, count in zip(words[::2], words[1::2]))]
    return [(4096 * 2 + 16 * 8) * 1024, 4096 * 8 * 1024]

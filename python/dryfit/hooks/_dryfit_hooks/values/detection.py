# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""torchvision's detectors: their sizes follow from boxes that the network predicts.

How many proposals match an object is unknown, but the samplers take a fixed number of them: it is enough to have plenty
of both kinds. Each proposal is pooled from exactly one level of the pyramid, but it is unknown which. Which boxes are
suppressed is unknown too: the rule for selections by unknown values applies.
"""

from __future__ import annotations

from typing import Any, Callable, Tuple

from ..imports import after_import
from ..patching import Patch, around, quietly
from .assumptions import Assumptions
from .interception import Below, Interception
from .mirrors import Mirrors


class Detection:
    def __init__(self, torch: Any, mirrors: Mirrors, assumptions: Assumptions) -> None:
        self._torch = torch
        self._mirrors = mirrors
        self._assumptions = assumptions

    def install(self, interception: Interception) -> None:
        after_import("torchvision.extension", lambda module: self._watch_suppression(interception))
        after_import("torchvision.models.detection._utils", self._watch_matcher)
        after_import("torchvision.ops.poolers", self._watch_levels)

    @quietly
    def _watch_suppression(self, interception: Interception) -> None:
        interception.put("nms", self._suppressed, always=True, namespace="torchvision", engine=True)

    def _suppressed(self, below: Below, args: Tuple[Any, ...], kwargs: Any) -> Any:
        with self._mirrors.within_strange_operator():
            return below(*args, **kwargs)

    def _watch_matcher(self, module: Any) -> None:
        Patch(module.Matcher, "__call__", lambda original: self._supplied(original, self._matches))

    def _watch_levels(self, module: Any) -> None:
        Patch(module.LevelMapper, "__call__", lambda original: self._supplied(original, self._levels))

    def _supplied(self, original: Callable[..., Any], supply: Callable[..., None]) -> Callable[..., Any]:
        def call(owner: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(owner, *args, **kwargs)
            supply(owner, result)
            return result

        return around(call)

    @quietly
    def _matches(self, matcher: Any, matches: Any) -> None:
        """Every second proposal matches the first object, the others none."""
        if matches.is_cuda and self._mirrors.of(matches) is None:
            values = self._torch.full(matches.shape, matcher.BELOW_LOW_THRESHOLD, device="cpu")
            values[::2] = 0
            self._mirrors.remember(matches, values, self._assumptions.origin("proposals that match an object"))

    @quietly
    def _levels(self, mapper: Any, levels: Any) -> None:
        if levels.is_cuda and self._mirrors.of(levels) is None:
            values = self._torch.arange(levels.numel(), device="cpu") % (mapper.k_max - mapper.k_min + 1)
            origin = self._assumptions.origin("proposals at each level of the pyramid")
            self._mirrors.remember(levels, values.view(levels.shape), origin)

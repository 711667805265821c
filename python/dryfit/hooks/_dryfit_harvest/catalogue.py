# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The models that can be trained, by source. All are built from their configuration; nothing is downloaded."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, List

CLASSES = 1000
IMAGE = 224
SEQUENCE = 512
OWN = "python"  # the source of a model that is "file.py:factory"


class Impossible(Exception):
    """The job cannot run as described; the message says why in one sentence."""


@dataclass
class Subject:
    """A model on the host, and loss(model, batch, dtype) for one batch of made-up data on the device."""

    model: Any
    loss: Callable[[Any, int, Any], Any]


def available() -> Dict[str, Any]:
    """{"torch": version, "sources": {source: names}}, with the installed sources only."""
    sources = {source: names() for source, names in _LISTS.items() if importlib.util.find_spec(source)}
    return {"torch": _version("torch"), "sources": sources}


def build(torch: Any, description: Dict[str, Any]) -> Subject:
    source = description["source"]
    if source != OWN and importlib.util.find_spec(source) is None:
        raise Impossible(f"{source} is not installed")
    return _BUILDERS[source](torch, description["model"], description["size"])


def prepare(source: str) -> None:
    """Imports what every job of this source imports, and nothing else. A failure is left for the jobs to report."""
    for name in _PREPARATIONS[source]:
        try:
            importlib.import_module(name)
        except Exception:
            return


def _version(package: str) -> Any:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _torchvision_names() -> List[str]:
    models = importlib.import_module("torchvision.models")
    return sorted(models.list_models(module=models))


def _timm_names() -> List[str]:
    return sorted(importlib.import_module("timm").list_models())


def _transformers_names() -> List[str]:
    from .presets import PRESETS

    library = importlib.import_module("transformers")
    return sorted(name for name, preset in PRESETS.items() if hasattr(library, preset.config))


def _torchvision(torch: Any, name: str, size: int) -> Subject:
    models = importlib.import_module("torchvision.models")
    if name not in models.list_models(module=models):
        raise Impossible(f"torchvision has no model {name}")
    model = models.get_model(name, weights=None, num_classes=CLASSES)
    return Subject(model, _image_loss(torch, size or getattr(model, "image_size", IMAGE)))


def _timm(torch: Any, name: str, size: int) -> Subject:
    timm = importlib.import_module("timm")
    if not timm.is_model(name):
        raise Impossible(f"timm has no model {name}")
    model = _timm_model(timm, name, size)
    return Subject(model, _image_loss(torch, size or model.default_cfg["input_size"][-1]))


def _timm_model(timm: Any, name: str, size: int) -> Any:
    """Some models are built for a size; others take any size, and have no such argument."""
    if size:
        try:
            return timm.create_model(name, pretrained=False, num_classes=CLASSES, img_size=size)
        except TypeError as error:
            if "img_size" not in str(error):
                raise
    return timm.create_model(name, pretrained=False, num_classes=CLASSES)


def _image_loss(torch: Any, size: int) -> Callable[[Any, int, Any], Any]:
    def loss(model: Any, batch: int, dtype: Any) -> Any:
        images = torch.randn(batch, 3, size, size, dtype=dtype, device="cuda")
        labels = torch.randint(CLASSES, (batch,)).to("cuda")
        outputs = model(images)
        each = [outputs] if isinstance(outputs, torch.Tensor) else [out for out in outputs if out is not None]
        return sum(torch.nn.functional.cross_entropy(out, labels) for out in each)

    return loss


def _transformers(torch: Any, name: str, size: int) -> Subject:
    from .presets import PRESETS

    library = importlib.import_module("transformers")
    if name not in PRESETS:
        raise Impossible(f"no configuration {name} for transformers")
    preset = PRESETS[name]
    if not hasattr(library, preset.config):
        raise Impossible(f"transformers {library.__version__} has no {preset.config}")
    length = size or (IMAGE if preset.task == "image" else SEQUENCE)
    settings = dict(preset.settings)
    if preset.task == "image":
        settings.update(image_size=length, num_labels=CLASSES)
    config = getattr(library, preset.config)(**settings)
    if preset.positions and getattr(config, preset.positions) < length + preset.spare_positions:
        setattr(config, preset.positions, length + preset.spare_positions)
    config.use_cache = False
    model = getattr(library, preset.model)(config)
    return Subject(model, _TASKS[preset.task](torch, config, length))


def _text_loss(torch: Any, config: Any, length: int) -> Callable[[Any, int, Any], Any]:
    def loss(model: Any, batch: int, dtype: Any) -> Any:
        tokens = torch.randint(2, config.vocab_size, (batch, length)).to("cuda")
        return model(input_ids=tokens, labels=tokens).loss

    return loss


def _pixel_loss(torch: Any, config: Any, length: int) -> Callable[[Any, int, Any], Any]:
    def loss(model: Any, batch: int, dtype: Any) -> Any:
        images = torch.randn(batch, 3, length, length, dtype=dtype, device="cuda")
        labels = torch.randint(CLASSES, (batch,)).to("cuda")
        return model(pixel_values=images, labels=labels).loss

    return loss


def _own(torch: Any, name: str, size: int) -> Subject:
    """What the factory returns: a model of images, or (model, loss) with loss(model, batch) for a batch of data."""
    path, _, factory = name.rpartition(":")
    made = _factory(path, factory)()
    if isinstance(made, tuple) and len(made) == 2:
        model, loss_of = made
        return Subject(model, lambda model, batch, dtype: loss_of(model, batch))
    if not isinstance(made, torch.nn.Module):
        raise Impossible(f"{factory}() returned neither a torch.nn.Module nor a pair (model, loss)")
    return Subject(made, _image_loss(torch, size or IMAGE))


def _factory(path: str, name: str) -> Callable[[], Any]:
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("dryfit_model", path)
    if spec is None or spec.loader is None:
        raise Impossible(f"{path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        raise Impossible(f"{os.path.basename(path)} has no function {name}")
    return getattr(module, name)


_LISTS = {"torchvision": _torchvision_names, "transformers": _transformers_names, "timm": _timm_names}
_BUILDERS = {"torchvision": _torchvision, "transformers": _transformers, "timm": _timm, OWN: _own}
_PREPARATIONS = {
    "torchvision": ["torchvision.models"],
    "transformers": ["transformers", "transformers.modeling_utils"],
    "timm": ["timm"],
}
_TASKS = {"text": _text_loss, "image": _pixel_loss}

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""What `dryfit observe -- command` does inside a Python process on a real GPU: when the process ends, it writes
PyTorch's memory counts to a file, if the program used PyTorch on a GPU at all. It never imports torch, prints nothing
and raises nothing."""

import atexit
import os
import sys


def start():
    # Handlers run in the reverse order of their registration, so ours runs after all of the program's.
    atexit.register(_write_down)


def _write_down():
    try:
        torch = sys.modules.get("torch")
        folder = os.environ.get("DRYFIT_OBSERVE")
        if not folder or torch is None or not torch.cuda.is_initialized():
            return
        import json

        note = {"software": _software(torch), "devices": _devices(torch)}
        path = os.path.join(folder, "torch-%d.json" % os.getpid())
        with open(path + ".new", "w") as file:
            json.dump(note, file)
        os.rename(path + ".new", path)
    except Exception:
        pass


def _software(torch):
    versions = {"python": "%d.%d.%d" % sys.version_info[:3], "torch": str(torch.__version__)}
    if torch.version.cuda is not None:
        versions["cuda"] = str(torch.version.cuda)
    return versions


def _devices(torch):
    devices = []
    for index in range(torch.cuda.device_count()):
        counts = torch.cuda.memory_stats(index)
        if not counts.get("reserved_bytes.all.peak") and not counts.get("num_ooms"):
            continue
        devices.append(
            {
                "name": torch.cuda.get_device_name(index),
                "reserved_peak": counts.get("reserved_bytes.all.peak", 0),
                "ooms": counts.get("num_ooms", 0),
            }
        )
    return devices

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Calls back when the program has imported a module, without importing it and without replacing its loader."""

import sys

# Python leaves the frames of this file out of the traceback of a failed import, and those of _Watcher.exec_module too.
_IMPORT_SYSTEM = "<frozen importlib._bootstrap_external>"


def after_import(name, callback):
    """Calls callback(module) once, right after `name` was imported for the first time without an exception."""
    sys.meta_path.insert(0, _Watcher(name, callback))


def once_imported(name, callback):
    """Calls callback(module) now if `name` has been imported, else like after_import."""
    module = sys.modules.get(name)
    if module is None:
        after_import(name, callback)
    else:
        callback(module)


class _Watcher:
    """A finder that finds nothing by itself: it queries the others and watches the loader that they return."""

    def __init__(self, name, callback):
        self._name = name
        self._callback = callback
        self._asking = False

    def find_spec(self, name, path=None, target=None):
        if name != self._name or self._asking:
            return None
        self._asking = True
        try:
            spec = self._ask_others(path, target)
        finally:
            self._asking = False
        if spec is not None:
            self._watch(spec.loader)
        return spec

    def _ask_others(self, path, target):
        for finder in list(sys.meta_path):
            find_spec = getattr(finder, "find_spec", None)
            spec = find_spec(self._name, path, target) if find_spec and finder is not self else None
            if spec is not None:
                return spec
        return None

    def _watch(self, loader):
        try:
            original = loader.exec_module

            def exec_module(module):
                vars(loader).pop("exec_module", None)
                original(module)
                self._imported(module)

            exec_module.__code__ = exec_module.__code__.replace(co_filename=_IMPORT_SYSTEM)
            loader.exec_module = exec_module
        except AttributeError:
            pass

    def _imported(self, module):
        if self not in sys.meta_path:
            return
        sys.meta_path.remove(self)
        try:
            self._callback(module)
        except Exception:
            pass

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""Renaming a folder where writes are held back (Note [Write layer] in src/launch/write_layer.h).

Without privileges, the layer refuses to rename a folder that was there before the run, though both names are on one file
system. The folder is moved instead, as `mv` and `shutil.move` do by themselves. A large one is left alone: it would be
copied.
"""

import errno
import functools
import os

LARGEST_BYTES = 1 << 30


def start():
    os.rename = _moving(os.rename)
    os.replace = _moving(os.replace)


def _moving(rename):
    @functools.wraps(rename)
    def renamed(src, dst, **folders):
        try:
            return rename(src, dst, **folders)
        except OSError as error:
            movable = error.errno == errno.EXDEV and not folders and _is_movable(src, dst)
            if not (movable and _moved(src, dst)):
                error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
                raise

    return renamed


def _is_movable(src, dst):
    """Only what a rename would have done outside the layer."""
    try:
        src, dst = os.path.abspath(os.fsdecode(src)), os.path.abspath(os.fsdecode(dst))
        is_one_device = os.lstat(src).st_dev == os.stat(os.path.dirname(dst)).st_dev
        is_free = not os.path.lexists(dst) or (os.path.isdir(dst) and not os.path.islink(dst) and not os.listdir(dst))
        is_folder = os.path.isdir(src) and not os.path.islink(src)
        is_inside = dst.startswith(src + os.sep)
        return is_one_device and is_free and is_folder and not is_inside and _bytes_in(src) <= LARGEST_BYTES
    except OSError:
        return False


def _bytes_in(folder):
    files = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    return sum(os.lstat(file).st_size for file in files)


def _moved(src, dst):
    import shutil

    try:
        src, dst = os.fsdecode(src), os.fsdecode(dst)
        shutil.copytree(src, dst, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(src)
    except OSError:
        return False
    return True

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""os.rename in a layer that refuses to rename folders, imitated by a function that refuses as the kernel does."""

from __future__ import annotations

import textwrap

START = """
import errno, os, sys
sys.path.insert(0, os.environ["PYTHONPATH"].split(os.pathsep)[0])
real = os.rename
def refusing(src, dst, **folders):
    if os.path.isdir(src):
        raise OSError(errno.EXDEV, "refused", src, None, dst)
    return real(src, dst, **folders)
os.rename = os.replace = refusing
from _dryfit_hooks import renaming
renaming.start()
os.chdir(sys.argv[1])
os.makedirs("folder/deep")
open("folder/deep/file", "w").write("x")
def refused(src, dst):
    try:
        os.rename(src, dst)
    except OSError as error:
        return error.errno
"""


def check(plain_python, folder, program: str) -> None:
    done = plain_python(START + textwrap.dedent(program), str(folder))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_is_moved_with_all_that_is_in_it(plain_python, tmp_path):
    check(plain_python, tmp_path, """
        os.rename("folder", "other")
        assert open("other/deep/file").read() == "x" and not os.path.exists("folder")
        os.mkdir("empty")
        os.replace("other", b"empty")
        assert os.path.exists("empty/deep/file") and not os.path.exists("other")
    """)  # fmt: skip


def test_what_a_rename_would_refuse_is_still_refused(plain_python, tmp_path):
    check(plain_python, tmp_path, """
        os.mkdir("full"); open("full/file", "w"); open("file", "w")
        assert [refused("folder", to) for to in ("full", "file", "folder/deep/inside")] == [errno.EXDEV] * 3
        assert os.path.exists("folder/deep/file")
    """)  # fmt: skip


def test_a_large_folder_is_left_alone(plain_python, tmp_path):
    check(plain_python, tmp_path, """
        os.truncate("folder/deep/file", renaming.LARGEST_BYTES + 1)
        assert refused("folder", "other") == errno.EXDEV and not os.path.exists("other")
    """)  # fmt: skip


def test_errors_come_without_a_frame_of_ours(plain_python, tmp_path):
    check(plain_python, tmp_path, """
        import traceback
        try:
            os.rename("missing", "other")
        except FileNotFoundError as error:
            names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
            assert "renamed" not in names or sys.version_info < (3, 11), names
    """)  # fmt: skip

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""sitecustomize: harmless in any Python process, gone from sys.path, and polite to the program's own sitecustomize."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_the_hooks_folder_is_gone_from_sys_path_but_stays_for_child_processes(plain_python, hooks):
    done = plain_python("import os, sys; print(sys.path); print(os.environ['PYTHONPATH'])")
    path, environment = done.stdout.splitlines()
    assert str(hooks) not in path
    assert str(hooks) in environment
    assert done.stderr == ""


def test_the_programs_own_sitecustomize_runs_as_without_us(plain_python, tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text("mark = 'own'")
    done = plain_python(
        "import sys; m = sys.modules['sitecustomize']; print(m.mark, m.__file__, m.__spec__.origin)", path=(tmp_path,)
    )
    own = str(tmp_path / "sitecustomize.py")
    assert done.stdout.split() == ["own", own, own]


def test_without_an_own_sitecustomize_none_is_imported(plain_python):
    if subprocess.run([sys.executable, "-c", "import sitecustomize"], capture_output=True).returncode == 0:
        pytest.skip("this Python has a sitecustomize of its own")
    done = plain_python("import sys; print('sitecustomize' in sys.modules)")
    assert (done.stdout.strip(), done.stderr) == ("False", "")


def test_an_exception_in_the_programs_sitecustomize_is_reported_as_python_does(plain_python, tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text("raise ValueError('own fault')")
    alone = subprocess.run(
        [sys.executable, "-c", "print('went on')"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    done = plain_python("print('went on')", path=(tmp_path,))
    assert "own fault" in done.stderr
    assert (done.returncode, done.stdout, done.stderr) == (alone.returncode, alone.stdout, alone.stderr)


@pytest.mark.parametrize("fault", ["raise ImportError('broken')", "1 / 0", "import no_such_module"])
def test_a_torch_that_fails_to_import_leaves_the_traceback_of_a_run_without_us(plain_python, tmp_path: Path, fault: str):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(fault)
    alone = subprocess.run(
        [sys.executable, "-c", "import torch"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    done = plain_python("import torch", path=(tmp_path,))
    assert alone.returncode != 0
    assert (done.returncode, done.stderr) == (alone.returncode, alone.stderr)


def test_without_a_machine_file_nothing_is_loaded(plain_python):
    done = plain_python("import sys; print(any('_dryfit' in name for name in sys.modules))", DRYFIT_MACHINE="")
    assert done.stdout.strip() == "False"


def test_a_program_without_torch_loads_nothing_heavy(plain_python):
    done = plain_python("import sys; print([n for n in sorted(sys.modules) if n.startswith(('_dryfit', 'ctypes'))])")
    assert done.stdout.strip() == "['_dryfit_hooks', '_dryfit_hooks.imports', '_dryfit_hooks.renaming']"


def test_starting_the_hooks_is_a_matter_of_a_few_hundred_calls(plain_python):
    """Of a thousand calls the slowest Python makes nothing that a user could notice."""
    program = """
        import sys
        sys.path.insert(0, {folder!r})
        for name in [n for n in sys.modules if n.startswith('_dryfit')]:
            del sys.modules[name]
        calls = []
        sys.setprofile(lambda frame, event, argument: calls.append(event))
        import _dryfit_hooks
        _dryfit_hooks.start()
        sys.setprofile(None)
        print(sum(event in ("call", "c_call") for event in calls))
    """
    folder = str(Path(__file__).resolve().parents[2] / "python" / "dryfit" / "hooks")
    assert 0 < int(plain_python(program.format(folder=folder)).stdout) < 1000


@pytest.mark.parametrize("way", ["script", "module", "runpy"])
def test_every_way_of_starting_a_program_works(plain_python, tmp_path: Path, way: str):
    (tmp_path / "program.py").write_text("import sys; print(__name__, '_dryfit_hooks' in sys.modules)")
    programs = {
        "script": "import subprocess, sys; subprocess.run([sys.executable, 'program.py'], cwd=sys.argv[1])",
        "module": "import subprocess, sys; subprocess.run([sys.executable, '-m', 'program'], cwd=sys.argv[1])",
        "runpy": "import os, runpy, sys; runpy.run_path(os.path.join(sys.argv[1], 'program.py'), run_name='__main__')",
    }
    assert plain_python(programs[way], str(tmp_path)).stdout.strip() == "__main__ True"


def test_a_spawned_process_is_watched_too(plain_python, tmp_path: Path):
    (tmp_path / "program.py").write_text(
        "import multiprocessing, sys\n"
        "def work(queue): queue.put('_dryfit_hooks' in sys.modules)\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    queue = context.Queue()\n"
        "    process = context.Process(target=work, args=(queue,))\n"
        "    process.start(); print(queue.get()); process.join()\n"
    )
    program = "import subprocess, sys; subprocess.run([sys.executable, sys.argv[1]])"
    done = plain_python(program, str(tmp_path / "program.py"))
    assert (done.stdout.strip(), done.stderr) == ("True", "")


IMPORTS = """
    import sys
    sys.path.insert(0, sys.argv[1])
    from _dryfit_hooks import imports
    imports.after_import('late', lambda module: print('imported', module.name))
"""


def test_a_module_is_announced_once_after_it_has_been_imported(plain_python, tmp_path: Path, hooks):
    (tmp_path / "late.py").write_text("name = 'late'; print('body')")
    program = IMPORTS + "    import importlib, late; importlib.reload(late); print(type(late.__loader__).__name__)"
    done = plain_python(program, str(hooks), path=(tmp_path,))
    assert done.stdout.splitlines() == ["body", "imported late", "body", "SourceFileLoader"]


def test_a_module_that_fails_to_import_is_announced_when_it_succeeds(plain_python, tmp_path: Path, hooks):
    (tmp_path / "late.py").write_text("import sys; assert hasattr(sys, 'ready'); name = 'late'")
    program = IMPORTS + (
        "    try: import late\n"
        "    except AssertionError: print('failed')\n"
        "    sys.ready = True\n"
        "    import late\n"
    )
    assert plain_python(program, str(hooks), path=(tmp_path,)).stdout.splitlines() == ["failed", "imported late"]


def test_looking_for_a_module_does_not_announce_it(plain_python, tmp_path: Path, hooks):
    (tmp_path / "late.py").write_text("name = 'late'")
    program = IMPORTS + "    import importlib.util; print(importlib.util.find_spec('late').name)"
    assert plain_python(program, str(hooks), path=(tmp_path,)).stdout.splitlines() == ["late"]

# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""tools/user_strings, run on small sources, and on our own."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/user_strings"
LIST = "docs/reference/strings.md"


def run_tool(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOL), *options, str(root)], capture_output=True, text=True)


def write(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def printed(root: Path, name: str, text: str) -> list[str]:
    """The strings found in a file, without the file's name: "line: text"."""
    write(root, name, text)
    result = run_tool(root, "--print")
    assert (result.returncode, result.stderr) == (0, "")
    return [line.removeprefix(f"{name}:") for line in result.stdout.splitlines() if line]


def test_our_own_list_is_up_to_date_and_in_plain_words() -> None:
    result = run_tool(ROOT, "--check")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_new_string_fails_the_check_until_it_is_listed(tmp_path: Path) -> None:
    write(tmp_path, "src/base/a.cpp", 'auto error = Error{"the file is empty"};\n')
    assert run_tool(tmp_path).returncode == 0
    assert run_tool(tmp_path, "--check").returncode == 0

    write(tmp_path, "src/base/b.cpp", 'auto error = Error{"the disk is full"};\n')
    result = run_tool(tmp_path, "--check")
    assert result.returncode == 1
    assert "out of date, for example: b.cpp" in result.stdout
    assert "`make strings`" in result.stdout

    assert run_tool(tmp_path).returncode == 0
    assert run_tool(tmp_path, "--check").returncode == 0
    assert "\nb.cpp\n````text\nthe disk is full\n````\n" in (tmp_path / LIST).read_text()


def test_a_string_that_is_gone_fails_the_check_too(tmp_path: Path) -> None:
    write(tmp_path, "src/base/a.cpp", 'say("one thing"); say("another thing");')
    run_tool(tmp_path)
    write(tmp_path, "src/base/a.cpp", 'say("one thing");')
    result = run_tool(tmp_path, "--check")
    assert result.returncode == 1
    assert "another thing" in result.stdout


def test_the_list_is_sorted_without_line_numbers_or_duplicates(tmp_path: Path) -> None:
    write(tmp_path, "src/b/x.cpp", 'say("second one"); say("First one"); say("second one");')
    write(tmp_path, "src/a/x.cpp", 'say("of another folder");')
    run_tool(tmp_path)
    listed = (tmp_path / LIST).read_text()
    assert listed.endswith("\n## src/a\n\nx.cpp\n````text\nof another folder\n````\n"
                           "\n## src/b\n\nx.cpp\n````text\nFirst one\nsecond one\n````\n")
    write(tmp_path, "src/b/x.cpp", '\n\nsay("First one");\nsay("second one");')
    assert run_tool(tmp_path, "--check").returncode == 0


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("no card given", "card"),
        ("Dryfit tells whether a job fits.", "tells whether"),
        ("The GPUs that can be asked for", "asked"),
        ("This could not be told.", "could not be told"),
        ("It takes some 5 GB.", "some"),
        ("the file is no trace", "is no"),
        ("Read it. Of each row, the first", "Of"),
        ("another harvest is running", "harvest"),
        ("in this way", "way"),
    ],
)
def test_a_word_with_a_plainer_one_is_refused_at_its_line(tmp_path: Path, text: str, word: str) -> None:
    write(tmp_path, "src/base/a.cpp", f'int x;\nsay("{text}");\n')
    run_tool(tmp_path)
    result = run_tool(tmp_path, "--check")
    assert result.returncode == 1
    assert f"src/base/a.cpp:2: '{word}': write " in result.stdout


@pytest.mark.parametrize(
    "text",
    [
        "Write the file with `dryfit harvest --out rows.jsonl`.",
        "dryfit harvest, with --cards",
        "docs/cards.md lists the keys.",
        "Set DRYFIT_CARD to the folder.",
        "cannot tell whether it fits",
        "Dryfit tells you whether a job fits.",
        "a discarded, barred castaway, retold",
        "there is no GPU here, and it is no longer needed",
        "Of course.",
        "some of the rows",
    ],
)
def test_names_and_innocent_words_pass(tmp_path: Path, text: str) -> None:
    write(tmp_path, "src/base/a.cpp", f'say("{text}");\n')
    run_tool(tmp_path)
    result = run_tool(tmp_path, "--check")
    assert (result.returncode, result.stdout) == (0, "")


def test_a_plainer_word_is_wanted_across_the_parts_of_a_sentence(tmp_path: Path) -> None:
    write(tmp_path, "src/base/a.cpp", 'say("the file " + name + " is "\n    "no trace");\n')
    run_tool(tmp_path)
    assert "src/base/a.cpp:1: 'is no'" in run_tool(tmp_path, "--check").stdout


@pytest.mark.parametrize("hint", ["give another", "Give another", "see: dryfit --help"])
def test_a_hint_that_is_not_a_sentence_is_refused(tmp_path: Path, hint: str) -> None:
    write(tmp_path, "src/base/a.cpp", f'return Error{{"the file " + name(",", "and one") + " is empty", "{hint}"}};\n')
    run_tool(tmp_path)
    result = run_tool(tmp_path, "--check")
    assert result.returncode == 1
    assert f"src/base/a.cpp:1: a hint is a sentence, with a capital and a full stop: {hint}\n" in result.stdout


@pytest.mark.parametrize("hint", ['"Give another."', '"`dryfit gpus` lists them all."', 'option + " needs a file name."', "kHint"])
def test_a_hint_that_is_a_sentence_passes(tmp_path: Path, hint: str) -> None:
    write(tmp_path, "src/base/a.cpp", f'return Error{{"the file is empty", {hint}}};\nsay("a, b", "no hint here");\n')
    run_tool(tmp_path)
    result = run_tool(tmp_path, "--check")
    assert (result.returncode, result.stdout) == (0, "")


CPP = r'''
#include "a file.h"
// "in a comment"
/* "in a long
   comment" */
static_assert(sizeof(int) == 4, "for the compiler");
Status f(const std::string& name) {
  if (name.empty()) return Error{"a name in \"quotes\", a tab\tand \x27one\x27"
                                 " goes on", "Give another."};
  const char* text = R"(raw "text" \n here)";
  say(std::string("no GPU '") + name + "' is known: " + std::to_string(1'000) + '!');
  out << "read " << name << " and " << (all ? "all the rest" : "no more") << "\n";
  object["a key"] = map.at("another_key");
  auto sql = "SELECT name FROM records";
  printf("%zu of %s\n", 1, "x"); 
  return Error{"übrig: 5\u2009GiB"sv};
}
'''


def test_cpp_strings_are_joined_unescaped_and_chosen(tmp_path: Path) -> None:
    assert printed(tmp_path, "src/base/a.cpp", CPP) == [
        "8: a name in \"quotes\", a tab and 'one' goes on",
        "9: Give another.",
        '10: raw "text" \\n here',
        "11: no GPU '{}' is known: {}!",
        "12: all the rest",
        "12: no more",
        "12: read {} and {}",
        "15: %zu of %s",
        "16: übrig: 5 GiB",
    ]


def test_tests_and_programs_for_contributors_are_left_out(tmp_path: Path) -> None:
    for name in ("src/base/a_test.cpp", "src/base/testing.h", "apps/oracle/main.cpp"):
        assert printed(tmp_path, name, 'say("some words here");') == []


def test_a_single_word_is_a_label_only_where_labels_stand(tmp_path: Path) -> None:
    assert printed(tmp_path, "src/report/json.cpp", 'add("verdict");') == []
    assert printed(tmp_path, "src/report/terminal_one.cpp", 'add("headroom", "x_y", "B");') == ["1: headroom"]


def test_the_texts_of_a_script_and_its_labels(tmp_path: Path) -> None:
    script = ("const a = `${n} of ${m > 1 ? `${m} parts` : \"one part\"} are ${kind(\"so named\")}`; // `a comment`\n"
              "const division = a / b / c, unit = \"per cent\", pattern = /[/\"']\\w+ x/g, after = 'after it';\n"
              "const head = [\n  [\"size\", \"number\"],\n  [\"age\"],\n];\n"
              "const part = { label: \"left\", bytes: 1, style: `width: ${w}%` };\n")
    assert printed(tmp_path, "src/report/page/a.js", script) == [
        "1: {} parts", "1: one part", "1: so named", "1: {} of {} are {}", "2: per cent", "2: after it", "4: size", "5: age",
        "7: left"]


def test_the_texts_of_markup(tmp_path: Path) -> None:
    markup = ('<style>a { color: red }</style><p>Choose a\n  <kbd>row</kbd> here.</p>\n<button aria-label="Zoom in">+</button>\n'
              "<h2>Peak</h2><script>say('not this')</script>\n")
    assert printed(tmp_path, "src/report/page/page.html", markup) == [
        "1: Choose a\\nrow here.", "3: Zoom in", "4: Peak"]


def test_python_strings_without_docstrings_and_types(tmp_path: Path) -> None:
    source = ('"""What it is for."""\nNAMES = "add_ mul.Tensor sub_ div.Scalar"\n\n\ndef f(x: "Dict[str, Any]") -> None:\n'
              '    """Does it."""\n    raise Error(f"cannot find {x!r}" + x + " in PATH")\n')
    assert printed(tmp_path, "python/dryfit/a.py", source) == ["7: cannot find {}{} in PATH"]


def test_set_up_scripts_and_make(tmp_path: Path) -> None:
    script = ('#!/bin/sh\n# echo "a comment here"\necho "no package found" >&2\nprintf \'%s took %s\\n\' a b\n'
              "cat <<END\n\nTry next:\n  bin/dryfit gpus   # all GPUs\nEND\n")
    assert printed(tmp_path, "tools/setup/a.sh", script) == [
        "3: no package found", "4: %s took %s\\n", "7: Try next:", "8: bin/dryfit gpus # all GPUs"]
    (tmp_path / "tools/setup/a.sh").unlink()
    makefile = 'help: ## this list\n\t@echo x\n\nbuild: a | b ## the command\n\t@$(STAGE) build "Building it" -- cc\n'
    assert printed(tmp_path, "Makefile", makefile) == ["1: this list", "4: the command", "5: Building it"]


def test_sources_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, "python/dryfit/a.py", "def (:\n")
    result = run_tool(tmp_path, "--check")
    assert result.returncode == 2
    assert result.stderr.startswith("user_strings: ")

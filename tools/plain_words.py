# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The project's glossary: words and phrases that have a plainer one, for tools/check_docs and tools/user_strings."""
from __future__ import annotations

import re
from typing import Iterator, Sequence

# A phrase (as a regular expression, any case) and what to write. Each is wrong wherever it occurs: a phrase that is
# right in one sentence and wrong in another does not belong here.
PHRASES = (
    (r"asked[- ](?:for[- ])?cards?", "requested GPU"),
    (r"cards? (?:that|which) (?:is|are) not there", "simulated GPU"),
    (r"card file", "GPU file"),
    (r"tells (?:whether|what|how|that|about|more|nothing)", "shows, says, reports, or tells you …"),
    (r"for who cannot", "for those who can't"),
    (r"could not be told", "failed, or is unknown"),
    (r"as far as it (?:came|got)", "before the failure"),
    (r"counts? as none", "is treated as a failure"),
    (r"(?:rooms of )?the house", "the code"),
    (r"shall", "should, must or will"),
    (r"in the place of", "instead of"),
    (r"so much memory", "that amount of memory"),
    (r"has none of", "doesn't have"),
    (r"(?<!there )\b(?:is|are) no (?!longer|more|less|better|worse|larger|smaller|fewer|such|one\b)", "is not a"),
)

# Words that the program's own texts, which are short, can always do without. On a page they may be right.
WORDS = (
    (r"cards?", "GPU"),
    (r"tells(?! you)", "shows, reports or means"),
    (r"\b(?<!cannot )(?<!can't )tell\b(?! you| apart)", "show, report or say"),  # "cannot tell" is a verdict
    (r"says of", "reports or means"),
    (r"asked", "requested or given"),
    (r"told", "given, reported or known"),
    (r"harvest(?:s|ed|ing)?", "sweep or collect; `dryfit harvest` for the command"),
    (r"ways?", "variant or method"),
    (r"bars", "baselines"),
    (r"some (?=\d)", "about"),
)
# Wrong as the first word of a sentence.
BEGINNINGS = ((r"(?:^|(?<=[.!?:]\s))Of (?!course\b)", "For or When …"),)

# Names stay what they are: code in backquotes, commands, options, variables, files, and the list of formats.
NAMES = re.compile(
    r"`[^`]*`|\bdryfit [a-z]+|--[a-z][\w-]*|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9_]+|=)|\b\w+\.\w{2,8}\b|[\w.{}~-]*/[\w{}./*~-]*"
    r"|\bdryfit-run, harvest or history\b"
)


def blank(match: re.Match[str]) -> str:
    """Blanks for a piece of text, of the same length and with the same line breaks."""
    return re.sub(r"[^\n]", " ", match.group())


def compiled(phrases: Sequence[tuple[str, str]]) -> list[tuple[re.Pattern[str], str]]:
    """Phrases to search for as whole words, and what to write instead."""
    return [(re.compile(rf"\b{phrase}\b" if phrase[0].isalpha() else phrase, re.IGNORECASE), better)
            for phrase, better in phrases]


def found_in(text: str) -> Iterator[tuple[str, str]]:
    """The words of the glossary that a text of the program uses, and what to write instead."""
    prose = NAMES.sub(blank, text)
    for phrase, better in TEXT_PHRASES:
        if match := phrase.search(prose):
            yield match.group().strip(), better


TEXT_PHRASES = [*compiled(PHRASES), *compiled(WORDS), *((re.compile(phrase), better) for phrase, better in BEGINNINGS)]

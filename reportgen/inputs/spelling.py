"""Values that may be spellings of one: alike but for how they are typed, or a slip apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

Words = tuple[str, ...]

LEAST_LETTERS = 5
"""Words of fewer letters are near to too many others to tell a slip from another word."""

MOST_SLIPS = 10_000
"""Among more different values no slips are looked for."""

APART = re.compile(r"(?<=\d)[\W_]+(?=\d)")
MARKS = re.compile(r"[\s_]+")
PARTED = "\0"
ROMAN = frozenset("ivx")


def variants(values: Iterable[str]) -> list[tuple[str, ...]]:
    """Return values that may be spellings of one, each set sorted.

    Values count as alike if they differ only in capitals, blanks, punctuation or Unicode normal
    form. Symbols such as + and <, hyphens that stand for a sign ("-1", "ER-"), and what parts two
    numbers ("1-12" is not "11-2") are kept. A slip is one letter changed, added or left out, or
    two neighbours swapped, in one word of at least five letters, never the first letter ("atypical"
    is no slip of "typical") and only in values without digits, as numbered names differ so. Of
    changed letters the last does not count either, nor where three values share the place: "Ward
    northA" and "Ward northB" are names, and so are "sitexa", "siteya" and "siteza".

    Parameters
    ----------
    values : iterable of str
        Different from each other.
    """
    by_form: dict[str, str] = {}
    joined = _Joined()
    for value in values:
        first = by_form.setdefault(form(value), value)
        if first != value:
            joined.join(first, value)
    if len(by_form) <= MOST_SLIPS:
        for one, other in _slips([*by_form.values(), *joined.above]):
            joined.join(one, other)
    return [tuple(sorted(members)) for members in joined.sets()]


def form(value: str) -> str:
    """Return what is left of a value without capitals, blanks, punctuation and normal forms."""
    text = _folded(value)
    if text.isascii() and text.isalnum():
        return text
    text = MARKS.sub("", APART.sub(_parted, text))
    kept = "".join(letter for at, letter in enumerate(text) if _tells(text, at))
    return kept or value


def _parted(between: re.Match[str]) -> str:
    """Return what stands for the marks between two numbers."""
    return PARTED + "".join(one for one in between[0] if unicodedata.category(one)[0] == "S")


def _folded(value: str) -> str:
    if value.isascii():
        return value.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", value).casefold())


def _tells(text: str, at: int) -> bool:
    """Return whether a character makes a value another one."""
    kind = unicodedata.category(text[at])
    if kind == "Pd":  # a hyphen inside a word joins it, one at an end is a sign
        return at in (0, len(text) - 1)
    return text[at] == PARTED or kind[0] not in "PC"


def _slips(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of values that are one slip apart."""
    of_words: dict[Words, str] = {}
    for value in values:
        if not any(letter.isnumeric() for letter in value):
            of_words.setdefault(tuple(re.findall(r"[^\W_]+", _folded(value))), value)
    changed: dict[Words, list[Words]] = {}
    for words in of_words:
        for near in _in_one_word(words, _shorter_and_swapped):
            if near in of_words:
                yield of_words[words], of_words[near]
        for pattern in _in_one_word(words, _with_a_hole):
            changed.setdefault(pattern, []).append(words)
    for alike in changed.values():
        if len(alike) == 2:
            yield of_words[alike[0]], of_words[alike[1]]


def _in_one_word(words: Words, change: Callable[[str], Iterator[str]]) -> Iterator[Words]:
    for at, word in enumerate(words):
        if _is_word(word):
            before, after = words[:at], words[at + 1 :]
            yield from ((*before, changed, *after) for changed in change(word))


def _is_word(word: str) -> bool:
    """Return whether a word is long enough, of letters that have capitals, no Roman numeral."""
    lettered = all(letter.upper() != letter for letter in word)
    return len(word) >= LEAST_LETTERS and lettered and not set(word) <= ROMAN


def _shorter_and_swapped(word: str) -> Iterator[str]:
    # Of a word of five letters the last is not left out: "males" is the plural of "male".
    last = len(word) if len(word) > LEAST_LETTERS else len(word) - 1
    for at in range(1, last):
        yield word[:at] + word[at + 1 :]
    for at in range(1, len(word) - 1):
        if word[at] != word[at + 1]:
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _with_a_hole(word: str) -> Iterator[str]:
    return (f"{word[:at]}*{word[at + 1 :]}" for at in range(1, len(word) - 1))


class _Joined:
    """Sets of values, joined two by two."""

    def __init__(self) -> None:
        self.above: dict[str, str] = {}

    def top(self, value: str) -> str:
        while self.above.setdefault(value, value) != value:
            self.above[value] = self.above[self.above[value]]
            value = self.above[value]
        return value

    def join(self, one: str, other: str) -> None:
        self.above[self.top(other)] = self.top(one)

    def sets(self) -> Sequence[list[str]]:
        found: dict[str, list[str]] = {}
        for value in self.above:
            found.setdefault(self.top(value), []).append(value)
        return list(found.values())

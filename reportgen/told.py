"""Texts of the statistics, which are English, in the language of the dossier.

The statistics know no language. What they give as a reason or as the name of a method is recognised
here by its form and said anew: its figures and names go in as they are, a reason within a reason is
recognised in turn. Each section lists the forms that it meets, so that they stand in its catalogue.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence

from reportgen.language import SOURCE, _, current
from reportgen.wording import clauses

_FIGURES = {"n": r"[\d.,e+−-]+", "k": r"[\d,]+"}
"""What the fields that hold figures match; any other field matches any text."""
_RECOGNISED = ("reason", "method")


def teller(forms: Sequence[str]) -> Callable[[str], str]:
    """Return a function that says a text of the statistics in the current language.

    Parameters
    ----------
    forms : sequence of str
        Marked messages: ``{n}`` and ``{k}`` are figures, ``{reason}`` and ``{method}`` are
        recognised in turn, any other field is a name.

    Returns
    -------
    callable
        Takes a text. What has no form, such as what a section has already written in that language,
        stays as it is; so does everything in English. Parts between semicolons are told one by one.
    """

    def told(text: str) -> str:
        if current() == SOURCE or not text:
            return text
        parts = _parted(text)
        if len(parts) > 1 and all(_match(part, forms) for part in parts):
            return clauses(map(told, parts))
        found = _match(text, forms)
        if found is None:
            return clauses(map(told, parts)) if len(parts) > 1 else text
        form, fields = found
        return _(form).format(
            **{name: told(held) if name in _RECOGNISED else held for name, held in fields.items()}
        )

    return told


def _match(text: str, forms: Sequence[str]) -> tuple[str, dict[str, str]] | None:
    for form in forms:
        found = _pattern(form).fullmatch(text)
        if found:
            return form, found.groupdict()
    return None


@functools.cache
def _pattern(form: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)\}", form)
    return re.compile(
        "".join(
            f"(?P<{piece}>{_FIGURES.get(piece, '.+')})" if place % 2 else re.escape(piece)
            for place, piece in enumerate(pieces)
        )
    )


def _parted(text: str) -> list[str]:
    """Return the parts of a text between semicolons, those in brackets left whole."""
    parts, depth = [""], 0
    for sign in text:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == ";" and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]

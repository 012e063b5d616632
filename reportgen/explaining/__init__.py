"""What a finding code means, what a section assumes, what a figure or a term is: in plain text.

One source: codes and their meaning are those of the sections, methods and references those of the
dossier's templates, terms those of its glossary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise

from reportgen import comparison, criteria, reporting
from reportgen.codes import Known, known_codes
from reportgen.criteria.catalogue import CATALOGUE, metrics
from reportgen.errors import Fault, RequestError
from reportgen.explaining.advice import ADVICE
from reportgen.explaining.plain_text import blocks_of, plain_text, wrapped
from reportgen.language import SOURCE, use
from reportgen.render.evidence import read_data
from reportgen.render.html import environment
from reportgen.render.pages.comparison import QUESTION, TITLE
from reportgen.result import SEVERITIES
from reportgen.section import Code
from reportgen.sections import SECTIONS

ROOMS: Mapping[str, tuple[str, str]] = {
    criteria.SECTION: (
        "Acceptance criteria",
        "Do the figures of the run keep the bounds that the manifest states?",
    ),
    comparison.SECTION: (TITLE, QUESTION),
    reporting.RUN: (
        "The run",
        "Was everything computed that the manifest names, and of what data?",
    ),
}
"""Title and question of what makes findings and is no section."""


def explain(word: str) -> str:
    """Return what a word means, as plain text.

    Parameters
    ----------
    word : str
        A finding code, the kind of a section (or "criteria", "comparison", "run"), the name of a
        figure or a term of the glossary; capitals do not matter.

    Raises
    ------
    RequestError
        If nothing is called so, with the nearest names.
    """
    asked = word.strip().casefold()
    known = {code.casefold(): one for code, one in known_codes().items()}
    with use(SOURCE):
        if asked in known:
            return _text(_of_code(known[asked]))
        if asked in _rooms():
            return _text(_of_room(asked))
        found = [*_of_figure(asked), *_of_terms(asked)]
    if not found:
        raise RequestError([_unknown(word)])
    return _text(found)


def names() -> list[str]:
    """Return every name that can be explained."""
    terms = [str(one["term"]) for one in read_data("glossary.yaml")]
    return [*_rooms(), *known_codes(), *_figures(), *terms]


def _unknown(word: str) -> Fault:
    known = {name.casefold(): name for name in names()}
    close = [known[name] for name in get_close_matches(word.casefold(), known, n=5, cutoff=0.6)]
    guess = f"did you mean {' or '.join(close)}? " if close else ""
    mend = (
        f"{guess}name a code such as FRM-004, a figure such as auc, or one of {_listed(_rooms())}"
    )
    what = "no code, section, figure or term of this version is called so"
    return Fault(f"explain {word}", what, mend)


def _rooms() -> dict[str, tuple[str, str]]:
    """Return title and question of every room that makes findings, by its name."""
    return {**{one.kind: (one.title, one.question) for one in SECTIONS}, **ROOMS}


def _figures() -> dict[str, list[str]]:
    """Return the kinds of section that compute each figure a criterion may name."""
    found: dict[str, list[str]] = {}
    for kind in CATALOGUE:
        for name in metrics(kind):
            found.setdefault(name, []).append(kind)
    return found


def _of_code(known: Known) -> Iterator[str]:
    code, (title, question) = known.code, _rooms()[known.room]
    yield from (f"{code.code}: {_either(code)}; {known.room} ({title})", "")
    yield from wrapped(code.meaning)
    told = severities()
    for severity in SEVERITIES:
        if severity in code.severities:
            yield from ("", *wrapped(told[severity], first=f"{severity}: ", rest="      "))
    if code.code in ADVICE:
        yield from ("", *wrapped(ADVICE[code.code], first="What to do: ", rest="      "))
    yield from ("", *wrapped(question, first="The section asks: ", rest="      "))
    yield f"Its methods, assumptions and references: reportgen explain {known.room}"


def _either(code: Code) -> str:
    return _listed([one for one in SEVERITIES if one in code.severities])


def _of_room(name: str) -> Iterator[str]:
    title, question = _rooms()[name]
    yield from (f"{name}: {title}", "", *wrapped(question), "")
    if name not in (criteria.SECTION, reporting.RUN):
        heading = "Methods, what they assume, and references"
        yield from (heading, "=" * len(heading), "", methods(name))
    if metrics(name):
        heading = "Figures that a criterion may name"
        yield from (heading, "=" * len(heading), "", *wrapped(", ".join(metrics(name))), "")
    yield from ("Findings", "=" * 8, "")
    for known in known_codes().values():
        if known.room == name:
            first = f"{known.code.code} ({_either(known.code)}): "
            yield from wrapped(known.code.meaning, first=first, rest="      ")


def methods(kind: str) -> str:
    """Return the methods of a kind of section, as its dossier prints them, as plain text."""
    page = environment("screen").get_template(f"methods/{kind}.html.j2").render()
    return plain_text(page)


def severities() -> dict[str, str]:
    """Return what each severity does to the decision, as the dossier says how to read it."""
    page = environment("screen").get_template("reading.html.j2")
    blocks = blocks_of(page.render(criteria=[], defaults={"confidence": 0.95}))
    return {
        term: told
        for (kind, term), (of, told) in pairwise(blocks)
        if (kind, of) == ("th", "td") and term in SEVERITIES
    }


def _of_figure(asked: str) -> Iterator[str]:
    name = asked.replace(" ", "_")
    kinds = _figures().get(name, [])
    if kinds:
        yield f"{name}: a figure of {_listed(kinds)}; a criterion may name it"
        for kind in kinds:
            keys = dict.fromkeys(
                key
                for source in CATALOGUE[kind]
                if name in source.names
                for key in sorted(source.selectors)
            )
            yield from wrapped(f"{kind}: {_apart(keys)}", first="  ")
        yield ""


def _apart(keys: Iterable[str]) -> str:
    listed = ", ".join(keys)
    return f"told apart by {listed}" if listed else "one of it in a section"


def _of_terms(asked: str) -> Iterator[str]:
    """Yield the terms of the glossary that are called so, or that hold the word."""
    phrase = f" {_words(asked)} "
    for one in read_data("glossary.yaml"):
        if phrase in f" {_words(one['term'])} ":
            yield from (*wrapped(f"{one['term']}: {one['means']}", rest="      "), "")


def _words(text: str) -> str:
    """Return the words of a text, in small letters and one blank apart."""
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def _listed(words: Sequence[str] | Mapping[str, object]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _text(lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(lines).strip("\n") + "\n"

"""The figures computed again from the inputs, and compared with those that are stored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.build import run
from reportgen.comparison import BASE
from reportgen.comparison import SECTION as COMPARISON
from reportgen.manifest_file import load_manifest
from reportgen.release.record import RESULTS
from reportgen.reporting import decision
from reportgen.verifying.check import Check, bad, good

REBUILD = "figures computed again"
RELATIVE, ABSOLUTE = 1e-9, 1e-15
"""Figures are equal within a billionth of themselves; below a rounding error of 1, all are zero."""
MOST_NAMED = 20
DOORS = ("outside", "pickle", "code")
_OF_THE_RUN = ("revision", "digest", "date")
"""Keys of ``dossier`` that are of the run and not of its figures."""


def check_figures(
    data: Mapping[str, Any], manifest: Path, *, allowed: Mapping[str, bool]
) -> Iterator[Check]:
    """Yield whether everything comes out again: figures within 1e-9, texts and verdicts the same.

    Parameters
    ----------
    data : mapping
        Sound results.
    manifest : Path
        The manifest, beside its inputs. The values that were put over it (``--set``) and the
        sections that were left out (``--only``) are taken from the results.
    allowed : mapping
        ``allow_outside``, ``allow_pickle``, ``allow_code``, as for building.

    Raises
    ------
    RequestError
        If the manifest or an input is wrong.
    """
    dossier = data["dossier"]
    overrides = [(one["key"], one["value"]) for one in dossier["overrides"]]
    outside, pickled, code = (allowed.get(f"allow_{x}", False) for x in DOORS)
    asked = load_manifest(manifest, overrides=overrides, allow_outside=outside)
    left_out = dossier["sections_left_out"]
    only = [s.name for s in asked.settings.sections if s.name not in left_out] if left_out else ()
    again = run(asked, only=only, allow_pickle=pickled, allow_code=code).data
    found = list(differing(_compared(data), _compared(again)))
    for place, old, new in found[:MOST_NAMED]:
        yield bad(REBUILD, RESULTS, f"{place} is {_short(old)} there and {_short(new)} here")
    if len(found) > MOST_NAMED:
        yield bad(REBUILD, RESULTS, f"and {len(found) - MOST_NAMED} more differ")
    if not found:
        count = sum(1 for _ in _numbers(_compared(data)))
        yield good(REBUILD, f"{count} numbers agree within {RELATIVE:g} of themselves, every text")


def _compared(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of results and what is concluded from them.

    Left out is what tells of the run (software, date, revision, digest) and a comparison with an
    earlier dossier, which is no figure of this one; the decision is the one without it.
    """
    dossier = {key: value for key, value in data["dossier"].items() if key not in _OF_THE_RUN}
    findings = [one for one in data["findings"] if one["section"] != COMPARISON]
    kept = {key: data[key] for key in data if key not in ("environment", "comparison")}
    inputs = [one for one in data["inputs"] if one["name"] != BASE]
    own = {"findings": findings, "decision": decision(findings), "inputs": inputs}
    return {**kept, "dossier": dossier, **own}


def differing(old: Any, new: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the place, the old and the new value wherever plain data differ.

    Numbers differ if they are not equal within 1e-9 of the larger one; a whole number and a
    fraction may be equal, a truth value and a number never are.
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            within = f"{place}.{key}" if place else str(key)
            yield from differing(old.get(key, _NONE), new.get(key, _NONE), within)
    elif _is_list(old) and _is_list(new):
        if len(old) != len(new):
            yield place, f"{len(old)} entries", f"{len(new)} entries"
            return
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differing(one, other, f"{place}[{_named(one, at)}]")
    elif not _equal(old, new):
        yield place, old, new


class _Nothing:
    def __str__(self) -> str:
        return "nothing"


_NONE = _Nothing()


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _named(entry: Any, at: int) -> Any:
    """Return what a reader finds an entry of a list by: its id, else its place."""
    return entry.get("id", at) if isinstance(entry, Mapping) else at


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(old: Any, new: Any) -> bool:
    if _is_number(old) and _is_number(new):
        return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(old) is type(new) and bool(old == new)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _numbers(one)
    elif _is_list(value):
        for one in value:
            yield from _numbers(one)
    elif _is_number(value):
        yield value


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:80] + "…"

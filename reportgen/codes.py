"""Every code that a finding can bear, and which room makes it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen import comparison, criteria, reporting
from reportgen.section import Code
from reportgen.sections import SECTIONS


@dataclass(frozen=True)
class Known:
    """A code and where it belongs.

    Attributes
    ----------
    code : Code
        With its severities and its meaning.
    room : str
        Kind of the section that makes it, or "criteria", "comparison", "run".
    """

    code: Code
    room: str


@functools.cache
def known_codes() -> Mapping[str, Known]:
    """Return every code by its name, in the order of the sections; then the other rooms."""
    rooms = {
        **{section.kind: section.codes for section in SECTIONS},
        criteria.SECTION: criteria.CODES,
        comparison.SECTION: comparison.CODES,
        reporting.RUN: reporting.CODES,
    }
    return {one.code: Known(one, room) for room, codes in rooms.items() for one in codes}

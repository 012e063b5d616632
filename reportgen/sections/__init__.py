"""The closed set of sections, in the order in which they stand in a dossier."""

from __future__ import annotations

from reportgen.section import Section
from reportgen.sections import dca, frame, integrity, prevalence, robust

SECTIONS: tuple[Section, ...] = (
    frame.SECTION,
    robust.SECTION,
    dca.SECTION,
    prevalence.SECTION,
    integrity.SECTION,
)

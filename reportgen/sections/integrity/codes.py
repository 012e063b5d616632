"""Every finding that an integrity section can make."""

from __future__ import annotations

from reportgen.section import Code
from reportgen.sections.integrity import (
    class_names,
    duplicate_rows,
    label_agreement,
    label_geometry,
    leakage,
    memorisation,
    near_duplicates,
)

CODES: tuple[Code, ...] = (
    *near_duplicates.CODES,
    *duplicate_rows.CODES,
    *leakage.CODES,
    *label_agreement.CODES,
    *memorisation.CODES,
    *label_geometry.CODES,
    *class_names.CODES,
)

"""Every finding that an integrity section can make."""

from __future__ import annotations

from reportgen.section import Code
from reportgen.sections.integrity import (
    calibration,
    claims,
    class_map,
    class_names,
    classifier,
    counting_heads,
    declared_sizes,
    duplicate_rows,
    evaluator,
    label_agreement,
    label_geometry,
    leakage,
    memorisation,
    near_duplicates,
    pipeline,
    removal_effect,
    splits_left,
)

CODES: tuple[Code, ...] = (
    *near_duplicates.CODES,
    *splits_left.CODES,
    *declared_sizes.CODES,
    *duplicate_rows.CODES,
    *leakage.CODES,
    *label_agreement.CODES,
    *memorisation.CODES,
    *label_geometry.CODES,
    *class_names.CODES,
    *removal_effect.CODES,
    *evaluator.CODES,
    *classifier.CODES,
    *calibration.CODES,
    *counting_heads.CODES,
    *pipeline.CODES,
    *class_map.CODES,
    *claims.CODES,
)

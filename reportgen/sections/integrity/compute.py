"""The whole run of an integrity section: one sub-audit after the other, each with its own draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reportgen.inputs import Inputs
from reportgen.result import Outcome
from reportgen.section import Context
from reportgen.sections.integrity import (
    claims,
    class_map,
    class_names,
    classifier,
    counting_heads,
    duplicate_rows,
    evaluator,
    label_agreement,
    label_geometry,
    leakage,
    memorisation,
    near_duplicates,
    pipeline,
    removal_effect,
)
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.result import IntegrityResult
from reportgen.sections.integrity.settings import IntegritySettings

AUDITS: tuple[tuple[str, Callable[[Job], Audited]], ...] = (
    ("near_duplicates", near_duplicates.audit),
    ("duplicate_rows", duplicate_rows.audit),
    ("leakage", leakage.audit),
    ("label_agreement", label_agreement.audit),
    ("memorisation", memorisation.audit),
    ("label_geometry", label_geometry.audit),
    ("class_names", class_names.audit),
    ("removal_effect", removal_effect.audit),
    ("evaluator", evaluator.audit),
    ("classifier", classifier.audit),
    ("counting_heads", counting_heads.audit),
    ("pipeline", pipeline.audit),
    ("class_map", class_map.audit),
    ("claims", claims.audit),
)
"""Key in the result and function, in the order of the page; later ones may use earlier ones."""


def compute(inputs: Inputs, settings: IntegritySettings, context: Context) -> Outcome:
    """Run every sub-audit that the settings ask for.

    Parameters
    ----------
    inputs : Inputs
        Holds the images, detections, class maps, pipelines and tables that the settings name.
    settings : IntegritySettings
        Without fault by `check`.
    context : Context
        Its generator gives one to each sub-audit, so that none depends on which others run.

    Returns
    -------
    Outcome
        With an IntegrityResult, the findings of all sub-audits and the pictures they name.
    """
    done: dict[str, Audited] = {}
    seeds = context.rng.integers(2**32, size=len(AUDITS))
    for at, (key, audit) in enumerate(AUDITS):
        seed = int(seeds[at])
        own = replace(context, rng=np.random.default_rng(seed))
        done[key] = audit(Job(inputs, settings, own, done, seed))
        context.progress((at + 1) / len(AUDITS))
    result = IntegrityResult(
        planted=settings.planted,
        confidence=context.confidence,
        images=settings.images,
        detections=settings.detections,
        records=tuple(record for one in done.values() for record in one.records),
        **{key: one.result for key, one in done.items()},
    )
    findings = tuple(finding for one in done.values() for finding in one.findings)
    pictures = {name: png for one in done.values() for name, png in one.pictures.items()}
    return Outcome(result, findings, pictures)

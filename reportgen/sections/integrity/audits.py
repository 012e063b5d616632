"""What the sub-audits share: the job they are given and what each returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Inputs
from reportgen.result import Finding
from reportgen.section import Context
from reportgen.sections.integrity.result import Record
from reportgen.sections.integrity.settings import IntegritySettings


@dataclass(frozen=True)
class Pairs:
    """Duplicate pairs of one detector among the images of a set, for the audits that follow.

    Attributes
    ----------
    detector : str
    image, twin : (p,) int array
        Positions in the image set, image < twin.
    symmetry : (p,) int array
        Position in `reportgen.stats.duplicates.SYMMETRIES`; carries the twin onto the image.
    distance : (p,) float array
        RMS in grey levels, or 1 − similarity.
    cluster : (n,) int array
        Cluster of each image of the set; an image without duplicate is a cluster of its own.
    """

    detector: str
    image: NDArray[np.intp]
    twin: NDArray[np.intp]
    symmetry: NDArray[np.intp]
    distance: NDArray[np.float64]
    cluster: NDArray[np.intp]


@dataclass(frozen=True)
class Audited:
    """What one sub-audit returns.

    `result` is its part of `IntegrityResult`, None if it was not asked for; `pairs` is filled by
    the near duplicates alone, the detector that the later audits rest on first.
    """

    result: Any = None
    records: tuple[Record, ...] = ()
    findings: tuple[Finding, ...] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    pairs: tuple[Pairs, ...] = ()


@dataclass(frozen=True)
class Job:
    """What one sub-audit is given.

    Attributes
    ----------
    inputs, settings
        Of the section.
    context : Context
        With a generator of this sub-audit's own.
    done : mapping of text to Audited
        The sub-audits before it, by key.
    seed : int
        Start of this sub-audit's generator, for the record.
    """

    inputs: Inputs
    settings: IntegritySettings
    context: Context
    done: Mapping[str, Audited]
    seed: int

    def analysis(self, check: str) -> Any:
        """Return whether a check was fixed by the pinned plan: confirmatory or exploratory."""
        planned = self.inputs.plan is not None and check in self.settings.planned
        return "confirmatory" if planned else "exploratory"

    @property
    def command(self) -> str:
        """The command that makes this section's figures again."""
        return f"reportgen build manifest.yaml --only {self.settings.name}"

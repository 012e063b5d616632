"""What a comparison of two dossiers holds: the key ``comparison`` of results.json.

Every text in it is written in the language of the newer dossier; nothing in it is of a patient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.result import Estimate, Severity

SCHEMA: Literal["reportgen/comparison/1"] = "reportgen/comparison/1"

Better = Literal["higher", "lower"]
Change = Literal["better", "worse", "changed", "not shown", "same", "not comparable"]
"""What became of a figure.

- *better*, *worse*: the interval of the difference excludes no change, in that direction.
- *changed*: it excludes no change and the figure has no better side; or the figures differ and one
  of them has no interval, so that chance cannot be weighed.
- *not shown*: the interval of the difference holds no change.
- *same*: the figure and its interval are equal in both.
- *not comparable*: it stands in one dossier alone, or has no value in one of them.
"""
Scale = Literal["difference", "ratio", "size"]
"""New less old; new over old (no change is 1); or, of a signed gap, the size of the new one less
that of the old one."""
Text = str | None


@dataclass(frozen=True)
class ModelNamed:
    """The model a dossier is of."""

    name: str
    version: str


@dataclass(frozen=True)
class Side:
    """One of the two dossiers.

    Attributes
    ----------
    title : str
    model : ModelNamed
    date : str
        YYYY-MM-DD.
    revision : int or None
        None for a dossier that is being built.
    digest : str or None
        SHA-256 of its results; None for a dossier that is being built.
    decision : {"release", "conditional", "hold"}
        By its own findings: those of a comparison that it holds itself do not count here.
    """

    title: str
    model: ModelNamed
    date: str
    revision: int | None
    digest: Text
    decision: Literal["release", "conditional", "hold"]


@dataclass(frozen=True)
class Pairing:
    """Whether the figures of a section rest on the same units in both dossiers, and are paired.

    Attributes
    ----------
    table : str
        Name of the newer dossier's table.
    paired : bool
    n_units : int or None
        Units in both, where paired.
    reason : str or None
        Why they are not paired, or why some figures of the table are not.
    """

    table: str
    paired: bool
    n_units: int | None
    reason: Text


@dataclass(frozen=True)
class DecisionChange:
    """The decision in both; *worse* is nearer to hold."""

    old: Literal["release", "conditional", "hold"]
    new: Literal["release", "conditional", "hold"]
    change: Literal["same", "better", "worse"]


@dataclass(frozen=True)
class FindingChange:
    """A finding that stands in one of the dossiers or in both.

    Attributes
    ----------
    section, code, title : str
        The title is the newer one, if there is one.
    old, new : {"pass", "note", "warn", "fail"} or None
        Its severity; None where it is not.
    change : {"new", "gone", "worse", "better", "same"}
    old_statement, new_statement : str or None
    """

    section: str
    code: str
    title: str
    old: Severity | None
    new: Severity | None
    change: Literal["new", "gone", "worse", "better", "same"]
    old_statement: Text
    new_statement: Text


@dataclass(frozen=True)
class FigureChange:
    """One figure of a section in both dossiers.

    Attributes
    ----------
    section, kind : str
        Id and kind of the section.
    rows : str
        Where in the section's result it stands: "groups", "near_duplicates.counts"; "" is the
        result itself.
    metric : str
        Its name: "auc", "net_benefit", "auc_gap".
    of : str
        The rest of what it is of, in words: "sex F, threshold 0.5".
    keys : mapping of str to text or number
        The same as the row holds it.
    old, new : Estimate
        Without a value, with the reason, where it is not there.
    difference : Estimate
        New less old with its interval, or what `scale` says; its method says how it was had.
        Without a value where there is none.
    scale : {"difference", "ratio", "size"}
        "ratio" is new over old, where no change is 1; "size" is ``|new| - |old|`` of a gap that
        has a sign. No change is 0 but of a ratio.
    paired : bool
        Whether the difference was had from the same units on both sides.
    better : {"higher", "lower"} or None
        None where neither side is better; of a "size", *lower* means nearer to 0.
    change : {"better", "worse", "changed", "not shown", "same", "not comparable"}
        By the interval of this difference alone.
    p, p_adjusted : float or None
        Two-sided p value of no change, and the same adjusted for the number of figures that were
        weighed (Benjamini-Hochberg). A *worse* figure is a regression where the adjusted one is
        at most 1 - confidence: of hundreds of figures some are worse by chance.
    """

    section: str
    kind: str
    rows: str
    metric: str
    of: str
    keys: Mapping[str, str | float]
    old: Estimate
    new: Estimate
    difference: Estimate
    scale: Scale
    paired: bool
    better: Better | None
    change: Change
    p: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True)
class InputChange:
    """An input file, by its name in the manifest, with its SHA-256 and rows in both."""

    name: str
    change: Literal["same", "changed", "new", "gone"]
    old: Text
    new: Text
    rows_old: int | None
    rows_new: int | None


@dataclass(frozen=True)
class ManifestChange:
    """A line of the manifest that differs, by its key: ``sections.frame.threshold``.

    A value is None where the line is missing; a value that is null is the text "null".
    """

    key: str
    old: str | float | bool | None
    new: str | float | bool | None


@dataclass(frozen=True)
class PackageChange:
    """A package of another version; None where it is not there."""

    name: str
    old: Text
    new: Text


@dataclass(frozen=True)
class Regression:
    """One thing that got worse, in a sentence.

    The decision; a finding, fail or warn, that is new or worse; a figure that is worse by its
    adjusted p value.
    """

    kind: Literal["decision", "finding", "figure"]
    section: str
    statement: str


@dataclass(frozen=True)
class Comparison:
    """Two dossiers side by side."""

    old: Side
    new: Side
    pairing: tuple[Pairing, ...]
    decision: DecisionChange
    findings: tuple[FindingChange, ...]
    figures: tuple[FigureChange, ...]
    inputs: tuple[InputChange, ...]
    manifest: tuple[ManifestChange, ...]
    packages: tuple[PackageChange, ...]
    regressions: tuple[Regression, ...] = field(default=())
    schema: Literal["reportgen/comparison/1"] = SCHEMA

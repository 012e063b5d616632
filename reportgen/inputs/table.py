"""A table of predictions after reading: one numpy array a role, missing values in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.inputs.quality import Quality
from reportgen.language import _
from reportgen.result import LeftOut

if TYPE_CHECKING:
    from reportgen.inputs.deployed import ClassMap, Pipeline
    from reportgen.inputs.detections import DetectionSet
    from reportgen.inputs.images import ImageSet
    from reportgen.inputs.models import ReadModel

FloatArray = NDArray[np.float64]
TextArray = NDArray[np.object_]


@dataclass(frozen=True)
class Survival:
    """A time-to-event outcome.

    Attributes
    ----------
    time : (n,) float array
        Time to event or censoring, >= 0, in the file's own unit; NaN where missing.
    event : (n,) float array
        0 censored, 1 the event of interest, 2 a competing event; NaN where missing.
    at : float
        The horizon, in the unit of `time`.
    """

    time: FloatArray
    event: FloatArray
    at: float


@dataclass(frozen=True)
class Selection:
    """The rows a figure rests on, and the ones it does not.

    Attributes
    ----------
    rows : (k,) int array
        Positions in the table, ascending.
    left_out : tuple of LeftOut
        One entry a reason, only where the count is above zero; the counts add up to the rows left
        out (a row counts under its first reason).
    """

    rows: NDArray[np.intp]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Training:
    """The rows a model was fitted on, as far as an audit needs them.

    Attributes
    ----------
    n_rows : int
        Data rows read.
    unit : (n,) object array or None
        As in `Table`.
    groups : mapping of text to (n,) object array
        As in `Table`.
    features : mapping of text to (n,) float array
        Under the names of the table's own features.
    """

    n_rows: int
    unit: TextArray | None
    groups: Mapping[str, TextArray]
    features: Mapping[str, FloatArray]


@dataclass(frozen=True)
class Table:
    """One table of the manifest, converted by declared role.

    Attributes
    ----------
    name : str
        Its name in the manifest.
    n_rows : int
        Data rows read.
    scale : str
        "probability" (percent is already divided by 100) or "score" (ranking only).
    label : (n,) float array or None
        1.0 the declared positive class, 0.0 the other, NaN missing; None without a binary label.
    survival : Survival or None
        The time-to-event outcome, if one was declared.
    scores : mapping of text to (n,) float array
        Shown name to scores, NaN missing.
    unit : (n,) object array or None
        Identifier of the independent unit (patient) as text, "" where missing; None if each row is
        its own.
    groups : mapping of text to (n,) object array
        Attribute to group as text, "" where missing.
    features : mapping of text to (n,) float array
        Feature to value, NaN missing.
    unit_missing : {"own", "drop"}
        Whether a row without a unit is a unit of its own, or left out of every selection.
    unit_name : str or None
        The column that names the unit, for the texts: "patient_id"; None if there is none.
    levels : mapping of text to tuple of text
        Attribute to the levels that the manifest declares, by merging or by bins, in its order;
        attributes without declared levels are not in it. Where it declares none, the categories of
        a categorical column (parquet) count as declared.
    train : Training or None
        The rows the model was fitted on, if they were declared.
    repeated : (n,) bool array or None
        Whether a row repeats an earlier row of the file in every column; None if not known.
    short : (n,) bool array or None
        Whether a row has fewer fields than the header and so no value; None where none can.
    percent : bool
        Whether the scores were declared to be percent, and so divided by 100.
    categorical : frozenset of text
        Attributes whose `levels` are the categories of the file's own column, as spelt there.
    """

    name: str
    n_rows: int
    scale: str
    label: FloatArray | None
    survival: Survival | None
    scores: Mapping[str, FloatArray]
    unit: TextArray | None
    groups: Mapping[str, TextArray]
    features: Mapping[str, FloatArray]
    unit_name: str | None = None
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    train: Training | None = None
    unit_missing: Literal["own", "drop"] = "own"
    repeated: NDArray[np.bool_] | None = None
    short: NDArray[np.bool_] | None = None
    percent: bool = False
    categorical: frozenset[str] = frozenset()

    def select(self, scores: Iterable[str], *, outcome: bool = True) -> Selection:
        """Return the rows with every one of `scores` and, if `outcome`, with the outcome.

        Rows cut short are always left out, rows without a unit where the table says so.

        Parameters
        ----------
        scores : iterable of str
            Shown names; each must be in `self.scores`.
        outcome : bool
            Whether the label (or time and event) must be there too.
        """
        open_rows = np.ones(self.n_rows, dtype=bool)
        left_out: list[LeftOut] = []

        def leave(missing: NDArray[np.bool_], reason: str) -> None:
            fresh = int(np.count_nonzero(open_rows & missing))
            if fresh:
                left_out.append(LeftOut(reason, fresh))
            open_rows[missing] = False

        if self.short is not None:
            leave(self.short, _("row cut short"))
        if outcome and self.label is not None:
            leave(np.isnan(self.label), _("label missing"))
        if outcome and self.survival is not None:
            leave(np.isnan(self.survival.time), _("time missing"))
            leave(np.isnan(self.survival.event), _("event missing"))
        for name in scores:
            leave(np.isnan(self.scores[name]), _("score of {name} missing").format(name=name))
        if self.unit is not None and self.unit_missing == "drop":
            missing = _("{column} missing").format(column=self.unit_name or _("unit"))
            leave(self.unit == "", missing)
        return Selection(np.flatnonzero(open_rows), tuple(left_out))

    def unit_codes(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return an integer per row of `rows`, equal for rows of the same unit.

        Codes run from 0 and follow the sorted identifiers, so that they do not depend on row order
        beyond ties. A row without an identifier is a unit of its own.
        """
        if self.unit is None:
            return np.arange(len(rows), dtype=np.intp)
        found, names = pd.factorize(self.unit[rows])
        named = names != ""
        order = np.argsort(names[named].astype(str), kind="stable")
        rank = np.full(len(names), -1, dtype=np.intp)
        rank[np.flatnonzero(named)[order]] = np.arange(len(order), dtype=np.intp)
        codes = rank[found]
        blank = np.flatnonzero(codes < 0)
        codes[blank] = len(order) + np.arange(len(blank), dtype=np.intp)
        return codes


@dataclass(frozen=True)
class UnitInSeveral:
    """A unit (patient) with rows in several groups of one attribute."""

    attribute: str
    unit: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class FileTrouble:
    """A file of a folder that could not be used, and why."""

    file: str
    reason: str


@dataclass(frozen=True)
class LabelClass:
    """What the values of an outcome's column are taken for.

    Attributes
    ----------
    column : str
    role : str
        "positive" or "negative"; of a time-to-event outcome "event", "competing" or "censored".
    values : tuple of str
        The values, as they are compared.
    rows : int
        Rows that hold one of them, of those with every declared outcome and score.
    """

    column: str
    role: str
    values: tuple[str, ...]
    rows: int = 0


@dataclass(frozen=True)
class InputRecord:
    """One input file as it was met, for ``inputs`` of results.json.

    Attributes
    ----------
    name : str
        Where the manifest names it: "tables.test".
    path : str
        As the manifest gives it, with forward slashes.
    sha256 : str
        Of the bytes on disk.
    bytes : int
        Size on disk.
    rows : int or None
        Data rows; None where rows mean nothing (a plan, say).
    columns : tuple of str
        The header, in order.
    read : int or None
        Rows with every declared outcome and score; of other files those that are used.
    left_out : tuple of LeftOut
        Rows that lack a declared outcome or score, by reason.
    units : int or None
        Independent units among the rows read; of boxes the images that have some.
    without_unit : int or None
        Rows that lack the declared unit; None where none is declared.
    positives, negatives : int or None
        Rows of each class, where there is a label.
    classes : tuple of LabelClass
        Which values of the outcome's column make which class.
    units_in_several : tuple of UnitInSeveral
        Units with rows in several groups, at most twenty an attribute; the notes count them.
    unreadable, blank, oversized : tuple of FileTrouble
        Images that could not be compared, each named with its reason.
    ignored : tuple of FileTrouble
        What lies in a folder of images and is none, each named with its reason.
    quality : Quality or None
        What a file with rows is like before any figure is made; None for files without columns.
    notes : tuple of str
        What was noticed and is no fault: "2 rows without patient_id are units of their own".
    remarks : tuple of str
        The same where a reader must know it before any figure: every section on the table says so.
    """

    name: str
    path: str
    sha256: str
    bytes: int
    rows: int | None = None
    columns: tuple[str, ...] = ()
    read: int | None = None
    left_out: tuple[LeftOut, ...] = ()
    units: int | None = None
    without_unit: int | None = None
    positives: int | None = None
    negatives: int | None = None
    classes: tuple[LabelClass, ...] = ()
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    units_in_several: tuple[UnitInSeveral, ...] = ()
    unreadable: tuple[FileTrouble, ...] = ()
    blank: tuple[FileTrouble, ...] = ()
    oversized: tuple[FileTrouble, ...] = ()
    ignored: tuple[FileTrouble, ...] = ()
    quality: Quality | None = None


@dataclass(frozen=True)
class Inputs:
    """Everything a run was given.

    Attributes
    ----------
    tables : mapping of text to Table
        By the name in the manifest.
    records : tuple of InputRecord
    models : mapping of text to ReadModel
        By the id of the section that names it.
    images : mapping of text to ImageSet
    detections : mapping of text to DetectionSet
    class_maps : mapping of text to ClassMap
    pipelines : mapping of text to Pipeline
        Each by the name in the manifest.
    lists : mapping of (text, text) to mapping of text to tuple of text
        Tables of plain text that a section's settings name, by the section's id and the name that
        the section gave it (`Section.lists`); each a mapping of column to cells.
    plan : text or None
        SHA-256 of the analysis plan if it was pinned, so fixed before the run; else None.
    fonts : tuple of Path
        Font files for characters that the dossier's own font lacks, in order.
    """

    tables: Mapping[str, Table]
    records: tuple[InputRecord, ...]
    models: Mapping[str, ReadModel] = field(default_factory=dict)
    images: Mapping[str, ImageSet] = field(default_factory=dict)
    detections: Mapping[str, DetectionSet] = field(default_factory=dict)
    class_maps: Mapping[str, ClassMap] = field(default_factory=dict)
    pipelines: Mapping[str, Pipeline] = field(default_factory=dict)
    lists: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    plan: str | None = None
    fonts: tuple[Path, ...] = ()

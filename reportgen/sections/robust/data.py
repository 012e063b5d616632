"""From a table to arrays: the rows of an audit, their groups, and the inputs of its model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Inputs, Table
from reportgen.language import _
from reportgen.result import LeftOut
from reportgen.sections.robust.settings import RobustSettings
from reportgen.wording import blank_level

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Data:
    """The rows that an audit rests on, in the table's order.

    Attributes
    ----------
    table, score_name, sensitive : str
        `sensitive` is the attribute, or the column of the proxy.
    score : (n,) float array
        As stored.
    group : (n,) int array
        0 upwards; all 0 where the attribute is missing.
    levels : tuple of str
        The groups; declared ones may have no row, rows without a value are the last. Empty where
        the attribute is missing.
    positive : (n,) bool array or None
        None without a label.
    unit : (n,) int array
        Patient of each row.
    unit_name : str or None
    n_read : int
        Rows of the table.
    features : (n, d) float array
        Of `feature_names`; NaN where a value is missing and that is allowed.
    probability : (n,) float array or None
        Of membership, where there is a proxy.
    left_out : tuple of LeftOut
    unit_text : (n,) object array or None
        What the patient of each row is called; None where the table names none.
    left_of : (L,) int array
        Rows of each group that were left out.
    blank : bool
        Whether the last group is that of the rows without a value.
    """

    table: str
    score_name: str
    sensitive: str
    score: FloatArray
    group: IntArray
    levels: tuple[str, ...]
    positive: BoolArray | None
    unit: IntArray
    unit_name: str | None
    n_read: int
    feature_names: tuple[str, ...]
    features: FloatArray
    probability: FloatArray | None
    left_out: tuple[LeftOut, ...]
    unit_text: NDArray[np.object_] | None = None
    left_of: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    blank: bool = False

    @property
    def n_units(self) -> int:
        """Number of patients."""
        return len(np.unique(self.unit))

    @property
    def n_groups(self) -> int:
        """Number of groups, with those that have no row; 1 where the attribute is missing."""
        return max(1, len(self.levels))


def read_data(
    inputs: Inputs,
    settings: RobustSettings,
    features: Sequence[str] = (),
    *,
    missing_allowed: bool = False,
) -> Data:
    """Return the rows with label, score, group (or proxy) and features.

    Parameters
    ----------
    inputs : Inputs
    settings : RobustSettings
        As `check` has passed them.
    features : sequence of str
        What the model takes, directly or through derived columns.
    missing_allowed : bool
        Whether the model takes missing values.
    """
    table = inputs.tables[settings.table]
    name = settings.score_name(tuple(table.scores))
    selection = table.select([name])
    keep = np.ones(len(selection.rows), dtype=np.bool_)
    left_out = list(selection.left_out)

    def leave(missing: BoolArray, reason: str) -> None:
        fresh = int(np.count_nonzero(keep & missing))
        if fresh:
            left_out.append(LeftOut(reason, fresh))
        keep[missing] = False

    rows = selection.rows
    proxy = None if settings.proxy is None else column(table, settings.proxy.column)
    if proxy is not None and settings.proxy is not None:
        why = _("{column} missing").format(column=settings.proxy.column)
        leave(np.isnan(proxy[rows]), why)
    matrix = _matrix(table, features)
    for at, feature in enumerate(features):
        if not missing_allowed:
            why = _("feature {feature} missing").format(feature=feature)
            leave(np.isnan(matrix[rows, at]), why)
    rows = rows[keep]
    levels, of_row = _groups(table, settings.sensitive)
    group, read = of_row[rows], np.bincount(of_row, minlength=max(1, len(levels)))
    return Data(
        table=table.name,
        score_name=name,
        sensitive=settings.sensitive or (settings.proxy.column if settings.proxy else ""),
        score=table.scores[name][rows],
        group=group,
        levels=levels,
        positive=None if table.label is None else table.label[rows] == 1,
        unit=table.unit_codes(rows),
        unit_name=None if table.unit is None else table.unit_name or _("unit"),
        n_read=table.n_rows,
        feature_names=tuple(features),
        features=matrix[rows],
        probability=None if proxy is None else proxy[rows],
        left_out=tuple(left_out),
        unit_text=None if table.unit is None else table.unit[rows],
        left_of=read - np.bincount(group, minlength=len(read)),
        blank=settings.sensitive is not None
        and bool((table.groups[settings.sensitive][rows] == "").any()),
    )


def _groups(table: Table, name: str | None) -> tuple[tuple[str, ...], IntArray]:
    """Return the groups, and that of each row of the table, of rows left out too."""
    if name is None:
        return (), np.zeros(table.n_rows, dtype=np.intp)
    texts = table.groups[name].astype(str)
    found, code = np.unique(texts, return_inverse=True)
    declared = list(table.levels.get(name, ()))
    levels = declared + [text for text in found.tolist() if text and text not in declared]
    if "" in found:
        levels.append(blank_level(levels))
    at = {text: place for place, text in enumerate(levels)}
    place = np.array([at[text] if text else len(levels) - 1 for text in found.tolist()], np.intp)
    return tuple(levels), place[code] if len(texts) else np.zeros(0, dtype=np.intp)


def column(table: Table, name: str) -> FloatArray | None:
    """Return a column of numbers by name: a feature, else a group whose values are all numbers.

    An attribute may be an input of the model too (sex coded 1 and 2); it need not be declared as a
    feature for that. None where there is no such column of numbers.
    """
    if name in table.features:
        return table.features[name]
    if name in table.groups and (name not in table.levels or name in table.categorical):
        texts = table.groups[name]
        try:
            values = [float(text) if text else np.nan for text in texts.tolist()]
        except ValueError:
            return None
        return np.array(values, dtype=np.float64)
    return None


def _matrix(table: Table, names: Sequence[str]) -> FloatArray:
    columns = [column(table, name) for name in names]
    known = [one for one in columns if one is not None]
    if len(known) < len(columns):
        raise ValueError("check_inputs() refuses a model whose features the table lacks")
    return np.column_stack(known) if known else np.zeros((table.n_rows, 0))

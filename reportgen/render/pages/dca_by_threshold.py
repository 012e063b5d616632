"""Tables of a decision curve section by threshold, and those of the gains among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.language import _
from reportgen.render.pages.dca_rows import BETTER_DEFAULT, modes, named_in_gains, pairs
from reportgen.render.pages.dca_words import named as with_names
from reportgen.render.pages.dca_words import strategy
from reportgen.render.pages.words import coverage, limits, listed, printed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import sentences


def threshold_column() -> Column:
    """Return the column that heads every table by threshold."""
    return Column("threshold", _("Threshold"), "threshold")


def model_column() -> Column:
    """Return the column of what `dca_words.named` calls a row."""
    return Column("name", _("Model"))


def band_column() -> Column:
    """Return the column of the simultaneous limits that `by_threshold` adds."""
    return Column("band", _("Simultaneous band"))


def gains(section: str, result: Plain) -> TableView | None:
    """Return the gains of every model over the better default."""
    rows = [row for row in result["gains"] if row["against"] == BETTER_DEFAULT]
    if not rows:
        return None
    caption = _(
        "Gain in net benefit over the better of treat all and treat none. In net true positives "
        "per row, paired on the same rows, with pointwise {coverage} interval (percentile "
        "bootstrap), simultaneous band, and the share of resamples in which the model is better."
    )
    return _gain_table(
        "gains", section, result, rows, caption=caption.format(coverage=coverage(result))
    )


def between(section: str, result: Plain) -> TableView | None:
    """Return the differences between models, each pair once."""
    compared = list(pairs(result))
    rows = [row for row in result["gains"] if (row["model"], row["against"]) in compared]
    if not rows:
        return None
    one, other = compared[0]
    which = _("the first-named less the second")
    if len(compared) == 1:
        which = _("{model} less {against}").format(model=one, against=other)
    caption = _(
        "Difference in net benefit between two models. Here {which}, in net true positives per "
        "row, paired on the same rows, with pointwise {coverage} interval (percentile bootstrap), "
        "simultaneous band, and the share of resamples in which the first is better."
    )
    return _gain_table(
        "between",
        section,
        result,
        rows,
        caption=caption.format(which=which, coverage=coverage(result)),
        named=len(compared) > 1 or len(modes(result)) > 1,
    )


def _gain_table(
    key: str,
    section: str,
    result: Plain,
    rows: Sequence[Plain],
    *,
    caption: str,
    named: bool = True,
) -> TableView:
    trade_off = _(
        "Test trade-off: rows for which the model must be used for one more net true positive."
    )
    return by_threshold(
        key,
        with_names(rows, result),
        named=named_in_gains(result, paired=key == "between"),
        caption=sentences((caption, trade_off)),
        columns=[
            threshold_column(),
            *((model_column(),) if named else ()),
            Column("gain", _("Gain"), "signed_estimate"),
            band_column(),
            Column("probability_better", _("Probability better"), "probability"),
            Column("test_tradeoff", _("Test trade-off"), "estimate", _("rows")),
        ],
        csv=file_name(section, "gains"),
        estimate="gain",
    )


def by_threshold(
    key: str,
    rows: Iterable[Plain],
    *,
    caption: str,
    columns: Sequence[Column],
    csv: str,
    named: Sequence[float] = (),
    estimate: str = "",
    unprinted: Sequence[str] = (),
) -> TableView:
    """Return a table by ascending threshold; a long one is printed at a few thresholds only.

    Parameters
    ----------
    key, caption, columns, csv
        As in `TableView`.
    rows : iterable of mapping
        In any order; each has its ``threshold``.
    named : sequence of float
        Thresholds that are printed in any case.
    estimate : str
        The key of the estimate whose simultaneous limits are added as ``band``, if any.
    unprinted : sequence of str
        Strategies that a print leaves out, as the results call them.
    """
    ordered = sorted(_with_band(rows, estimate), key=lambda row: row["threshold"])
    few, rule = printed([row["threshold"] for row in ordered], named)
    kept = [r for r in ordered if r["threshold"] in few and r.get("model") not in unprinted]
    note = _("The print shows {rule}.")
    if unprinted:
        note = _("The print shows {rule}, without {strategies}.")
    whole = len(kept) == len(ordered)
    return TableView(
        key=key,
        caption=caption,
        columns=columns,
        rows=ordered,
        print_rows=None if whole else kept,
        csv=csv,
        note=""
        if whole
        else note.format(rule=rule, strategies=listed([strategy(one) for one in unprinted])),
    )


def _with_band(rows: Iterable[Plain], estimate: str) -> Iterable[Plain]:
    """Add the simultaneous limits as text, written like the pointwise ones beside them."""
    if not estimate:
        return rows
    return ({**row, "band": _band(row, row[estimate]["estimate"])} for row in rows)


def _band(row: Plain, value: float | None) -> str:
    low, high = row["simultaneous_low"], row["simultaneous_high"]
    return limits({"estimate": value, "low": low, "high": high})

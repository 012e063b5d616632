"""Tables on the evaluation: removal of duplicates, and the evaluator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen import wording
from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.integrity_words import (
    EVERY_CLASS,
    convention,
    methods_of,
    metric,
    overlap,
    short_convention,
    side,
)
from reportgen.render.pages.words import coverage, limits, listed, unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_PRINTED = 24
MOST_STRATA = 30
MOST_ROWS = 60
MOST_DIFFERENT = 20
MOST_REASONS = 4
COUNTED = {
    "n_images": mark("{n} images"),
    "n_boxes": mark("{n} boxes"),
    "n_detections": mark("{n} detections"),
}


@dataclass(frozen=True)
class _Changes:
    """What both tables of the changes show: rows, which of them the PDF prints, and notes."""

    rows: Sequence[Plain]
    print_rows: Sequence[Plain] | None
    csv: str
    note: str

    def column(self, key: str, heading: str) -> Column:
        """Return a column of differences, as estimates or written already."""
        written = any(isinstance(row[key], str) for row in self.rows)
        return Column(key, heading, "text" if written else "signed_estimate")

    def table(self, key: str, caption: str, columns: Sequence[Column], *notes: str) -> TableView:
        """Return a table of these rows, its own notes before theirs."""
        note = wording.sentences([*notes, self.note])
        return TableView(key, caption, columns, self.rows, self.print_rows, self.csv, note)


def removal_effect(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield what the figures become without the duplicates, the controls and their strata."""
    if found["rows"]:
        changes = _changes(name, found["rows"])
        yield _removal(found, changes, coverage(result))
        yield _against_controls(found, changes, coverage(result))
    if found["strata"]:
        yield _strata(name, found["strata"])


def _changes(name: str, found: Sequence[Plain]) -> _Changes:
    rows, note = _with_few_reasons([_removal_row(row) for row in found])
    print_rows = most_telling(rows, MOST_PRINTED) if len(rows) > MOST_PRINTED else None
    if print_rows is not None:
        text = _(
            "The PDF shows the means over classes, then classes with an interval, then the"
            " largest changes: {shown} of {total} rows."
        )
        left = text.format(shown=len(print_rows), total=numbers.count(len(rows)))
        note = wording.sentences([note, left])
    return _Changes(rows, print_rows, file_name(name, "removal_effect", "rows"), note)


def _removal_row(row: Plain) -> Plain:
    controls = limits({"low": row["control_low"], "high": row["control_high"]})
    return {
        **row,
        "figure": metric(row["metric"], row["class"]),
        "controls_text": controls or "–",
        "change_shown": row["change"],
        "gap_shown": row["gap"],
    }


def _with_few_reasons(rows: Sequence[Plain]) -> tuple[list[Plain], str]:
    """Return the rows with at most a few reasons below the table, else with one as an example."""
    reasons = unique(row[key].get("reason") for row in rows for key in ("change", "gap"))
    known = [reason for reason in reasons if reason]
    if len(known) <= MOST_REASONS:
        return list(rows), ""
    bare: list[Plain] = [
        {
            **row,
            "change_shown": _without_reason(row["change"]),
            "gap_shown": _without_reason(row["gap"]),
        }
        for row in rows
    ]
    text = _("Why a figure or an interval is missing stands in the CSV; such as: {reason}.")
    return bare, text.format(reason=known[0])


def _without_reason(value: Plain) -> str:
    if value["estimate"] is None:
        return "–"
    if value.get("low") is None:
        return _(numbers.NO_INTERVAL_HERE).format(figure=numbers.signed(value["estimate"]))
    return numbers.signed_estimate(value)


def most_telling(rows: Sequence[Plain], most: int) -> list[Plain]:
    """Return the means over classes, then classes with an interval, then the largest changes."""

    def rank(row: Plain) -> tuple[bool, bool, float]:
        change = row["change"]
        size = abs(change.get("estimate") or 0.0)
        return row["class"] != EVERY_CLASS, change.get("low") is None, -size

    return sorted(rows, key=rank)[:most]


def _removal(found: Plain, changes: _Changes, covered: str) -> TableView:
    rule = found["recall_rule"]
    return changes.table(
        "removal",
        _(
            "The figures without the duplicates. Change: without minus all images, with {coverage}"
            " intervals of the cluster bootstrap. Least change: half the width of the interval; it"
            " is told from none in about half of such samples. Gap: the duplicates alone minus the"
            " others. Average precision: {convention}."
        ).format(coverage=covered, convention=convention(found["convention"])),
        [
            Column("figure", _("Figure")),
            Column("all_images", _("All images"), "probability"),
            Column("without", _("Without"), "probability"),
            changes.column("change_shown", _("Change")),
            Column("minimum_detectable_effect", _("Least change"), "number"),
            changes.column("gap_shown", _("Gap")),
        ],
        methods_of(changes.rows, "change"),
        _("Recall: {rule}.").format(rule=rule) if rule else "",
    )


def _against_controls(found: Plain, changes: _Changes, covered: str) -> TableView:
    rule = found["control_rule"]
    return changes.table(
        "controls",
        _(
            "The change against control removals. Controls: the central {coverage} of the changes"
            " when as many other images leave, matched by stratum; p: the two-sided randomisation"
            " p, both tails in the CSV; Holm: adjusted over this table."
        ).format(coverage=covered),
        [
            Column("figure", _("Figure")),
            changes.column("change_shown", _("Change")),
            Column("controls_text", _("Controls")),
            Column("p", _("p"), "probability"),
            Column("p_adjusted", _("p, Holm"), "probability"),
            Column("detected", _("Detected"), "yes_no"),
        ],
        _("Controls: {rule}.").format(rule=rule) if rule else "",
    )


def _strata(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {**row, "short_text": _("short") if row["short"] else _("enough")}
        for row in found
        if row["duplicates"]
    ]
    empty = len(found) - len(rows)
    print_rows = None
    note = ""
    if empty:
        text = _("{n} more without a duplicate are not shown.")
        note = text.format(n=numbers.count(empty))
    if len(rows) > MOST_STRATA:
        order = sorted(rows, key=lambda row: (not row["short"], -row["duplicates"]))
        print_rows = order[:MOST_STRATA]
        shown = _(
            "The PDF shows the strata that are short, then those with the most duplicates, {shown}"
            " of {total}."
        ).format(shown=MOST_STRATA, total=numbers.count(len(rows)))
        note = wording.sentences([shown, note])
    return TableView(
        key="strata",
        caption=_(
            "Strata of the control removals. A stratum is short if it has fewer other images than"
            " duplicates: controls then resemble the duplicates themselves."
        ),
        columns=[
            Column("dominant_class", _("Dominant class")),
            Column("instance_quartile", _("Boxes per image, quartile")),
            Column("duplicates", _("Duplicates"), "count"),
            Column("pool", _("Other images"), "count"),
            Column("short_text", _("Pool")),
        ],
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "removal_effect", "strata"),
        note=note,
    )


def evaluator(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the figure under every convention, drift between two, and the settings declared."""
    if found["rows"]:
        yield _conventions(name, found)
        by_class = [row for row in found["rows"] if row["class"] != EVERY_CLASS]
        if by_class:
            yield _by_class(name, by_class)
    if found["drift"]:
        yield from _drift(name, found["drift"])
    if found["pins"]:
        yield _pins(found["pins"])


def _conventions(name: str, found: Plain) -> TableView:
    means = [row for row in found["rows"] if row["class"] == EVERY_CLASS]
    metrics = unique(row["metric"] for row in means)
    rows = []
    for key in unique(row["convention"] for row in means):
        own = [row for row in means if row["convention"] == key]
        values = {row["metric"]: _value(row) for row in own}
        rows.append(
            {
                "name": convention(key),
                "rule": wording.named(own[0]["tool"], own[0]["rule"]),
                **{f"m_{one}": values.get(one, "–") for one in metrics},
            }
        )
    return TableView(
        key="conventions",
        caption=_(
            "The same matches under every convention. The predictions and the boxes are the same;"
            " the sum differs, and where it is said the matching. Nothing is drawn by chance, so"
            " there is no interval."
        ),
        columns=[
            Column("name", _("Convention")),
            *[Column(f"m_{one}", metric(one)) for one in metrics],
            Column("rule", _("Tool and rule")),
        ],
        rows=rows,
        csv=file_name(name, "evaluator", "rows"),
        note=of_what(found, means),
    )


def _value(row: Plain) -> str:
    if row["value"] is None:
        return _(numbers.NOT_ESTIMABLE).format(reason=row["reason"] or _("undefined"))
    return numbers.probability(row["value"])


def of_what(found: Plain, means: Sequence[Plain]) -> str:
    """Return what the figures rest on: "100 images, 839 boxes and 734 detections; 71 classes."."""
    parts = [
        _(words).format(n=numbers.count(found[key]))
        for key, words in COUNTED.items()
        if found[key] is not None
    ]
    classes = unique(row["n_classes"] for row in means)
    if len(classes) == 1:
        parts.append(_("{n} classes with boxes").format(n=numbers.count(classes[0])))
    return _("{text}.").format(text=listed(parts)) if parts else ""


def _by_class(name: str, found: Sequence[Plain]) -> TableView:
    conventions = unique(row["convention"] for row in found)
    cells: dict[tuple[str, str], dict[str, float | None]] = {}
    for row in found:
        cells.setdefault((row["class"], row["metric"]), {})[row["convention"]] = row["value"]
    pairs = [(key, values, _spread(values)) for key, values in cells.items()]
    rows = [_by_convention(key, values, conventions) for key, values, _spread_of in pairs]
    most = [
        _by_convention(key, values, conventions)
        for key, values, _spread_of in sorted(pairs, key=lambda pair: -(pair[2] or 0.0))[
            :MOST_DIFFERENT
        ]
    ]
    many = len(rows) > MOST_ROWS
    return TableView(
        key="class_conventions",
        caption=_("Average precision of each class under every convention. The same matches."),
        columns=[
            Column("figure", _("Class, IoU")),
            *[
                Column(f"c_{place}", short_convention(key), "probability")
                for place, key in enumerate(conventions)
            ],
            Column("spread", _("Range"), "probability"),
        ],
        rows=rows,
        print_rows=most if many else None,
        csv=file_name(name, "evaluator", "rows"),
        note=(
            _(
                "The PDF shows the {shown} of {total} rows in which the conventions differ most."
            ).format(shown=MOST_DIFFERENT, total=numbers.count(len(rows)))
            if many
            else ""
        ),
        wide=True,
    )


def _by_convention(
    key: tuple[str, str], values: Mapping[str, float | None], conventions: Sequence[str]
) -> Plain:
    class_, of = key
    return {
        "figure": _("{class_}, {overlap}").format(class_=class_, overlap=overlap(of)),
        "spread": _spread(values),
        **{f"c_{place}": values.get(name) for place, name in enumerate(conventions)},
    }


def _spread(values: Mapping[str, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    return max(known) - min(known) if known else None


def _drift(name: str, found: Sequence[Plain]) -> Iterator[TableView]:
    """Yield a table for each two sides that are compared: conventions, then runs."""
    for place, sides in enumerate(unique((row["first"], row["second"]) for row in found)):
        rows = [
            {**row, "figure": metric(row["metric"], row["class"])}
            for row in found
            if (row["first"], row["second"]) == sides
        ]
        print_rows, note = _largest(rows)
        causes = unique(row["cause"] for row in rows)
        yield TableView(
            key=f"drift_{place + 1}",
            caption=_(
                "Drift of the evaluator. The same figures on two sides, and the second minus the"
                " first."
            ),
            columns=[
                Column("figure", _("Figure")),
                Column("first_value", side(sides[0]), "probability"),
                Column("second_value", side(sides[1]), "probability"),
                Column("difference", _("Difference"), "signed"),
            ],
            rows=rows,
            print_rows=print_rows,
            csv=file_name(name, "evaluator", "drift"),
            note=wording.sentences(
                [_("Where it comes from: {causes}.").format(causes=wording.clauses(causes)), note]
            ),
        )


def _largest(rows: Sequence[Plain]) -> tuple[list[Plain] | None, str]:
    """Return the means and the largest differences of classes, if there are too many rows."""
    if len(rows) <= MOST_ROWS:
        return None, ""
    means = [row for row in rows if row["class"] == EVERY_CLASS]
    others = [row for row in rows if row["class"] != EVERY_CLASS]
    others.sort(key=lambda row: -abs(row["difference"] or 0.0))
    chosen = [*means, *others[: max(0, MOST_DIFFERENT - len(means))]]
    note = _(
        "The PDF shows the means over classes and the largest differences, {shown} of {total} rows."
    )
    return chosen, note.format(shown=len(chosen), total=numbers.count(len(rows)))


def _pins(found: Sequence[Plain]) -> TableView:
    return TableView(
        key="pins",
        caption=_("Settings of the evaluation. One that is not declared cannot be repeated."),
        columns=[
            Column("setting", _("Setting")),
            Column("value_text", _("Declared")),
            Column("moves", _("What it moves")),
        ],
        rows=[
            {**row, "value_text": _("not declared") if row["value"] is None else row["value"]}
            for row in found
        ],
    )

"""Tables on the partitions: near duplicates, duplicate rows."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.language import _, p_
from reportgen.render import numbers
from reportgen.render.pages.integrity_words import (
    BOUND,
    LONGEST_NAME,
    k_of_n,
    methods_of,
    or_dash,
    shortened,
    splits,
    symmetry,
)
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_PRINTED = 20


def near_duplicates(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the tables on near duplicates, each only where it has rows."""
    if found["detectors"]:
        yield _detectors(found)
    if found["counts"]:
        yield _counts(name, found)
    if found["sensitivity"]:
        yield _sensitivity(name, found)
    if found["all_pairs"]:
        yield _all_pairs(name, found)
    if found["rows"]:
        yield _pairs(name, found)
    if found["reviewed"]:
        yield _reviewed(found)


def _detectors(found: Plain) -> TableView:
    rows = [
        {
            **row,
            "left": wording.clauses(
                p_("images", "{k} {reason}").format(k=numbers.count(one["k"]), reason=one["reason"])
                for one in row["not_comparable"]
            )
            or _("none"),
        }
        for row in found["detectors"]
    ]
    return TableView(
        key="detectors",
        caption=_("Detectors as used. What each compares, and the images that it cannot compare."),
        columns=[
            Column("detector", _("Detector")),
            Column("threshold", _("Threshold"), "threshold"),
            Column("compared", _("Images compared"), "count"),
            Column("left", _("Not compared")),
            Column("definition", _("Definition")),
        ],
        rows=rows,
    )


def _counts(name: str, found: Plain) -> TableView:
    rows = [_count_row(row) for row in found["counts"]]
    columns = [
        Column("where", _("Copies searched in → of")),
        Column("detector", _("Detector")),
        Column("counts", _("Images with a copy")),
        Column("share", _("Share"), "percent_estimate"),
        Column("fixed_alignment", _("As they lie"), "count", _("images")),
        Column("other_alignment", _("Only flipped or rotated"), "count", _("images")),
        Column("pairs", _("Pairs"), "count"),
        Column("clusters", _("Clusters"), "count"),
    ]
    if any(row["instances_n"] is not None for row in rows):
        columns.append(Column("instances_text", _("Boxes carried")))
    return TableView(
        key="counts",
        caption=_(
            "Images with a near duplicate at the manifest's threshold. Every count is “at least”:"
            " {why}."
        ).format(why=found["why_lower_bound"].rstrip(".。")),
        columns=columns,
        rows=rows,
        csv=file_name(name, "near_duplicates", "counts"),
        note=methods_of(rows, "share"),
        wide=True,
    )


def _count_row(row: Plain) -> Plain:
    boxes = k_of_n(row, "instances_k", "instances_n")
    if row["instances"] and row["instances"].get("estimate") is not None:
        share = numbers.percent(row["instances"]["estimate"])
        boxes = _("{counts} ({share})").format(counts=boxes, share=share)
    return {
        **row,
        "where": splits(row),
        "counts": _(BOUND).format(counts=k_of_n(row)) if row["k"] else k_of_n(row),
        "instances_text": boxes or "–",
    }


def _sensitivity(name: str, found: Plain) -> TableView:
    both = [*found["counts"], *found["sensitivity"]]
    rows = sorted(
        (_count_row(row) for row in both),
        key=lambda row: (row["detector"], row["where"], row["threshold"]),
    )
    return TableView(
        key="sensitivity",
        caption=_("The same counts at other thresholds. A count that jumps calls for review."),
        columns=[
            Column("where", _("Copies searched in → of")),
            Column("detector", _("Detector")),
            Column("threshold", _("Threshold"), "threshold"),
            Column("counts", _("Images with a copy")),
            Column("share", _("Share"), "percent_estimate"),
            Column("pairs", _("Pairs"), "count"),
        ],
        rows=rows,
        csv=file_name(name, "near_duplicates", "sensitivity"),
        note=methods_of(rows, "share"),
    )


def _all_pairs(name: str, found: Plain) -> TableView:
    rows = [
        {**row, "same": or_dash(row["same_source"]), "other": or_dash(row["other_source"])}
        for row in sorted(found["all_pairs"], key=lambda row: (row["detector"], row["threshold"]))
    ]
    return TableView(
        key="all_pairs",
        caption=_(
            "Pairs among all images, whatever their split. Where sources are named, pairs of"
            " different sources are false, or copies whose source is not declared."
        ),
        columns=[
            Column("detector", _("Detector")),
            Column("threshold", _("Threshold"), "threshold"),
            Column("pairs", _("Pairs"), "count"),
            Column("fixed_alignment", _("As they lie"), "count", _("pairs")),
            Column("same", _("Same source"), unit=_("pairs")),
            Column("other", _("Different sources"), unit=_("pairs")),
            Column("images", _("Images"), "count"),
            Column("clusters", _("Clusters"), "count"),
        ],
        rows=rows,
        csv=file_name(name, "near_duplicates", "all_pairs"),
    )


def _pair_columns() -> list[Column]:
    return [
        Column("image", _("Image")),
        Column("twin", _("Twin")),
        Column("symmetry_text", _("The twin is")),
        Column("distance_text", _("Distance")),
        Column("full_rms", _("RMS"), "number"),
        Column("full_r", _("r"), "number"),
    ]


def _pairs(name: str, found: Plain) -> TableView:
    rows = [_pair_row(row) for row in found["rows"]]
    columns = _pair_columns()
    if len({row["detector"] for row in rows}) > 1:
        columns.insert(2, Column("detector", _("Detector")))
    if any(row["verdict"] for row in rows):
        columns.append(Column("verdict_text", _("Reviewer")))
    printed = [
        {**row, **{key: shortened(row[key]) for key in ("image", "twin")}}
        for row in rows[:MOST_PRINTED]
    ]
    note = ""
    if len(rows) > MOST_PRINTED:
        text = _("The PDF shows the first {shown} of {total} pairs.")
        note = text.format(shown=MOST_PRINTED, total=numbers.count(len(rows)))
    if any(len(row[key]) > LONGEST_NAME for row in rows for key in ("image", "twin")):
        note = wording.sentences([note, _("In the PDF long names stand without their middle.")])
    return TableView(
        key="pairs",
        caption=_(
            "The flagged pairs. The distance is the detector's; RMS (grey levels) and correlation r"
            " of the whole pictures, in the alignment found, stand beside it and filter nothing."
        ),
        columns=columns,
        rows=rows,
        print_rows=printed,
        csv=file_name(name, "near_duplicates", "rows"),
        note=note,
        wide=True,
    )


def _pair_row(row: Plain) -> Plain:
    if row["rms"] is not None:
        distance = _("{distance} grey levels").format(distance=numbers.number(row["rms"]))
    else:
        distance = _("cosine {similarity}").format(similarity=numbers.number(row["similarity"]))
    return {
        **row,
        "symmetry_text": symmetry(row["symmetry"]),
        "distance_text": distance,
        "verdict_text": _(row["verdict"] or "not reviewed"),
    }


def _reviewed(found: Plain) -> TableView:
    rows = [{**row, "counts": k_of_n(row, "duplicates", "reviewed")} for row in found["reviewed"]]
    return TableView(
        key="reviewed",
        caption=_("Reviewed pairs. Of the flagged pairs that a person looked at, those confirmed."),
        columns=[
            Column("detector", _("Detector")),
            Column("counts", _("Confirmed")),
            Column("precision", _("Precision"), "percent_estimate"),
        ],
        rows=rows,
        note=methods_of(rows, "precision"),
    )


def duplicate_rows(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the tables on duplicates of feature vectors."""
    if not found["rows"]:
        return
    rows = [
        {
            **row,
            "kind_text": _(row["kind"]),
            "counts": k_of_n(row),
            "conflict": or_dash(row["conflicting"]),
        }
        for row in found["rows"]
    ]
    yield TableView(
        key="duplicate_rows",
        caption=_(
            "Rows with a twin. Exact: every feature the same. Near: the features differ by at most"
            " {distance} standard deviations, root mean square."
        ).format(distance=numbers.number(found["distance"])),
        columns=[
            Column("where", _("Where")),
            Column("kind_text", _("Kind")),
            Column("counts", _("Rows with a twin")),
            Column("share", _("Share"), "percent_estimate"),
            Column("conflict", _("Twin of another label"), unit=_("rows")),
            Column("groups", _("Groups"), "count"),
        ],
        rows=rows,
        csv=file_name(name, "duplicate_rows", "rows"),
        note=methods_of(rows, "share"),
    )

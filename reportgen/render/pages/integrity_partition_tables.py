"""Tables on the partitions: near duplicates, duplicate rows, leakage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.render import numbers
from reportgen.render.pages.integrity_words import (
    BY,
    LONGEST_NAME,
    k_of_n,
    methods_of,
    or_dash,
    shortened,
    some,
    splits,
    symmetry,
)
from reportgen.render.pages.words import listed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_PRINTED = 20
PAIR_COLUMNS = (
    Column("image", "Image"),
    Column("twin", "Twin"),
    Column("symmetry_text", "The twin is"),
    Column("distance_text", "Distance"),
    Column("full_rms", "RMS", "number"),
    Column("full_r", "r", "number"),
)


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
            "left": "; ".join(
                f"{numbers.count(one['k'])} {one['reason']}" for one in row["not_comparable"]
            )
            or "none",
        }
        for row in found["detectors"]
    ]
    return TableView(
        key="detectors",
        caption="Detectors as used. What each compares, and the images that it cannot compare.",
        columns=[
            Column("detector", "Detector"),
            Column("threshold", "Threshold", "threshold"),
            Column("compared", "Images compared", "count"),
            Column("left", "Not compared"),
            Column("definition", "Definition"),
        ],
        rows=rows,
    )


def _counts(name: str, found: Plain) -> TableView:
    rows = [_count_row(row) for row in found["counts"]]
    columns = [
        Column("where", "Copies searched in → of"),
        Column("detector", "Detector"),
        Column("counts", "Images with a copy"),
        Column("share", "Share", "percent_estimate"),
        Column("fixed_alignment", "As they lie", "count", "images"),
        Column("other_alignment", "Only flipped or rotated", "count", "images"),
        Column("pairs", "Pairs", "count"),
        Column("clusters", "Clusters", "count"),
    ]
    if any(row["instances_n"] is not None for row in rows):
        columns.append(Column("instances_text", "Boxes carried"))
    return TableView(
        key="counts",
        caption=(
            "Images with a near duplicate at the manifest's threshold. Every count is “at least”: "
            f"{found['why_lower_bound'].rstrip('.')}."
        ),
        columns=columns,
        rows=rows,
        csv=file_name(name, "near_duplicates", "counts"),
        note=methods_of([row["share"] for row in rows]),
        wide=True,
    )


def _count_row(row: Plain) -> Plain:
    boxes = k_of_n(row, "instances_k", "instances_n")
    if row["instances"] and row["instances"].get("estimate") is not None:
        boxes += f" ({numbers.percent(row['instances']['estimate'])})"
    return {
        **row,
        "where": splits(row),
        "counts": f"{'at least ' if row['k'] else ''}{k_of_n(row)}",
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
        caption="The same counts at other thresholds. A count that jumps calls for review.",
        columns=[
            Column("where", "Copies searched in → of"),
            Column("detector", "Detector"),
            Column("threshold", "Threshold", "threshold"),
            Column("counts", "Images with a copy"),
            Column("share", "Share", "percent_estimate"),
            Column("pairs", "Pairs", "count"),
        ],
        rows=rows,
        csv=file_name(name, "near_duplicates", "sensitivity"),
        note=methods_of([row["share"] for row in rows]),
    )


def _all_pairs(name: str, found: Plain) -> TableView:
    rows = [
        {**row, "same": or_dash(row["same_source"]), "other": or_dash(row["other_source"])}
        for row in sorted(found["all_pairs"], key=lambda row: (row["detector"], row["threshold"]))
    ]
    return TableView(
        key="all_pairs",
        caption=(
            "Pairs among all images, whatever their split. Where sources are named, pairs of "
            "different sources are false, or copies whose source is not declared."
        ),
        columns=[
            Column("detector", "Detector"),
            Column("threshold", "Threshold", "threshold"),
            Column("pairs", "Pairs", "count"),
            Column("fixed_alignment", "As they lie", "count", "pairs"),
            Column("same", "Same source", unit="pairs"),
            Column("other", "Different sources", unit="pairs"),
            Column("images", "Images", "count"),
            Column("clusters", "Clusters", "count"),
        ],
        rows=rows,
        csv=file_name(name, "near_duplicates", "all_pairs"),
    )


def _pairs(name: str, found: Plain) -> TableView:
    rows = [_pair_row(row) for row in found["rows"]]
    columns = list(PAIR_COLUMNS)
    if len({row["detector"] for row in rows}) > 1:
        columns.insert(2, Column("detector", "Detector"))
    if any(row["verdict"] for row in rows):
        columns.append(Column("verdict_text", "Reviewer"))
    printed = [
        {**row, **{key: shortened(row[key]) for key in ("image", "twin")}}
        for row in rows[:MOST_PRINTED]
    ]
    note = ""
    if len(rows) > MOST_PRINTED:
        note = f"The PDF shows the first {MOST_PRINTED} of {numbers.count(len(rows))} pairs."
    if any(len(row[key]) > LONGEST_NAME for row in rows for key in ("image", "twin")):
        note += " In the PDF long names stand without their middle."
    return TableView(
        key="pairs",
        caption=(
            "The flagged pairs. The distance is the detector's; RMS (grey levels) and correlation "
            "r of the whole pictures, in the alignment found, stand beside it and filter nothing."
        ),
        columns=columns,
        rows=rows,
        print_rows=printed,
        csv=file_name(name, "near_duplicates", "rows"),
        note=note.strip(),
        wide=True,
    )


def _pair_row(row: Plain) -> Plain:
    if row["rms"] is not None:
        distance = f"{numbers.number(row['rms'])} grey levels"
    else:
        distance = f"cosine {numbers.number(row['similarity'])}"
    return {
        **row,
        "symmetry_text": symmetry(row["symmetry"]),
        "distance_text": distance,
        "verdict_text": row["verdict"] or "not reviewed",
    }


def _reviewed(found: Plain) -> TableView:
    rows = [{**row, "counts": k_of_n(row, "duplicates", "reviewed")} for row in found["reviewed"]]
    return TableView(
        key="reviewed",
        caption="Reviewed pairs. Of the flagged pairs that a person looked at, those confirmed.",
        columns=[
            Column("detector", "Detector"),
            Column("counts", "Confirmed"),
            Column("precision", "Precision", "percent_estimate"),
        ],
        rows=rows,
        note=methods_of([row["precision"] for row in rows]),
    )


def duplicate_rows(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the tables on duplicates of feature vectors."""
    if not found["rows"]:
        return
    rows = [
        {**row, "counts": k_of_n(row), "conflict": or_dash(row["conflicting"])}
        for row in found["rows"]
    ]
    yield TableView(
        key="duplicate_rows",
        caption=(
            "Rows with a twin. Exact: every feature the same. Near: the features differ by at most "
            f"{numbers.number(found['distance'])} standard deviations, root mean square."
        ),
        columns=[
            Column("where", "Where"),
            Column("kind", "Kind"),
            Column("counts", "Rows with a twin"),
            Column("share", "Share", "percent_estimate"),
            Column("conflict", "Twin of another label", unit="rows"),
            Column("groups", "Groups", "count"),
        ],
        rows=rows,
        csv=file_name(name, "duplicate_rows", "rows"),
        note=methods_of([row["share"] for row in rows]),
    )


def leakage(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield the tables on what splits share."""
    if found["rows"]:
        yield _shared(name, found["rows"])
    if found["splits"]:
        yield _splits(found["splits"])
    if found["conflicts"]:
        yield _conflicts(name, found["conflicts"])
    if found["class_sources"]:
        yield TableView(
            key="class_sources",
            caption="Sources of each class. Few sources make few independent cases.",
            columns=[
                Column("of", "Class"),
                Column("images", "Images", "count"),
                Column("sources", "Sources", "count"),
            ],
            rows=found["class_sources"],
            csv=file_name(name, "leakage", "class_sources"),
        )
    if found["columns"]:
        yield _columns(name, found["columns"])
    if found["constants"]:
        yield TableView(
            key="constants",
            caption="Attributes with one value throughout: no figure here says what another gives.",
            columns=[
                Column("attribute", "Attribute"),
                Column("value", "Value"),
                Column("n", "Images", "count"),
            ],
            rows=found["constants"],
        )


def _place(row: Plain) -> tuple[str, str, str]:
    return row["by"], row["split"], row["twin_split"]


def _shared(name: str, found: Sequence[Plain]) -> TableView:
    shared = {_place(row) for row in found if row["k"]}
    rows = [
        {
            **row,
            "where": splits(row),
            "by_text": BY.get(row["by"], row["by"]),
            "of": "all" if row["of"] == "all" else row["of"],
            "counts": k_of_n(row),
            "named_text": some(row["named"]),
        }
        for row in found
        if row["of"] == "all" or _place(row) in shared
    ]
    return TableView(
        key="leakage",
        caption=(
            "What evaluation shares with another split. Images (rows) of the split behind the "
            "arrow that share it with the one before; by class where any does."
        ),
        columns=[
            Column("by_text", "Shared"),
            Column("where", "Splits"),
            Column("of", "Class"),
            Column("counts", "Count"),
            Column("share", "Share", "percent_estimate"),
            Column("values", "Values", "count"),
            Column("named_text", "Such as"),
        ],
        rows=rows,
        print_rows=rows[:60] if len(rows) > 60 else None,
        csv=file_name(name, "leakage", "rows"),
        note=methods_of([row["share"] for row in rows]),
    )


def _splits(found: Sequence[Plain]) -> TableView:
    rows = [
        {
            **row,
            **{f"{key}_text": or_dash(row[key]) for key in ("sources", "units", "classes")},
            "absent_text": listed(row["absent"]) or "none",
        }
        for row in found
    ]
    return TableView(
        key="splits",
        caption="The splits: images, sources, patients and classes.",
        columns=[
            Column("split", "Split"),
            Column("images", "Images", "count"),
            Column("sources_text", "Sources"),
            Column("units_text", "Patients"),
            Column("classes_text", "Classes"),
            Column("absent_text", "Classes absent"),
        ],
        rows=rows,
    )


def _conflicts(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {
            "images_text": listed(row["images"]),
            "labels_text": " | ".join(row["labels"]),
            "splits_text": listed(row["splits"]),
        }
        for row in found
    ]
    return TableView(
        key="conflicts",
        caption="The same content under different labels. Which label is right is not known.",
        columns=[
            Column("images_text", "Images"),
            Column("labels_text", "Labels"),
            Column("splits_text", "Splits"),
        ],
        rows=rows,
        print_rows=rows[:MOST_PRINTED] if len(rows) > MOST_PRINTED else None,
        csv=file_name(name, "leakage", "conflicts"),
    )


def _columns(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {**row, "auc_text": "–" if row["auc"] is None else numbers.probability(row["auc"])}
        for row in found
    ]
    return TableView(
        key="suspect_columns",
        caption="Features that may give the label away, or name the row.",
        columns=[
            Column("column", "Column"),
            Column("why", "Why"),
            Column("auc_text", "Area under the curve, alone"),
            Column("distinct", "Distinct values", "count"),
            Column("n", "Rows", "count"),
        ],
        rows=rows,
        csv=file_name(name, "leakage", "columns"),
    )

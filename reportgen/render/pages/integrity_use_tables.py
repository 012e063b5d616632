"""Tables on what reaches the user: the pipeline, the class map, the claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.render import numbers
from reportgen.render.pages.integrity_words import (
    EVERY_CLASS,
    convention,
    conventions_named,
    k_of_n,
    methods_of,
    metric,
    of_class,
    or_dash,
    tick,
)
from reportgen.render.pages.words import coverage
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_ROWS = 40
MOST_PRINTED = 25
STEPS = (
    ("n", "Images"),
    ("accepted", "Accepted"),
    ("detected", "Detected"),
    ("above_threshold", "Above threshold"),
    ("shown", "Shown"),
    ("rightly_named", "Rightly named"),
)
ALL_GATES = "all gates"
WRONG = {
    "findings": "Displayed findings with a wrong name",
    "images": "Images whose every displayed name is wrong, of all images",
    "images that show something": "The same, of the images that display anything",
    "images with any": "Images with at least one wrong name, of all images",
}


def pipeline(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield the funnel, the sensitivities behind it, and what the gates decided."""
    if found["rows"]:
        yield _funnel(name, found["rows"])
        yield from _sensitivity(name, found["rows"], coverage(result))
    for key, inside in (("gates_in_domain", True), ("gates_out_of_domain", False)):
        rows = _telling([row for row in found["gates"] if row["in_domain"] == inside])
        if rows:
            yield _gates(name, key, rows, coverage(result))


def _telling(rows: Sequence[Plain]) -> list[Plain]:
    """Return the rows without those over all gates where there is but one gate."""
    single = len({row["gate"] for row in rows} - {ALL_GATES}) == 1
    return [row for row in rows if not single or row["gate"] != ALL_GATES]


def steps_of(rows: Sequence[Plain]) -> list[tuple[str, str]]:
    """Return the key and the heading of each step that at least one class has."""
    return [step for step in STEPS if any(row[step[0]] is not None for row in rows)]


def by_loss(rows: Sequence[Plain]) -> list[Plain]:
    """Return the classes that lose the largest share of their images first, large ones first."""

    def kept(row: Plain) -> tuple[float, int]:
        last = next((row[key] for key, _ in reversed(STEPS) if row[key] is not None), 0)
        return last / row["n"] if row["n"] else 1.0, last - row["n"]

    return sorted(rows, key=kept)


def _printed(found: Sequence[Plain], rule: str) -> tuple[Sequence[Plain] | None, str]:
    """Return the rows that the PDF prints of those in order, and what to say of it."""
    if len(found) <= MOST_ROWS:
        return None, ""
    return (
        found[:MOST_PRINTED],
        f"The PDF shows {MOST_PRINTED} of {numbers.count(len(found))} rows: {rule}.",
    )


def _funnel(name: str, found: Sequence[Plain]) -> TableView:
    print_rows, note = _printed(by_loss(found), "the classes that lose the largest share")
    return TableView(
        key="funnel",
        caption=(
            "Images of each class on their way to the user. Each step counts among the images of "
            "the step before."
        ),
        columns=[
            Column("class", "Class"),
            *[Column(key, words, "count") for key, words in steps_of(found)],
            Column("misses", "Not reported", "count"),
        ],
        rows=found,
        print_rows=print_rows,
        csv=file_name(name, "pipeline", "rows"),
        note=note,
    )


def _sensitivity(name: str, found: Sequence[Plain], covered: str) -> Iterator[TableView]:
    """Yield the sensitivities by image and by box."""
    own = {"image_sensitivity_of_detector": None, "instance_sensitivity_without_gates": None}
    rows = [{**own, **row} for row in found]
    print_rows, note = _printed(by_loss(rows), "the classes that lose the largest share")
    images = (
        Column("image_sensitivity_of_detector", "Detector alone", "percent_estimate"),
        Column("image_sensitivity_without_gates", "Without gates", "percent_estimate"),
        Column("image_sensitivity", "As the user meets it", "percent_estimate"),
        Column("misses_never_analysed", "Misses never analysed", "percent_estimate"),
    )
    boxes = (
        Column("instance_sensitivity_without_gates", "Without gates", "percent_estimate"),
        Column("instance_sensitivity", "As the user meets it", "percent_estimate"),
    )
    yield TableView(
        key="pipeline_images",
        caption=(
            "Sensitivity by image. Images of the class that are reported under its name, with "
            f"{covered} intervals. Detector alone: found from the deployed threshold on, whatever "
            "gates and names do. Last column: of the images not reported, those that a gate "
            "stopped, so that they were never analysed."
        ),
        columns=[Column("class", "Class"), Column("n", "Images", "count"), *images],
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "pipeline", "rows"),
        note=f"{note} {methods_of([row[one.key] for row in rows for one in images])}".strip(),
    )
    yield TableView(
        key="pipeline_boxes",
        caption=(
            "Sensitivity by box. Labelled boxes that are reported under their class’s name, with "
            f"{covered} intervals that take boxes of one image (patient) together."
        ),
        columns=[Column("class", "Class"), Column("instances", "Boxes", "count"), *boxes],
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "pipeline", "rows"),
        note=f"{note} {methods_of([row[one.key] for row in rows for one in boxes])}".strip(),
    )


def _gates(name: str, key: str, found: Sequence[Plain], covered: str) -> TableView:
    inside = key == "gates_in_domain"
    rows = [
        {
            **row,
            "domain_text": row["domain"] or "not named",
            "class_text": of_class(row["class"]),
            "counts": k_of_n(row, "rejected"),
        }
        for row in found
    ]
    order = sorted(rows, key=lambda row: (row["class"] != EVERY_CLASS, -_rate(row)))
    print_rows, note = _printed(order, "all classes together, then the largest shares")
    columns = [
        Column("domain_text", "Domain"),
        Column("class_text", "Class"),
        Column("gate", "Gate"),
        Column("counts", "Rejected"),
        Column("share_rejected", "Share", "percent_estimate"),
        Column("accepted", "Accepted", "count"),
    ]
    if not inside:
        columns = [column for column in columns if column.key != "class_text"]
    where = (
        "In the domain that the system is meant for: a rejected image is never analysed."
        if inside
        else "Outside that domain: an accepted image gets findings that mean nothing."
    )
    return TableView(
        key=key,
        caption=(
            f"Gates {'in' if inside else 'out of'} domain. {where} A gate's share is of the "
            f"images that reach it, with {covered} intervals."
        ),
        columns=columns,
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "pipeline", "gates"),
        note=f"{note} {methods_of([row['share_rejected'] for row in rows])}".strip(),
    )


def _rate(row: Plain) -> float:
    return row["rejected"] / row["n"] if row["n"] else 0.0


def class_map(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield the map of names, what it does to what is shown, and which copies carry it."""
    if found["rows"]:
        yield _map(name, found["rows"])
    if found["wrong"]:
        yield _wrong(name, found["wrong"], coverage(result))
    if found["threshold_by_wrong_name"]:
        yield _thresholds(name, found["threshold_by_wrong_name"])
    if found["copies"]:
        yield _copies(name, found["copies"])


def _map(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {**row, "model_text": row["model"] or "not named", "same_text": tick(row["same"])}
        for row in found
    ]
    columns = [
        Column("index", "Index"),
        Column("model_text", "The model’s class"),
        Column("shown", "Displayed as"),
        Column("same_text", "Same"),
    ]
    if any(row["threshold"] is not None for row in rows):
        columns.append(Column("threshold", "Threshold used", "threshold"))
    if any(row["threshold_of_right_name"] is not None for row in rows):
        columns.append(Column("threshold_of_right_name", "Of the right name", "threshold"))
    if any(row["inferred"] for row in rows):
        columns.append(Column("inferred", "Inferred from the boxes"))
    if any(row["note"] for row in rows):
        columns.append(Column("note", "Note"))
    order = sorted(rows, key=lambda row: row["same"] is not False)
    print_rows, note = _printed(order, "wrong names first")
    return TableView(
        key="class_map",
        caption=(
            "The class map. What the model calls a class, and under which name the application "
            "displays it."
        ),
        columns=columns,
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "class_map", "rows"),
        note=note,
    )


def _wrong(name: str, found: Sequence[Plain], covered: str) -> TableView:
    rows = [
        {**row, "of_text": WRONG.get(row["of"], row["of"]), "counts": k_of_n(row)} for row in found
    ]
    columns = [
        Column("of_text", "What"),
        Column("counts", "Count"),
        Column("share", "Share", "percent_estimate"),
    ]
    if any(row["share_by_image"] for row in rows):
        columns.append(Column("share_by_image", "By patient (image)", "percent_estimate"))
    shares = [row[key] for row in rows for key in ("share", "share_by_image")]
    return TableView(
        key="wrong_names",
        caption=(
            f"Wrong names on what is displayed, with {covered} intervals. Findings of one image "
            "err together: the interval by patient (image) takes that into account."
        ),
        columns=columns,
        rows=rows,
        csv=file_name(name, "class_map", "wrong"),
        note=methods_of(shares),
    )


def _thresholds(name: str, found: Sequence[Plain]) -> TableView:
    order = sorted(found, key=lambda row: -(row["wrongly_shown"] + row["wrongly_hidden"]))
    print_rows, note = _printed(order, "the most affected classes")
    return TableView(
        key="threshold_by_wrong_name",
        caption=(
            "Thresholds looked up by the wrong name. Predictions that it shows or hides and the "
            "threshold of the right name would not."
        ),
        columns=[
            Column("model", "The model’s class"),
            Column("shown_as", "Displayed as"),
            Column("threshold_used", "Used", "threshold"),
            Column("threshold_meant", "Meant", "threshold"),
            Column("wrongly_shown", "Wrongly shown", "count"),
            Column("wrongly_hidden", "Wrongly hidden", "count"),
            Column("n", "Predictions", "count"),
        ],
        rows=found,
        print_rows=print_rows,
        csv=file_name(name, "class_map", "threshold_by_wrong_name"),
        note=note,
    )


def _copies(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {
            **row,
            "digest_text": row["digest"][:12],
            "wrong_text": "not known" if row["wrong"] is None else k_of_n(row, "wrong", "classes"),
            "affected_text": tick(row["affected"]),
        }
        for row in found
    ]
    order = sorted(rows, key=lambda row: row["affected"] is False)
    print_rows, note = _printed(order, "affected copies first")
    return TableView(
        key="copies",
        caption="Deployed copies of the class map, and whether they still carry wrong names.",
        columns=[
            Column("copy", "Copy"),
            Column("affected_text", "Affected"),
            Column("wrong_text", "Wrong names"),
            Column("same_file", "Same file", "yes_no"),
            Column("digest_text", "SHA-256"),
        ],
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "class_map", "copies"),
        note=note,
    )


def claims(name: str, found: Plain, _result: Plain) -> Iterator[TableView]:
    """Yield each published figure against what these data give."""
    if not found["rows"]:
        return
    rows = [_claim(row) for row in found["rows"]]
    order = sorted(rows, key=lambda row: (row["agrees"] is not False, row["possible"] is not False))
    print_rows, note = _printed(order, "claims that do not agree first")
    columns = [
        Column("figure", "Figure"),
        Column("claimed", "Claimed"),
        Column("recomputed", "Recomputed", "number"),
        Column("agrees_text", "Agrees"),
        Column("possible_text", "Possible"),
        Column("nearest_text", "Nearest k/n"),
        Column("why", "Remarks"),
    ]
    if any(row["n"] is not None for row in rows):
        columns.insert(2, Column("n_text", "n"))
    yield TableView(
        key="claims",
        caption=(
            "Published figures against these data, to the digits that were printed. Possible: "
            "whether a whole number of cases gives these digits."
        ),
        columns=columns,
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "claims", "rows"),
        note=note,
        wide=True,
    )


def _claim(row: Plain) -> Plain:
    remarks = [
        f"from {convention(row['recomputed_from'])}" if row["recomputed_from"] else "",
        conventions_named(row["reason"] or ""),
        f"contradicts the claim {row['conflict']}" if row["conflict"] else "",
    ]
    where = [row["split"] and f"split {row['split']}", row["source"]]
    return {
        **row,
        "figure": ", ".join(filter(None, [metric(row["metric"]), *where])),
        "n_text": or_dash(row["n"]) if row["k"] is None else k_of_n(row),
        "agrees_text": "not compared" if row["agrees"] is None else tick(row["agrees"]),
        "possible_text": "–" if row["possible"] is None else tick(row["possible"]),
        "nearest_text": row["nearest"] or "–",
        "why": "; ".join(filter(None, remarks)) or "–",
    }

"""Tables on what reaches the user: the pipeline, the class map, the claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.language import _, mark
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
    ("n", mark("Images")),
    ("accepted", mark("Accepted")),
    ("detected", mark("Detected")),
    ("above_threshold", mark("Above threshold")),
    ("shown", mark("Shown")),
    ("rightly_named", mark("Rightly named")),
)
ALL_GATES = mark("all gates")
WRONG = {
    "findings": mark("Displayed findings with a wrong name"),
    "images": mark("Images whose every displayed name is wrong, of all images"),
    "images that show something": mark("The same, of the images that display anything"),
    "images with any": mark("Images with at least one wrong name, of all images"),
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
    return [
        (key, _(heading)) for key, heading in STEPS if any(row[key] is not None for row in rows)
    ]


def by_loss(rows: Sequence[Plain]) -> list[Plain]:
    """Return the classes that lose the largest share of their images first, large ones first."""

    def kept(row: Plain) -> tuple[float, int]:
        last = next((row[key] for key, _heading in reversed(STEPS) if row[key] is not None), 0)
        return last / row["n"] if row["n"] else 1.0, last - row["n"]

    return sorted(rows, key=kept)


def _printed(found: Sequence[Plain], rule: str) -> tuple[Sequence[Plain] | None, str]:
    """Return the rows that the PDF prints of those in order, and what to say of it."""
    if len(found) <= MOST_ROWS:
        return None, ""
    return (
        found[:MOST_PRINTED],
        _("The PDF shows {shown} of {total} rows: {rule}.").format(
            shown=MOST_PRINTED, total=numbers.count(len(found)), rule=rule
        ),
    )


def _funnel(name: str, found: Sequence[Plain]) -> TableView:
    print_rows, note = _printed(by_loss(found), _("the classes that lose the largest share"))
    return TableView(
        key="funnel",
        caption=_(
            "Images of each class on their way to the user. Each step counts among the images of"
            " the step before."
        ),
        columns=[
            Column("class", _("Class")),
            *[Column(key, words, "count") for key, words in steps_of(found)],
            Column("misses", _("Not reported"), "count"),
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
    print_rows, note = _printed(by_loss(rows), _("the classes that lose the largest share"))
    images = (
        Column("image_sensitivity_of_detector", _("Detector alone"), "percent_estimate"),
        Column("image_sensitivity_without_gates", _("Without gates"), "percent_estimate"),
        Column("image_sensitivity", _("As the user meets it"), "percent_estimate"),
        Column("misses_never_analysed", _("Misses never analysed"), "percent_estimate"),
    )
    boxes = (
        Column("instance_sensitivity_without_gates", _("Without gates"), "percent_estimate"),
        Column("instance_sensitivity", _("As the user meets it"), "percent_estimate"),
    )
    yield TableView(
        key="pipeline_images",
        caption=_(
            "Sensitivity by image. Images of the class that are reported under its name, with"
            " {coverage} intervals. Detector alone: found from the deployed threshold on, whatever"
            " gates and names do. Last column: of the images not reported, those that a gate"
            " stopped, so that they were never analysed."
        ).format(coverage=covered),
        columns=[Column("class", _("Class")), Column("n", _("Images"), "count"), *images],
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "pipeline", "rows"),
        note=_noted(note, rows, *(one.key for one in images)),
    )
    yield TableView(
        key="pipeline_boxes",
        caption=_(
            "Sensitivity by box. Labelled boxes that are reported under their class’s name, with"
            " {coverage} intervals that take boxes of one image (patient) together."
        ).format(coverage=covered),
        columns=[Column("class", _("Class")), Column("instances", _("Boxes"), "count"), *boxes],
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "pipeline", "rows"),
        note=_noted(note, rows, *(one.key for one in boxes)),
    )


def _noted(note: str, rows: Sequence[Plain], *keys: str) -> str:
    return wording.sentences([note, methods_of(rows, *keys)])


def _gates(name: str, key: str, found: Sequence[Plain], covered: str) -> TableView:
    inside = key == "gates_in_domain"
    rows = [
        {
            **row,
            "domain_text": row["domain"] or _("not named"),
            "class_text": of_class(row["class"]),
            "gate_text": _(ALL_GATES) if row["gate"] == ALL_GATES else row["gate"],
            "counts": k_of_n(row, "rejected"),
        }
        for row in found
    ]
    order = sorted(rows, key=lambda row: (row["class"] != EVERY_CLASS, -_rate(row)))
    print_rows, note = _printed(order, _("all classes together, then the largest shares"))
    columns = [
        Column("domain_text", _("Domain")),
        Column("class_text", _("Class")),
        Column("gate_text", _("Gate")),
        Column("counts", _("Rejected")),
        Column("share_rejected", _("Share"), "percent_estimate"),
        Column("accepted", _("Accepted"), "count"),
    ]
    if not inside:
        columns = [column for column in columns if column.key != "class_text"]
    caption = (
        _(
            "Gates in domain. In the domain that the system is meant for: a rejected image is never"
            " analysed. A gate's share is of the images that reach it, with {coverage} intervals."
        )
        if inside
        else _(
            "Gates out of domain. Outside that domain: an accepted image gets findings that mean"
            " nothing. A gate's share is of the images that reach it, with {coverage} intervals."
        )
    )
    return TableView(
        key=key,
        caption=caption.format(coverage=covered),
        columns=columns,
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "pipeline", "gates"),
        note=_noted(note, rows, "share_rejected"),
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
        {**row, "model_text": row["model"] or _("not named"), "same_text": tick(row["same"])}
        for row in found
    ]
    columns = [
        Column("index", _("Index")),
        Column("model_text", _("The model’s class")),
        Column("shown", _("Displayed as")),
        Column("same_text", _("Same")),
    ]
    if any(row["threshold"] is not None for row in rows):
        columns.append(Column("threshold", _("Threshold used"), "threshold"))
    if any(row["threshold_of_right_name"] is not None for row in rows):
        columns.append(Column("threshold_of_right_name", _("Of the right name"), "threshold"))
    if any(row["inferred"] for row in rows):
        columns.append(Column("inferred", _("Inferred from the boxes")))
    if any(row["note"] for row in rows):
        columns.append(Column("note", _("Note")))
    order = sorted(rows, key=lambda row: row["same"] is not False)
    print_rows, note = _printed(order, _("wrong names first"))
    return TableView(
        key="class_map",
        caption=_(
            "The class map. What the model calls a class, and under which name the application"
            " displays it."
        ),
        columns=columns,
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "class_map", "rows"),
        note=note,
    )


def _wrong(name: str, found: Sequence[Plain], covered: str) -> TableView:
    rows = [
        {
            **row,
            "of_text": _(WRONG[row["of"]]) if row["of"] in WRONG else row["of"],
            "counts": k_of_n(row),
        }
        for row in found
    ]
    columns = [
        Column("of_text", _("What")),
        Column("counts", _("Count")),
        Column("share", _("Share"), "percent_estimate"),
    ]
    if any(row["share_by_image"] for row in rows):
        columns.append(Column("share_by_image", _("By patient (image)"), "percent_estimate"))
    return TableView(
        key="wrong_names",
        caption=_(
            "Wrong names on what is displayed, with {coverage} intervals. Findings of one image err"
            " together: the interval by patient (image) takes that into account."
        ).format(coverage=covered),
        columns=columns,
        rows=rows,
        csv=file_name(name, "class_map", "wrong"),
        note=methods_of(rows, "share", "share_by_image"),
    )


def _thresholds(name: str, found: Sequence[Plain]) -> TableView:
    order = sorted(found, key=lambda row: -(row["wrongly_shown"] + row["wrongly_hidden"]))
    print_rows, note = _printed(order, _("the most affected classes"))
    return TableView(
        key="threshold_by_wrong_name",
        caption=_(
            "Thresholds looked up by the wrong name. Predictions that it shows or hides and the"
            " threshold of the right name would not."
        ),
        columns=[
            Column("model", _("The model’s class")),
            Column("shown_as", _("Displayed as")),
            Column("threshold_used", _("Used"), "threshold"),
            Column("threshold_meant", _("Meant"), "threshold"),
            Column("wrongly_shown", _("Wrongly shown"), "count"),
            Column("wrongly_hidden", _("Wrongly hidden"), "count"),
            Column("n", _("Predictions"), "count"),
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
            "wrong_text": _("not known")
            if row["wrong"] is None
            else k_of_n(row, "wrong", "classes"),
            "affected_text": tick(row["affected"]),
        }
        for row in found
    ]
    order = sorted(rows, key=lambda row: row["affected"] is False)
    print_rows, note = _printed(order, _("affected copies first"))
    return TableView(
        key="copies",
        caption=_("Deployed copies of the class map, and whether they still carry wrong names."),
        columns=[
            Column("copy", _("Copy")),
            Column("affected_text", _("Affected")),
            Column("wrong_text", _("Wrong names")),
            Column("same_file", _("Same file"), "yes_no"),
            Column("digest_text", _("SHA-256")),
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
    print_rows, note = _printed(order, _("claims that do not agree first"))
    columns = [
        Column("figure", _("Figure")),
        Column("claimed", _("Claimed")),
        Column("recomputed", _("Recomputed"), "number"),
        Column("agrees_text", _("Agrees")),
        Column("possible_text", _("Possible")),
        Column("nearest_text", _("Nearest k/n")),
        Column("why", _("Remarks")),
    ]
    if any(row["n"] is not None for row in rows):
        columns.insert(2, Column("n_text", _("n")))
    yield TableView(
        key="claims",
        caption=_(
            "Published figures against these data, to the digits that were printed. Possible:"
            " whether a whole number of cases gives these digits."
        ),
        columns=columns,
        rows=rows,
        print_rows=print_rows,
        csv=file_name(name, "claims", "rows"),
        note=note,
        wide=True,
    )


def _recomputed_from(source: str | None) -> str:
    return _("from {source}").format(source=convention(source)) if source else ""


def _claim(row: Plain) -> Plain:
    remarks = [
        _recomputed_from(row["recomputed_from"]),
        conventions_named(row["reason"] or ""),
        _("contradicts the claim {other}").format(other=row["conflict"]) if row["conflict"] else "",
    ]
    split = _("split {split}").format(split=row["split"]) if row["split"] else ""
    where = [split, row["source"]]
    return {
        **row,
        "figure": wording.separated(filter(None, [metric(row["metric"]), *where])),
        "n_text": or_dash(row["n"]) if row["k"] is None else k_of_n(row),
        "agrees_text": _("not compared") if row["agrees"] is None else tick(row["agrees"]),
        "possible_text": "–" if row["possible"] is None else tick(row["possible"]),
        "nearest_text": row["nearest"] or "–",
        "why": wording.clauses(filter(None, remarks)) or "–",
    }

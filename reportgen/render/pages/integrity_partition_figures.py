"""Charts and pictures on the partitions: nearest distances, and pairs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.chart_data import Axis, Rule
from reportgen.render.charts import panels
from reportgen.render.histogram_chart import Bar, BarTone, histogram_chart
from reportgen.render.pages.integrity_words import AXES, MEASURES, splits, symmetry
from reportgen.render.pages.words import unique
from reportgen.render.view import FigureView, Plain

TONES: dict[str, BarTone] = {"flagged": "dark", "review": "middle", "apart": "light"}
TITLES = {
    "nearest": mark("Nearest pair"),
    "median": mark("Median pair"),
    "at the threshold": mark("Pair at the threshold"),
}
NAMES: dict[BarTone, str] = {
    "dark": mark("flagged"),
    "middle": mark("just beyond the threshold: review"),
    "light": mark("apart"),
}


def near_duplicates(found: Plain) -> Iterator[FigureView]:
    """Yield a histogram for each detector and pair of splits, then the pictured pairs."""
    bins = found["histogram"]
    for place, (detector, first, second) in enumerate(
        unique((row["detector"], row["split"], row["twin_split"]) for row in bins)
    ):
        rows = [
            row
            for row in bins
            if (row["detector"], row["split"], row["twin_split"]) == (detector, first, second)
        ]
        threshold = next(
            row["threshold"] for row in found["detectors"] if row["detector"] == detector
        )
        yield _histogram(f"nearest_{place + 1}", rows, detector, threshold)
    for place, row in enumerate(found["pictures"]):
        if row["picture"] is not None:
            yield _picture(f"pair_{place + 1}", row)


def _histogram(key: str, rows: Sequence[Plain], detector: str, threshold: float) -> FigureView:
    where = _("all images") if rows[0]["split"] == "all" else splits(rows[0])
    counts = {band: sum(row["k"] for row in rows if row["band"] == band) for band in TONES}
    low, high = min(row["from"] for row in rows), max(row["to"] for row in rows)
    total = sum(counts.values())
    said = _(
        "{flagged} of {total} images have their nearest image within the threshold {threshold},"
        " {review} just beyond it, {apart} apart."
    ).format(
        total=numbers.count(total),
        threshold=numbers.threshold(threshold),
        **{band: numbers.count(k) for band, k in counts.items()},
    )
    caption = _(
        "Horizontal: {measure}, of the nearest image in the best of eight alignments. {said} A"
        " count hardly hangs on a threshold in a gap; on a slope it does."
    )
    drawn = _("threshold {threshold}").format(threshold=numbers.threshold(threshold))
    return FigureView(
        key=key,
        title=_("Distance to the nearest image, {where}, {detector}").format(
            where=where, detector=detector
        ),
        caption=caption.format(measure=_(MEASURES[detector]), said=said),
        alt=said,
        chart=panels(
            [
                histogram_chart(
                    [Bar(row["from"], row["to"], row["k"], TONES[row["band"]]) for row in rows],
                    x=Axis(_(AXES[detector]), low, high),
                    y=_("Images"),
                    names={tone: _(name) for tone, name in NAMES.items()},
                    rules=[Rule(threshold, drawn)],
                )
            ]
        ),
    )


def _picture(key: str, row: Plain) -> FigureView:
    text = _("{image} and {twin}, {symmetry}: {detector}, {measure}.")
    said = text.format(
        image=row["image"],
        twin=row["twin"],
        symmetry=symmetry(row["symmetry"]),
        detector=row["detector"],
        measure=_measure(row),
    )
    said = wording.sentences([said, _whole(row), _labels(row)])
    boxes = _("Boxes: blue, the image's own labels; vermilion, its twin's.")
    made = _(
        "From left: the image, its twin brought into the same alignment, their absolute difference"
        " × {gain}."
    ).format(gain=row["gain"])
    return FigureView(
        key=key,
        title=_title(row["chosen_as"]),
        caption=wording.sentences([made, boxes if row.get("boxes_drawn") else "", said]),
        alt=wording.sentences([_("Two pictures and their difference."), said]),
        picture=row["picture"],
    )


def _title(chosen_as: str) -> str:
    if chosen_as in TITLES:
        return _(TITLES[chosen_as])
    return _("Pair, {chosen_as}").format(chosen_as=chosen_as)


def _measure(row: Plain) -> str:
    if row["detector"] == "rms32":
        return _("RMS {distance} grey levels").format(distance=numbers.number(row["distance"]))
    return _("cosine {similarity}").format(similarity=numbers.number(1 - row["distance"]))


def _whole(row: Plain) -> str:
    """Return how far the whole pictures are apart, "" where they were not compared."""
    if row["full_rms"] is None:
        return ""
    r = _("not defined") if row["full_r"] is None else numbers.number(row["full_r"])
    text = _("Whole pictures: RMS {rms} grey levels, r {r}.")
    return text.format(rms=numbers.number(row["full_rms"]), r=r)


def _labels(row: Plain) -> str:
    if not row["image_labels"] and not row["twin_labels"]:
        return ""
    return _("Labels: {image} | {twin}.").format(
        image=row["image_labels"] or _("none"), twin=row["twin_labels"] or _("none")
    )

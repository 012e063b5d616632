"""Charts and pictures on the partitions: nearest distances, and pairs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.render import numbers
from reportgen.render.chart_data import Axis, Rule
from reportgen.render.charts import panels
from reportgen.render.histogram_chart import Bar, BarTone, histogram_chart
from reportgen.render.pages.integrity_words import MEASURES, splits, symmetry
from reportgen.render.pages.words import unique
from reportgen.render.view import FigureView, Plain

TONES: dict[str, BarTone] = {"flagged": "dark", "review": "middle", "apart": "light"}
TITLES = {
    "nearest": "Nearest pair",
    "median": "Median pair",
    "at the threshold": "Pair at the threshold",
}
NAMES: dict[BarTone, str] = {
    "dark": "flagged",
    "middle": "just beyond the threshold: review",
    "light": "apart",
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
    where = "all images" if rows[0]["split"] == "all" else splits(rows[0])
    counts = {band: sum(row["k"] for row in rows if row["band"] == band) for band in TONES}
    low, high = min(row["from"] for row in rows), max(row["to"] for row in rows)
    total = sum(counts.values())
    said = (
        f"{numbers.count(counts['flagged'])} of {numbers.count(total)} images have their nearest "
        f"image within the threshold {numbers.threshold(threshold)}, "
        f"{numbers.count(counts['review'])} just beyond it, {numbers.count(counts['apart'])} apart."
    )
    return FigureView(
        key=key,
        title=f"Distance to the nearest image, {where}, {detector}",
        caption=(
            f"Horizontal: {MEASURES[detector]}, of the nearest image in the best of eight "
            f"alignments. {said} A count hardly hangs on a threshold in a gap; on a slope it does."
        ),
        alt=said,
        chart=panels(
            [
                histogram_chart(
                    [Bar(row["from"], row["to"], row["k"], TONES[row["band"]]) for row in rows],
                    x=Axis(MEASURES[detector].capitalize(), low, high),
                    y="Images",
                    names=NAMES,
                    rules=[Rule(threshold, f"threshold {numbers.threshold(threshold)}")],
                )
            ]
        ),
    )


def _picture(key: str, row: Plain) -> FigureView:
    full = ""
    if row["full_rms"] is not None:
        r = "not defined" if row["full_r"] is None else numbers.number(row["full_r"])
        full = f" Whole pictures: RMS {numbers.number(row['full_rms'])} grey levels, r {r}."
    measure = (
        f"RMS {numbers.number(row['distance'])} grey levels"
        if row["detector"] == "rms32"
        else f"cosine {numbers.number(1 - row['distance'])}"
    )
    labels = (
        f" Labels: {row['image_labels'] or 'none'} | {row['twin_labels'] or 'none'}."
        if row["image_labels"] or row["twin_labels"]
        else ""
    )
    boxes = (
        " Boxes: blue, the image's own labels; vermilion, its twin's."
        if row.get("boxes_drawn")
        else ""
    )
    said = (
        f"{row['image']} and {row['twin']}, {symmetry(row['symmetry'])}: {row['detector']}, "
        f"{measure}.{full}{labels}"
    )
    return FigureView(
        key=key,
        title=TITLES.get(row["chosen_as"], f"Pair, {row['chosen_as']}"),
        caption=(
            f"From left: the image, its twin brought into the same alignment, their absolute "
            f"difference × {row['gain']}.{boxes} {said}"
        ),
        alt=f"Two pictures and their difference. {said}",
        picture=row["picture"],
    )

"""The chart of images on their way to the user: a row a class, a column a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.charts import panels
from reportgen.render.pages.integrity_use_tables import by_loss, steps_of
from reportgen.render.pages.words import listed
from reportgen.render.step_chart import StepBar, StepRow, step_chart
from reportgen.render.view import FigureView, Plain

MOST_CLASSES = 16
MOST_TOLD = 6
MOST_WITH_SHARE = 9999
COUNTED = {
    "n": mark("{n} images"),
    "accepted": mark("{n} accepted"),
    "detected": mark("{n} detected"),
    "above_threshold": mark("{n} above threshold"),
    "shown": mark("{n} shown"),
    "rightly_named": mark("{n} rightly named"),
}
SHOWN_FROM = {
    "displayed": mark("What was shown is as the table of displayed findings says."),
    "class map": mark("What was shown is worked out from the class map’s thresholds and names."),
}


def pipeline(found: Plain) -> Iterator[FigureView]:
    """Yield the funnel of every class, of many only those that lose most."""
    rows = found["rows"]
    if not rows:
        return
    steps = steps_of(rows)
    drawn = rows if len(rows) <= MOST_CLASSES else by_loss(rows)[:MOST_CLASSES]
    rule = (
        ""
        if len(rows) == len(drawn)
        else _(
            "Drawn: the {drawn} of {total} classes that lose the largest share; the table has all."
        ).format(drawn=MOST_CLASSES, total=numbers.count(len(rows)))
    )
    left_out = _("Steps that the inputs cannot show are left out.") if len(steps) < 6 else ""
    yield FigureView(
        key="funnel",
        title=_("From benchmark to user, by class"),
        caption=wording.sentences(
            [
                _(
                    "Columns: images of the class that come as far as this step, each among those"
                    " of the step before; a full bar is every image of the class, the figures are"
                    " the number of images and their share."
                ),
                _(SHOWN_FROM[found["shown_from"]]) if found["shown_from"] in SHOWN_FROM else "",
                left_out,
                rule,
            ]
        ),
        alt=wording.sentences([_said(drawn, steps), rule]),
        chart=panels(
            [step_chart([words for _key, words in steps], [_row(row, steps) for row in drawn])]
        ),
    )


def _row(row: Plain, steps: Sequence[tuple[str, str]]) -> StepRow:
    return StepRow(row["class"], [_bar(row[key], row["n"], key) for key, _words in steps])


def _bar(value: int | None, total: int, key: str) -> StepBar:
    if value is None:
        return StepBar(None, _("not known"))
    share = value / total if total else 0.0
    if key == "n" or total > MOST_WITH_SHARE:  # there is no room for more
        return StepBar(share, numbers.count(value))
    told = _("{n}, {share}").format(n=numbers.count(value), share=numbers.percent(share))
    return StepBar(share, told)


def _said(rows: Sequence[Plain], steps: Sequence[tuple[str, str]]) -> str:
    """Return the first and the last step of the classes that lose most."""
    said = []
    for row in by_loss(rows)[:MOST_TOLD]:
        known = [
            _(COUNTED[key]).format(n=numbers.count(row[key]))
            for key, _words in steps
            if row[key] is not None
        ]
        said.append(wording.named(row["class"], listed(known)))
    return _("{text}.").format(text=wording.clauses(said))

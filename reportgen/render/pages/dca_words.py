"""How the pages of a decision curve section name what its results hold in English codes."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.language import _, mark, p_
from reportgen.render import numbers
from reportgen.render.pages.dca_rows import BETTER_DEFAULT, TREAT_ALL, TREAT_NONE, modes
from reportgen.render.view import Plain

AT = {
    "as deployed": mark("{title} at a prevalence of {prevalence}, probabilities as deployed"),
    "recalibrated": mark("{title} at a prevalence of {prevalence}, probabilities recalibrated"),
}


def strategy(name: str) -> str:
    """Return how a strategy is called: a model by its name, the defaults as the language has it."""
    return _(name) if name in (TREAT_ALL, TREAT_NONE) else name


def drawn_again(result: Plain) -> str:
    """Return what was resampled: "rows" or "units"."""
    known = {"rows": p_("resampled", "rows"), "units": p_("resampled", "units")}
    name = str(result["resampled"])
    return known.get(name, name)


def said_at(title: str, result: Plain, mode: str) -> str:
    """Return a title with the prevalence and the probabilities, where a target was stated."""
    if result["target_prevalence"] is None:
        return title
    at = numbers.percent(result["target_prevalence"])
    return _(AT[mode]).format(title=title, prevalence=at)


def span(run: Plain) -> str:
    """Return a verdict and where it holds: "supported from 0.05 to 0.4", "undecided at 0.05"."""
    start, end = numbers.threshold(run["from"]), numbers.threshold(run["to"])
    text = _("{verdict} from {start} to {end}")
    if start == end:
        text = _("{verdict} at {start}")
    return text.format(verdict=_(run["verdict"]), start=start, end=end)


def basis(result: Plain) -> str:
    """Return what every figure rests on: rows, units, events, resamples and the method."""
    text = _("n = {rows}; {resamples} percentile-bootstrap resamples of {resampled}.")
    if result["n_positive"] is not None:
        text = _(
            "n = {rows}, {positive} positive; {resamples} percentile-bootstrap resamples of "
            "{resampled}."
        )
    rows = _("{n_rows} rows").format(n_rows=numbers.count(result["n_rows"]))
    if result["n_units"] != result["n_rows"]:
        rows = _("{n_rows} rows of {n_units} units").format(
            n_rows=numbers.count(result["n_rows"]), n_units=numbers.count(result["n_units"])
        )
    return text.format(
        rows=rows,
        positive=numbers.count(result["n_positive"]),
        resamples=numbers.count(result["resamples"]),
        resampled=drawn_again(result),
    )


def named(rows: Iterable[Plain], result: Plain) -> list[Plain]:
    """Add how a row's strategy is called: the model, what it is held against, its probabilities.

    Its verdict, where it has one, is put into the language.
    """
    rows, several = list(rows), len(modes(result)) > 1
    paired = any(row.get("against", BETTER_DEFAULT) != BETTER_DEFAULT for row in rows)
    return [{**_told(row), "name": _name(row, paired=paired, several=several)} for row in rows]


def _told(row: Plain) -> Plain:
    return {**row, "verdict": _(row["verdict"])} if row.get("verdict") else row


def _name(row: Plain, *, paired: bool, several: bool) -> str:
    name = strategy(row["model"])
    if paired and row["against"] == BETTER_DEFAULT:
        name = _("{model} against the better default").format(model=name)
    elif paired:
        name = _("{model} against {against}").format(model=name, against=row["against"])
    if not several:
        return name
    text = _("{name}, {probabilities}")
    return text.format(name=name, probabilities=_(row["probabilities"]))

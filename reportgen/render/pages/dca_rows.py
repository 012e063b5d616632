"""What the figures and the tables of a decision curve section choose from its rows."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.render.pages.words import unique
from reportgen.render.view import Plain

TREAT_ALL, TREAT_NONE = "treat all", "treat none"
BETTER_DEFAULT = "better of treat all and treat none"


def modes(result: Plain) -> list[str]:
    """Return the kinds of probabilities: "as deployed", and "recalibrated" where computed."""
    return unique(row["probabilities"] for row in result["curve"])


def models(result: Plain) -> list[str]:
    """Return the models in the order of the results, without the two defaults."""
    names = unique(row["model"] for row in result["curve"])
    return [name for name in names if name not in (TREAT_ALL, TREAT_NONE)]


def curve_of(result: Plain, model: str, mode: str) -> list[Plain]:
    """Return a strategy's rows of the curve, by threshold."""
    rows = [r for r in result["curve"] if r["model"] == model and r["probabilities"] == mode]
    return sorted(rows, key=lambda row: row["threshold"])


def gains_of(result: Plain, model: str, against: str, mode: str) -> list[Plain]:
    """Return the gains of `model` over `against`, by threshold."""
    rows = [
        row
        for row in result["gains"]
        if (row["model"], row["against"], row["probabilities"]) == (model, against, mode)
    ]
    return sorted(rows, key=lambda row: row["threshold"])


def runs_of(result: Plain, model: str, against: str, mode: str) -> list[Plain]:
    """Return the stretches of thresholds with one verdict on `model` over `against`, ascending."""
    rows = [
        row
        for row in result["verdicts"]
        if (row["model"], row["against"], row["probabilities"]) == (model, against, mode)
    ]
    return sorted(rows, key=lambda row: row["from"])


def named_in_gains(result: Plain, *, paired: bool) -> list[float]:
    """Return the thresholds that findings on gains name, and the ends of stretches of one verdict.

    Over the better default, or between two models if `paired`.
    """
    whole = result.get("between_models", ()) if paired else result["overall"]
    named = [row.get("deciding_threshold") for row in whole]
    for row in result["verdicts"]:
        if (row["against"] != BETTER_DEFAULT) is paired:
            named += [row["from"], row["to"]]
    return [threshold for threshold in named if threshold is not None]


def named_in_recalibration(result: Plain) -> list[float]:
    """Return the thresholds at which another shift moves the net benefit of a model most."""
    rows = result["recalibration"]
    by_model = [[r for r in rows if r["model"] == name] for name in models(result)]
    return [most_moved(of_model)["threshold"] for of_model in by_model if of_model]


def most_moved(rows: list[Plain]) -> Plain:
    """Return the row at which another shift of the scores moves the net benefit most."""

    def moved(row: Plain) -> float:
        here = row["net_benefit"]["estimate"]
        ends = [row[key]["estimate"] for key in ("net_benefit_low", "net_benefit_high")]
        return max((abs(end - here) for end in ends if None not in (end, here)), default=-1.0)

    return max(rows, key=moved)


def pairs(result: Plain) -> Iterator[tuple[str, str]]:
    """Yield the compared pairs of models, each pair once."""
    seen: set[frozenset[str]] = set()
    for row in result["gains"]:
        pair = frozenset((row["model"], row["against"]))
        if row["against"] != BETTER_DEFAULT and pair not in seen:
            seen.add(pair)
            yield row["model"], row["against"]


def middle(rows: list[Plain]) -> Plain:
    """Return the row in the middle of the range."""
    return rows[len(rows) // 2]

"""Each figure that can be paired as a recipe, by the kind of its section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from reportgen.against.book import OF_FOUR, FloatArray, Four, Rows, less, of_four, share
from reportgen.comparison.direction import GAP
from reportgen.comparison.figures import Held, scores_of
from reportgen.sections.dca.result import BETTER_DEFAULT, RECALIBRATED
from reportgen.stats import prevalence as mixes
from reportgen.stats.decision import odds, recalibrated_thresholds
from reportgen.stats.paired import Recipe

Plain = Mapping[str, Any]
AT_A_MIX: Mapping[str, mixes.Figure] = {
    name: getattr(mixes, name)
    for name in ("precision", "npv", "accuracy", "f1", "mcc", "kappa", "lift", "selection_rate")
}


def recipe_of(held: Held, section: Plain, rows: Rows) -> Recipe | None:
    """Return how a figure is made from the rows of its side; None where it cannot be paired.

    Parameters
    ----------
    held : Held
        The figure, under its own dossier's names.
    section : mapping
        The section that it is of.
    rows : Rows
    """
    try:
        return MAKERS[held.kind](held, section, rows)
    except (KeyError, ValueError):
        return None  # an attribute or a score that the table no longer has


def _frame(held: Held, section: Plain, rows: Rows) -> Recipe | None:
    if held.rows not in ("groups", "gaps"):
        return None
    keys = held.keys
    score, attribute = _score(held, section), str(keys["attribute"])
    own = _of_group(held, section, rows, score, attribute, str(keys["group"]))
    if held.rows == "groups" or own is None:
        return own
    other = _of_group(held, section, rows, score, attribute, str(keys["against"]))
    return None if other is None else less(own, other)


def _of_group(
    held: Held, section: Plain, rows: Rows, score: str, attribute: str, group: str
) -> Recipe | None:
    metric = held.metric.removesuffix(GAP)
    if metric == "auc":
        return rows.area(score, attribute, group)
    if metric == "brier":
        return rows.brier(score, attribute, group)
    if metric not in OF_FOUR:
        return None
    threshold = section["result"].get("threshold")
    if threshold is None and metric != "prevalence":
        return None
    cut = np.inf if threshold is None else float(threshold)
    return of_four(metric, rows.cells(score, cut, attribute, group))


def _score(held: Held, section: Plain) -> str:
    """Return the score that a figure is of, under the name that its own dossier uses."""
    named = held.keys.get("score")
    known = scores_of(section)
    return known[0] if named is None or named not in known else str(named)


def _dca(held: Held, section: Plain, rows: Rows) -> Recipe | None:
    if held.metric == "prevalence":
        return of_four("prevalence", rows.cells(_score(held, section), 0.0, None, None))
    threshold = float(held.keys["threshold"])
    benefit = _net_benefit(_score(held, section), threshold, held, section, rows)
    if held.rows == "curve":
        return benefit
    against = str(held.keys["against"])
    if against != BETTER_DEFAULT:
        return less(benefit, _net_benefit(against, threshold, held, section, rows))
    default = _better_default(_score(held, section), threshold, section, rows)
    return less(benefit, default)


def _net_benefit(score: str, threshold: float, held: Held, section: Plain, rows: Rows) -> Recipe:
    target = section["result"].get("target_prevalence")
    cut = threshold
    if held.keys.get("probabilities") == RECALIBRATED and target is not None:
        own = Fraction(int(rows.positive.sum()), len(rows.positive))
        cut = float(recalibrated_thresholds([threshold], sample=own, target=target)[0])
    harm = float((section["result"].get("harm") or {}).get(score, 0.0))
    weight = float(odds(threshold))

    def value(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray) -> FloatArray:
        n = tp + fn + fp + tn
        if target is None:
            return np.asarray((tp - weight * fp) / n - harm)
        right, wrong = share(tp, tp + fn) * target, share(fp, fp + tn) * (1 - target)
        return np.asarray(right - weight * wrong - harm)

    return of_four("net_benefit", rows.cells(score, cut, None, None), value)


def _better_default(score: str, threshold: float, section: Plain, rows: Rows) -> Recipe:
    """Return the net benefit of treating all or none, whichever is larger in the sample."""
    target = section["result"].get("target_prevalence")
    weight = float(odds(threshold))

    def value(tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray) -> FloatArray:
        ill = (tp + fn) / (tp + fn + fp + tn) if target is None else np.full(len(tp), target)
        return np.asarray(np.maximum(ill - weight * (1 - ill), 0.0))

    return of_four("prevalence", rows.cells(score, threshold, None, None), value)


def _prevalence(held: Held, section: Plain, rows: Rows) -> Recipe | None:
    if section["parameters"].get("table") is None:
        return None
    score = _score(held, section)
    if held.metric == "auc":
        return rows.area(score, None, None)
    threshold = held.keys.get("threshold", section["result"].get("threshold"))
    if threshold is None:
        return None
    cells = rows.cells(score, float(threshold), None, None)
    if held.rows != "rows":
        return of_four(held.metric, cells)
    made = _at_mix(held.metric, float(held.keys["prevalence"]), float(threshold))
    return None if made is None else of_four("at a stated mix", cells, made)


def _at_mix(metric: str, prevalence: float, threshold: float) -> Four | None:
    if metric == "net_benefit":
        figure: mixes.Figure = lambda se, sp, p: mixes.net_benefit(se, sp, p, threshold)  # noqa: E731
    elif metric in AT_A_MIX:
        figure = AT_A_MIX[metric]
    else:
        return None
    return lambda tp, fn, fp, tn: figure(share(tp, tp + fn), share(tn, tn + fp), prevalence)


MAKERS: Mapping[str, Callable[[Held, Plain, Rows], Recipe | None]] = {
    "frame": _frame,
    "dca": _dca,
    "prevalence": _prevalence,
}
"""Kinds of sections with figures that can be paired."""

"""What a robust section's pages call things, and what a verdict says and asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.words import coverage, listed, unique
from reportgen.render.view import Plain
from reportgen.wording import between, clauses, level_named, named, sentences, separated

STATIC_FAIL = mark("static fail")
FRAGILE = mark("fragile")
NOT_ASSESSABLE = mark("not assessable")
ROBUST = mark("robust")
UNDETERMINED = mark("undetermined")
VERDICTS = (STATIC_FAIL, FRAGILE, NOT_ASSESSABLE, UNDETERMINED, ROBUST)

LABELS: Mapping[str, str] = {
    "demographic_parity": mark("Demographic parity"),
    "demographic_parity_ratio": mark("Demographic parity, ratio"),
    "demographic_parity_overall": mark("Demographic parity, to overall"),
    "equal_opportunity": mark("Equal opportunity"),
    "equal_opportunity_ratio": mark("Equal opportunity, ratio"),
    "equalized_odds": mark("Equalized odds"),
    "equalized_odds_mean": mark("Equalized odds, mean"),
    "equalized_odds_ratio": mark("Equalized odds, ratio"),
    "selection_rate": mark("Selection rate"),
    "sensitivity": mark("Sensitivity"),
    "false_positive_rate": mark("False positive rate"),
    "accuracy": mark("Accuracy"),
    "balanced_accuracy": mark("Balanced accuracy"),
    "precision": mark("Precision"),
    "npv": mark("NPV"),
    "f1": mark("F1"),
    "auc": mark("AUC"),
    "brier": mark("Brier score"),
}
RUNGS: Mapping[str, str] = {
    "common": mark("one shift for all"),
    "group": mark("one shift for each group"),
    "record": mark("each record on its own"),
}
NORMS: Mapping[str, str] = {
    "l1": mark("L1 norm (sum of the moves)"),
    "l2": mark("L2 norm (root of their squares)"),
    "linf": mark("L∞ norm (each on its own)"),
}
THREATS: Mapping[str, tuple[str, str]] = {
    "flips": (mark("Records in the wrong group"), mark("{size} of all")),
    "mix": (mark("Shift of the mix within groups"), "Γ = {size}"),
    "prevalence": (mark("Shift of a group's prevalence"), "±{size}"),
    "average": (mark("Moves limited on average"), "{size} eps"),
}
"""Name of each threat, and how its size is written."""
SAYS: Mapping[str, str] = {
    STATIC_FAIL: mark("The gap is past the tolerance as the data stand, with nothing moved."),
    FRAGILE: mark(
        "As the data stand the gap keeps the tolerance. At least one allowed move was found that "
        "takes it past."
    ),
    NOT_ASSESSABLE: mark(
        "A group lacks the figure or the units it needs, or nobody is selected. Nothing is said "
        "for or against."
    ),
    UNDETERMINED: mark(
        "No move past the tolerance was found, and none could be ruled out, because of the bound "
        "or of sampling error. This is not a pass."
    ),
    ROBUST: mark(
        "No allowed move takes the gap past the tolerance: the certified worst case and its "
        "one-sided {confidence} limit keep it. This holds for the declared moves and no further."
    ),
}
NEXT: Mapping[str, str] = {
    STATIC_FAIL: mark(
        "Do not release on this figure. Look for the cause among labels, threshold and case mix, "
        "change what is at fault, and audit anew on data not used for that."
    ),
    FRAGILE: mark(
        "Ask those who measure whether moves of that size and direction occur. If they may: make "
        "these features weigh less, standardise their measurement or narrow the use, and audit "
        "anew. A smaller eps needs its basis stated first."
    ),
    NOT_ASSESSABLE: mark(
        "Collect data until every group has {minimum} units of each class that the metric needs, "
        "or take the group out of the intended use in writing."
    ),
    UNDETERMINED: mark("{remedy} Until then release only with an owner, a plan and a date."),
    ROBUST: mark(
        "Make the declared moves and their basis a condition of use. Audit anew with the next "
        "version, and where devices or the population change."
    ),
}

NO_MODEL = mark("Give the model and the allowed moves: without them nothing is certified.")
SEARCHED = mark("Give the model in a format that can be certified: a search certifies nothing.")
BRACKET = mark("Tighten the bracket between found and certified with a larger search budget.")
SAMPLING = mark(
    "Collect more units: the certified gap keeps the tolerance, and only the sampling error is "
    "left to settle. More searching does not change that."
)
SEARCH_STOPS = 4.0
"""Multiples of the declared moves at which the search for a critical radius stops."""
MEAN_MOVE = mark("mean over all records of the group, those that need not move count as 0")

BY_PROXY = mark(
    "Record the attribute, for a sample at least: bounds from probabilities alone do not settle "
    "it. Until then release only with an owner, a plan and a date."
)


def label(metric: str) -> str:
    """Return the name of a metric as printed."""
    known = LABELS.get(metric)
    return metric.replace("_", " ").capitalize() if known is None else _(known)


def falls(metric: str) -> bool:
    """Return whether the smaller figure is the worse one, as with ratios."""
    return metric.endswith("_ratio")


def says(result: Plain, verdict: str) -> str:
    """Return what a verdict says."""
    return _(SAYS[verdict]).format(confidence=coverage(result))


def next_step(result: Plain, verdict: str, rows: Sequence[Plain]) -> str:
    """Return what to do after a verdict that `rows` share, for the cause that each of them has."""
    if verdict == UNDETERMINED and not result["risk_list"]:
        return _(BY_PROXY)
    remedy = sentences(_remedies(result, rows)) if verdict == UNDETERMINED else ""
    return _(NEXT[verdict]).format(minimum=result["minimum_units"], remedy=remedy)


def _remedies(result: Plain, rows: Sequence[Plain]) -> list[str]:
    """Return what settles undetermined metrics, each remedy with its metrics if they differ."""
    metrics: dict[str, list[str]] = {}
    for row in rows:
        metrics.setdefault(_remedy(result, row), []).append(row["metric"])
    if len(metrics) == 1:
        return [_(remedy) for remedy in metrics]
    return [named(labels(own), _(remedy)) for remedy, own in metrics.items()]


def _remedy(result: Plain, row: Plain) -> str:
    """Return what may settle an undetermined metric: that which left it open."""
    if not result["model"]:
        return NO_MODEL
    if not all(model["certifiable"] for model in result["model"]):
        return SEARCHED
    certified, tolerance = row["worst_certified"], row["tolerance"]
    if row["exact"]:
        return SAMPLING
    if certified is None:
        return BRACKET
    past = certified < tolerance if falls(row["metric"]) else certified > tolerance
    return BRACKET if past else SAMPLING


def worst(metric: str, found: float | None, certified: float | None, exact: bool | None) -> str:
    """Return a worst case as a bracket: "at least 0.268, at most 0.299", or "0.242, exact"."""
    if found is None and certified is None:
        return numbers.NOTHING
    if exact:
        return _("{figure}, exact").format(figure=numbers.number(found))
    near, far = _("found: at least {figure}"), _("certified: at most {figure}")
    if falls(metric):
        near, far = _("found: at most {figure}"), _("certified: at least {figure}")
    attained = near.format(figure=numbers.number(found)) if found is not None else None
    bound = far.format(figure=numbers.number(certified)) if certified is not None else None
    return clauses((attained or _("nothing found"), bound or _("no bound")))


def radius(safe: float | None, unsafe: float | None, reason: str = "") -> str:
    """Return a critical radius: "0.370", "0.31 to 0.42", ">2", "none", or why there is none.

    ">2" is one that lies above the largest size certified safe; "none" that no size looked at,
    however large, passes the tolerance.
    """
    if reason and safe is None:
        return _("not estimable: {reason}").format(reason=reason)
    if unsafe is None:
        return _("none") if safe is None else f">{numbers.number(safe)}"
    if safe is None:
        return f"<{numbers.number(unsafe)}"
    ends = unique((numbers.number(safe), numbers.number(unsafe)))
    return ends[0] if len(ends) == 1 else between(*ends)


def open_radii(rows: Iterable[Plain]) -> str:
    """Return what ">" before a critical radius means, if one of `rows` has it."""
    if not any(row["critical_safe"] is not None and row["critical_unsafe"] is None for row in rows):
        return ""
    return _(
        "“>”: no size was found that passes the tolerance; the search stops at {times} times the"
        " declared moves, and nothing is said of larger ones."
    ).format(times=numbers.threshold(SEARCH_STOPS))


def amount(value: float | None, unit: str, *, signed: bool = False) -> str:
    """Return a figure with its unit: "+0.41 kg/m2"."""
    if value is None:
        return numbers.NOTHING
    written = numbers.signed(value) if signed else numbers.number(value)
    return f"{written} {unit}".rstrip()


def by_group(rows: Sequence[Plain], attribute: str = "") -> str:
    """Return the mean move of a feature in each group: "F: +0.41; M: −0.38 kg/m2"."""
    moves = [
        named(level_named(attribute, row["group"]), amount(row["move"], "", signed=True))
        for row in rows
    ]
    return f"{clauses(moves)} {rows[0]['unit']}".rstrip()


def leading(rows: Sequence[Plain]) -> str:
    """Return the features with the largest shares in a worst move, and which group goes where."""
    said = []
    for name in features_of(row for row in rows if row["share"])[:2]:
        own = [row for row in rows if row["feature"] == name]
        ways = [
            (_("{group} up") if row["move"] > 0 else _("{group} down")).format(group=row["group"])
            for row in own
            if row["move"]
        ]
        text = _("{feature} {share} ({moves})")
        share = numbers.percent(own[0]["share"])
        said.append(text.format(feature=name, share=share, moves=separated(ways)))
    return clauses(said)


def basis(result: Plain) -> str:
    """Return what every figure rests on: rows and units."""
    n = {"rows": numbers.count(result["n_rows"]), "units": numbers.count(result["n_units"])}
    if result["n_units"] == result["n_rows"]:
        return _("n = {rows} rows.").format(**n)
    return _("n = {rows} rows of {units} units.").format(**n)


def multiples(result: Plain) -> str:
    """Return what a multiple of 1 means: "1 is an eps of 0.05", or each feature's own."""
    if result["eps"] is None:
        return _("1 is each feature's own eps")
    return _("1 is an eps of {eps}").format(eps=numbers.threshold(result["eps"]))


def together(rows: Sequence[Plain], keys: Sequence[str]) -> list[tuple[list[str], list[Plain]]]:
    """Return metrics whose rows agree in `keys`, each such set with the rows of its first metric.

    Several metrics are often worst under one and the same move: then it is shown once.
    """
    found: dict[tuple[Any, ...], tuple[list[str], list[Plain]]] = {}
    for metric in unique(row["metric"] for row in rows):
        own = [row for row in rows if row["metric"] == metric]
        content = tuple(tuple(row[key] for key in keys) for row in own)
        found.setdefault(content, ([], own))[0].append(metric)
    return list(found.values())


def labels(metrics: Sequence[str]) -> str:
    """Return the names of metrics: "Demographic parity and Equalized odds"."""
    return listed([label(metric) for metric in metrics])


def features_of(rows: Iterable[Plain]) -> list[str]:
    """Return the features of rows, each once, the largest share first."""
    shares: dict[str, float] = {}
    for row in rows:
        shares.setdefault(row["feature"], abs(row["share"] or 0.0))
    return sorted(shares, key=lambda feature: -shares[feature])

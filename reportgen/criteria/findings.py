"""What the criteria say, as findings that enter the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen import wording
from reportgen.criteria.names import metric_named, narrowed
from reportgen.criteria.verdicts import Judged, Verdict
from reportgen.language import _, current, mark, symbols
from reportgen.result import Estimate, Finding, Severity
from reportgen.section import Code

SECTION = "criteria"
"""Where findings about criteria stand; no section of a manifest may be called so."""

CODES: tuple[Code, ...] = (
    Code(
        "CRI-001",
        ("pass", "note"),
        "Met: the figure keeps its bound, with the whole of its interval unless the manifest "
        "bounds the estimate. A note where no plan is pinned by its digest: what was not fixed "
        "before the run cannot confirm.",
    ),
    Code(
        "CRI-002",
        ("fail",),
        "Not met: the figure breaks its bound, with the whole of its interval unless the manifest "
        "bounds the estimate. A fail whether or not a plan is pinned.",
    ),
    Code(
        "CRI-003",
        ("warn",),
        "Undecided: the bound lies inside the interval, so that the data allow both; or the figure "
        "is itself only a bound (a certified worst case, a count that may be too low) that cannot "
        "show this one to be kept or broken.",
    ),
    Code(
        "CRI-004",
        ("fail", "warn"),
        "Not assessable: there is no such figure, it is not estimable, it has no interval, or the "
        "criterion names several. A fail, for a stated requirement is not shown to be met; a "
        "warning where the section was left out of the run.",
    ),
)
CODE_OF: Mapping[Verdict, str] = {
    "pass": "CRI-001",
    "fail": "CRI-002",
    "undecided": "CRI-003",
    "not assessable": "CRI-004",
}
TITLES: Mapping[Verdict, str] = {
    "pass": mark("{figure}: criterion met"),
    "fail": mark("{figure}: criterion not met"),
    "undecided": mark("{figure}: criterion undecided"),
    "not assessable": mark("{figure}: criterion not assessable"),
}
PRE_SPECIFIED = mark(
    "The plan is pinned by its digest; whether it states this bound is for the reader to check."
)
EXPLORATORY = mark(
    "No plan is pinned by its digest: that the bound was fixed before the run is not shown."
)
ONE_AT_A_TIME = mark("Each criterion stands alone: intervals are not widened for their number.")


def criteria_findings(rows: Sequence[Judged]) -> list[Finding]:
    """Return one finding a criterion, in the same order."""
    return [_finding(row) for row in rows]


def _finding(row: Judged) -> Finding:
    planned = PRE_SPECIFIED if row.status == "pre-specified" else EXPLORATORY
    return Finding(
        CODE_OF[row.verdict],
        severity(row),
        _(TITLES[row.verdict]).format(figure=figure_named(row)),
        _statement(row),
        _evidence(row),
        wording.sentences((_(planned), _(ONE_AT_A_TIME))),
        _summary(row),
    )


def severity(row: Judged) -> Severity:
    """Return what a verdict weighs in the decision."""
    if row.verdict == "pass":
        return "pass" if row.status == "pre-specified" else "note"
    if row.verdict == "undecided" or row.left_out:
        return "warn"
    return "fail"


def figure_named(row: Judged) -> str:
    """Return a figure in words: "sensitivity, logistic, sex 2, threshold 0.3"."""
    told = dict(row.selectors)
    parts = [metric_named(row.metric)]
    attribute, group = told.pop("attribute", None), told.pop("group", None)
    if "score" in told:
        parts.append(str(told.pop("score")))
    if attribute is not None or group is not None:
        parts.append(" ".join(str(one) for one in (attribute, group) if one is not None))
    for name, value in told.items():
        written = wording.typed(value) if isinstance(value, float) else str(value)
        parts.append(narrowed(name.replace("_", " "), written))
    return wording.separated(parts)


def bound_named(row: Judged) -> str:
    """Return the requirement in words: "at least 0.8"."""
    text = _("at least {bound}") if row.direction == "at least" else _("at most {bound}")
    return text.format(bound=wording.typed(row.bound))


def value_named(row: Judged) -> str:
    """Return a figure with its interval, with so many digits that its side of the bound shows."""
    value = row.value
    if not isinstance(value, Mapping):
        return _("no figure") if value is None else _beside(value, row.bound, 0)
    if value["estimate"] is None:
        return _("not estimable ({reason})").format(reason=value["reason"])
    if value["low"] is None or value["high"] is None:
        return _("{figure} (no interval: {reason})").format(
            figure=_beside(value["estimate"], row.bound, 0), reason=value["reason"]
        )
    least = wording.shown_decimals(value["low"], value["high"]) or 0
    shown = [_beside(value[key], row.bound, least) for key in ("estimate", "low", "high")]
    return _("{figure} ({interval})").format(
        figure=shown[0], interval=wording.between(shown[1], shown[2])
    )


def _beside(value: float, bound: float, least: int) -> str:
    """Return a number written so that it lies on its own side of the bound."""
    if not least:
        text = wording.number(value)
        _group, point = symbols(current())
        least = len(text.partition(point)[2]) if "e" not in text else wording.MOST_DECIMALS
    for decimals in range(least, wording.MOST_DECIMALS + 1):
        rounded = round(value, decimals)
        if (rounded < bound) == (value < bound) and (rounded > bound) == (value > bound):
            return wording.fixed(value, decimals)
    return wording.fixed(value, wording.MOST_DECIMALS)


def _summary(row: Judged) -> str:
    if row.verdict == "not assessable":
        text = _("Required {bound}: {reason}.")
        return text.format(bound=bound_named(row), reason=row.reason)
    text = _("{value}; required {bound}.")
    if row.bound_on == "estimate":
        text = _("{value}; required {bound} (on the estimate).")
    return text.format(value=value_named(row), bound=bound_named(row))


def _statement(row: Judged) -> str:
    required = _required(row)
    if row.verdict == "not assessable":
        text = _("{required}. It is not assessable: {reason}.")
        return text.format(required=required, reason=row.reason)
    method = row.value.get("method") if isinstance(row.value, Mapping) else None
    text = _("{required}; found is {value}.")
    if method:
        text = _("{required}; found is {value}; {method}.")
    found = text.format(required=required, value=value_named(row), method=method)
    ends = {
        "pass": _("The bound is kept."),
        "fail": _("The bound is broken."),
        "undecided": _("That decides nothing: {reason}."),
    }
    return wording.sentences((found, ends[row.verdict].format(reason=row.reason)))


def _required(row: Judged) -> str:
    """Return what the bound is on, and where it comes from."""
    text = {
        ("interval", False): _("{figure}: {bound} is required of the whole interval"),
        ("interval", True): _("{figure}: {bound} is required of the whole interval ({source})"),
        ("estimate", False): _("{figure}: {bound} is required of the estimate"),
        ("estimate", True): _("{figure}: {bound} is required of the estimate ({source})"),
    }[row.bound_on, bool(row.source)]
    figure = capital(figure_named(row))
    return text.format(figure=figure, bound=bound_named(row), source=row.source)


def capital(text: str) -> str:
    """Return a sentence that begins as one; scripts without capitals stay as they are."""
    return text[:1].upper() + text[1:] if text[1:2].islower() else text


def _evidence(row: Judged) -> dict[str, float | str | Estimate]:
    found: dict[str, float | str | Estimate] = {"bound": row.bound, "status": row.status}
    if isinstance(row.value, Mapping):
        keys = ("estimate", "low", "high", "confidence", "method", "reason")
        found["figure"] = Estimate(**{key: row.value.get(key) for key in keys})
    elif isinstance(row.value, int | float):
        found["figure"] = float(row.value)
    return found

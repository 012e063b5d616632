"""The findings of a prevalence section, each with its code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.result import Estimate, Finding, LeftOut
from reportgen.section import Code
from reportgen.sections.prevalence.points import NO_COUNTS, Point, Side
from reportgen.sections.prevalence.result import MetricRow, PrevalenceResult
from reportgen.sections.prevalence.unlabelled import Disagreement, UnlabelledFound
from reportgen.stats.proportions import wilson
from reportgen.wording import coverage, estimate, number, quoted, rows_left_out, typed

FEW = 10
"""Below so many units of a class, sensitivity or specificity are known badly."""
ASSUMPTION = (
    "Label shift: within the positives and within the negatives the scores keep their distribution,"
    " and only the share of positives changes. Then sensitivity and specificity carry over. Another"
    " spectrum of cases, another device or another way of labelling breaks this."
)
CODES: tuple[Code, ...] = (
    Code("PRV-001", ("note",), "The precision at each stated prevalence."),
    Code("PRV-002", ("note",), "The table rests on label shift, which it cannot test."),
    Code("PRV-003", ("warn",), f"Fewer than {FEW} units of a class stand behind the table."),
    Code(
        "PRV-004",
        ("warn",),
        "No false positive or no false negative was seen: a predictive value of 1 is not shown.",
    ),
    Code("PRV-005", ("warn",), "A class is absent, so its rate cannot be estimated."),
    Code("PRV-006", ("warn",), "The area under the ROC curve is below one half."),
    Code(
        "PRV-007",
        ("note", "warn"),
        "Rows were left out for a missing label or score; above 5 % it is a warning.",
    ),
    Code("PRV-008", ("warn",), "The prevalence of the unlabelled table is not identifiable."),
    Code(
        "PRV-009",
        ("warn",),
        "Rogan–Gladen and EM disagree: evidence against pure label shift or calibration. They are "
        "compared only where both can be identified.",
    ),
    Code("PRV-010", ("warn",), "Published without counts: there are no intervals."),
    Code("PRV-011", ("note",), "Nobody or everybody is flagged: a predictive value is 0 of 0."),
    Code("PRV-012", ("warn",), "No row has both label and score: the section is not assessed."),
)


def at(threshold: float | None) -> str:
    """Return where: at a threshold, or as published."""
    return "As published" if threshold is None else f"At threshold {typed(threshold)}"


def titled(title: str, threshold: float | None) -> str:
    """Return the title of a finding about one threshold, so that no two titles are alike."""
    return title if threshold is None else f"{title}, threshold {typed(threshold)}"


def not_assessed(table: str, left_out: Sequence[LeftOut]) -> Finding:
    """Return the finding of a table without a usable row."""
    reasons = "; ".join(f"{entry.k} for {entry.reason}" for entry in left_out) or "it has no rows"
    return Finding(
        "PRV-012",
        "warn",
        "Not assessed",
        f"Table {quoted(table)} holds no row with both label and score: {reasons}.",
    )


def list_findings(
    result: PrevalenceResult,
    points: Sequence[Point],
    class_units: tuple[int | None, int | None],
    found: UnlabelledFound = UnlabelledFound(),  # noqa: B008 - frozen and empty
) -> tuple[Finding, ...]:
    """Return every finding, in the order of their codes.

    Parameters
    ----------
    class_units : (int or None, int or None)
        Units with a positive and with a negative row; None where published without counts.
    found : UnlabelledFound
        Of the unlabelled table.
    """
    return (
        *_headline(result),
        _assumption(),
        *_few(class_units),
        *_zero_errors(result, points),
        *_one_class(result, points),
        *_reversed(result),
        *_left_out(result.table or "", result.left_out, result.n_rows or 0),
        *_left_out(found.table, found.left_out, found.kept),
        *_unidentified(result),
        *_disagree(result, found.disagreements),
        *_no_counts(points),
        *_all_the_same(points),
    )


def _headline(result: PrevalenceResult) -> Iterator[Finding]:
    for point in result.operating_points:
        rows = [
            row
            for row in result.rows
            if row.metric == "precision" and row.threshold == point.threshold
        ]
        if all(row.value.estimate is None for row in rows):
            continue
        yield Finding(
            "PRV-001",
            "note",
            titled("Precision by prevalence", point.threshold),
            f"{at(point.threshold)} {_precisions(result, rows)}.",
            {f"precision at {typed(row.prevalence)}": row.value for row in rows},
            "Holds under label shift only.",
        )


def _precisions(result: PrevalenceResult, rows: Sequence[MetricRow]) -> str:
    """Return the precisions in words; where none has an interval, why, once."""
    name = "the precision" if result.score is None else f"the precision of {quoted(result.score)}"
    reasons = [row.value.reason for row in rows if row.value.low is None]
    if len(reasons) == len(rows) and len(set(reasons)) == 1 and reasons[0]:
        listed = "; ".join(
            f"{number(row.value.estimate)} at prevalence {typed(row.prevalence)}"
            for row in rows
            if row.value.estimate is not None
        )
        return f"{name} is {listed}, without intervals: {reasons[0]}"
    which = " where there is one" if reasons else ""
    listed = "; ".join(
        f"{estimate(row.value)} at prevalence {typed(row.prevalence)}" for row in rows
    )
    return f"{name}, with its {coverage(result.confidence)} interval{which}, is {listed}"


def _assumption() -> Finding:
    return Finding(
        "PRV-002",
        "note",
        "Label shift is assumed",
        ASSUMPTION,
        limits="A single labelled table cannot test this assumption.",
    )


def _few(class_units: tuple[int | None, int | None]) -> Iterator[Finding]:
    names = (("positive", "sensitivity"), ("negative", "specificity"))
    for count, (kind, rate) in zip(class_units, names, strict=True):
        if count is not None and 0 < count < FEW:
            yield Finding(
                "PRV-003",
                "warn",
                f"Few {kind}s",
                f"The {rate} rests on {count} independent {kind}s, fewer than {FEW}.",
                {f"independent {kind}s": count},
                "The intervals are wide for this reason and are approximate.",
            )


def _zero_errors(result: PrevalenceResult, points: Sequence[Point]) -> Iterator[Finding]:
    for point in points:
        se, sp = point.sides
        if sp.value == 1 and se.value:
            yield _zero(result, point, sp, "precision")
        if se.value == 1 and sp.value:
            yield _zero(result, point, se, "npv")


def _zero(result: PrevalenceResult, point: Point, side: Side, metric: str) -> Finding:
    errors, rate, name = {
        "precision": ("false positives", "false positive rate", "precision"),
        "npv": ("false negatives", "false negative rate", "negative predictive value"),
    }[metric]
    evidence: dict[str, float] = {}
    bound = "no counts were published, so how far it may be off is unknown"
    if side.counts is not None:
        upper = 1 - wilson(side.counts, confidence=result.confidence)[0]
        lows = [
            row.value.low
            for row in result.rows
            if row.metric == metric and row.threshold == point.threshold
        ]
        evidence = {f"{rate}, upper limit": upper}
        bound = f"the {rate} may be as high as {number(upper)} (upper limit of the "
        bound += f"{coverage(result.confidence)} Wilson interval{point.how})"
        if all(low is not None for low in lows):
            lowest = min(low for low in lows if low is not None)
            evidence[f"lowest limit of the {name}"] = lowest
            bound += f", and the {name} as low as {number(lowest)} at the stated prevalences"
    return Finding(
        "PRV-004",
        "warn",
        titled(f"No {errors} seen", point.threshold),
        f"{at(point.threshold)} there were no {errors}. A {name} of 1 at any prevalence is not"
        f" shown: {bound}.",
        evidence,
        "Absence of errors in a sample is no evidence of their absence elsewhere.",
    )


def _one_class(result: PrevalenceResult, points: Sequence[Point]) -> Iterator[Finding]:
    if not points:
        return
    for side, name in zip(points[0].sides, ("sensitivity", "specificity"), strict=True):
        if side.value is None:
            yield Finding(
                "PRV-005",
                "warn",
                "One class only",
                f"Table {quoted(result.table or '')} holds {side.reason}: the {name} cannot be"
                " estimated, nor any figure that rests on it.",
            )


def _reversed(result: PrevalenceResult) -> Iterator[Finding]:
    if result.auc.estimate is not None and result.auc.estimate < 0.5:
        yield Finding(
            "PRV-006",
            "warn",
            "Ranks worse than chance",
            f"The area under the ROC curve of {quoted(result.score or '')} is"
            f" {estimate(result.auc)}, below one half{_still(result.auc)}. Are the labels or the"
            " score reversed?",
            {"auc": result.auc},
            "The section uses label and score as declared.",
        )


def _still(area: Estimate) -> str:
    """Return what the interval adds to an area below one half."""
    if area.high is None:
        return ""
    return ", though its interval reaches it" if area.high >= 0.5 else ", as is its whole interval"


def _left_out(table: str, left_out: Sequence[LeftOut], kept: int) -> Iterator[Finding]:
    n_read = kept + sum(entry.k for entry in left_out)
    return rows_left_out("PRV-007", left_out, table=table, n_read=n_read)


def _unidentified(result: PrevalenceResult) -> Iterator[Finding]:
    for row in result.unlabelled:
        reason = row.prevalence.reason or ""
        if row.prevalence.estimate is None and reason.startswith("not identifiable"):
            where = "" if row.threshold is None else f" at threshold {typed(row.threshold)}"
            yield Finding(
                "PRV-008",
                "warn",
                titled(f"Prevalence not identifiable by {row.method}", row.threshold),
                f"{row.method}{where}: {reason}.",
                limits="Nothing was cut to 0 or 1, and an estimate that cannot be identified is not"
                " compared with the other one.",
            )


def _together(difference: Estimate, result: PrevalenceResult) -> str:
    """Return what the coverage of the interval of a difference is, and why."""
    each = coverage(difference.confidence or result.confidence)
    if len(result.operating_points) == 1:
        return f"The interval has {each} confidence."
    together = coverage(result.confidence)
    return f"The interval has {each} confidence, so that those of all thresholds have {together}."


def _disagree(result: PrevalenceResult, disagreements: Sequence[Disagreement]) -> Iterator[Finding]:
    for entry in disagreements:
        if entry.beyond_sampling:
            yield Finding(
                "PRV-009",
                "warn",
                titled("Two estimates of one prevalence differ", entry.threshold),
                f"{at(entry.threshold)} the Rogan–Gladen estimate minus the EM estimate is"
                f" {estimate(entry.difference)},"
                " more than sampling accounts for: evidence against pure label shift, or against"
                f" the calibration of the probabilities. {_together(entry.difference, result)}",
                {"Rogan–Gladen minus EM": entry.difference},
                "It does not tell which of the two fails.",
            )


def _no_counts(points: Sequence[Point]) -> Iterator[Finding]:
    for point in points:
        names = [
            name
            for name, side in zip(("sensitivity", "specificity"), point.sides, strict=True)
            if side.reason == NO_COUNTS
        ]
        if names:
            yield Finding(
                "PRV-010",
                "warn",
                "Published without counts",
                f"{' and '.join(names).capitalize()} came without counts, so the figures that rest"
                " on them have no interval.",
                limits="How far the figures could be off is unknown.",
            )


def _all_the_same(points: Sequence[Point]) -> Iterator[Finding]:
    for point in points:
        se, sp = point.sides
        flags = {(0.0, 1.0): ("Nobody", "precision"), (1.0, 0.0): ("Everybody", "npv")}
        hit = None if se.value is None or sp.value is None else flags.get((se.value, sp.value))
        if hit:
            name = "precision" if hit[1] == "precision" else "negative predictive value"
            yield Finding(
                "PRV-011",
                "note",
                titled(f"{hit[0]} is flagged", point.threshold),
                f"{at(point.threshold)} {hit[0].lower()} is flagged: the {name} is 0 of 0, and not"
                " defined.",
            )

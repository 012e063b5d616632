"""The risk list of a run, each kind of section by a rule of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from reportgen import wording
from reportgen.language import _, mark
from reportgen.result import SEVERITIES
from reportgen.risks.row import Plain, Risk

Rule = Callable[[Plain, Sequence[Plain]], Iterator[Risk]]
GRAVE = ("critical", "major")
METRICS: Mapping[str, str] = {
    "auc": mark("AUC"),
    "sensitivity": mark("sensitivity"),
    "specificity": mark("specificity"),
    "balanced_accuracy": mark("balanced accuracy"),
    "precision": mark("precision"),
    "npv": mark("npv"),
    "selection_rate": mark("selection rate"),
    "false_positive_rate": mark("false positive rate"),
    "brier": mark("brier"),
    "calibration_intercept": mark("calibration intercept"),
    "calibration_slope": mark("calibration slope"),
    "prevalence": mark("prevalence"),
    "demographic_parity": mark("demographic parity"),
    "equalized_odds": mark("equalized odds"),
    "equal_opportunity": mark("equal opportunity"),
    "demographic_parity_ratio": mark("demographic parity ratio"),
    "equalized_odds_ratio": mark("equalized odds ratio"),
    "equal_opportunity_ratio": mark("equal opportunity ratio"),
    "demographic_parity_overall": mark("demographic parity overall"),
    "equalized_odds_mean": mark("equalized odds mean"),
}
"""Figures of frame and robust sections in words."""


def risks(sections: Sequence[Plain], findings: Sequence[Plain]) -> list[Risk]:
    """Return the risk list, in the order of the sections.

    Parameters
    ----------
    sections, findings : sequence of mapping
        As results.json holds them.
    """
    found: list[Risk] = []
    for section in sections:
        own = [one for one in findings if one["section"] == section["id"]]
        rule = RULES.get(section["kind"])
        if "not_applicable" in section["result"] or rule is None:
            found += _not_assessed(section, own)
        else:
            found += list(rule(section, own)) or _gravest(section, own)
    return found


def _not_assessed(section: Plain, findings: Sequence[Plain]) -> list[Risk]:
    reason = str(section["result"].get("not_applicable", ""))
    finding = _id(findings[0] if findings else None)
    return [Risk(section["id"], section["kind"], section["title"], None, None, "", reason, finding)]


def _gravest(section: Plain, findings: Sequence[Plain]) -> list[Risk]:
    """Return one line for a section whose rule found none: its gravest finding."""
    order = sorted(findings, key=lambda one: SEVERITIES.index(one["severity"]))
    if not order:
        return []
    first = order[0]
    return [Risk(section["id"], section["kind"], first["title"], None, None, "", "", first["id"])]


def _rows(section: Plain, key: str) -> Sequence[Plain]:
    rows: Sequence[Plain] = section["result"].get(key) or ()
    return rows


def _id(finding: Plain | None) -> str | None:
    return None if finding is None else str(finding["id"])


def _with(findings: Sequence[Plain], **evidence: Any) -> Plain | None:
    """Return the first finding whose evidence holds these values."""
    return next(
        (one for one in findings if all(one["evidence"].get(k) == v for k, v in evidence.items())),
        None,
    )


def _frame(section: Plain, findings: Sequence[Plain]) -> Iterator[Risk]:
    """Yield, of each score, attribute and primary metric, the gap that may be largest."""
    judged = [row for row in _rows(section, "gaps") if row["primary"] and row["verdict"]]
    families: dict[tuple[str, str, str], list[Plain]] = {}
    for row in judged:
        families.setdefault((row["score"], row["attribute"], row["metric"]), []).append(row)
    for (score, attribute, metric), rows in families.items():
        row = max(rows, key=_reach)
        told = _with(findings, **{_("gap"): row["gap"]})  # a name in the dossier's language
        finding = told or _titled(findings, attribute, row["group"])
        yield Risk(
            section["id"],
            "frame",
            _gap(metric, attribute, score),
            row["gap"],
            _far_end(row["gap"]),
            _("largest gap not excluded"),
            _("{group} against {reference}").format(
                group=wording.level_named(attribute, row["group"]),
                reference=wording.level_named(attribute, row["reference"]),
            ),
            _id(finding),
        )


def _titled(findings: Sequence[Plain], attribute: str, group: str) -> Plain | None:
    start = wording.named(attribute, group)
    return next((one for one in findings if one["title"].startswith(start)), None)


def _far_end(estimate: Plain) -> float | None:
    """Return the end of an interval that lies farther from 0."""
    ends = [end for end in (estimate.get("low"), estimate.get("high")) if end is not None]
    if ends:
        return float(max(ends, key=abs))
    return None if estimate["estimate"] is None else float(estimate["estimate"])


def _reach(row: Plain) -> float:
    return abs(_far_end(row["gap"]) or 0.0)


def _gap(metric: str, attribute: str, score: str) -> str:
    named = _(METRICS[metric]) if metric in METRICS else metric.replace("_", " ")
    text = _("{metric} gap by {attribute}, {score}")
    return text.format(metric=named, attribute=attribute, score=score)


def _robust(section: Plain, findings: Sequence[Plain]) -> Iterator[Risk]:
    """Yield one line a metric: the gap as it stands and at the certified worst."""
    result = section["result"]
    for row in _rows(section, "risk_list"):
        yield Risk(
            section["id"],
            "robust",
            _gap(row["metric"], result["sensitive"], result["score"]),
            row["static"],
            row["worst_certified"],
            _("at most, by declared moves"),
            row["fragile_direction"] or row["reason"],
            _id(_with(findings, metric=row["metric"], static=row["static"])),
        )


def _dca(section: Plain, findings: Sequence[Plain]) -> Iterator[Risk]:
    """Yield one line a model: its gain in net benefit where that decides."""
    result = section["result"]
    for row in _rows(section, "overall"):
        gains = [
            one
            for one in result["gains"]
            if all(one[key] == row[key] for key in ("model", "against", "probabilities"))
        ]
        weakest = _at(gains, row["deciding_threshold"])
        gain = _("gain in net benefit, {model}")
        if row["probabilities"] != "as deployed":
            gain = _("gain in net benefit, {model} recalibrated")
        at = weakest["threshold"] if weakest else None
        yield Risk(
            section["id"],
            "dca",
            gain.format(model=row["model"]),
            weakest["gain"] if weakest else None,
            weakest["simultaneous_low"] if weakest else None,
            _("lower simultaneous limit"),
            row["reason"] if at is None else _at_threshold(at),
            _id(
                _with(
                    [one for one in findings if "against" not in one["evidence"]],
                    model=row["model"],
                    probabilities=row["probabilities"],
                )
            ),
        )


def _at_threshold(threshold: float) -> str:
    return _("threshold {threshold}").format(threshold=wording.typed(threshold))


def _at(gains: Sequence[Plain], threshold: float | None) -> Plain | None:
    """Return the gain at the deciding threshold, else the one with the lowest limit."""
    if threshold is not None:
        return next((one for one in gains if one["threshold"] == threshold), None)
    limited = [one for one in gains if one["simultaneous_low"] is not None]
    return min(limited, key=lambda one: one["simultaneous_low"]) if limited else None


def _prevalence(section: Plain, findings: Sequence[Plain]) -> Iterator[Risk]:
    """Yield, of each threshold, precision at the highest and lowest stated prevalence."""
    rows = [row for row in _rows(section, "rows") if row["metric"] == "precision"]
    for threshold in dict.fromkeys(row["threshold"] for row in rows):
        own = [row for row in rows if row["threshold"] == threshold]
        high = max(own, key=lambda row: row["prevalence"])
        low = min(own, key=lambda row: row["prevalence"])
        figure = _("precision at prevalence {prevalence}")
        if threshold is not None:
            figure = _("precision at prevalence {prevalence}, threshold {threshold}")
        stated = [one for one in findings if high["value"] in one["evidence"].values()]
        yield Risk(
            section["id"],
            "prevalence",
            figure.format(
                prevalence=wording.typed(high["prevalence"]),
                threshold="" if threshold is None else wording.typed(threshold),
            ),
            high["value"],
            low["value"],
            _("at the lowest stated prevalence"),
            _("prevalence {prevalence}").format(prevalence=wording.typed(low["prevalence"])),
            _id(stated[0] if stated else None),
        )


def _integrity(section: Plain, findings: Sequence[Plain]) -> Iterator[Risk]:
    """Yield one line a critical or major finding, the critical ones first."""
    records = [row for row in _rows(section, "records") if row["grade"] in GRAVE]
    for row in sorted(records, key=lambda one: GRAVE.index(one["grade"])):
        same = [one for one in findings if one["code"] == row["code"]]
        first = next(iter([*named_so(same, row["what"]), *same]), None)
        moved = row["before"] is not None
        yield Risk(
            section["id"],
            "integrity",
            row["what"],
            row["before"] if moved else row["share"],
            row["after"] if moved else None,
            _("recomputed") if moved else "",
            row["affected_claim"],
            _id(first),
        )


def named_so(findings: Sequence[Plain], title: str) -> list[Plain]:
    """Return the findings of that title."""
    return [one for one in findings if one["title"] == title]


RULES: Mapping[str, Rule] = {
    "frame": _frame,
    "robust": _robust,
    "dca": _dca,
    "prevalence": _prevalence,
    "integrity": _integrity,
}

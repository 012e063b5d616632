"""The tables of a FRAME section on features: shift, coverage and link, regions with errors."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.language import _, n_
from reportgen.render import numbers
from reportgen.render.pages.frame_columns import (
    comparison_column,
    group_column,
    scored,
    units_column,
)
from reportgen.render.pages.frame_rows import first_of, once
from reportgen.render.pages.frame_words import (
    WITHOUT_EVIDENCE,
    comparison,
    interval_methods,
    level_shown,
    p_value,
)
from reportgen.render.pages.words import coverage
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import clauses, sentences

DOMAIN = ("domain_auc", "domain_auc_in_negatives", "domain_auc_in_positives")


def made_from(section: str, result: Plain) -> list[TableView]:
    """Return the tables of layer 3, in the order of the page; none without features."""
    kinds = (_domain, _coverage, _no_cause, _clusters)
    made = (kind(section, result) for kind in kinds)
    return [table for table in made if table is not None]


def _domain(section: str, result: Plain) -> TableView | None:
    rows = once(result["representation"])
    if not rows:
        return None
    return TableView(
        key="domain",
        caption=_(
            "How well a classifier tells the group by its features. AUC on units it had not seen; "
            "0.5: the features say nothing of the group. Among rows of one label, so that a "
            "difference in prevalence does not count. A description: it says that the groups "
            "differ, not that the model fails for it. With {coverage} intervals."
        ).format(coverage=coverage(result)),
        columns=[
            comparison_column(),
            Column("domain_auc", _("All rows"), "estimate"),
            Column("domain_auc_in_negatives", _("Among negatives"), "estimate"),
            Column("domain_auc_in_positives", _("Among positives"), "estimate"),
        ],
        rows=[{**row, "name": comparison(row)} for row in rows],
        csv=file_name(section, "representation"),
        note=interval_methods(row[key] for row in rows for key in DOMAIN),
    )


def _coverage(section: str, result: Plain) -> TableView | None:
    rows = result["representation"]
    if not rows:
        return None
    return TableView(
        key="coverage",
        caption=_(
            "Coverage and link, the two halves of representational evidence. Covered: as near to "
            "the reference's units as nine in ten of its own rows are. Deficit: the reference's "
            "own coverage less the group's, one-sided p. Link: whether rows farther away fare "
            "worse than rows of the same score nearer by, one-sided p. Evidence needs both."
        ),
        columns=[
            comparison_column(),
            Column("coverage", _("Covered"), "percent_estimate"),
            Column("own", _("Reference’s own")),
            Column("deficit_text", _("p, deficit")),
            Column("link_z", _("z, link"), "signed"),
            Column("link_text", _("p, link")),
            Column("evidence_word", _("Evidence")),
            *_rows_left_out(rows),
        ],
        rows=[_evidence(row, result) for row in rows],
        csv=file_name(section, "representation"),
        note=sentences((interval_methods(row["coverage"] for row in rows), _reasons(rows))),
        wide=True,
    )


def _rows_left_out(rows: Sequence[Plain]) -> list[Column]:
    """Return the column of rows that lack a feature, where there are any."""
    if not any(row.get("rows_left_out") for row in rows):
        return []
    return [Column("rows_left_out", _("Left out"), "count", _("rows without a feature"))]


def _evidence(row: Plain, result: Plain) -> Plain:
    own = row["reference_coverage"]["estimate"]
    return {
        **scored(row, result),
        "own": numbers.percent(own),
        "deficit_text": p_value(row["coverage_p"]),
        "link_text": p_value(row["link_p"]),
        "evidence_word": _("not assessed")
        if row["evidence"] is None
        else numbers.yes_no(row["evidence"]),
    }


def _reasons(rows: Sequence[Plain]) -> str:
    """Return why there is or is no evidence, each reason once with its comparisons."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["reason"] and comparison(row) not in found.setdefault(row["reason"], []):
            found[row["reason"]].append(comparison(row))
    parts = [
        _("{comparisons}: {reason}.").format(comparisons=clauses(names[:4]), reason=reason)
        for reason, names in found.items()
    ]
    return sentences(parts[:6])


def _no_cause(_section: str, result: Plain) -> TableView | None:
    rows = [row for row in result["representation"] if _shift_without_evidence(result, row)]
    if not rows:
        return None
    return TableView(
        key="no_cause",
        caption=_(
            "Why a shift alone is no cause. Comparisons in which a gap is shown and the features "
            "of the group differ, and which still have no representational evidence."
        ),
        columns=[
            comparison_column(),
            Column("differs", _("What differs")),
            Column("missing", _("Why that does not explain the gap")),
        ],
        rows=[
            {
                **scored(row, result),
                "differs": _differs(row, result),
                "missing": _missing_link(row, result),
            }
            for row in rows
        ],
    )


def _shift_without_evidence(result: Plain, row: Plain) -> bool:
    keys = ("score", "attribute", "group", "reference")
    judged = first_of(
        result["gaps"],
        lambda gap: gap["verdict"] == WITHOUT_EVIDENCE and all(gap[k] == row[k] for k in keys),
    )
    low = row["domain_auc"].get("low")
    told_apart = low is not None and low > 0.5
    return judged is not None and (told_apart or _covered_less(row, result))


def _covered_less(row: Plain, result: Plain) -> bool:
    return row["coverage_p"] is not None and row["coverage_p"] <= result["alpha"]


def _differs(row: Plain, result: Plain) -> str:
    parts = []
    if row["domain_auc"]["estimate"] is not None:
        text = _(
            "A classifier tells {group} from {reference} by the features with an AUC of {area}."
        )
        parts.append(text.format(**_sides(row), area=numbers.estimate(row["domain_auc"])))
    if row["coverage"]["estimate"] is not None:
        text = _(
            "{share} of the rows of {group} are covered, against {own} of the rows of {reference} "
            "(a deficit is not shown)."
        )
        if _covered_less(row, result):
            text = _(
                "{share} of the rows of {group} are covered, against {own} of the rows of "
                "{reference}."
            )
        own = numbers.percent(row["reference_coverage"]["estimate"])
        share = numbers.percent_estimate(row["coverage"])
        parts.append(text.format(**_sides(row), share=share, own=own))
    return sentences(parts)


def _sides(row: Plain) -> dict[str, str]:
    return {"group": level_shown(row["group"]), "reference": level_shown(row["reference"])}


def _missing_link(row: Plain, result: Plain) -> str:
    """Return what the link test says, in words."""
    if row["link_p"] is None:
        text = _("Whether errors follow the distance could not be tested: {reason}.")
        return text.format(reason=row["reason"])
    figures = _("z = {z}, p {p}").format(
        z=numbers.signed(row["link_z"]), p=_with_sign(row["link_p"])
    )
    if row["link_p"] <= result["alpha"]:
        return _(
            "Rows farther away fare worse than their scores explain ({figures}), but that the "
            "group is covered less than its reference is not shown."
        ).format(figures=figures)
    return _(
        "Among rows of {group} with the same score, those that lie farther from {reference} are "
        "not shown to fare worse ({figures}). The features differ; that the model errs because of "
        "it is not shown. A gap may as well come from harder cases, from labels, from acquisition "
        "or from the threshold."
    ).format(**_sides(row), figures=figures)


def _clusters(section: str, result: Plain) -> TableView | None:
    rows = result["clusters"]
    if not rows:
        return None
    found = [row for row in rows if row["confirmed"] is not None]
    left = len(rows) - len(found)
    return TableView(
        key="clusters",
        caption=_(
            "Regions with more errors. Found on half of the units, counted on the other half: "
            "error rate in the region with {coverage} interval and outside it, one-sided p, Holm "
            "over the regions found. Only a confirmed one is more than a search result."
        ).format(coverage=coverage(result)),
        columns=[
            group_column(),
            Column("cluster", _("Region"), "count"),
            units_column(),
            Column("error_rate", _("Error rate"), "percent_estimate"),
            Column("error_rate_elsewhere", _("Elsewhere"), "percent"),
            Column("p_text", _("p, adjusted")),
            Column("confirmed_word", _("Confirmed")),
            Column("describing", _("Marked by")),
        ],
        rows=[_cluster(row, result) for row in rows],
        print_rows=[_cluster(row, result) for row in found] if found != rows else None,
        csv=file_name(section, "clusters"),
        note=sentences(
            (
                interval_methods(row["error_rate"] for row in found),
                _left_away(left) if left else "",
            )
        ),
        wide=True,
    )


def _left_away(k: int) -> str:
    """Return how many regions the print leaves out."""
    return n_(
        "The print leaves out {n} region in which no more errors were found.",
        "The print leaves out {n} regions in which no more errors were found.",
        k,
    ).format(n=k)


def _cluster(row: Plain, result: Plain) -> Plain:
    word = _("not found") if row["confirmed"] is None else numbers.yes_no(row["confirmed"])
    p = p_value(row["p_adjusted"])
    return {**scored(row, result), "confirmed_word": word, "p_text": p}


def _with_sign(p: float) -> str:
    """Return "= 0.66" or "< 0.001"."""
    text = p_value(p)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"

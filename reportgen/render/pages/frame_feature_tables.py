"""The tables of a FRAME section on features: shift, coverage and link, regions with errors."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.render import numbers
from reportgen.render.pages.frame_columns import COMPARISON, GROUP, UNITS, scored
from reportgen.render.pages.frame_rows import first_of, once
from reportgen.render.pages.frame_words import WITHOUT_EVIDENCE, comparison, p_value
from reportgen.render.pages.words import coverage
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView


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
        caption=(
            "How well a classifier tells the group by its features. AUC on units it had not seen; "
            "0.5: the features say nothing of the group. Among rows of one label, so that a "
            "difference in prevalence does not count. A description: it says that the groups "
            f"differ, not that the model fails for it. With {coverage(result)} intervals."
        ),
        columns=[
            COMPARISON,
            Column("domain_auc", "All rows", "estimate"),
            Column("domain_auc_in_negatives", "Among negatives", "estimate"),
            Column("domain_auc_in_positives", "Among positives", "estimate"),
        ],
        rows=[{**row, "name": comparison(row)} for row in rows],
        csv=file_name(section, "representation"),
    )


def _coverage(section: str, result: Plain) -> TableView | None:
    rows = result["representation"]
    if not rows:
        return None
    return TableView(
        key="coverage",
        caption=(
            "Coverage and link, the two halves of representational evidence. Covered: as near to "
            "the reference's units as nine in ten of its own rows are. Deficit: the reference's "
            "own coverage less the group's, one-sided p. Link: whether rows farther away fare "
            "worse than rows of the same score nearer by, one-sided p. Evidence needs both."
        ),
        columns=[
            COMPARISON,
            Column("coverage", "Covered", "percent_estimate"),
            Column("own", "Reference’s own"),
            Column("deficit_text", "p, deficit"),
            Column("link_z", "z, link", "signed"),
            Column("link_text", "p, link"),
            Column("evidence_word", "Evidence"),
            *_rows_left_out(rows),
        ],
        rows=[_evidence(row, result) for row in rows],
        csv=file_name(section, "representation"),
        note=_reasons(rows),
        wide=True,
    )


def _rows_left_out(rows: Sequence[Plain]) -> list[Column]:
    """Return the column of rows that lack a feature, where there are any."""
    if not any(row.get("rows_left_out") for row in rows):
        return []
    return [Column("rows_left_out", "Left out", "count", "rows without a feature")]


def _evidence(row: Plain, result: Plain) -> Plain:
    own = row["reference_coverage"]["estimate"]
    return {
        **scored(row, result),
        "own": numbers.percent(own),
        "deficit_text": p_value(row["coverage_p"]),
        "link_text": p_value(row["link_p"]),
        "evidence_word": "not assessed"
        if row["evidence"] is None
        else numbers.yes_no(row["evidence"]),
    }


def _reasons(rows: Sequence[Plain]) -> str:
    """Return why there is or is no evidence, each reason once with its comparisons."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["reason"] and comparison(row) not in found.setdefault(row["reason"], []):
            found[row["reason"]].append(comparison(row))
    parts = [f"{'; '.join(names[:4])}: {reason}." for reason, names in found.items()]
    return " ".join(parts[:6])


def _no_cause(_section: str, result: Plain) -> TableView | None:
    rows = [row for row in result["representation"] if _shift_without_evidence(result, row)]
    if not rows:
        return None
    return TableView(
        key="no_cause",
        caption=(
            "Why a shift alone is no cause. Comparisons in which a gap is shown and the features "
            "of the group differ, and which still have no representational evidence."
        ),
        columns=[
            COMPARISON,
            Column("differs", "What differs"),
            Column("missing", "Why that does not explain the gap"),
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
        parts.append(
            f"A classifier tells {row['group']} from {row['reference']} by the features with an "
            f"AUC of {numbers.estimate(row['domain_auc'])}."
        )
    if row["coverage"]["estimate"] is not None:
        own = numbers.percent(row["reference_coverage"]["estimate"])
        shown = "" if _covered_less(row, result) else " (a deficit is not shown)"
        parts.append(
            f"{numbers.percent_estimate(row['coverage'])} of the rows of {row['group']} are "
            f"covered, against {own} of the rows of {row['reference']}{shown}."
        )
    return " ".join(parts)


def _missing_link(row: Plain, result: Plain) -> str:
    """Return what the link test says, in words."""
    if row["link_p"] is None:
        return f"Whether errors follow the distance could not be tested: {row['reason']}."
    figures = f"z = {numbers.signed(row['link_z'])}, p {_with_sign(row['link_p'])}"
    if row["link_p"] <= result["alpha"]:
        return (
            f"Rows farther away fare worse than their scores explain ({figures}), but "
            "that the group is covered less than its reference is not shown."
        )
    return (
        f"Among rows of {row['group']} with the same score, those that lie farther from "
        f"{row['reference']} are not shown to fare worse ({figures}). The features differ; "
        "that the model errs because of it is not shown. A gap may as well come from harder "
        "cases, from labels, from acquisition or from the threshold."
    )


def _clusters(section: str, result: Plain) -> TableView | None:
    rows = result["clusters"]
    if not rows:
        return None
    found = [row for row in rows if row["confirmed"] is not None]
    left = _regions(len(rows) - len(found))
    return TableView(
        key="clusters",
        caption=(
            "Regions with more errors. Found on half of the units, counted on the other half: "
            f"error rate in the region with {coverage(result)} interval and outside it, one-sided "
            "p, Holm over the regions found. Only a confirmed one is more than a search result."
        ),
        columns=[
            GROUP,
            Column("cluster", "Region", "count"),
            UNITS,
            Column("error_rate", "Error rate", "percent_estimate"),
            Column("error_rate_elsewhere", "Elsewhere", "percent"),
            Column("p_text", "p, adjusted"),
            Column("confirmed_word", "Confirmed"),
            Column("describing", "Marked by"),
        ],
        rows=[_cluster(row, result) for row in rows],
        print_rows=[_cluster(row, result) for row in found] if found != rows else None,
        csv=file_name(section, "clusters"),
        note=f"The print leaves out {left} in which no more errors were found." if left else "",
        wide=True,
    )


def _regions(k: int) -> str:
    """Return "1 region" or "3 regions", and "" for none."""
    return f"{k} region{'' if k == 1 else 's'}" if k else ""


def _cluster(row: Plain, result: Plain) -> Plain:
    word = "not found" if row["confirmed"] is None else numbers.yes_no(row["confirmed"])
    p = p_value(row["p_adjusted"])
    return {**scored(row, result), "confirmed_word": word, "p_text": p}


def _with_sign(p: float) -> str:
    """Return "= 0.66" or "< 0.001"."""
    text = p_value(p)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"

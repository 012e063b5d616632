"""The table of all checks of an integrity section, the gravest first."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.render import numbers
from reportgen.render.pages.integrity_words import k_of_n, methods_of
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

MOST_ROWS = 60
COUNTS_OF = {"INT-005": "confirmed", "INT-025": "agree"}
"""Checks whose count is not of what was looked for, and what it is of."""
NO_BREAK_SPACE = "\u00a0"
GRADES = ("critical", "major", "minor", "info")
STATUSES = ("found", "not testable", "not found")


def made_from(section: Plain) -> list[TableView]:
    """Return the table of checks, none where nothing was asked for."""
    records = section["result"]["records"]
    if not records:
        return []
    rows = [_written(record) for record in sorted(records, key=_gravity)]
    columns = [
        Column("what", "Looked for"),
        Column("status_text", "Status"),
        Column("grade_text", "Grade"),
        Column("counts", "Count"),
        Column("share_text", "Share"),
    ]
    kinds = {row["analysis"] for row in rows}
    if len(kinds) > 1:
        columns.append(Column("analysis", "Analysis"))
    telling = [row for row in rows if row["status"] != "not found"][:MOST_ROWS]
    many = len(rows) > MOST_ROWS
    parts = [
        methods_of([record["share"] for record in records]),
        "“At least”: the search cannot see every case." if _any_bound(records) else "",
        "Confirmatory: fixed by the pinned plan before the run; all else is exploratory."
        if len(kinds) > 1
        else f"All checks are {', '.join(kinds)}.",
        f"The PDF leaves out {numbers.count(len(rows) - len(telling))} of "
        f"{numbers.count(len(rows))} checks, those that found nothing last."
        if many
        else "",
        f"To make these figures again, in the manifest's folder: {records[0]['command']}; the "
        "dossier's manifest.yaml is its copy.",
    ]
    checks = [
        TableView(
            key="records",
            caption=(
                "Every check and what came of it. Graded by rule: critical where what is shown or "
                "decided is wrong, major where a reported figure moves by more than its own "
                "uncertainty or independence is broken, minor below that."
            ),
            columns=columns,
            rows=rows,
            print_rows=telling if many else None,
            csv=file_name(section["id"], "records"),
            note=" ".join(filter(None, parts)),
        )
    ]
    return checks + _remedies(section["id"], rows)


def _remedies(name: str, rows: Sequence[Plain]) -> list[TableView]:
    """Return what the found checks touch and what mends them, alike ones once."""
    told = dict.fromkeys(
        (row["affected_claim"], row["remedy"])
        for row in rows
        if row["status"] == "found" and row["remedy"]
    )
    found = [
        {
            "what": "; ".join(
                row["what"] for row in rows if (row["affected_claim"], row["remedy"]) == one
            ),
            "affected_claim": one[0] or "–",
            "remedy": one[1],
        }
        for one in told
    ]
    if not found:
        return []
    return [
        TableView(
            key="remedies",
            caption="What the findings touch, and what mends it.",
            columns=[
                Column("what", "Found"),
                Column("affected_claim", "Affected"),
                Column("remedy", "Remedy"),
            ],
            rows=found,
            csv=file_name(name, "records"),
        )
    ]


def _any_bound(records: Sequence[Plain]) -> bool:
    return any(record["lower_bound"] for record in records)


def _gravity(record: Plain) -> tuple[int, int]:
    grade = GRADES.index(record["grade"]) if record["grade"] in GRADES else len(GRADES)
    return grade, STATUSES.index(record["status"])


def _written(record: Plain) -> Plain:
    share = record["share"]
    known = share is not None and share.get("estimate") is not None
    counts = k_of_n(record)
    if counts and record["lower_bound"] and record["k"]:
        counts = f"at least {counts}"
    if counts and record["code"] in COUNTS_OF:
        counts += f" {COUNTS_OF[record['code']]}"
    return {
        **record,
        "status_text": record["status"].replace(" ", NO_BREAK_SPACE),
        "grade_text": record["grade"] or "–",
        "counts": counts or "–",
        "share_text": numbers.percent_estimate(share) if known else "–",
    }

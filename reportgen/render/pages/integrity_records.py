"""The table of all checks of an integrity section, the gravest first."""

from __future__ import annotations

from reportgen.render import numbers
from reportgen.render.pages.integrity_words import CHECKS, k_of_n, methods_of
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

GRADES = ("critical", "major", "minor", "info")
STATUSES = ("found", "not testable", "not found")


def made_from(section: Plain) -> list[TableView]:
    """Return the table of checks, none where nothing was asked for."""
    records = section["result"]["records"]
    if not records:
        return []
    rows = [_written(record) for record in sorted(records, key=_gravity)]
    methods = methods_of([record["share"] for record in records])
    return [
        TableView(
            key="records",
            caption=(
                "Every check and what came of it. Graded by rule: critical where what is shown or "
                "decided is wrong, major where a reported figure moves by more than its own "
                "uncertainty or independence is broken, minor below that."
            ),
            columns=[
                Column("what", "Looked for"),
                Column("status", "Status"),
                Column("grade", "Grade"),
                Column("counts", "Count"),
                Column("share_text", "Share"),
                Column("analysis", "Analysis"),
            ],
            rows=rows,
            csv=file_name(section["id"], "records"),
            note=(
                f"{methods} “At least”: the search cannot see every case. Confirmatory: fixed by "
                "the pinned plan before the run; all else is exploratory."
            ).strip(),
        )
    ]


def _gravity(record: Plain) -> tuple[int, int]:
    grade = GRADES.index(record["grade"]) if record["grade"] in GRADES else len(GRADES)
    return grade, STATUSES.index(record["status"])


def _written(record: Plain) -> Plain:
    share = record["share"]
    known = share is not None and share.get("estimate") is not None
    return {
        **record,
        "what": f"{CHECKS.get(record['check'], record['check'])}: {record['what']}",
        "grade": record["grade"] or "–",
        "counts": ("at least " if record["lower_bound"] else "") + k_of_n(record) or "–",
        "share_text": numbers.percent_estimate(share) if known else "–",
    }

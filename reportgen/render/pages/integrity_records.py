"""The table of all checks of an integrity section, the gravest first."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.integrity_words import BOUND, k_of_n, methods_of
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import clauses, sentences

MOST_ROWS = 60
COUNTS_OF = {"INT-005": mark("{counts} confirmed"), "INT-025": mark("{counts} agree")}
"""Checks whose count is not of what was looked for, and what it is of."""
NO_BREAK_SPACE = "\u00a0"
GRADES = (mark("critical"), mark("major"), mark("minor"), mark("info"))
STATUSES = (mark("found"), mark("not testable"), mark("not found"))
ANALYSES = {
    mark("exploratory"): mark("All checks are exploratory."),
    mark("confirmatory"): mark("All checks are confirmatory."),
}


def made_from(section: Plain) -> list[TableView]:
    """Return the table of checks, none where nothing was asked for."""
    records = section["result"]["records"]
    if not records:
        return []
    rows = [_written(record) for record in sorted(records, key=_gravity)]
    columns = [
        Column("what", _("Looked for")),
        Column("status_text", _("Status")),
        Column("grade_text", _("Grade")),
        Column("counts", _("Count")),
        Column("share_text", _("Share")),
    ]
    kinds = {row["analysis"] for row in rows}
    if len(kinds) > 1:
        columns.append(Column("analysis_text", _("Analysis")))
    telling = [row for row in rows if row["status"] != "not found"][:MOST_ROWS]
    many = len(rows) > MOST_ROWS
    parts = [
        methods_of(records, "share"),
        _("“At least”: the search cannot see every case.") if _any_bound(records) else "",
        _("Confirmatory: fixed by the pinned plan before the run; all else is exploratory.")
        if len(kinds) > 1
        else _(ANALYSES[min(kinds)]),
        _left_out(len(rows) - len(telling), len(rows)) if many else "",
        _(
            "To make these figures again, in the manifest's folder: {command}; the dossier's"
            " manifest.yaml is its copy."
        ).format(command=records[0]["command"]),
    ]
    checks = [
        TableView(
            key="records",
            caption=_(
                "Every check and what came of it. Graded by rule: critical where what is shown or"
                " decided is wrong, major where a reported figure moves by more than its own"
                " uncertainty or independence is broken, minor below that."
            ),
            columns=columns,
            rows=rows,
            print_rows=telling if many else None,
            csv=file_name(section["id"], "records"),
            note=sentences(parts),
        )
    ]
    return checks + _remedies(section["id"], rows)


def _left_out(gone: int, total: int) -> str:
    text = _("The PDF leaves out {gone} of {total} checks, those that found nothing last.")
    return text.format(gone=numbers.count(gone), total=numbers.count(total))


def _remedies(name: str, rows: Sequence[Plain]) -> list[TableView]:
    """Return what the found checks touch and what mends them, alike ones once."""
    told = dict.fromkeys(
        (row["affected_claim"], row["remedy"])
        for row in rows
        if row["status"] == "found" and row["remedy"]
    )
    found = [
        {
            "what": clauses(
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
            caption=_("What the findings touch, and what mends it."),
            columns=[
                Column("what", _("Found")),
                Column("affected_claim", _("Affected")),
                Column("remedy", _("Remedy")),
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
        counts = _(BOUND).format(counts=counts)
    if counts and record["code"] in COUNTS_OF:
        counts = _(COUNTS_OF[record["code"]]).format(counts=counts)
    return {
        **record,
        "status_text": _(record["status"]).replace(" ", NO_BREAK_SPACE),
        "grade_text": _(record["grade"]) if record["grade"] else "–",
        "analysis_text": _(record["analysis"]),
        "counts": counts or "–",
        "share_text": numbers.percent_estimate(share) if known else "–",
    }

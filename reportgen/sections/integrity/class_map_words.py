"""The names that a class map and its copies show wrongly, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen.language import _
from reportgen.sections.integrity.class_map_rows import ModelNames
from reportgen.sections.integrity.records import Facts, written_share
from reportgen.sections.integrity.result_use import CopyRow, MapRow
from reportgen.wording import clauses, quoted

CHECK = "class_map"


def wrongly_named(names: ModelNames, wrong: Sequence[MapRow], known: int) -> str:
    """Return how many classes are shown under a wrong name, whose names they are, and which."""
    if names.origin == "class map":
        text = _("{share} classes are shown under a wrong name.")
        if wrong:
            text = _("{share} classes are shown under a wrong name: {names}.")
    else:
        text = _("{share} classes are shown under a wrong name (as {source} has them).")
        if wrong:
            text = _(
                "{share} classes are shown under a wrong name (as {source} has them): {names}."
            )
    return text.format(
        share=written_share(len(wrong), known), source=quoted(names.origin), names=shown_as(wrong)
    )


def shown_as(rows: Sequence[MapRow]) -> str:
    """Return classes with the names they are shown under."""
    text = _("{name} as {shown}")
    return clauses(
        text.format(name=quoted(row.model or ""), shown=quoted(row.shown)) for row in rows
    )


def copy_facts(copies: Sequence[CopyRow]) -> Facts:
    """Return what was found of the deployed copies."""
    base = Facts("INT-079", CHECK, "display", _("Copies of the class map"), "")
    known = [row for row in copies if row.affected is not None]
    if not known:
        reason = _("the right names are not known") if copies else _("no other copy was named")
        return replace(base, statement=reason, status="not testable")
    hit = [row for row in known if row.affected]
    said = _("{share} copies checked carry wrong names.")
    said = said.format(share=written_share(len(hit), len(known)))
    facts = replace(base, statement=said, k=len(hit), n=len(known), interval=False)
    if not hit:
        return facts
    return replace(
        facts,
        status="found",
        grade="critical",
        evidence=[_copy_told(row) for row in hit],
        remedy=_("correct each copy and compare its digest afterwards"),
    )


def _copy_told(row: CopyRow) -> str:
    text = _("{name}: {wrong} of {n} wrong, sha256 {digest}")
    if row.same_file:
        text = _("{name}: {wrong} of {n} wrong, sha256 {digest}, the same file")
    return text.format(name=row.copy, wrong=row.wrong, n=row.classes, digest=row.digest[:12])

"""The findings of two dossiers, each beside its counterpart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

from reportgen.comparison.shape import FindingChange
from reportgen.result import SEVERITIES

Plain = Mapping[str, Any]
SECTION = "comparison"
"""Where findings stand that a comparison made itself; they are compared with nothing."""
_VERDICT = re.compile(r"(?P<about>.+)[:\uff1a]\s*(?:(?P<more>[^:\uff1a]*)[,\uff0c])?[^:\uff1a]*")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def own_findings(data: Plain) -> list[Plain]:
    """Return the findings of a dossier without those of a comparison that it holds."""
    return [one for one in data["findings"] if one["section"] != SECTION]


def finding_changes(old: Plain, new: Plain) -> list[FindingChange]:
    """Return every finding of two dossiers, in the order of the newer one, then what it lacks.

    Findings meet within their section and code: by their title, which names what they are about (a
    group, a score, a split); then by their title without its figures together with the texts of
    their evidence. One verdict that took the place of another one, under another code, meets it by
    what the title says before the verdict, if no other finding left says that; or says it in these
    words in another order, as where a group and its reference have changed places. In dossiers of
    two languages, findings of one code meet by their order.

    Parameters
    ----------
    old, new : mapping
        results.json.
    """
    before, after = own_findings(old), own_findings(new)
    partner = _partners(before, after, other_language=_language(old) != _language(new))
    found = [_change(partner.get(at), one) for at, one in enumerate(after)]
    met = {id(one) for one in partner.values()}
    return found + [_change(one, None) for one in before if id(one) not in met]


def _language(data: Plain) -> str:
    return str(data["dossier"]["language"])


def _partners(
    before: Sequence[Plain], after: Sequence[Plain], *, other_language: bool
) -> dict[int, Plain]:
    """Return the older counterpart of each newer finding that has one, by the newer one's place."""
    rules: list[Callable[[Plain], Hashable]] = [_by_title, _by_content]
    if other_language:
        rules.append(_by_code)
    free = list(before)
    partner: dict[int, Plain] = {}
    for rule in rules:
        for at, one in enumerate(after):
            if at in partner:
                continue
            met = next((other for other in free if rule(other) == rule(one)), None)
            if met is not None:
                partner[at] = met
                free = [other for other in free if other is not met]
    for subject in (_subject, _words):
        left = {at: one for at, one in enumerate(after) if at not in partner}
        partner |= _by_subject(free, left, subject)
        met_now = {id(one) for one in partner.values()}
        free = [one for one in free if id(one) not in met_now]
    return partner


def _by_subject(
    before: Sequence[Plain],
    after: Mapping[int, Plain],
    subject: Callable[[Plain], tuple[str, ...] | None],
) -> dict[int, Plain]:
    """Return the counterparts of findings that alone, on either side, are about their subject."""
    first, second = (Counter(map(subject, some)) for some in (before, after.values()))
    alone = {one for one in first if one and first[one] == second[one] == 1}
    met = {subject(one): one for one in before}
    return {at: met[subject(one)] for at, one in after.items() if subject(one) in alone}


def _subject(finding: Plain) -> tuple[str, ...] | None:
    """Return section and title before the verdict: "sex: F against M", "model: parity gap".

    None where the title does not say a verdict of something.
    """
    found = _VERDICT.fullmatch(finding["title"])
    return None if found is None else (finding["section"], found["about"], found["more"] or "")


def _words(finding: Plain) -> tuple[str, ...] | None:
    """Return section and the words before the verdict, sorted: "F", "M", "against", "sex"."""
    subject = _subject(finding)
    return None if subject is None else (subject[0], *sorted(" ".join(subject[1:]).split()))


def _by_code(finding: Plain) -> Hashable:
    return finding["section"], finding["code"]


def _by_title(finding: Plain) -> Hashable:
    return _by_code(finding), finding["title"]


def _by_content(finding: Plain) -> Hashable:
    """Return title and evidence without figures; a title that names levels keeps them."""
    texts = tuple((name, one) for name, one in finding["evidence"].items() if isinstance(one, str))
    title = finding["title"]
    return _by_code(finding), title if ":" in title else _FIGURE.sub("#", title), texts


def _change(old: Plain | None, new: Plain | None) -> FindingChange:
    held = new or old
    if held is None:
        raise ValueError("a finding of neither dossier")
    return FindingChange(
        section=held["section"],
        code=held["code"],
        title=held["title"],
        old=None if old is None else old["severity"],
        new=None if new is None else new["severity"],
        change=_transition(old, new),
        old_statement=None if old is None else old["statement"],
        new_statement=None if new is None else new["statement"],
    )


def _transition(
    old: Plain | None, new: Plain | None
) -> Literal["new", "gone", "worse", "better", "same"]:
    if old is None or new is None:
        return "new" if old is None else "gone"
    before, after = (SEVERITIES.index(one["severity"]) for one in (old, new))
    if before == after:
        return "same"
    return "worse" if after < before else "better"

"""Where a statement or a title of a prevalence section holds."""

from __future__ import annotations

from reportgen.language import _
from reportgen.wording import typed


def titled(title: str, threshold: float | None) -> str:
    """Return the title of a finding about one threshold, so that no two titles are alike."""
    if threshold is None:
        return title
    return _("{title}, threshold {threshold}").format(title=title, threshold=typed(threshold))


def at(threshold: float | None, statement: str) -> str:
    """Return a statement with where it holds before it: at a threshold, or as published."""
    if threshold is None:
        return _("As published {statement}").format(statement=statement)
    text = _("At threshold {threshold} {statement}")
    return text.format(threshold=typed(threshold), statement=statement)

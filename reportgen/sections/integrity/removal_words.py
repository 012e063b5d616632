"""Texts of the statistics of a removal, in the language of the dossier."""

from __future__ import annotations

import re

from reportgen.language import _, mark

INTERVAL = mark("cluster bootstrap, percentile, expanded for few clusters")
REASONS = (
    mark("no box on one of the two sides: the difference is not defined"),
    mark("the change is not defined"),
    mark("undefined in too many control removals"),
    mark("every control removal makes the same change"),
)
"""What :mod:`reportgen.stats.detection` says where there is no interval or no p."""
FEW_CLUSTERS = mark(
    "removed images of {removed} clusters and other images of {others} hold boxes that it rests on;"
    " an interval needs {few} on each side"
)
_FEW = re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>\\d+)", re.escape(FEW_CLUSTERS)))


def reason_told(reason: str) -> str:
    """Return a reason of the statistics in the language of the dossier."""
    few = _FEW.fullmatch(reason)
    return _(FEW_CLUSTERS).format(**few.groupdict()) if few else _(reason)

"""Texts of the statistics of a removal, in the language of the dossier."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.told import teller

INTERVAL = mark("cluster bootstrap, percentile, expanded for few clusters")
REASONS = (
    mark("no box on one of the two sides: the difference is not defined"),
    mark("the change is not defined"),
    mark("undefined in too many control removals"),
    mark("every control removal makes the same change"),
    mark(
        "removed images of {removed} clusters and other images of {others} hold boxes that it "
        "rests on; an interval needs {few} on each side"
    ),
)
"""What :mod:`reportgen.stats.detection` says where there is no interval or no p."""
reason_told = teller(REASONS)

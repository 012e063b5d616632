"""Two dossiers side by side: changes of the decision, the findings, the figures, the inputs."""

from __future__ import annotations

from reportgen.comparison.compared import compared, decision_of
from reportgen.comparison.figures import Held, Match, matched
from reportgen.comparison.findings import SECTION
from reportgen.comparison.lists import BASE
from reportgen.comparison.outcome import CODES, comparison_findings, no_base
from reportgen.comparison.shape import (
    SCHEMA,
    Comparison,
    DecisionChange,
    FigureChange,
    FindingChange,
    InputChange,
    ManifestChange,
    ModelNamed,
    PackageChange,
    Pairing,
    Regression,
    Side,
)

__all__ = [
    "BASE",
    "CODES",
    "SCHEMA",
    "SECTION",
    "Comparison",
    "DecisionChange",
    "FigureChange",
    "FindingChange",
    "Held",
    "InputChange",
    "ManifestChange",
    "Match",
    "ModelNamed",
    "PackageChange",
    "Pairing",
    "Regression",
    "Side",
    "compared",
    "comparison_findings",
    "decision_of",
    "matched",
    "no_base",
]

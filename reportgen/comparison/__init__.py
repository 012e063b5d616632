"""Two dossiers side by side: changes of the decision, the findings, the figures, the inputs."""

from __future__ import annotations

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
    "SCHEMA",
    "Comparison",
    "DecisionChange",
    "FigureChange",
    "FindingChange",
    "InputChange",
    "ManifestChange",
    "ModelNamed",
    "PackageChange",
    "Pairing",
    "Regression",
    "Side",
]

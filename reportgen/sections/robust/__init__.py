"""Robust fairness: how far a gap between groups can be driven by allowed moves of the features."""

from __future__ import annotations

from reportgen.sections.robust.result import RobustResult
from reportgen.sections.robust.settings import RobustSettings

__all__ = ["RobustResult", "RobustSettings"]

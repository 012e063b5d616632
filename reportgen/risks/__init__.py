"""The risk list: of every section, what a figure is as it stands, at worst, and where it gives."""

from __future__ import annotations

from reportgen.risks.listing import risks
from reportgen.risks.row import Risk

__all__ = ["Risk", "risks"]

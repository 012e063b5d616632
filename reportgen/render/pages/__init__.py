"""Figures and tables of each kind of section: one module a kind."""

from __future__ import annotations

from reportgen.render.pages import comparison, dca, frame, integrity, prevalence, robust

PAGES = {
    "comparison": comparison,
    "dca": dca,
    "frame": frame,
    "integrity": integrity,
    "prevalence": prevalence,
    "robust": robust,
}

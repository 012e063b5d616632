"""Figures and tables of each kind of section: one module a kind."""

from __future__ import annotations

from importlib import import_module
from typing import Any

KINDS = ("comparison", "dca", "frame", "integrity", "prevalence", "robust")


def pages_of(kind: str) -> Any:
    """Return the module that makes the figures and tables of a kind of section.

    It is loaded when a dossier holds such a section: that of a comparison loads much with it.
    """
    if kind not in KINDS:
        raise KeyError(kind)
    return import_module(f"{__name__}.{kind}")

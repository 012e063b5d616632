"""Class names as they are compared: capitals, spaces, hyphens and underscores aside."""

from __future__ import annotations

import re


def plain_name(name: str) -> str:
    """Return a class name without capitals, and with one space for spaces, hyphens, underscores."""
    return " ".join(re.split(r"[\s_\-]+", name.strip().casefold()))

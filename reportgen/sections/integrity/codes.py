"""Every finding that an integrity section can make."""

from __future__ import annotations

from reportgen.section import Code

CODES: tuple[Code, ...] = ()

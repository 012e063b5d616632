"""A dossier as one file: written so that equal dossiers give equal bytes, read without trust."""

from __future__ import annotations

from reportgen.archiving.packing import Archived, archive, pack
from reportgen.archiving.unpacking import opened

__all__ = ["Archived", "archive", "opened", "pack"]

"""A file that travels in the PDF, and what each file of a dossier is to its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

Relationship = Literal["Data", "Source", "Supplement"]


@dataclass(frozen=True)
class Attachment:
    """A file that goes into the PDF.

    Attributes
    ----------
    name : str
        Of the file, without a folder.
    content : bytes
        What it holds.
    description : str
        What it is, in words.
    mime : str
        Its media type.
    relationship : {"Data", "Source", "Supplement"}
        What it is to the pages (ISO 19005-3, annex E).
    """

    name: str
    content: bytes
    description: str
    mime: str
    relationship: Relationship


Told = tuple[str, str, Relationship]
_RESULTS: Told = ("application/json", "Every result of the run, as computed", "Data")
_COMPARISON: Told = ("application/json", "Every difference, as computed", "Data")
_MANIFEST: Told = ("application/yaml", "The run manifest, as read", "Source")
_LEDGER: Told = ("application/json", "Who approved the dossier, in which role, when", "Supplement")
_TABLE: Told = ("text/csv", "A table of the dossier with every row and column", "Data")


def attachments_of(files: Mapping[str, bytes]) -> Iterator[Attachment]:
    """Yield those of a dossier's files that an archive keeps in the PDF: the data behind it.

    Parameters
    ----------
    files : mapping of text to bytes
        By their names in the dossier's folder.
    """
    for name, content in sorted(files.items()):
        told = _told(name)
        if told is not None:
            mime, description, relationship = told
            yield Attachment(name.split("/")[-1], content, description, mime, relationship)


def _told(name: str) -> Told | None:
    if name.startswith("tables/"):
        return _TABLE
    told = {
        "results.json": _RESULTS,
        "comparison.json": _COMPARISON,
        "manifest.yaml": _MANIFEST,
        "approvals.json": _LEDGER,
    }
    return told.get(name)

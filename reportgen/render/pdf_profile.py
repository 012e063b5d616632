"""What kinds of PDF a dossier can be, and what each promises to its reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """A kind of PDF.

    Attributes
    ----------
    name : str
        As the user says it.
    part : int
        Of ISO 19005 that the file declares: 2 or 3.
    attached : bool
        Whether results, manifest and tables are embedded.
    linearised : bool
        Whether the first page can be shown before the rest has arrived.
    """

    name: str
    part: int
    attached: bool
    linearised: bool

    @property
    def variant(self) -> str:
        """The name by which WeasyPrint knows it."""
        return f"pdf/a-{self.part}a"

    @property
    def standards(self) -> str:
        """What the file declares, in words."""
        return f"PDF/A-{self.part}a and PDF/UA-1"


PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        # An archive keeps the source data with the page (ISO 19005-3).
        Profile("archive", part=3, attached=True, linearised=False),
        # FDA's PDF specification: PDF/A-1 or -2, no attachment, optimised for fast web view.
        Profile("submission", part=2, attached=False, linearised=True),
    )
}

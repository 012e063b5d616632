"""What this machine has and lacks for dossiers, and the line that installs it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata

import reportgen
from reportgen.errors import MissingSoftwareError, RequestError
from reportgen.release.environment import NATIVE, install_line, package_versions
from reportgen.release.fingerprint import dossier_date

EPOCH = "SOURCE_DATE_EPOCH"


@dataclass(frozen=True)
class Check:
    """One thing that a dossier may need.

    Attributes
    ----------
    name : str
        What was looked for.
    found : str or None
        Its version or state; None if it is missing or unusable.
    mend : str
        What to do where it is missing.
    needed : bool
        Whether HTML and PDF cannot be made without it.
    detail : bool
        Whether it is told only to those who want all of it.
    """

    name: str
    found: str | None
    mend: str
    needed: bool = True
    detail: bool = False

    def line(self) -> str:
        """Return the check as a line of a table."""
        state = self.found or f"missing: {self.mend}"
        return f"{'ok' if self.found else '--'}  {self.name:<22} {state}"


def examine(environ: Mapping[str, str] = os.environ) -> list[Check]:
    """Return every check of this machine, in the order in which they are printed."""
    return [
        Check("reportgen", reportgen.__version__, ""),
        Check("python", f"{platform.python_version()}, {platform.system()}", ""),
        *_native(),
        *_fonts(),
        *_packages(),
        _seals(),
        _epoch(environ),
    ]


def _native() -> Iterator[Check]:
    for library in NATIVE:
        without = "" if library.required else " (without it PDFs are slower and other in bytes)"
        mend = install_line() + without
        yield Check(library.name, library.found(), mend, needed=library.required)


def _fonts() -> Iterator[Check]:
    from reportgen.render.fonts import INSTALL as FONTS
    from reportgen.render.fonts import STYLES, font_file
    from reportgen.render.other_scripts import INSTALL, package_font

    for style in STYLES:
        try:
            found = font_file(style).name
        except MissingSoftwareError:
            found = None
        yield Check(f"font, {style}", found, FONTS)
    chinese = package_font()
    mend = f"{INSTALL} (only for dossiers with Chinese, Japanese or Korean text)"
    yield Check("font, Chinese", chinese.name if chinese else None, mend, needed=False)


def _packages() -> Iterator[Check]:
    """Yield the direct dependencies, then everything else they bring."""
    versions = package_versions()
    direct = [need for need in metadata.requires("reportgen") or [] if "extra ==" not in need]
    for need in direct:
        name = need.split(";")[0].strip()
        bare = "".join(c if c.isalnum() or c in "-._" else " " for c in name).split()[0].lower()
        yield Check(bare, versions.pop(bare.replace(".", "-"), None), f"pip install '{name}'")
    for name, version in versions.items():
        yield Check(name, version, "", detail=True)


def _seals() -> Check:
    """Return whether dossiers can be sealed here; approvals alone need nothing more."""
    found = None
    with suppress(metadata.PackageNotFoundError):
        found = metadata.version("pyhanko")
    mend = 'pip install "reportgen[sign]" (only for seals and detached signatures)'
    return Check("pyhanko, for seals", found, mend, needed=False, detail=True)


def _epoch(environ: Mapping[str, str]) -> Check:
    try:
        day = dossier_date(None, environ)
    except RequestError as error:
        return Check(EPOCH, None, error.faults[0].mend)
    state = f"dossiers without a date are dated {day}" if environ.get(EPOCH) else "not set"
    return Check(EPOCH, state, "", needed=False)

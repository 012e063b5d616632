"""The software that a dossier was made with, against the software here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from reportgen.release.environment import environment, package_versions

PAGE_MAKERS = ("altair", "babel", "brotli", "fonttools", "jinja2", "vl-convert-python")
"""Packages that make HTML, tables and figures; what they bring with them counts too."""
PDF_MAKERS = ("pikepdf", "weasyprint")
"""Packages that make the PDF beside those, with every library of the system."""


@lru_cache(maxsize=1)
def _here() -> dict[str, Any]:
    return environment()


@lru_cache(maxsize=2)
def _makers(*, pdf: bool) -> frozenset[str]:
    roots = (*PAGE_MAKERS, *(PDF_MAKERS if pdf else ()))
    return frozenset(roots).union(*(package_versions(root) for root in roots))


def other_software(recorded: Mapping[str, Any], *, pdf: bool) -> str:
    """Return in which versions the makers of pages differ here; an empty text if in none.

    Parameters
    ----------
    recorded : mapping
        ``environment`` of results.json.
    pdf : bool
        Whether the PDF is meant, which depends on more.

    Returns
    -------
    str
        Such as "weasyprint 70.0 (here 71.0), pango 1.50.12 (here none)".
    """
    return ", ".join(_differing(recorded, pdf=pdf))


def other_makers(recorded: Mapping[str, Any], *packages: str) -> str:
    """Return in which versions reportgen, Python and `packages` differ here, as other_software."""
    here, there = _here(), recorded.get("packages", {})
    told = [line for name in ("reportgen", "python") for line in _told(name, recorded, here)]
    told += [line for name in packages for line in _told(name, there, here["packages"])]
    return ", ".join(told)


def _differing(recorded: Mapping[str, Any], *, pdf: bool) -> Iterator[str]:
    here = _here()
    for name in ("reportgen", "python", *(("platform",) if pdf else ())):
        yield from _told(name, recorded, here)
    # A package that is recorded and no maker's is a font for other scripts, or moves no page.
    packages = recorded.get("packages", {})
    for name in sorted({*_makers(pdf=pdf)} & {*packages, *here["packages"]}):
        yield from _told(name, packages, here["packages"])
    system = recorded.get("system", {})
    for name in sorted({*system, *here["system"]}) if pdf else ["zlib"]:
        yield from _told(name, system, here["system"])


def _told(name: str, recorded: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[str]:
    if recorded.get(name) != here.get(name):
        yield f"{name} {recorded.get(name) or 'none'} (here {here.get(name) or 'none'})"

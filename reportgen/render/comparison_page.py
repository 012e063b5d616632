"""The page of a comparison: two dossiers side by side, on the screen and for the PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen import __version__
from reportgen.language import _, use
from reportgen.render.html import Pages, both_media, printable
from reportgen.render.other_scripts import offering
from reportgen.render.parts import comparison_parts
from reportgen.render.tables import csv_files
from reportgen.render.view import Plain
from reportgen.wording import day

TEMPLATE = "comparison.html.j2"
ARROW = " → "


def render_comparison(
    comparison: Plain, dossier: Plain, *, digest: str, fonts: Sequence[Path] = ()
) -> Pages:
    """Return the pages, figures and tables of a comparison.

    Parameters
    ----------
    comparison : mapping
        Plain data of ``reportgen/comparison/1``.
    dossier : mapping
        ``dossier`` of the newer one's results.json: its language and paper are those of the page.
    digest : str
        SHA-256 of comparison.json, which the pages show.
    fonts : sequence of Path
        Font files for characters that the dossier's font lacks.

    Raises
    ------
    ReportgenError
        If no font can draw a character.
    """
    with use(dossier["language"]), offering(fonts):
        return _rendered(printable(comparison), printable(dossier), digest)


def _rendered(comparison: Plain, dossier: Plain, digest: str) -> Pages:
    parts = comparison_parts(comparison)
    part = parts[0]
    figures, tables = (part.figures or {}).values(), (part.tables or {}).values()
    cover = _cover(comparison, dossier, digest)
    html, print_html = both_media(
        TEMPLATE,
        {
            "dossier": cover,
            "window_title": cover["description"],
            "parts": parts,
            "assessed": parts[:1],
            "all_figures": list(figures),
            "all_tables": list(tables),
            "contents_after": None,
            "signed": None,
            "version": __version__,
        },
    )
    return Pages(
        html=html,
        print_html=print_html,
        figures={figure.file: str(figure.svg) for figure in figures},
        tables=csv_files(part.section or {}),
    )


def _cover(comparison: Plain, dossier: Plain, digest: str) -> Mapping[str, Any]:
    """Return what the page says of itself, in the form in which a dossier does."""
    old, new = comparison["old"], comparison["new"]
    model, version = between(old, new)
    titled = _("What changed: {model} {version}").format(model=model, version=version)
    standing = _("Revision {old} of {old_day}, revision {new} of {new_day}")
    return {
        "title": _("What changed"),
        "description": titled,
        "standing": standing.format(
            old=old["revision"],
            old_day=day(old["date"]),
            new=new["revision"],
            new_day=day(new["date"]),
        ),
        "running": _("revision {old} and revision {new}").format(
            old=old["revision"], new=new["revision"]
        ),
        "language": dossier["language"],
        "paper": dossier.get("paper"),
        "date": new["date"],
        "model": {"name": model, "version": version},
        "digest": digest,
    }


def between(old: Plain, new: Plain) -> tuple[str, str]:
    """Return the model and the versions of two dossiers: "triage", "1.4.0 → 1.5.0"."""
    before, after = old["model"], new["model"]
    if before["name"] == after["name"]:
        return after["name"], ARROW.join(dict.fromkeys((before["version"], after["version"])))
    return f"{before['name']} {before['version']}{ARROW}{after['name']}", after["version"]

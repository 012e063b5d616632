"""The pages: a pure function of results.json, the templates, the styles and this version.

:func:`render_pages` makes the page for the screen (one file that fetches nothing and runs nothing),
the page that the PDF is laid out from, the figures and the tables. Templates choose, order and
label; what they show was put beside each other here and computed long before.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from reportgen import __version__, wording
from reportgen.assets import asset
from reportgen.errors import Fault, ReportgenError
from reportgen.language import _
from reportgen.render.approvals import sign_off
from reportgen.render.crosswalks import crosswalks
from reportgen.render.evidence import Evidence
from reportgen.render.fonts import embedded_faces, linked_faces
from reportgen.render.front import front, listed_findings
from reportgen.render.glossary import glossary
from reportgen.render.labels import decoded, label
from reportgen.render.lettering import refuse_missing_fonts, text_of, with_other_scripts
from reportgen.render.numbers import FORMATS, NOTHING, evidence
from reportgen.render.other_scripts import offering
from reportgen.render.page_words import page_words
from reportgen.render.pages import data_received
from reportgen.render.parts import CONTENTS_AFTER, numbered_parts
from reportgen.render.pdf_profile import PROFILES, Profile
from reportgen.render.risk_list import PRINTED, risk_list
from reportgen.render.tables import csv_files
from reportgen.render.translation import in_its_language, install
from reportgen.render.view import Plain

Medium = Literal["screen", "print"]
STYLES: Mapping[Medium, tuple[str, ...]] = {
    "screen": ("tokens.css", "tables.css", "screen.css"),
    "print": ("tokens.css", "tables.css", "page.css"),
}
FONTS_HERE = "/* fonts */"
LONGEST_TITLE = 70
"""Characters of a window's title that a browser has room for."""
DEEP = 2
"""Points in the key of settings that stand together in one line: ``perturbation.features.bmi``."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'("[^"]*")')
_AROUND = re.compile(r"\s*([{};>])\s*|(?<=:)\s+|(?<=,)\n\s*")
_INDENT = re.compile(r"\n[ \n]+")
_OPTIONAL = re.compile(
    r"</(?:t[dhr]|tbody|thead|li)>(?=\s*(?:<(?:t[dhr]|tbody|li)\b|</(?:tr|t[abh]|ul|ol)))"
)
"""End tags that HTML leaves out where such a tag follows; a page has thousands of them."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Pages:
    """What a dossier shows.

    Attributes
    ----------
    html : str
        The page for the screen, self-contained.
    print_html : str
        The page that the PDF is laid out from.
    figures : dict
        File name to SVG: ``dca-net-benefit.svg``.
    tables : dict
        File name to CSV: ``dca-curve.csv``.
    """

    html: str
    print_html: str
    figures: dict[str, str]
    tables: dict[str, str]


@in_its_language
def render_pages(
    results: Plain,
    pictures: Mapping[str, bytes] | None = None,
    *,
    profile: Profile = PROFILES["archive"],
    fonts: Sequence[Path] = (),
    approvals: Sequence[Plain] = (),
) -> Pages:
    """Return the pages, figures and tables of a dossier.

    Parameters
    ----------
    results : mapping
        results.json as read back.
    pictures : mapping of text to bytes, optional
        The PNG images that the results name, by their SHA-256.
    profile : Profile
        The kind of PDF that the page for print is for.
    fonts : sequence of Path
        Font files for characters that the dossier's font lacks, the first that has one draws it.
    approvals : sequence of mapping
        Those of approvals.json, for a signed copy; without any, the pages are those of the record.

    Raises
    ------
    ReportgenError
        If two sections would write the same file, or no font can draw a character.
    """
    with offering(fonts):
        return _rendered(results, pictures or {}, profile, approvals)


def _rendered(
    results: Plain,
    pictures: Mapping[str, bytes],
    profile: Profile,
    approvals: Sequence[Plain],
) -> Pages:
    results = printable(results)
    parts = tuple(numbered_parts(results, pictures))
    assessed = [part for part in parts if part.section and part.not_applicable is None]
    figures = [figure for part in parts for figure in (part.figures or {}).values()]
    tables = [table for part in parts for table in (part.tables or {}).values()]
    received = {"id": data_received.ANCHOR, "result": data_received.lists(results["inputs"])}
    listed = [received, *(part.section or {} for part in assessed)]
    csv = _unique(item for one in listed for item in csv_files(one).items())
    evidence_here = Evidence(results, parts)
    context = {
        "criteria": [],
        **results,
        "risks_on": {
            "screen": risk_list(results, parts),
            "print": risk_list(results, parts, most=PRINTED),
        },
        "glossary": glossary(evidence_here),
        "crosswalks": crosswalks(evidence_here),
        "contents_after": CONTENTS_AFTER,
        **front(results),
        "findings_on": {
            "screen": listed_findings(results, joined=True),
            "print": listed_findings(results, joined=False),
        },
        "window_title": _window_title(results["dossier"]),
        "parts": parts,
        "shown_sections": [part.section for part in parts if part.section],
        "assessed": assessed,
        "all_figures": figures,
        "all_tables": tables,
        "version": __version__,
        "profile": profile,
        "csv_count": len(csv),
        "signed": sign_off(results["dossier"], printable(approvals)) if approvals else None,
    }
    html, print_html = _lettered(_page("screen", context), _page("print", context))
    return Pages(
        html=html,
        print_html=print_html,
        figures=_unique((figure.file, str(figure.svg)) for figure in figures if figure.file),
        tables=csv,
    )


def _lettered(html: str, print_html: str) -> tuple[str, str]:
    """Return the pages with the fonts that draw every character of them and of their charts."""
    refuse_missing_fonts([html, print_html], file="dossier")
    text = text_of(html) + text_of(print_html) + page_words("print")
    return (
        with_other_scripts(html.replace(FONTS_HERE, embedded_faces(html), 1), text, "screen"),
        with_other_scripts(print_html.replace(FONTS_HERE, linked_faces(), 1), text, "print"),
    )


def printable(value: Any) -> Any:
    r"""Return plain data in which characters that no page may hold are written as ``\x07``."""
    if isinstance(value, str):
        return _UNPRINTABLE.sub(_escaped, value)
    if isinstance(value, Mapping):
        return {printable(key): printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [printable(item) for item in value]
    return value


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _unique(files: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, text in files:
        if name in found:
            raise ReportgenError(
                [Fault(name, "two sections would write this file", "give one of them another id")]
            )
        found[name] = text
    return found


def both_media(template: str, context: Mapping[str, Any]) -> tuple[str, str]:
    """Return a page for the screen and the same for print, each with its fonts."""
    return _lettered(_page("screen", context, template), _page("print", context, template))


def _page(medium: Medium, context: Mapping[str, Any], template: str = "dossier.html.j2") -> str:
    page = environment(medium).get_template(template).render(context)
    page = _INDENT.sub("\n", page)
    # User text is escaped, so what looks like a tag is one. The PDF's page is left as it is.
    return _INDENT.sub("\n", _OPTIONAL.sub("", page)) if medium == "screen" else page


def _window_title(dossier: Plain) -> str:
    """Return the title of the page for the screen: short, whose it is and which revision."""
    text = _("{title}, revision {revision}")
    whole = text.format(title=dossier["title"], revision=dossier["revision"])
    return whole if len(whole) <= LONGEST_TITLE else whole[: LONGEST_TITLE - 1].rstrip() + "…"


@functools.cache
def environment(medium: Medium) -> Environment:
    """Return the template environment of a medium: everything escaped, nothing undefined."""
    made = Environment(
        loader=FileSystemLoader(asset("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    install(made)
    made.filters.update({str(name): write for name, write in FORMATS.items()})
    made.filters.update(evidence=evidence, label=label, decoded=decoded, brief=_brief)
    made.filters.update(
        rowspan=_rowspan, software=_software, settings=_settings, coverage=_coverage
    )
    made.globals.update(medium=medium, style=_style(medium), page_words=page_words)
    return made


def _style(medium: Medium) -> Markup:
    folder = asset("styles")
    sheets = "\n".join((folder / name).read_text("utf-8") for name in STYLES[medium])
    return Markup(FONTS_HERE + "\n" + tight(sheets))  # noqa: S704 - the package's own files


def tight(css: str) -> str:
    """Return a style sheet without comments and idle white space; strings stay as they are."""
    pieces = _STRING.split(_COMMENT.sub("", css).strip())
    return "".join(
        piece if place % 2 else _AROUND.sub(lambda match: match[1] or "", piece)
        for place, piece in enumerate(pieces)
    )


def _rowspan(rows: int) -> Markup:
    """Return the attribute of a cell that heads several rows; nothing for one."""
    return Markup(' rowspan="{}"').format(rows) if rows > 1 else Markup("")


def _brief(digest: str) -> str:
    """Return the first twelve digits of a digest."""
    return digest[:12]


def _coverage(confidence: float) -> str:
    """Return the coverage of intervals: 95 %."""
    return wording.typed(100 * confidence) + wording.per_cent()


def _software(environment: Plain) -> list[tuple[str, str]]:
    """Return the versions of everything that can move a figure, reportgen and Python first."""
    first = [("reportgen", environment["reportgen"]), ("Python", environment["python"])]
    return [*first, *sorted(environment["packages"].items())]


def _settings(value: Any, key: str = "") -> list[tuple[str, str]]:
    """Return nested settings as pairs of dotted key and text: ``("thresholds.from", "0.05")``."""
    if isinstance(value, Mapping):
        # What the manifest does not set is no setting.
        said = {name: item for name, item in value.items() if item is not None}
        if key.count(".") >= DEEP and not any(map(_nested, said.values())):
            return [(key, wording.clauses(f"{name} {_typed(item)}" for name, item in said.items()))]
        return [
            pair
            for name, item in said.items()
            for pair in _settings(item, f"{key}.{name}" if key else name)
        ]
    if isinstance(value, list) and _nested(value):
        return [
            pair for place, item in enumerate(value) for pair in _settings(item, f"{key}[{place}]")
        ]
    return [(key, _typed(value))]


def _nested(value: Any) -> bool:
    """Whether a setting holds settings."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(item, Mapping) for item in value)
    )


def _typed(value: Any) -> str:
    """Return a setting as it was typed: a number keeps its digits."""
    if isinstance(value, list):
        joined = (
            wording.clauses if any(isinstance(item, list) for item in value) else wording.separated
        )
        return joined([_typed(item) for item in value]) or NOTHING
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return FORMATS["threshold" if number else "text"](value)

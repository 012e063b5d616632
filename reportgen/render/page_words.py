"""What the style sheets say in words, in the dossier's language: page numbers, running lines.

The sheets hold the English words. For another language, rules are put behind them that replace
those; so does the way in which a word is stressed, for Chinese knows no italics.
"""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup

from reportgen.language import SOURCE, _, current
from reportgen.spacing import SPACED

UPRIGHT = "em { font-style: normal; font-weight: 600; }"
"""Han characters are not slanted: a slanted one is distorted, not stressed."""
UNBROKEN = ".cells th { min-width: 2.2em; }"
"""A line may break between any two Han characters, so a head of two would be set in two lines."""


def page_words(medium: Literal["screen", "print"]) -> Markup:
    """Return CSS that replaces the English words of the style sheets; nothing in English."""
    if current() == SOURCE:
        return Markup("")
    rules = _print_rules() if medium == "print" else []
    if current() in SPACED:
        rules += [UPRIGHT, UNBROKEN]
    return Markup("\n".join(rules))  # noqa: S704 - our own catalogue, quotation marks escaped


def _print_rules() -> list[str]:
    top = _content(_("revision {revision} · draft, not signed"), revision="string(revision)")
    left = _content(_("Results {digest}"), digest="string(digest)")
    right = _content(_("Page {page} of {pages}"), page="counter(page)", pages="counter(pages)")
    reference = _content(_(", p. {page}"), page="target-counter(attr(href), page)")
    return [
        f"@page {{ @top-right {{ {top} }} @bottom-left {{ {left} }} @bottom-right {{ {right} }} }}",
        "@page :first { @top-right { content: none; } }",
        f"a.xref::after {{ {reference} }}",
    ]


def _content(message: str, **functions: str) -> str:
    """Return a declaration that writes a message with functions of CSS in its places."""
    quoted = message.replace("\\", "\\\\").replace('"', '\\"')
    for name, function in functions.items():
        quoted = quoted.replace(f"{{{name}}}", f'" {function} "')
    return f'content: "{quoted}";'

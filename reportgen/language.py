"""The language that the dossier is written in: gettext with catalogues, one language a build.

The source language is English: a message *is* its English text, so an English dossier needs no
catalogue. Catalogues are GNU gettext files, ``templates/locale/<language>/*.po``, read by Babel;
all files of a language's folder are taken together, so a third language is one file in a folder of
its own. The command line, manifest faults and logs stay English: they are not part of a dossier.

The language is set by :func:`use` around reading inputs, computing (in worker processes too) and
rendering (there, it is the one that results.json names), and put back after. It is held in a
context variable; nothing else is global.

How to convert a module, in five rules
--------------------------------------
1. **Wrap whole sentences where they are made, figures by name.**
   ``_("{k} of {n} rows were left out.").format(k=k, n=n)``. The argument is one plain literal: no
   f-string, no variable, no ``+``. Text after the sentence is a message of its own; a sentence is
   never glued from parts where another language may need another order, and what has alternatives
   inside (“is” or “are”, “rows” or “units”) is written out as two messages, or as
   ``n_("{n} row", "{n} rows", n).format(n=n)`` where the number decides. A literal brace is
   doubled only if ``.format`` follows.
2. **Nothing is translated at import.** A constant keeps its English text inside ``mark("…")``,
   which only tells the extraction of it, and is translated where it is used: ``_(TITLES[key])``.
   Defaults of arguments and class attributes are constants too. ``functools.cache`` must not hold
   translated text.
3. **Codes stay English**: keys, verdicts, severities, metric names, kinds, units of measure as
   results.json has them. A page shows one as ``_(code)``, or ``{{ code | translated }}`` in a
   template, and ``mark("…")`` names each of them once. Never compare, split, capitalise or look up
   text that was translated; where a prefix must be tested, test the translated prefix
   (``text.startswith(_("not identifiable"))``) and translate it so that it is one. User text
   (names, titles, levels, files) is never a message: it goes in by name, through `quoted`.
4. **In a module that imports** ``_`` **no variable is called** ``_`` (say ``_gone``): Python would
   take every ``_`` of that function for it. ``p_("context", "…")`` keeps apart two meanings of one
   English text ("positive" of a class, of a sign).
5. **Numbers, lists, intervals and dates only by** ``reportgen/wording.py`` (`fixed`, `number`,
   `percent`, `interval`, `estimate`, `listed`, `either`, `separated`, `clauses`, `sentences`,
   `day`): they know the language. No ``", ".join``, ``" and ".join``, ``": "`` or ``" ".join`` of
   translated text outside of it.

In templates: ``{% trans share=row.share | percent %}… {{ share }} …{% endtrans %}`` around a whole
sentence or element's text (tags inside stay in the message; anything but a bare name is bound in
the opening tag), ``{{ _("Rows") }}`` for short literals. ``_`` of a template marks its text as safe
HTML, so it takes literals only, in which a percent sign is doubled; data goes through the filter
``translated``.

The glossary and the crosswalks are data of the package, ``templates/**/*.yaml``: their texts are
messages too. ``make messages`` takes them from the keys named in ``tests/support/messages.py``
(room ``crosswalks``), and the page translates them after they were read. The YAML stays English and
is one for all languages; a third language is again one more catalogue.

Then ``make messages ROOM=frame`` brings the catalogue of a room in line with the code
(``tests/support/messages.py`` lists the rooms), one fills in the empty ``msgstr``, and
``pytest tests/test_language.py`` checks the rules: every message translated, the same placeholders
and tags, nothing fuzzy or obsolete, one translation for one message in all rooms.
"""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.assets import asset
from reportgen.spacing import SPACED, Spaced

if TYPE_CHECKING:
    from babel.support import Translations

SOURCE = "en"
READY = ("en", "zh")
"""Languages that a manifest may name; a language is added once all of its messages are there."""
UNFINISHED = "REPORTGEN_UNFINISHED_LANGUAGES"
"""With this in the environment a manifest may name every language that has a catalogue."""

_CURRENT: ContextVar[str] = ContextVar("language", default=SOURCE)


def languages() -> tuple[str, ...]:
    """Return the languages that there are catalogues of, English first."""
    return (SOURCE, *sorted({path.parent.name for path in _folder().glob("*/*.po")}))


def offered() -> tuple[str, ...]:
    """Return the languages that a manifest may name."""
    return languages() if os.environ.get(UNFINISHED) else READY


def current() -> str:
    """Return the language that is written now: "en" or another of `languages`."""
    return _CURRENT.get()


@contextmanager
def use(language: str) -> Iterator[None]:
    """Write in `language` within the block.

    Raises
    ------
    ValueError
        If there is no catalogue of that language.
    """
    if language != SOURCE and language not in languages():
        raise ValueError(f"no catalogue of the language {language!r}")
    token = _CURRENT.set(language)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def _(message: str) -> str:
    """Return a message in the current language, or itself where the catalogue lacks it."""
    language = _CURRENT.get()
    if language == SOURCE or not message:  # "" is the header of a catalogue
        return message
    return _spaced(_catalogue(language).gettext(message), language)


def n_(singular: str, plural: str, n: int) -> str:
    """Return the message that suits the number `n` in the current language."""
    language = _CURRENT.get()
    if language == SOURCE:
        return singular if n == 1 else plural
    return _spaced(_catalogue(language).ngettext(singular, plural, n), language)


def p_(context: str, message: str) -> str:
    """Return a message whose English text has another meaning elsewhere, told by `context`."""
    language = _CURRENT.get()
    if language == SOURCE:
        return message
    return _spaced(str(_catalogue(language).pgettext(context, message)), language)


def _spaced(text: str, language: str) -> str:
    """Return a message such that its spaces suit the values that it is given."""
    return Spaced(text) if language in SPACED else text


def mark(message: str) -> str:
    """Return a message as it is: it is translated where it is used, by ``_`` of the constant."""
    return message


@functools.cache
def symbols(language: str) -> tuple[str, str]:
    """Return what sets off thousands and what stands before decimals: "," and "." in English."""
    if language == SOURCE:
        return ",", "."
    from babel.numbers import get_decimal_symbol, get_group_symbol

    return get_group_symbol(language), get_decimal_symbol(language)


@functools.cache
def percent_sign(language: str) -> str:
    """Return the percent sign with what stands before it: a no-break space in English."""
    if language == SOURCE:
        return "\N{NO-BREAK SPACE}%"
    from babel import Locale

    return str(Locale.parse(language).percent_formats[None].suffix[0])


def _folder() -> Path:
    return asset("templates") / "locale"


@functools.cache
def _catalogue(language: str) -> Translations:
    """Return all catalogues of a language as one, compiled in memory."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po
    from babel.support import Translations

    whole: Translations | None = None
    for path in sorted((_folder() / language).glob("*.po")):
        compiled = io.BytesIO()
        with path.open("rb") as file:
            write_mo(compiled, read_po(file, locale=language))
        compiled.seek(0)
        one = Translations(compiled)
        whole = one if whole is None else whole.merge(one)
    if whole is None:
        raise ValueError(f"no catalogue of the language {language!r}")
    return whole

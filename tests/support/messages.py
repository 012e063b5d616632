"""Brings the catalogues in line with the code: `make messages`, or `make messages ROOM=frame`.

Every room has a catalogue of its own, ``templates/locale/<language>/<room>.po``, so that several
people can translate at once. A new message takes over the translation that another room has for it.

    python -m tests.support.messages [room …]          extract, update, tell what is missing
    python -m tests.support.messages fill ROOM < x     x: JSON {"English": "translation", …}
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
LOCALES = ROOT / "templates" / "locale"
REST = "shared"
"""The room of every file that no other room has."""
SECTION = "reportgen/sections/integrity"
ROOMS: dict[str, tuple[str, ...]] = (
    {
        "comparison": (
            "reportgen/comparison/*",
            "reportgen/against*",
            "reportgen/stats/comparison*",
            "reportgen/render/comparison*",
            "reportgen/render/pages/comparison*",
            "templates/comparison*",
            "templates/sections/comparison*",
            "templates/methods/comparison*",
        ),
        "integrity_pages": (
            "reportgen/render/pages/integrity*.py",
            "templates/sections/integrity*",
            "templates/methods/integrity*",
        ),
        "integrity_evaluation": (
            *(
                f"{SECTION}/{part}*"
                for part in (
                    "removal",
                    "evaluator",
                    "classifier",
                    "counting",
                    "pipeline",
                    "class_map",
                )
            ),
            *(f"{SECTION}/{part}*" for part in ("claims", "display", "pins")),
            "reportgen/stats/detection/*",
        ),
    }
    | {
        kind: (
            f"reportgen/sections/{kind}/*",
            f"reportgen/render/pages/{kind}*.py",
            f"templates/sections/{kind}*",
            f"templates/methods/{kind}*",
            *more,
        )
        for kind, more in {
            "prevalence": ("reportgen/stats/prevalence*",),
            "frame": ("reportgen/stats/subgroups/*", "reportgen/stats/representation/*"),
            "robust": ("reportgen/stats/robust*",),
            "dca": ("reportgen/stats/decision*", "reportgen/stats/survival*"),
            "integrity": ("reportgen/stats/duplicates/*",),
        }.items()
    }
    | {
        "record": ("templates/record/*", "reportgen/render/approvals.py", "reportgen/signing/*"),
        "crosswalks": ("templates/*.yaml",),
        "pages": ("templates/*.j2", "reportgen/render/*"),
        REST: (),
    }
)
"""Room to the files in it; a file is in the first room whose pattern it meets."""
DATA_TEXTS = ("term", "means", "title", "document", "checked_note", "asks", "limits", "what")
"""Keys of the package's YAML data whose values are messages."""
CLAUSES = ("clause", "clauses")
"""Keys whose values are messages if they hold a word beside the numbers: "Section V"."""
WORD = re.compile("[a-z]{2}")
PYTHON = {"_": None, "n_": (1, 2), "p_": ((1, "c"), 2), "mark": None}
JINJA = {"_": None, "gettext": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
TEMPLATE: Any = babel_extract
JINJA_OPTIONS = {
    "newstyle_gettext": "true",
    "trimmed": "true",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
    "silent": "false",
}


def room_of(path: str) -> str:
    """Return the room of a file, `path` relative to the checkout."""
    return next(
        (room for room, patterns in ROOMS.items() if any(fnmatch(path, p) for p in patterns)), REST
    )


def sources() -> list[Path]:
    """Return every file that may hold messages."""
    templates = ROOT / "templates"
    found = [
        *(ROOT / "reportgen").rglob("*.py"),
        *(path for ending in ("j2", "yaml") for path in templates.rglob(f"*.{ending}")),
    ]
    return sorted(path for path in found if path.name != "language.py")


@cache
def extracted(room: str) -> Catalog:
    """Return the messages of a room, in the order of its files."""
    catalog = Catalog(fuzzy=False)
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        if room_of(name) == room:
            for message, context in _messages(path):
                catalog.add(message, locations=[(name, 0)], context=context)
    return catalog


def _messages(path: Path) -> Iterator[tuple[str | tuple[str, ...], str | None]]:
    if path.suffix == ".yaml":
        yield from ((text, None) for text in _data_texts(YAML(typ="safe", pure=True).load(path)))
        return
    template = path.suffix == ".j2"
    with path.open("rb") as file:
        for _line, message, _comments, context in extract(
            TEMPLATE if template else "python",
            file,
            JINJA if template else PYTHON,
            (),
            JINJA_OPTIONS if template else {"encoding": "utf-8"},
        ):
            yield message, context


def _data_texts(value: Any) -> Iterator[str]:
    """Yield the texts of plain data that a page shows, in their order."""
    if isinstance(value, list):
        for item in value:
            yield from _data_texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in DATA_TEXTS or (key in CLAUSES and WORD.search(item)):
                yield item
            else:
                yield from _data_texts(item)


def languages() -> list[str]:
    """Return the languages that have a folder."""
    return sorted(path.name for path in LOCALES.iterdir() if path.is_dir())


def catalogue(language: str, room: str) -> Catalog:
    """Return a room's catalogue as it is stored, empty if it is not there."""
    path = LOCALES / language / f"{room}.po"
    if not path.is_file():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def update(language: str, room: str, more: dict[str, str] | None = None) -> list[Message]:
    """Write a room's catalogue anew from the code and return the messages it has no word for.

    `more` holds translations to put in, by message; where a translation stands it is replaced.
    """
    catalog = catalogue(language, room)
    catalog.update(extracted(room), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    elsewhere = [catalogue(language, other) for other in ROOMS if other != room]
    for message in _real(catalog):
        key = message.id if isinstance(message.id, str) else message.id[0]
        if more and key in more:
            message.string = more[key] if isinstance(message.id, str) else (more[key],)
        if not any(_strings(message)):
            known = (other.get(message.id, message.context) for other in elsewhere)
            message.string = next(
                (one.string for one in known if one and any(_strings(one))), message.string
            )
    if len(catalog) or (LOCALES / language / f"{room}.po").is_file():
        (LOCALES / language / f"{room}.po").write_bytes(_written(catalog, language))
    return [message for message in _real(catalog) if not all(_strings(message))]


def _real(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]


def _strings(message: Message) -> tuple[str, ...]:
    """Return the translations of a message: one, or one for each plural form."""
    found = message.string
    return (found,) if isinstance(found, str) else tuple(found or ("",))


def _written(catalog: Catalog, language: str) -> bytes:
    """Return a catalogue as a file without dates, line numbers or names of machines."""
    body = io.BytesIO()
    write_po(body, catalog, width=0, omit_header=True, include_lineno=False, ignore_obsolete=True)
    head = (
        'msgid ""\nmsgstr ""\n'
        f'"Language: {language}\\n"\n'
        '"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Plural-Forms: {catalog.plural_forms}\\n"\n\n'
    )
    return head.encode() + body.getvalue()


def main(arguments: list[str]) -> int:
    """Update catalogues as the command line says."""
    more: dict[str, str] | None = None
    if arguments[:1] == ["fill"]:
        arguments = arguments[1:]
        more = json.load(sys.stdin)
    unknown = [room for room in arguments if room not in ROOMS]
    if unknown:
        sys.stderr.write(f"no room {unknown[0]!r}; there are {', '.join(ROOMS)}\n")
        return 2
    for language in languages():
        for room in arguments or ROOMS:
            missing = update(language, room, more)
            total = len(extracted(room))
            sys.stdout.write(f"{language}/{room}: {total} messages, {len(missing)} untranslated\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The folders of fonts that a manifest names: which files are in them, each with its digest."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs.beside import Finder
from reportgen.inputs.files import Trouble
from reportgen.inputs.images.places import find_folder
from reportgen.inputs.opening import digest_file
from reportgen.inputs.table import InputRecord
from reportgen.inputs.trouble import FileFaults
from reportgen.language import _

SUFFIXES = (".ttf", ".otf", ".ttc", ".otc")
FONT_DIRS = "dossier.font_dirs"
"""How the records of font files begin."""
BOLD = 600
BARRED = 0x0002 | 0x0100  # bits of OS/2.fsType


def read_font_dirs(
    given: Iterable[str], finder: Finder
) -> tuple[tuple[Path, ...], tuple[InputRecord, ...], list[Fault]]:
    """Return the font files of folders in order, by name within each, their records and faults.

    A folder is not entered any deeper. A font whose owner forbids embedding it is listed and not
    used, which its record says, as it says of one that has no bold.
    """
    files: list[Path] = []
    records: list[InputRecord] = []
    faults: list[Fault] = []
    heaviest: dict[str, float] = {}
    for at, folder in enumerate(given):
        key: Key = ("dossier", "font_dirs", at)
        try:
            found = _fonts_in(folder, key, finder)
            for path in found:
                family, weight, notes = _described(path)
                heaviest[family] = max(weight, heaviest.get(family, 0))
                record = _record(f"{FONT_DIRS}[{at}]", folder, path)
                records.append(replace(record, columns=(family,), notes=notes))
        except InputError as error:
            faults += error.faults
        except FileFaults as error:
            faults += [Fault(finder.where(key), one.what, one.mend, key) for one in error.spots]
        else:
            files += found
    return tuple(files), tuple(_noted(one, heaviest) for one in records), faults


def _fonts_in(given: str, key: Key, finder: Finder) -> list[Path]:
    folder = find_folder(given, folder=finder.folder, allow_outside=finder.allow_outside)
    if isinstance(folder, Trouble):
        mend = folder.mend.replace("of the images", "of the fonts")
        raise InputError([Fault(finder.where(key), folder.what, mend, key)])
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    if not found:
        what = f"there is no font in the folder {given!r}"
        mend = f"put font files ({', '.join(SUFFIXES)}) there"
        raise InputError([Fault(finder.where(key), what, mend, key)])
    wandering = [path for path in found if not path.resolve().is_relative_to(folder)]
    if wandering and not finder.allow_outside:
        what = f"{wandering[0].name!r} leads out of the folder {given!r}"
        mend = "put the file itself there, or allow it with --allow-outside"
        raise InputError([Fault(finder.where(key), what, mend, key)])
    return found


def _noted(record: InputRecord, heaviest: dict[str, float]) -> InputRecord:
    """Return the record of a font with a note if its family has no bold."""
    (family,) = record.columns
    if record.notes or heaviest[family] >= BOLD:
        return replace(record, columns=())
    note = _("{family} has no bold: bold text in its characters is drawn no heavier than the rest")
    return replace(record, columns=(), notes=(note.format(family=family),))


def _described(path: Path) -> tuple[str, float, tuple[str, ...]]:
    """Return family and heaviest weight of a font (of a collection's first), and what bars it.

    Raises
    ------
    FileFaults
        If it is no font.
    """
    from fontTools.ttLib import TTFont, TTLibError

    try:
        content = io.BytesIO(path.read_bytes())
        font: Any = TTFont(content, fontNumber=0, lazy=True)
        table, names = font["OS/2"], font["name"]
        family = str(names.getDebugName(16) or names.getDebugName(1) or path.stem)
        axes = font["fvar"].axes if "fvar" in font else ()
        weights = [axis.maxValue for axis in axes if axis.axisTag == "wght"]
    except (TTLibError, OSError, KeyError, ValueError, AssertionError) as error:
        what = f"{path.name} is no font that can be read ({error})"
        raise FileFaults.one("", what, "take it out of the folder, or replace it") from None
    barred = (_("not used: its licence bits forbid embedding it or a part of it"),)
    return family, max(weights, default=table.usWeightClass), barred * bool(table.fsType & BARRED)


def _record(name: str, folder: str, path: Path) -> InputRecord:
    digest = digest_file(path)
    return InputRecord(
        name=f"{name}/{path.name}",
        path=f"{folder.rstrip('/')}/{path.name}",
        sha256=digest.sha256,
        bytes=digest.size,
    )

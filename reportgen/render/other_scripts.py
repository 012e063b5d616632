"""Fonts for the characters that the dossier's own font lacks: which there are, what each can draw.

First come the fonts of the folders that the manifest names (``dossier.font_dirs``), in order, then
Noto Sans CJK SC of the extra ``zh``. A dossier that needs none of them never opens one, so that its
bytes do not depend on what is installed.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from fontTools.ttLib import TTFont, TTLibError
from fontTools.ttLib.ttCollection import TTCollection

from reportgen.render.fonts import FAMILY, missing_characters

PACKAGE, PACKAGE_FAMILY = "manimgx-fonts-cjk", "Noto Sans CJK SC"
INSTALL = 'pip install "reportgen[zh]"'
SAMPLES = {"zh": "审计报告"}
"""By language, characters without which it cannot be written."""
TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Characters that show nothing and change the direction in which the text after them is read: a
page that held them would show another text than it holds, whatever font has glyphs for them."""
REGULAR, BOLD = 400, 600
# Bits of OS/2.fsType by which a font's owner forbids embedding it, or a part of it.
_FORBIDDEN = 0x0002 | 0x0100
_ITALIC = 0x0001

_OFFERED: ContextVar[tuple[Path, ...]] = ContextVar("font_files", default=())


@dataclass(frozen=True)
class Face:
    """One upright face in a font file, with the weights that it can be drawn in.

    Attributes
    ----------
    path : Path
        The file.
    number : int
        Place of the face in a collection, from 0.
    family : str
        As the font calls it.
    lightest, heaviest : float
        Weights, 1 to 1000; the same where the font is not variable.
    """

    path: Path
    number: int
    family: str
    lightest: float
    heaviest: float

    def nearest(self, weight: float) -> float:
        """Return the weight nearest to `weight` that the face can be drawn in."""
        return min(max(weight, self.lightest), self.heaviest)


@dataclass(frozen=True)
class Family:
    """The faces of one name; `bold` is None where none is as heavy as semi-bold (600)."""

    name: str
    regular: Face
    bold: Face | None

    @property
    def label(self) -> str:
        """The name that pages use: never that of a font which the reader's system may have."""
        words = " ".join(re.findall("[A-Za-z]+", self.name))
        return f"Dossier {words or 'Script'}"


@contextmanager
def offering(files: Iterable[Path]) -> Iterator[None]:
    """Offer the fonts of `files` for what the dossier's font lacks, within the block."""
    token = _OFFERED.set(tuple(files))
    try:
        yield
    finally:
        _OFFERED.reset(token)


def package_font() -> Path | None:
    """Return the font file of the extra ``zh``; None where it is not installed."""
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.glob("NotoSansCJK*.tt[cf]"))), None)


def families(text: str) -> dict[Family, frozenset[str]]:
    """Return the families that draw what the dossier's font lacks, each with its characters.

    The first family that has a character draws it. What none has is not among them: see
    `undrawable`.
    """
    wanted, found = frozenset(missing_characters(text)), {}
    for family in _families(_OFFERED.get()) if wanted else ():
        own = wanted & covered(family.regular)
        if own:
            found[family] = own
            wanted -= own
    return found


def package_used(text: str) -> dict[str, str]:
    """Return name and version of the package whose font draws a part of `text`, if it does."""
    package = package_font()
    used = any(family.regular.path == package for family in families(text))
    return {PACKAGE: version(PACKAGE)} if used else {}


def undrawable(text: str) -> list[str]:
    """Return the characters of `text` that no font there is can draw, sorted, each once."""
    drawn = frozenset[str]().union(*families(text).values())
    return [character for character in missing_characters(text) if character not in drawn]


def stack(text: str, *, own_names: bool = False) -> str:
    """Return the font families that draw `text`, with commas between, the dossier's font first.

    `own_names` gives the names that the files have, not those of the page.
    """
    others = (family.name if own_names else family.label for family in families(text))
    return ", ".join([FAMILY, *others])


@functools.lru_cache(maxsize=16)
def covered(face: Face) -> frozenset[str]:
    """Return the characters that a face has glyphs for, those aside that only turn text round."""
    return frozenset(map(chr, opened(face.path, face.number).getBestCmap())) - TURNING


@functools.lru_cache(maxsize=4)
def opened(path: Path, number: int) -> TTFont:
    """Return a face to read from; it must not be changed."""
    return TTFont(io.BytesIO(path.read_bytes()), fontNumber=number, lazy=True)


@functools.lru_cache(maxsize=8)
def _families(files: tuple[Path, ...]) -> tuple[Family, ...]:
    faces: dict[str, list[Face]] = {}
    for path in files:
        for face in faces_of(path):
            faces.setdefault(face.family, []).append(face)
    package = package_font()
    if package is not None and PACKAGE_FAMILY not in faces:
        faces[PACKAGE_FAMILY] = [f for f in faces_of(package) if f.family == PACKAGE_FAMILY]
    return tuple(family_of(faces[name]) for name in faces if faces[name])


def family_of(faces: Iterable[Face]) -> Family:
    """Return the family of faces of one name, its regular and its bold chosen by weight."""
    listed = list(faces)
    regular, bold = (
        min(listed, key=lambda face: abs(face.nearest(weight) - weight))
        for weight in (REGULAR, BOLD)
    )
    return Family(regular.family, regular, bold if bold.heaviest >= BOLD else None)


@functools.lru_cache(maxsize=64)
def faces_of(path: Path) -> tuple[Face, ...]:
    """Return the upright faces of a font file that may be embedded.

    Raises
    ------
    ValueError
        If it is no font that can be read.
    """
    try:
        count = 1
        if path.suffix.lower() in (".ttc", ".otc"):
            with TTCollection(path, lazy=True) as collection:
                count = len(collection)
        faces = [_face(path, number) for number in range(count)]
    except (TTLibError, OSError, KeyError, ValueError, AssertionError) as error:
        raise ValueError(str(error) or "it cannot be read") from None
    return tuple(face for face in faces if face is not None)


def _face(path: Path, number: int) -> Face | None:
    with path.open("rb") as file, TTFont(file, fontNumber=number, lazy=True) as font:
        table, names = font["OS/2"], font["name"]
        if table.fsType & _FORBIDDEN or table.fsSelection & _ITALIC:
            return None
        family = names.getDebugName(16) or names.getDebugName(1) or path.stem
        axes = font["fvar"].axes if "fvar" in font else ()
        lightest = heaviest = float(table.usWeightClass)
        for axis in axes:
            if axis.axisTag == "wght":
                lightest, heaviest = axis.minValue, axis.maxValue
        return Face(path, number, str(family), lightest, heaviest)

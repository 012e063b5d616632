"""The run manifest as a whole: dossier, model, inputs and sections; it composes and owns nothing.

`ManifestSettings` is what the YAML says, `Manifest` is that together with where it was said.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from reportgen.criteria import Criterion
from reportgen.errors import Key, key_text
from reportgen.inputs import TableSettings
from reportgen.inputs.deployed.settings import ClassMapSettings, PipelineSettings
from reportgen.inputs.detections.settings import DetectionsSettings
from reportgen.inputs.images.settings import ImagesSettings
from reportgen.inputs.settings import SHA256, PinnedFile
from reportgen.language import READY, languages, offered
from reportgen.sections import SECTIONS
from reportgen.settings import Defaults, SectionSettings, Settings

LONGEST_NAME = 100
TABLE_NAME = r"^[A-Za-z][A-Za-z0-9_-]{0,39}$"

if TYPE_CHECKING:
    AnySection = SectionSettings
else:
    AnySection = Annotated[
        Union[tuple(section.settings for section in SECTIONS)],  # noqa: UP007
        Field(discriminator="kind"),
    ]


def _date(value: str) -> str:
    try:
        parsed = date.fromisoformat(value)
    except ValueError:
        parsed = None
    if parsed is None or parsed.isoformat() != value:
        raise ValueError(f"{value!r} is not a date of the calendar; write YYYY-MM-DD")
    return value


def _language(value: Any) -> Any:
    if value in languages() and value not in offered():
        raise ValueError(f"{value!r} cannot be written yet; this version writes {_offered()}")
    if value not in offered():
        raise ValueError(f"{value!r} is not known; this version writes {_offered()}")
    return value


def _offered() -> str:
    return " and ".join(offered())


def _line(value: str) -> str:
    """Refuse what cannot stand in a heading or become a folder's name."""
    if not value.strip():
        raise ValueError("the text is empty; write a name")
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in value):
        raise ValueError("there is a line break or control character in it; write one plain line")
    return value


Line = Annotated[str, AfterValidator(_line)]
"""Text of one line that is not blank."""

ShortName = Annotated[Line, Field(max_length=LONGEST_NAME)]
"""Text that becomes part of a folder's name, made safe there."""

Name = Annotated[str, Field(pattern=TABLE_NAME)]
"""Name of a table, of a set of images and so on, by which sections call it."""

IsoDate = Annotated[
    str, AfterValidator(_date), WithJsonSchema({"type": "string", "format": "date"})
]


Language = Annotated[
    str, BeforeValidator(_language), WithJsonSchema({"type": "string", "enum": list(READY)})
]
"""A language that there is a whole catalogue of."""


class SignOff(Settings):
    """A line of the sign-off page."""

    role: Line
    name: Line | None = None


class Dossier(Settings):
    """The cover of the dossier."""

    title: Line
    language: Language = "en"
    date: IsoDate | None = Field(default=None, description="YYYY-MM-DD; else the day of the run")
    paper: Literal["A4", "letter"] = Field(default="A4", description="of the PDF")
    font_dirs: list[str] = Field(
        default_factory=list, description="folders of fonts for characters that IBM Plex Sans lacks"
    )
    intended_use: str | None = None
    prepared_by: Line | None = None
    sign_off: list[SignOff] = Field(default_factory=list)


class Model(Settings):
    """The model that is audited; its name and version name the dossier's folder."""

    name: ShortName
    version: ShortName


class ComparedDossier(Settings):
    """An earlier dossier, pinned by the digest that is printed on its cover."""

    path: str = Field(description="its folder, or the results.json in it")
    digest: str | None = Field(default=None, pattern=SHA256)


class Gate(Settings):
    """When ``build --gate`` answers no."""

    fail_on: Literal["fail", "warn", "never"] = "fail"


class ManifestSettings(Settings):
    """All that a manifest of schema 1 can say."""

    reportgen: Literal[1]
    dossier: Dossier
    model: Model
    defaults: Defaults = Defaults()
    plan: PinnedFile | None = None
    tables: dict[Name, TableSettings] = Field(default_factory=dict)
    images: dict[Name, ImagesSettings] = Field(default_factory=dict)
    detections: dict[Name, DetectionsSettings] = Field(default_factory=dict)
    class_maps: dict[Name, ClassMapSettings] = Field(default_factory=dict)
    pipelines: dict[Name, PipelineSettings] = Field(default_factory=dict)
    sections: list[AnySection] = Field(min_length=1)
    criteria: list[Criterion] = Field(
        default_factory=list, description="acceptance criteria: bounds on figures of the run"
    )
    gate: Gate = Gate()
    compare_to: str | ComparedDossier | None = Field(
        default=None,
        description="an earlier dossier: its path, with its digest if wanted, or the word previous",
    )


@dataclass(frozen=True)
class Manifest:
    """A manifest that was read and found sound.

    Attributes
    ----------
    settings : ManifestSettings
        What it says, with the overrides applied.
    path : pathlib.Path
        The file, as the user gave it.
    text : str
        The file as read, before any override.
    overrides : tuple of (text, text)
        Key and value of every ``--set``, in order.
    allow_outside : bool
        Whether its paths may leave its folder.
    lines : mapping of Key to int
        Line of every key, counted from 1.
    """

    settings: ManifestSettings
    path: Path
    text: str
    overrides: tuple[tuple[str, str], ...] = ()
    allow_outside: bool = False
    lines: Mapping[Key, int] = field(default_factory=dict, repr=False)
    overridden: Mapping[Key, str] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path:
        """The folder that the manifest's paths are relative to."""
        return self.path.parent

    def where(self, key: Key) -> str:
        """Return the place of `key` as people read it: ``manifest.yaml:12: sections[0].table``."""
        return place(key, file=str(self.path), lines=self.lines, overridden=self.overridden)

    def line(self, key: Key | None) -> float:
        """Return the line of `key`, by which faults are put in order; see `line_of`."""
        return line_of(key, lines=self.lines, overridden=self.overridden)


def line_of(key: Key | None, *, lines: Mapping[Key, int], overridden: Mapping[Key, str]) -> float:
    """Return the line of `key` or of its nearest parent; infinite for what no line says.

    That is None, and what was given on the command line.
    """
    if key is None:
        return math.inf
    for end in range(len(key), 0, -1):
        if key[:end] in overridden:
            return math.inf
        if key[:end] in lines:
            return lines[key[:end]]
    return 0


def place(key: Key, *, file: str, lines: Mapping[Key, int], overridden: Mapping[Key, str]) -> str:
    """Return where `key` is said: its line or, where it is absent, the line of its parent.

    Parameters
    ----------
    key : Key
        A key of the manifest, present or not.
    file : str
        The manifest as the user gave it.
    lines : mapping of Key to int
        Line of every key that is there, counted from 1.
    overridden : mapping of Key to text
        Keys given on the command line, as typed there.
    """
    for end in range(len(key), 0, -1):
        if key[:end] in overridden:
            rest = key_text(key[end:])
            return f"--set {overridden[key[:end]]}" + (f": {rest}" if rest else "")
        if key[:end] in lines:
            return f"{file}:{lines[key[:end]]}: {key_text(key)}"
    return f"{file}:{lines.get((), 1)}: {key_text(key)}" if key else f"{file}:{lines.get((), 1)}"

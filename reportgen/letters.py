"""Characters of a request that no font here draws, found before anything is computed.

What the pages come to hold beyond these texts is looked at when they are laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import Fault, Key
from reportgen.inputs import Inputs
from reportgen.manifest import ManifestSettings

Placed = tuple[str, str, Key]
"""A text, where it stands, and the key of the manifest that it stands under."""


def undrawable(
    settings: ManifestSettings, inputs: Inputs, where: Callable[[Key], str]
) -> list[Fault]:
    """Return the faults of texts with characters that no font draws, and of the language itself.

    Parameters
    ----------
    settings : ManifestSettings
        Every text in it is looked at.
    inputs : Inputs
        Names of groups and of classes are looked at, which always come to stand on a page.
    where : callable
        Turns a manifest key into its place.
    """
    texts = [*_of_manifest(settings.model_dump(mode="json", exclude_unset=True), where)]
    texts += _of_inputs(inputs, where)
    written = [one for one in texts if not one[0].isascii()]
    faults = _of_language(settings.dossier.language, inputs.fonts)
    if not written:
        return faults  # no font needs to be opened
    from reportgen.render.lettering import Stretch, font_faults
    from reportgen.render.other_scripts import offering

    with offering(inputs.fonts):
        return faults + font_faults([Stretch(*one) for one in written])


def _of_language(language: str, fonts: Sequence[Path]) -> list[Fault]:
    from reportgen.render.other_scripts import INSTALL, SAMPLES, offering, undrawable

    sample = SAMPLES.get(language, "")
    if not sample:
        return []
    with offering(fonts):
        missing = undrawable(sample)
    if not missing:
        return []
    what = f"no font here can write the language {language!r}"
    mend = f"install one: {INSTALL}; or name a folder of fonts (font_dirs)"
    return [Fault("dossier.language", what, mend, ("dossier", "language"))]


def _of_manifest(data: Any, where: Callable[[Key], str], key: Key = ()) -> Iterator[Placed]:
    if isinstance(data, str):
        yield data, where(key), key
    elif isinstance(data, dict):
        for name, value in data.items():
            below: Key = (*key, name)
            yield name, where(below), below
            yield from _of_manifest(value, where, below)
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from _of_manifest(value, where, (*key, at))


def _of_inputs(inputs: Inputs, where: Callable[[Key], str]) -> Iterator[Placed]:
    for name, table in inputs.tables.items():
        for attribute, groups in table.groups.items():
            key: Key = ("tables", name, "groups")
            place = f"{where(key)}: a group of {attribute!r}"
            yield from ((text, place, key) for text in dict.fromkeys(groups.tolist()))
    for name, boxes in inputs.detections.items():
        key = ("detections", name)
        place = f"{where(key)}: the name of a class"
        yield from ((text, place, key) for text in boxes.categories)

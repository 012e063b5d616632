"""Two stored dossiers side by side, as ``reportgen compare`` shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.against import Side, folders_above, set_against
from reportgen.language import use
from reportgen.result import plain
from reportgen.stored import read_stored


def compare(
    old: Path,
    new: Path,
    *,
    old_inputs: Path | None = None,
    new_inputs: Path | None = None,
) -> dict[str, Any]:
    """Return what changed between two dossiers, as plain data of ``reportgen/comparison/1``.

    Parameters
    ----------
    old, new : Path
        A dossier's folder, or the results.json in it. They may be of different models.
    old_inputs, new_inputs : Path, optional
        The folder that the paths of the dossier's manifest start from; without it the folders above
        the dossier are tried, the nearest first. An input counts as at hand only if its SHA-256 is
        the recorded one; nothing else is read from there.

    Returns
    -------
    dict
        Texts are in the newer dossier's language.

    Raises
    ------
    RequestError
        If one of the two is no sound dossier.
    """
    sides = [_side(old, old_inputs), _side(new, new_inputs)]
    with use(sides[1].data["dossier"]["language"]):
        data: dict[str, Any] = plain(set_against(*sides))
    return data


def _side(dossier: Path, inputs: Path | None) -> Side:
    stored = read_stored(dossier)
    folders = folders_above(stored.folder) if inputs is None else (inputs,)
    return Side(stored.data, stored.manifest, folders)

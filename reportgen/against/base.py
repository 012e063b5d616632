"""The earlier dossier that a manifest is to be compared with (``compare_to``), and the comparison.

``previous`` means the latest revision, in the output folder, of the same model name and version
whose own content is another one. Own content is all but what a comparison brought in, so that a run
on unchanged data is compared with the same revision again and stays unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.against.pairs import paired_figures
from reportgen.against.sides import Side, folders_above
from reportgen.comparison import (
    BASE,
    SECTION,
    Comparison,
    compared,
    comparison_findings,
    matched,
    no_base,
)
from reportgen.errors import Fault, Key, RequestError
from reportgen.inputs import InputRecord
from reportgen.inputs.files import Trouble, find_file
from reportgen.language import use
from reportgen.manifest import Manifest
from reportgen.manifest_file.checks import PREVIOUS, results_path
from reportgen.release.fingerprint import UNDIGESTED, sha256_of, strict_json
from reportgen.release.naming import home_of, latest_revision
from reportgen.release.record import RESULTS
from reportgen.render.other_scripts import PACKAGE
from reportgen.reporting import decision, with_comparison
from reportgen.stored import Stored, read_stored


@dataclass(frozen=True)
class Base:
    """The earlier dossier.

    Attributes
    ----------
    stored : Stored
    path : str
        Of its results.json, as it is recorded.
    """

    stored: Stored
    path: str


def set_against(old: Side, new: Side) -> Comparison:
    """Return the comparison of two dossiers, with paired differences where inputs are at hand.

    Parameters
    ----------
    old, new : Side
        Texts are in the current language.
    """
    matches = matched(old.data["sections"], new.data["sections"])
    paired, pairing = paired_figures(old, new, matches)
    return compared(old.data, new.data, matches, paired=paired, pairing=pairing)


def named_base(manifest: Manifest) -> Base | None:
    """Return the earlier dossier that a manifest names by its path; None if it names none so.

    Raises
    ------
    RequestError
        If it is not there, lies where it must not, is no sound dossier, or another than is pinned.
    """
    named = manifest.settings.compare_to
    if named is None or named == PREVIOUS:
        return None
    if isinstance(named, str):
        return _read(manifest, results_path(named), ("compare_to",))
    base = _read(manifest, results_path(named.path), ("compare_to", "path"))
    found = base.stored.data["dossier"]["digest"]
    if named.digest not in (None, found):
        below: Key = ("compare_to", "digest")
        what = f"{named.path} is a dossier with the digest {found}"
        mend = "it is not the pinned one: restore that, or pin this one"
        raise RequestError([Fault(manifest.where(below), what, mend, below)])
    return base


def _read(manifest: Manifest, results: str, key: Key) -> Base:
    found = find_file(results, folder=manifest.folder, allow_outside=manifest.allow_outside)
    if isinstance(found, Trouble):
        raise RequestError([Fault(manifest.where(key), found.what, found.mend, key)])
    return Base(read_stored(found), results)


def previous(data: Mapping[str, Any], out: Path) -> Base | None:
    """Return the latest revision of a dossier's model and version with another own content.

    Parameters
    ----------
    data : mapping
        results.json of the dossier that is being built.
    out : Path
        The output folder.

    Raises
    ------
    RequestError
        If that revision is no sound dossier.
    """
    model = data["dossier"]["model"]
    home = home_of(out, model["name"], model["version"])
    own = own_content(data)
    for revision in range(latest_revision(home), 0, -1):
        folder = home / f"r{revision}"
        if folder.is_dir() and _content(folder / RESULTS) != own:
            return Base(read_stored(folder), f"{folder.name}/{RESULTS}")
    return None


def _content(results: Path) -> str | None:
    """Return the own content of a stored dossier; None if it cannot be told."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return own_content(json.loads(results.read_bytes()))
    return None


def own_content(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of results.json less its revision and digest and less any comparison."""
    cover = {key: value for key, value in data["dossier"].items() if key not in UNDIGESTED}
    findings = [one for one in data["findings"] if one["section"] != SECTION]
    used = data["environment"]
    # The font of another script may be there for a name in the earlier dossier alone.
    packages = {name: version for name, version in used["packages"].items() if name != PACKAGE}
    kept = {
        **data,
        "dossier": cover,
        "findings": findings,
        "decision": decision(findings),
        "inputs": [one for one in data["inputs"] if one["name"] != BASE],
        "environment": {**used, "packages": packages},
    }
    kept.pop("comparison", None)
    return sha256_of(strict_json(kept))


def compared_to_base(
    manifest: Manifest, data: dict[str, Any], base: Base | None, out: Path | None
) -> dict[str, Any]:
    """Return results.json with the comparison that the manifest asks for.

    Parameters
    ----------
    manifest : Manifest
    data : dict
        results.json without one.
    base : Base or None
        What `named_base` returned.
    out : Path or None
        The output folder, in which ``previous`` is looked for; None if there is none.
    """
    if manifest.settings.compare_to is None:
        return data
    if base is None and out is not None:
        base = previous(data, out)
    with use(manifest.settings.dossier.language):
        if base is None:
            return with_comparison(data, None, [no_base()], None)
        old = Side(
            base.stored.data,
            base.stored.manifest,
            (*folders_above(base.stored.folder), manifest.folder.resolve()),
        )
        new = Side(data, manifest.text.encode(), (manifest.folder.resolve(),))
        found = set_against(old, new)
        content = base.stored.results_bytes
        record = InputRecord(BASE, base.path, sha256_of(content), len(content))
        return with_comparison(data, found, comparison_findings(found), record)

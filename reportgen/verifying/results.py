"""results.json, and what has to agree with it: environment.json and manifest.yaml."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import reportgen
from reportgen.errors import ReportgenError
from reportgen.inputs.images.settings import ImagesSettings
from reportgen.manifest import ManifestSettings
from reportgen.manifest_file.overrides import apply_overrides
from reportgen.manifest_file.source import parse
from reportgen.release.fingerprint import strict_json
from reportgen.release.record import ENVIRONMENT, MANIFEST, RESULTS
from reportgen.reporting import parameters
from reportgen.stored import sound_results
from reportgen.verifying.check import Check, bad, good, unchecked
from reportgen.verifying.contents import Contents


def check_results(contents: Contents) -> tuple[Mapping[str, Any] | None, list[Check]]:
    """Return the results of a folder, None if they are not sound, and what was checked of them.

    They must be strict JSON in the one form that reportgen writes, of this version's schema, under
    the digest that is written in them.
    """
    content = contents.read(RESULTS)
    if content is None:
        return None, [bad("results", RESULTS, "is missing or cannot be read")]
    try:
        data = sound_results(content, RESULTS)
    except ReportgenError as error:
        more = len(error.faults) - 1
        rest = f" (and {more} more)" if more else ""
        first = error.faults[0]
        return None, [bad("results", RESULTS, f"{_within(first.where)}{first.what}{rest}")]
    if strict_json(data) != content:
        return None, [bad("results", RESULTS, "is not written as reportgen writes it")]
    digest = data["dossier"]["digest"]
    return data, [good("results", f"strict JSON of {data['schema']} with digest {digest}")]


def _within(where: str) -> str:
    """Return the place of a fault inside results.json, with a colon, if it has one."""
    place = where.removeprefix(RESULTS).lstrip(": ")
    return f"{place}: " if place else ""


def check_beside(contents: Contents, data: Mapping[str, Any]) -> Iterator[Check]:
    """Yield whether environment.json and manifest.yaml say what sound results say."""
    environment = contents.read(ENVIRONMENT)
    if environment is None:
        yield bad("environment", ENVIRONMENT, "is missing or cannot be read")
    elif environment != strict_json(data["environment"]):
        yield bad("environment", ENVIRONMENT, f"is not the environment that {RESULTS} names")
    else:
        yield good("environment", f"{ENVIRONMENT} is the environment that {RESULTS} names")
    yield _manifest(contents.read(MANIFEST), data)


def images_of(contents: Contents, data: Mapping[str, Any]) -> Mapping[str, ImagesSettings]:
    """Return the sets of images that the manifest of sound results names; none if it is unsound."""
    try:
        return _asked(contents.read(MANIFEST) or b"", _overrides(data)).images
    except (ReportgenError, ValueError, RecursionError):
        return {}


def _overrides(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(one["key"], one["value"]) for one in data["dossier"]["overrides"]]


def _manifest(content: bytes | None, data: Mapping[str, Any]) -> Check:
    """Return whether the manifest, with its overrides, asks for what the results answer."""
    if content is None:
        return bad("manifest", MANIFEST, "is missing or cannot be read")
    overrides = _overrides(data)
    try:
        asked = _asked(content, overrides)
    except (ReportgenError, ValueError, RecursionError) as error:
        made_with = data["environment"]["reportgen"]
        told = str(error).splitlines()[0]
        if made_with != reportgen.__version__:
            because = f"reportgen {made_with} made it, and this one reads it otherwise: {told}"
            return unchecked("manifest", because, MANIFEST)
        return bad("manifest", MANIFEST, f"is no manifest of these results: {told}")
    other = sorted(_differing(asked, data))
    if other:
        return bad("manifest", MANIFEST, f"differs from {RESULTS} in {', '.join(other)}")
    values = "1 value" if len(overrides) == 1 else f"{len(overrides)} values"
    over = f" under {values} put over it (--set)" if overrides else ""
    return good("manifest", f"{MANIFEST}{over} asks for the model, sections and parameters there")


def _asked(content: bytes, overrides: list[tuple[str, str]]) -> ManifestSettings:
    """Return what a manifest says; the files that it names are not looked for."""
    source = parse(content.decode("utf-8-sig"), MANIFEST)
    apply_overrides(source, overrides)
    return ManifestSettings.model_validate_json(json.dumps(source.data))


def _differing(asked: ManifestSettings, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys in which a manifest and results differ."""
    dossier, cover = data["dossier"], asked.dossier
    expected: dict[str, tuple[Any, Any]] = {
        "model.name": (asked.model.name, dossier["model"]["name"]),
        "model.version": (asked.model.version, dossier["model"]["version"]),
        "dossier.title": (cover.title, dossier["title"]),
        "dossier.language": (cover.language, dossier["language"]),
        "dossier.paper": (cover.paper, dossier["paper"]),
        "dossier.intended_use": (cover.intended_use, dossier["intended_use"]),
        "dossier.prepared_by": (cover.prepared_by, dossier["prepared_by"]),
        "dossier.sign_off": ([one.model_dump() for one in cover.sign_off], dossier["sign_off"]),
        "defaults": (asked.defaults.model_dump(), data["defaults"]),
    }
    if cover.date is not None:
        expected["dossier.date"] = (str(cover.date), dossier["date"])
    left_out = dossier["sections_left_out"]
    sections = [parameters(one) for one in asked.sections if one.name not in left_out]
    found = [one["parameters"] for one in data["sections"]]
    if [one["id"] for one in sections] != [one["id"] for one in found]:
        expected["sections"] = (0, 1)
    else:
        for mine, theirs in zip(sections, found, strict=True):
            expected[f"sections.{theirs['id']}"] = (_plain(mine), theirs)
    yield from (key for key, (mine, theirs) in expected.items() if _plain(mine) != theirs)


def _plain(value: Any) -> Any:
    """Return plain data as it comes back from JSON: tuples are lists, dates are text."""
    return json.loads(json.dumps(value, default=str))

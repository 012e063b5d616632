"""``ro-crate-metadata.json``: the dossier described for archives and catalogues, as an RO-Crate.

Written by the library rocrate, as version 1.2 of the specification. The library reads the clock for
one value, which is replaced by the dossier's date here; nothing else in the file is of the machine
or the moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from reportgen.release.fingerprint import strict_json
from reportgen.release.folder import Described
from reportgen.release.record import CRATE, ENVIRONMENT, HTML, MANIFEST, RESULTS, STATEMENT, SUMS
from reportgen.release.statement import PREDICATE_TYPE, STATEMENT_TYPE

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate  # type: ignore[import-untyped]

VERSION = "1.2"
PRONOM = "https://www.nationalarchives.gov.uk/PRONOM/"
SCHEMA, MANIFEST_SCHEMA, PDF_UA = "#results-schema", "#manifest-schema", "#pdf-ua-1"
PDF_A = {"archive": ("PDF/A-3a", "fmt/479"), "submission": ("PDF/A-2a", "fmt/476")}
TOLD = {
    RESULTS: ("application/json", "Every result of the run, as data"),
    MANIFEST: ("application/yaml", "The run manifest, as read"),
    ENVIRONMENT: (
        "application/json",
        "The versions of all that can move a figure or a page",
    ),
    HTML: ("text/html", "The pages for the screen, in one file"),
    STATEMENT: ("application/vnd.in-toto+json", "The outcome as an in-toto statement"),
    SUMS: ("text/plain", "The SHA-256 of every file of the record"),
}
BY_ENDING = {
    ".pdf": ("application/pdf", "The pages for print and archive"),
    ".csv": ("text/csv", "A table of the pages with every row and column"),
    ".svg": ("image/svg+xml", "A figure of the pages"),
    ".png": ("image/png", "A picture that the results name"),
}
OTHER = ("application/octet-stream", "A file of the dossier")
NO_LICENCE = "This file grants no licence. What may be done with the dossier, its makers say."
Json = dict[str, Any]


def crate(
    results: Mapping[str, Any],
    others: Mapping[str, Described],
    *,
    profile: Literal["archive", "submission"] = "archive",
) -> bytes:
    """Return the description of a dossier as an RO-Crate.

    Parameters
    ----------
    results : mapping
        Plain data as in results.json.
    others : mapping of text to Described
        Every other file of the record but the in-toto statement and SHA256SUMS, which hold this
        file's own digest and are named here without theirs.
    profile : {"archive", "submission"}
        The kind of the PDF, if there is one.

    Returns
    -------
    bytes
        Strict JSON-LD, its entities sorted by their ids after the descriptor and the root.
    """
    from rocrate.rocrate import ROCrate

    made = ROCrate(version=VERSION)
    _describe_root(made, results)
    files = [_file(name, others.get(name), profile) for name in sorted({*others, STATEMENT, SUMS})]
    for file in files:
        made.add_file(dest_path=file.pop("@id"), properties=file)
    for entity in _context(results, list(others), profile):
        made.add_jsonld(entity)
    written = made.metadata.generate()
    first = {CRATE: 0, "./": 1}
    written["@graph"].sort(key=lambda one: (first.get(one["@id"], 2), one["@id"]))
    return strict_json({key: written[key] for key in sorted(written)})


def _describe_root(made: ROCrate, results: Mapping[str, Any]) -> None:
    dossier, model = results["dossier"], results["dossier"]["model"]
    root = made.root_dataset
    root["name"] = dossier["title"]
    root["description"] = (
        f"Audit dossier of {model['name']} {model['version']}, revision {dossier['revision']}; "
        f"decision: {results['decision']['outcome']}"
    )
    root["datePublished"] = dossier["date"]
    root["identifier"] = f"sha256:{dossier['digest']}"
    root["inLanguage"] = dossier["language"]
    root["version"] = str(dossier["revision"])
    root["license"] = {"@id": "#licence"}
    root["about"] = {"@id": "#model"}
    root["mentions"] = {"@id": "#audit"}


def _file(name: str, one: Described | None, profile: str) -> Json:
    """Return a file of the record; `one` is None where it cannot be described from here."""
    media, told = TOLD.get(name) or BY_ENDING.get(PurePosixPath(name).suffix, OTHER)
    file: Json = {"@id": name, "name": name, "description": told, "encodingFormat": media}
    if media == "application/pdf":
        file["encodingFormat"] = [media, {"@id": PRONOM + PDF_A[profile][1]}]
    conforms = _conforms_to(name, media, profile)
    if conforms:
        file["conformsTo"] = [{"@id": one} for one in conforms]
    if one is not None:
        file |= {"sha256": one.sha256, "contentSize": str(one.size)}
    return file


def _conforms_to(name: str, media: str, profile: str) -> list[str]:
    if media == "application/pdf":
        return [PRONOM + PDF_A[profile][1], PDF_UA]
    return {
        RESULTS: [SCHEMA],
        MANIFEST: [MANIFEST_SCHEMA],
        STATEMENT: [STATEMENT_TYPE, PREDICATE_TYPE],
    }.get(name, [])


def _context(results: Mapping[str, Any], names: list[str], profile: str) -> Iterator[Json]:
    """Yield what the files are about and come from: model, software, inputs, run, standards."""
    model, software = results["dossier"]["model"], results["environment"]
    used = [_input_id(place) for place, _ in enumerate(results["inputs"], 1)]
    yield {
        "@id": "#model",
        "@type": "SoftwareApplication",
        "name": model["name"],
        "softwareVersion": model["version"],
        "description": "The medical AI model that was audited",
    }
    yield {
        "@id": "#reportgen",
        "@type": "SoftwareApplication",
        "name": "reportgen",
        "softwareVersion": software["reportgen"],
        "runtimePlatform": f"Python {software['python']}, {software['platform']}",
    }
    yield from _inputs(results)
    yield {
        "@id": "#audit",
        "@type": "CreateAction",
        "name": f"Audit of {model['name']} {model['version']}",
        "instrument": {"@id": "#reportgen"},
        "object": [{"@id": one} for one in ("#model", MANIFEST, *used)],
        "result": [{"@id": quote(name)} for name in sorted(names) if name != MANIFEST],
    }
    yield {"@id": "#licence", "@type": "CreativeWork", "name": "None", "description": NO_LICENCE}
    yield from _standards(results, names, profile)


def _inputs(results: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the inputs, which are no part of the dossier, each under the manifest's name of it."""
    for place, record in enumerate(results["inputs"], 1):
        yield {
            "@id": _input_id(place),
            "@type": "MediaObject",
            "name": record["name"],
            "description": f"Input, no part of this dossier: {record['path']}",
            "sha256": record["sha256"],
            "contentSize": str(record["bytes"]),
        }


def _input_id(place: int) -> str:
    return f"#input-{place}"


def _standards(results: Mapping[str, Any], names: list[str], profile: str) -> Iterator[Json]:
    """Yield the standards and schemas that the files are written by."""
    named = {
        SCHEMA: (results["schema"], "JSON Schema; printed by: reportgen schema results"),
        MANIFEST_SCHEMA: ("reportgen: 1", "JSON Schema; printed by: reportgen schema manifest"),
        STATEMENT_TYPE: ("in-toto Statement, version 1", "Attestation framework of in-toto"),
        PREDICATE_TYPE: ("in-toto test-result, version 0.1", "Predicate of in-toto"),
    }
    if any(name.endswith(".pdf") for name in names):
        pdf_a, number = PDF_A[profile]
        named[PRONOM + number] = (pdf_a, "ISO 19005: PDF for long-term preservation")
        named[PDF_UA] = ("PDF/UA-1", "ISO 14289-1: accessible PDF")
    for key, (name, told) in named.items():
        yield {"@id": key, "@type": "CreativeWork", "name": name, "description": told}

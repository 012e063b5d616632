"""``dossier.intoto.json``: what was tested and how it went, for policies that read attestations.

An in-toto Statement (version 1) with the predicate test-result (version 0.1). It is not signed: it
can be put into an envelope by whoever attests. Its subjects are the files of the record, so that a
policy can ask for one by its digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.release.fingerprint import sha256_of, strict_json
from reportgen.release.folder import Described
from reportgen.release.record import MANIFEST, RESULTS

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
RESULT_OF = {"release": "PASSED", "conditional": "WARNED", "hold": "FAILED"}
TESTS_OF = {"pass": "passedTests", "warn": "warnedTests", "fail": "failedTests"}


def statement(
    results: Mapping[str, Any], manifest: bytes, others: Mapping[str, Described]
) -> bytes:
    """Return the statement of a dossier.

    Parameters
    ----------
    results : mapping
        Plain data as in results.json.
    manifest : bytes
        The manifest as read.
    others : mapping of text to Described
        Every other file of the record but SHA256SUMS, by its name.

    Returns
    -------
    bytes
        Strict JSON. ``result`` is PASSED for the decision *release*, WARNED for *conditional* and
        FAILED for *hold*. The tests are the findings, by their ids. A note neither passed nor
        warned: notes are named in the annotations of ``results.json`` among the subjects, and in no
        list of tests.
    """
    findings = results["findings"]
    tests = {
        key: [one["id"] for one in findings if one["severity"] == severity]
        for severity, key in TESTS_OF.items()
    }
    return strict_json(
        {
            "_type": STATEMENT_TYPE,
            "subject": [_subject(name, one, results) for name, one in sorted(others.items())],
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "result": RESULT_OF[results["decision"]["outcome"]],
                "configuration": [
                    {"name": MANIFEST, "digest": {"sha256": sha256_of(manifest)}},
                    *map(_input, results["inputs"]),
                ],
                **tests,
            },
        }
    )


def _subject(name: str, one: Described, results: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file of the record as a ResourceDescriptor."""
    subject: dict[str, Any] = {"name": name, "digest": {"sha256": one.sha256}}
    if name == RESULTS:
        dossier = results["dossier"]
        notes = [one["id"] for one in results["findings"] if one["severity"] == "note"]
        subject["annotations"] = {
            "model": dossier["model"]["name"],
            "modelVersion": dossier["model"]["version"],
            "revision": str(dossier["revision"]),
            "decision": results["decision"]["outcome"],
            "resultsDigest": dossier["digest"],
            "notes": notes,
        }
    return subject


def _input(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return an input as a ResourceDescriptor, under the name that the manifest gives it."""
    return {
        "name": record["name"],
        "digest": {"sha256": record["sha256"]},
        "annotations": {"path": record["path"]},
    }

"""What stands in a dossier's folder: the record, and beside it what approvals add to it.

The *record* is what ``build`` wrote; ``SHA256SUMS`` lists it, and nothing touches it again. An
approval adds files of its own, listed in ``SHA256SUMS.signed``: the ledger, the pages that show it,
detached signatures. Every reader of a folder tells the two apart by the names here.
"""

from __future__ import annotations

import re

RESULTS = "results.json"
MANIFEST = "manifest.yaml"
ENVIRONMENT = "environment.json"
HTML = "dossier.html"
PDF = "dossier.pdf"
STATEMENT = "dossier.intoto.json"
CRATE = "ro-crate-metadata.json"
SUMS = "SHA256SUMS"

LEDGER = "approvals.json"
SIGNED_HTML = "dossier-signed.html"
SIGNED_PDF = "dossier-signed.pdf"
SIGNED_SUMS = "SHA256SUMS.signed"
SIGNATURES = "signatures"
"""Folder of detached signatures, ``signatures/<number>.p7s``, each over ``SHA256SUMS``."""

INPUTS = "inputs"
INPUTS_SUMS = "SHA256SUMS.inputs"
"""Copies of the inputs, in an archive alone, and the list of their digests."""

_APPROVAL = re.compile(
    rf"{LEDGER}|{SIGNED_HTML}|{SIGNED_PDF}|{re.escape(SIGNED_SUMS)}|{SIGNATURES}/[0-9]+\.p7s"
)


def is_of_approvals(name: str) -> bool:
    """Return whether the file `name` of a dossier's folder was added by approvals."""
    return _APPROVAL.fullmatch(name) is not None


def is_of_inputs(name: str) -> bool:
    """Return whether a file of an unpacked archive is a copy of an input, or their list."""
    return name == INPUTS_SUMS or name.startswith(f"{INPUTS}/")

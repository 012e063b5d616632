"""What the first page names: the findings that decide, and the data that were met."""

from __future__ import annotations

from typing import Any

from reportgen.render.view import Plain

MOST_DECIDING, MOST_BESIDE_CRITERIA = 5, 3
"""Findings that the decision names; the list of all findings has the others."""
MOST_MET = 4
"""Inputs that the first page names; the data received have the others."""


def front(results: Plain) -> dict[str, Any]:
    """Return what the template of the first page needs beside the results.

    ``deciding`` and ``more_deciding``: the findings that decide, without those on criteria, which
    have a table of their own on the page, and how many more there are;
    ``met`` and ``more_met``: the inputs with independent units, without those a model was fitted
    on, and whether there are more.
    """
    reasons = results["decision"]["reasons"]
    criteria = {row["finding"] for row in results.get("criteria", ())}
    deciding = [
        one for one in results["findings"] if one["id"] in reasons and one["id"] not in criteria
    ]
    most = MOST_BESIDE_CRITERIA if criteria else MOST_DECIDING
    met = [
        one
        for one in results["inputs"]
        if one.get("units") is not None and not one["name"].endswith(".train")
    ]
    return {
        "deciding": deciding[:most],
        "more_deciding": max(0, len(deciding) - most),
        "met": met[:MOST_MET],
        "more_met": len(met) > MOST_MET,
    }

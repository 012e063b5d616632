"""Two releases of a model on one test set, and dossiers of them without their pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import reportgen
from reportgen.release.fingerprint import strict_json

MANIFEST = """\
reportgen: 1
dossier: {title: Release, date: 2026-11-30}
model: {name: m, version: "VERSION"}
defaults: {seed: 7, resamples: 500}
tables:
  test:
    path: FILE
    label: {column: y, positive: 1}
    scores: {risk: p}
    unit: patient
    key: row
    groups: [sex, site]
sections:
  - {kind: frame, table: test, score: risk, threshold: 0.5, margin: 0.05, groups: [sex, site]}
  - {kind: dca, table: test, thresholds: [0.2, 0.5]}
  - {kind: prevalence, table: test, score: risk, threshold: 0.5, prevalences: [0.1]}
"""
Columns = dict[str, NDArray[Any]]


def patients(n: int = 600, *, seed: int = 1, rows: int = 1) -> Columns:
    """Return a test set: label, score of the older release, groups."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    latent = rng.normal(size=n) + 1.6 * y
    columns = {
        "patient": np.array([f"patient-{i:05d}" for i in range(n)]),
        "sex": np.where(rng.random(n) < 0.5, "F", "M"),
        "site": np.where(rng.random(n) < 0.3, "north", "south"),
        "y": y.astype(int),
        "latent": latent,
    }
    columns = {name: np.repeat(values, rows) for name, values in columns.items()}
    noise = 0.2 * rng.normal(size=n * rows)
    columns["p"] = 1 / (1 + np.exp(-(columns["latent"] + noise - 0.8)))
    columns["row"] = np.array([f"row-{i:05d}" for i in range(n * rows)])
    return columns


def next_release(
    columns: Mapping[str, NDArray[Any]], *, seed: int = 2, noise: float = 0.2, missed: float = 0.0
) -> Columns:
    """Return the same patients with the scores of the newer release.

    `missed` is the share of the women with the disease whom it misses on top.
    """
    rng = np.random.default_rng(seed)
    n = len(columns["y"])
    latent = np.log(columns["p"] / (1 - columns["p"])) + noise * rng.normal(size=n)
    hit = (columns["sex"] == "F") & (columns["y"] == 1) & (rng.random(n) < missed)
    latent = np.where(hit, latent - 3, latent)
    return {**columns, "p": 1 / (1 + np.exp(-latent))}


def write_table(
    path: Path, columns: Mapping[str, NDArray[Any]], order: Sequence[int] | None = None
) -> None:
    """Write a test set as CSV, its rows in another order if one is given."""
    names = ("row", "patient", "sex", "site", "y", "p")
    lines = [
        ",".join(str(columns[name][at]) for name in names)
        for at in (range(len(columns["y"])) if order is None else order)
    ]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")


def dossier(
    folder: Path,
    version: str,
    columns: Mapping[str, NDArray[Any]],
    *,
    manifest: str = MANIFEST,
    order: Sequence[int] | None = None,
) -> Path:
    """Build the dossier of a release, without pages, in ``folder/out/<version>/r1``; return it.

    The table is ``folder/<version>.csv``, the manifest ``folder/<version>.yaml``.
    """
    write_table(folder / f"{version}.csv", columns, order)
    text = manifest.replace("VERSION", version).replace("FILE", f"{version}.csv")
    path = folder / f"{version}.yaml"
    path.write_text(text)
    results = reportgen.run(reportgen.load_manifest(path))
    place = folder / "out" / version / "r1"
    place.mkdir(parents=True)
    data = {**results.data, "dossier": {**results.data["dossier"], "revision": 1}}
    (place / "results.json").write_bytes(strict_json(data))
    (place / "manifest.yaml").write_bytes(results.manifest)
    return place

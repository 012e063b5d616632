"""The oral histology pictures as both detectors see them, made with Pillow alone."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps

from reportgen.stats.duplicates import Hits


def thumbnail(picture: Image.Image, side: int) -> NDArray[np.uint8]:
    """Return Pillow's BOX reduction of the grey picture, its orientation applied."""
    grey = ImageOps.exif_transpose(picture).convert("L")
    return np.asarray(grey.resize((side, side), Image.Resampling.BOX))


@dataclass(frozen=True)
class Oscc:
    """544 fields of 228 sources."""

    folder: Path
    files: list[str]
    source: NDArray[Any]
    resplit: NDArray[Any]
    grey32: NDArray[np.uint8]
    grey64: NDArray[np.uint8]
    reference: dict[str, Any]

    def counts(self, hits: Hits) -> tuple[int, int]:
        """Return how many pairs are of one source, and how many are not."""
        same = self.source[hits.first] == self.source[hits.second]
        return int(same.sum()), int((~same).sum())

    def leaked(self, hits: Hits) -> int:
        """Return how many validation images have a twin in train."""
        ends = zip(hits.first.tolist(), hits.second.tolist(), strict=True)
        pairs = [pair for a, b in ends for pair in ((a, b), (b, a))]
        return len({a for a, b in pairs if self.resplit[a] == "valid" != self.resplit[b]})


@pytest.fixture(scope="session")
def oscc(shared: Path) -> Oscc:
    """Read the pictures once."""
    data = shared / "data" / "integrity"
    folder = data / "oscc400"
    with (folder / "manifest.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    pictures = [Image.open(folder / "images" / row["file"]) for row in rows]
    made = [(thumbnail(p, 32), thumbnail(p, 64)) for p in pictures]
    for picture in pictures:
        picture.close()
    return Oscc(
        folder / "images",
        [row["file"] for row in rows],
        np.array([row["source_id"] for row in rows]),
        np.array([row["resplit"] for row in rows]),
        np.stack([small for small, _ in made]),
        np.stack([large for _, large in made]),
        json.loads((data / "reference.json").read_text())["oscc400"],
    )

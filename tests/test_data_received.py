"""The page "Data received": what every input is like, told before any figure rests on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.support.bare_pages import without_charts, without_fonts
from tests.support.catalogue import Bench
from tests.support.integrity_images import texture

PART = "data-received"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return an empty folder with the command line, which works in it."""
    monkeypatch.chdir(tmp_path)
    without_fonts(monkeypatch)
    without_charts(monkeypatch)
    return Bench(tmp_path, monkeypatch)


def test_spellings_of_a_split_are_told_in_the_section_on_the_images(bench: Bench) -> None:
    for at, split in enumerate(("train", "train", "Train", "test")):
        Image.fromarray(texture(at)).save(bench.folder / f"{split}-{at}.png")
    bench.write(
        "images.csv",
        "file,part,ward\ntrain-0.png,train,A\ntrain-1.png,train,a\nTrain-2.png,Train,\n"
        "test-3.png,test,B\n",
    )
    columns = {"file": "file", "split": "part", "site": "ward"}
    bench.manifest(
        {"kind": "integrity", "images": "scans", "near_duplicates": {"pictures": "ids"}},
        images={"scans": {"path": "images.csv", "columns": columns}},
    )
    dossier = bench.build()
    dossier.warns("RUN-004", "spelling variants in part", "'Train' / 'train'", "'A' / 'a'")
    dossier.shows("spelling variants in ward, kept apart: 'A' / 'a'", part=PART)

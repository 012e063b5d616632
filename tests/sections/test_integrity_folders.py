"""From files in folders to findings: what cannot be compared is named, with its reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from reportgen.errors import key_text
from reportgen.inputs.beside import Finder
from reportgen.inputs.images import ImageSet, ImagesSettings
from reportgen.inputs.images.reading import read_images
from reportgen.sections.integrity import near_duplicates
from reportgen.sections.integrity.audits import Audited
from tests.support.integrity_images import texture
from tests.support.integrity_jobs import grades, job


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REPORTGEN_CACHE", "off")
    for name in ("train", "test"):
        (tmp_path / name).mkdir()
    return tmp_path


def read(folder: Path, **more: int) -> ImageSet:
    declared = {"folders": {"train": "train", "test": "test"}, **more}
    finder = Finder(folder, lambda key: key_text(key), allow_outside=False)
    return read_images("scans", ImagesSettings.model_validate(declared), finder)[0]


def audited(images: ImageSet) -> Audited:
    near = {"detectors": {"rms32": 4.0, "wdct": 0.9}, "between": [["train", "test"]]}
    settings = {"images": "scans", "near_duplicates": near}
    return near_duplicates.audit(job(settings, images={"scans": images}))


def test_files_that_cannot_be_compared_are_named_and_in_no_denominator(  # D93, D95, D98, D99
    folder: Path,
) -> None:
    Image.fromarray(texture(1)).save(folder / "train" / "a.png")
    Image.fromarray(texture(1)).save(folder / "test" / "copy.png")
    Image.fromarray(texture(2)).save(folder / "test" / "other.png")
    (folder / "test" / "empty.png").write_bytes(b"")
    whole = (folder / "train" / "a.png").read_bytes()
    (folder / "test" / "cut.png").write_bytes(whole[: len(whole) // 2])
    (folder / "test" / "text.png").write_text("no picture")
    Image.new("L", (128, 128), 255).save(folder / "test" / "white.png")
    Image.new("RGBA", (128, 128), (255, 0, 0, 0)).save(folder / "test" / "clear.png")
    Image.new("L", (400, 400)).save(folder / "test" / "huge.png")
    found = audited(read(folder, max_pixels=128 * 128))
    for row in found.result.counts:
        assert (row.k, row.n) == (1, 2)
    (record,) = [one for one in found.records if one.code == "INT-004"]
    named = " ".join(record.evidence)
    for name in ("empty", "cut", "text", "white", "clear", "huge"):
        assert f"test/{name}.png" in named
    assert (record.k, record.n, record.grade) == (6, 9, "minor")
    (finding,) = [one for one in found.findings if one.code == "INT-004"]
    assert "3 unreadable, 1 oversized, 2 blank" in finding.statement


def test_all_files_sound_leave_no_such_finding(folder: Path) -> None:
    Image.fromarray(texture(1)).save(folder / "train" / "a.png")
    Image.fromarray(texture(2)).save(folder / "test" / "b.png")
    assert "INT-004" not in grades(audited(read(folder)))


def test_one_picture_stored_in_many_ways_is_one_picture(folder: Path) -> None:  # D94, D96, D100
    base = texture(3)
    picture = Image.fromarray(base)
    picture.save(folder / "train" / "a.png")
    test = folder / "test"
    turned = picture.transpose(Image.Transpose.ROTATE_90)  # undone by orientation 6
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.save(test / "exif.png", exif=exif)
    Image.fromarray(base.astype(np.uint16) * 257).save(test / "deep.png")
    picture.convert("P").save(test / "palette.png")
    picture.convert("RGB").save(test / "colour.tif")
    picture.save(test / "first.gif", save_all=True, append_images=[Image.fromarray(texture(4))])
    found = audited(read(folder))
    rms32 = [row for row in found.result.rows if row.detector == "rms32"]
    assert {row.image.rpartition("/")[2] for row in rms32} == {
        "exif.png",
        "deep.png",
        "palette.png",
        "colour.tif",
        "first.gif",
    }
    assert {row.symmetry for row in rms32} == {"identity"}
    assert all((row.rms or 0) < 1 for row in rms32)

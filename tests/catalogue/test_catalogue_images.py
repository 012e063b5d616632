"""Images and near duplicates: catalogue D93–D101."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.inputs.images.conftest import png
from tests.support.catalogue import Bench, Case, Cases, Dossier
from tests.support.integrity_images import texture

case = Cases()


def save(bench: Bench, name: str, picture: Any, **how: Any) -> None:
    path = bench.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    image.save(path, **how)


def built(bench: Bench, **near: Any) -> Dossier:
    """Return the dossier of the near duplicates between the folders train and test."""
    for split in ("train", "test"):
        (bench.folder / split).mkdir(exist_ok=True)
    bench.manifest(
        {
            "kind": "integrity",
            "images": "scans",
            "near_duplicates": {"between": [["train", "test"]], "pictures": "ids", **near},
        },
        images={"scans": {"folders": {"train": "train", "test": "test"}}},
    )
    return bench.build()


def pairs(dossier: Dossier) -> set[tuple[str, str, str]]:
    """Return image, twin and symmetry of the pairs found."""
    rows = dossier.result("integrity")["near_duplicates"]["rows"]
    return {(*sorted((row["image"], row["twin"])), row["symmetry"]) for row in rows}


@case("D93")
def files_that_are_no_images(bench: Bench) -> None:
    save(bench, "train/a.png", texture(1))
    save(bench, "test/b.png", texture(2))
    save(bench, "test/cut.jpg", texture(3), quality=90)
    cut = (bench.folder / "test/cut.jpg").read_bytes()
    bench.write("test/cut.jpg", cut[: len(cut) // 2])
    bench.write("test/empty.png", b"")
    bench.write("test/text.png", "no picture, just words")
    bench.write("test/.hidden.png", b"")
    bench.write("test/Thumbs.db", b"")
    os.mkfifo(bench.folder / "test/fifo.png")
    save(bench, "test/plain", texture(4), format="PNG")
    dossier = built(bench)
    record = dossier.data["inputs"][0]
    assert [one["file"] for one in record["unreadable"]] == [
        "test/cut.jpg",
        "test/empty.png",
        "test/fifo.png",
        "test/text.png",
    ]
    assert (record["rows"], record["read"]) == (6, 2)
    assert record["left_out"] == [{"reason": "unreadable", "k": 4}]
    assert "ignored, hidden file: 1" in record["notes"]
    ignored = ["test/.hidden.png", "test/Thumbs.db", "test/plain"]
    assert [one["file"] for one in record["ignored"]] == ignored
    dossier.shows(*ignored, "no image (no ending)", part="data-received")
    (table,) = dossier.folder.rglob("data-received-ignored.csv")
    assert all(name in table.read_text("utf-8") for name in ignored)
    found = dossier.warns("INT-004", "4")
    assert found["severity"] == "warn"  # 4 of 6 are more than 5 %
    dossier.shows("test/empty.png", "test/cut.jpg", "test/text.png", part="data-received")
    dossier.shows("ignored, hidden file: 1", part="data-received")


@case("D94")
def grey_of_16_bits_keeps_its_levels(bench: Bench) -> None:
    ramp = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    save(bench, "train/deep.png", Image.fromarray(ramp))
    # Rounded by hand: v / 257. Were all from 255 on made white, the two would be no pair.
    save(bench, "test/eight.png", np.round(ramp / 257).astype(np.uint8))
    dossier = built(bench, detectors={"rms32": 2})
    found = pairs(dossier)
    assert {(one[0], one[1]) for one in found} == {("test/eight.png", "train/deep.png")}
    (row,) = dossier.result("integrity")["near_duplicates"]["rows"]
    assert row["rms"] == pytest.approx(0, abs=0.01)
    notes = " ".join(dossier.data["inputs"][0]["notes"])
    assert "16-bit grey scaled linearly, 0…65535 to 0…255" in notes


@case("D95")
def colour_behind_full_transparency(bench: Bench) -> None:
    save(bench, "train/ghost.png", Image.new("RGBA", (80, 80), (255, 0, 0, 0)))
    save(bench, "test/b.png", texture(2))
    dossier = built(bench)
    (blank,) = dossier.data["inputs"][0]["blank"]
    assert blank["file"] == "train/ghost.png"
    assert blank["reason"] == "no visible content: fully transparent"
    assert "alpha composited on white (255)" in " ".join(dossier.data["inputs"][0]["notes"])
    dossier.warns("INT-004", "1")
    dossier.shows("no visible content", "train/ghost.png")


@case("D96")
def a_photograph_that_was_turned(bench: Bench) -> None:
    exif = Image.Exif()
    exif[274] = 6
    upright = texture(5)[:, :96]
    stored = np.rot90(upright)  # turned clockwise by a quarter it is upright again
    save(bench, "train/a.png", upright)
    save(bench, "test/b.png", stored, exif=exif)
    dossier = built(bench)
    assert pairs(dossier) == {("test/b.png", "train/a.png", "identity")}
    assert "EXIF orientation applied" in " ".join(dossier.data["inputs"][0]["notes"])
    # Sizes in a COCO file are checked against the upright picture, 96 by 128.
    truth = {
        "images": [
            {"id": 1, "file_name": "train/a.png", "width": 96, "height": 128},
            {"id": 2, "file_name": "test/b.png", "width": 128, "height": 96},
        ],
        "categories": [{"id": 1, "name": "x"}],
        "annotations": [
            {"id": at, "image_id": at, "category_id": 1, "bbox": [1, 1, 9, 9]} for at in (1, 2)
        ],
    }
    bench.write("gt.json", json.dumps(truth))
    bench.manifest(
        {"kind": "integrity", "images": "scans", "detections": "boxes"},
        images={"scans": {"folders": {"train": "train", "test": "test"}}},
        detections={"boxes": {"ground_truth": "gt.json", "join": "file"}},
    )
    bench.build().warns("INT-034", "1 of 2")
    # So are the sizes of an image list, with and without boxes.
    bench.write("list.csv", "file,part,w,h\ntrain/a.png,train,96,128\ntest/b.png,test,128,96\n")
    columns = {"file": "file", "split": "part", "width": "w", "height": "h"}
    bench.manifest(
        {"kind": "integrity", "images": "scans", "leakage": {"by": ["content"]}},
        images={"scans": {"path": "list.csv", "columns": columns}},
    )
    bench.build().warns("INT-008", "1 of 2", "1 of them with width and height swapped")


@case("D97")
def mirrored_and_turned_copies(bench: Bench) -> None:
    made: dict[str, Callable[[Any], Any]] = {
        "rotate_90": lambda one: np.rot90(one),
        "rotate_180": lambda one: np.rot90(one, 2),
        "rotate_270": lambda one: np.rot90(one, 3),
        "flip_left_right": np.fliplr,
        "flip_top_bottom": np.flipud,
        "transpose": np.transpose,
        "transverse": lambda one: np.rot90(np.transpose(one), 2),
        "identity": lambda one: one,
    }
    for at, (name, turn) in enumerate(made.items()):
        save(bench, f"train/{name}.png", texture(at))
        save(bench, f"test/{name}.png", turn(texture(at)))
    dossier = built(bench)
    rows = dossier.result("integrity")["near_duplicates"]["rows"]
    found = {row["image"].split("/")[1]: row["symmetry"] for row in rows}
    assert set(found) == {f"{name}.png" for name in made}
    # Whether a quarter is named for the copy or for the way back, the rest is its own inverse.
    quarters = {"rotate_90", "rotate_270"}
    for name in made:
        got = found[f"{name}.png"]
        assert got == name or {got, name} == quarters
    assert len(set(found.values())) == 8
    dossier.shows("flip", part="section-integrity")


@case("D98")
def frames_without_content(bench: Bench) -> None:
    for split in ("train", "test"):
        save(bench, f"{split}/black.png", Image.new("L", (80, 80), 0))
        save(bench, f"{split}/white.png", Image.new("L", (80, 80), 255))
        halves = np.zeros((80, 80), dtype=np.uint8)
        halves[:, 40:] = 255
        save(bench, f"{split}/split.png", halves)
    dossier = built(bench)
    blank = [one["file"] for one in dossier.data["inputs"][0]["blank"]]
    assert blank == ["test/black.png", "test/white.png", "train/black.png", "train/white.png"]
    found = {(one, two) for one, two, _symmetry in pairs(dossier)}
    assert not {one for pair in found for one in pair} & set(blank)
    dossier.warns("INT-004", "4")


@case("D99")
def images_beyond_the_pixel_limit(bench: Bench) -> None:
    rows = zlib.compressobj()
    body = b"".join(rows.compress(bytes(1501)) for _ in range(12_000)) + rows.flush()
    bench.write("train/bomb.png", png(12_000, 12_000, body))
    bench.write("train/slide.png", png(60_000, 50_000, b"nothing"))
    save(bench, "test/b.png", texture(2))
    limit = Image.MAX_IMAGE_PIXELS
    dossier = built(bench)
    named = {one["file"]: one["reason"] for one in dossier.data["inputs"][0]["oversized"]}
    assert set(named) == {"train/bomb.png", "train/slide.png"}
    assert "144,000,000 pixels, above the limit of 50,000,000" in named["train/bomb.png"]
    assert limit == Image.MAX_IMAGE_PIXELS
    assert limit is not None
    dossier.warns("INT-004", "2")
    dossier.shows("train/bomb.png", "144,000,000 pixels")


@case("D100")
def other_kinds_of_images(bench: Bench) -> None:
    face = texture(7)
    save(bench, "train/plain.png", face)
    save(bench, "test/cmyk.jpg", Image.fromarray(face).convert("CMYK"), quality=95)
    save(bench, "test/palette.png", Image.fromarray(face).convert("P"))
    save(bench, "test/gif.gif", Image.fromarray(face), save_all=True,
         append_images=[Image.fromarray(texture(8))])  # fmt: skip
    save(bench, "test/tiff.tif", face)
    save(bench, "test/one.png", Image.fromarray(face).convert("1"))
    bench.write("test/phone.heic", b"\0\0\0\x18ftypheic" + b"\0" * 40)
    dossier = built(bench, detectors={"rms32": 6})
    record = dossier.data["inputs"][0]
    notes = " ".join(record["notes"])
    for conversion in ("CMYK converted to RGB", "palette", "first", "1-bit"):
        assert conversion.casefold() in notes.casefold(), notes
    (heic,) = record["unreadable"]
    assert "HEIC/HEIF is not supported" in heic["reason"]
    found = {one for one, _two, _symmetry in pairs(dossier)}
    assert {"test/gif.gif", "test/tiff.tif", "test/palette.png", "test/cmyk.jpg"} <= found


@case("D101")
def counts_hang_on_the_threshold(bench: Bench) -> None:
    rng = np.random.default_rng(1)
    for at, noise in enumerate((0, 6, 25, 60)):
        face = texture(at).astype(float)
        save(bench, f"train/{at}.png", texture(at))
        noisy = np.clip(face + rng.normal(0, noise, face.shape), 0, 255)
        save(bench, f"test/{at}.png", noisy.astype(np.uint8))
    dossier = built(bench)
    result = dossier.result("integrity")["near_duplicates"]
    (count,) = result["counts"]
    assert count["threshold"] == 0.6
    assert count["lower_bound"] is True
    others = {row["threshold"] for row in result["sensitivity"]} - {0.6}
    assert len(others) >= 2
    dossier.shows("lower bound", part="section-integrity")
    assert "INT-001" in dossier.codes()


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)

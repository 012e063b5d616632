"""DICOM: values from the standard's own formulas, the extra named where it is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.inputs.images.conftest import Read

STORED = (np.arange(64 * 64).reshape(64, 64) % 4096).astype(np.uint16)
"""Every 12-bit value once."""


def _write(path: Path, stored: NDArray[Any], **attributes: Any) -> None:
    """Write a DICOM file of 12 stored bits in 16; `syntax` and `raw` make it what it is not."""
    pydicom = pytest.importorskip("pydicom", reason="the extra dicom is not installed")
    from pydicom.dataset import FileDataset, FileMetaDataset

    meta: Any = FileMetaDataset()
    meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.7"
    meta.MediaStorageSOPInstanceUID = "2.25.1"
    meta.TransferSyntaxUID = attributes.pop("syntax", pydicom.uid.ExplicitVRLittleEndian)
    dataset: Any = FileDataset(str(path), {}, file_meta=meta, preamble=bytes(128))
    dataset.Rows, dataset.Columns = stored.shape[-2:] if stored.dtype != np.uint8 else (64, 64)
    dataset.SamplesPerPixel = 1
    dataset.PhotometricInterpretation = "MONOCHROME2"
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 16, 12, 11
    dataset.PixelRepresentation = 0
    dataset.PixelData = attributes.pop("raw", stored.tobytes())
    for name, value in attributes.items():
        setattr(dataset, name, value)
    dataset.save_as(path, enforce_file_format=True)


def _one(read_set: Read) -> tuple[NDArray[np.uint8], list[str]]:
    images, _ = read_set()
    assert images.readable.all(), images.trouble
    return images.load(0), [step.reason for step in images.conversions]


def test_rescale_and_window_are_those_of_the_standard(folder: Path, read_set: Read) -> None:
    # PS3.3 C.11.2.1.2.1: ((x − (c − 0.5)) / (w − 1) + 0.5) of the output range, clipped.
    _write(
        folder / "ct.dcm", STORED, RescaleSlope=2, RescaleIntercept=-1000,
        WindowCenter=[50, 500], WindowWidth=[400, 2000],
    )  # fmt: skip
    shades, steps = _one(read_set)
    x = STORED * 2.0 - 1000
    wanted = np.clip((x - 49.5) / 399 + 0.5, 0, 1) * 255
    assert np.abs(shades - wanted).max() <= 0.5 + 1e-9
    assert sorted(steps) == [
        "DICOM: rescale slope and intercept applied",
        "DICOM: the file's first window scaled to 0…255",
    ]


def test_without_a_window_the_stored_bits_are_the_range(folder: Path, read_set: Read) -> None:
    _write(folder / "a.dcm", STORED)
    shades, steps = _one(read_set)
    assert np.abs(shades - STORED / 4095 * 255).max() <= 0.5 + 1e-9
    assert steps == ["DICOM without a window: the full range of the stored bits scaled to 0…255"]


def test_a_negative_slope_turns_the_greys_round(folder: Path, read_set: Read) -> None:
    _write(folder / "a.dcm", STORED, RescaleSlope=-1, RescaleIntercept=0)
    shades, _ = _one(read_set)
    assert np.abs(shades - (1 - STORED / 4095) * 255).max() <= 0.5 + 1e-9


def test_a_window_on_a_negative_slope_is_the_standards_too(folder: Path, read_set: Read) -> None:
    how = {"RescaleSlope": -1, "RescaleIntercept": 0, "WindowCenter": -2000, "WindowWidth": 1000}
    _write(folder / "a.dcm", STORED, **how)
    shades, _ = _one(read_set)
    wanted = np.clip((-1.0 * STORED + 2000.5) / 999 + 0.5, 0, 1) * 255
    assert np.abs(shades - wanted).max() <= 0.5 + 1e-9


def test_monochrome1_is_inverted(folder: Path, read_set: Read) -> None:
    _write(folder / "a.dcm", STORED, PhotometricInterpretation="MONOCHROME1")
    shades, steps = _one(read_set)
    assert np.abs(shades - (1 - STORED / 4095) * 255).max() <= 0.5 + 1e-9
    assert "DICOM: MONOCHROME1 inverted" in steps


def test_the_first_of_several_frames_is_read(folder: Path, read_set: Read) -> None:
    frames = np.stack([STORED, STORED[::-1], STORED.T])
    _write(folder / "a.dcm", frames, NumberOfFrames=3)
    shades, steps = _one(read_set)
    assert np.abs(shades - STORED / 4095 * 255).max() <= 0.5 + 1e-9
    assert "first of several frames" in steps


def test_the_window_of_an_enhanced_files_frame_counts(folder: Path, read_set: Read) -> None:
    pytest.importorskip("pydicom", reason="the extra dicom is not installed")
    from pydicom.dataset import Dataset

    window, frame = Dataset(), Dataset()
    window.WindowCenter, window.WindowWidth = 1000, 500
    frame.FrameVOILUTSequence = [window]
    _write(folder / "a.dcm", STORED, PerFrameFunctionalGroupsSequence=[frame], NumberOfFrames=1)
    shades, _ = _one(read_set)
    wanted = np.clip((STORED - 999.5) / 499 + 0.5, 0, 1) * 255
    assert np.abs(shades - wanted).max() <= 0.5 + 1e-9


def test_colour_is_read(folder: Path, read_set: Read) -> None:
    colours = np.random.default_rng(1).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    _write(
        folder / "a.dcm", colours, SamplesPerPixel=3, PlanarConfiguration=0, BitsAllocated=8,
        BitsStored=8, HighBit=7, PhotometricInterpretation="RGB",
    )  # fmt: skip
    images, _ = read_set()
    assert np.array_equal(images.picture(0), colours)


def test_a_file_without_ending_is_found_by_its_mark(folder: Path, read_set: Read) -> None:
    _write(folder / "IM000001", STORED)
    assert read_set()[0].files.tolist() == ["all/IM000001"]


def test_compression_without_a_decoder_is_named(folder: Path, read_set: Read) -> None:
    # MPEG2 has no decoder in pydicom at all.
    from_item = b"\xfe\xff\x00\xe0\0\0\0\0" + b"\xfe\xff\x00\xe0\x04\0\0\0junk"
    encapsulated = from_item + b"\xfe\xff\xdd\xe0\0\0\0\0"
    _write(folder / "a.dcm", STORED, syntax="1.2.840.10008.1.2.4.100", raw=encapsulated)
    images, _ = read_set()
    (trouble,) = images.trouble
    assert trouble.kind == "unreadable"
    assert "its pixels are compressed (MPEG2" in trouble.reason
    assert "install a decoder" in trouble.reason


def test_cut_pixels_and_a_report_are_unreadable(folder: Path, read_set: Read) -> None:
    _write(folder / "cut.dcm", STORED, raw=STORED.tobytes()[:4000])
    _write(folder / "report.dcm", STORED)
    pydicom = pytest.importorskip("pydicom")
    report = pydicom.dcmread(folder / "report.dcm")
    for name in ("PixelData", "Rows", "Columns"):
        delattr(report, name)
    report.save_as(folder / "report.dcm")
    (folder / "fake.dcm").write_bytes(b"\xff\xfe" * 300)
    images, _ = read_set()
    reasons = {one.file: one.reason for one in images.trouble}
    assert reasons["all/cut.dcm"].startswith("its pixels are damaged or incomplete")
    assert reasons["all/report.dcm"] == "this DICOM file holds no picture"
    assert reasons["all/fake.dcm"] == "this is no DICOM file (the mark DICM is missing)"


def test_a_large_picture_is_refused_by_its_header(folder: Path, read_set: Read) -> None:
    _write(folder / "a.dcm", STORED, Rows=20_000, Columns=30_000)
    images, _ = read_set()
    (trouble,) = images.trouble
    assert trouble.kind == "oversized"
    assert trouble.reason.startswith("30000 × 20000 = 600,000,000 pixels")


def test_without_the_extra_the_files_are_named_with_how_to_install_it(
    folder: Path, read_set: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.dcm").write_bytes(bytes(128) + b"DICM" + bytes(100))
    monkeypatch.setitem(sys.modules, "pydicom", None)
    images, record = read_set()
    assert record.unreadable[0].file == "all/a.dcm"
    assert images.trouble[0].reason.endswith('pip install "reportgen[dicom]"')

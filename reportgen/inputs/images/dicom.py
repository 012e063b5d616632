"""DICOM pictures through pydicom: rescaled, windowed as the file says, the first frame."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images.refusals import Unreadable, refuse_oversized
from reportgen.inputs.images.scaling import to_bytes
from reportgen.language import mark

NEEDS = mark('DICOM needs the library pydicom: pip install "reportgen[dicom]"')
NO_PICTURE = mark("this DICOM file holds no picture")
FIRST_FRAME = mark("first of several frames")
RESCALED = mark("DICOM: rescale slope and intercept applied")
MODALITY_LUT = mark("DICOM: modality look-up table applied")
WINDOWED = mark("DICOM: the file's first window scaled to 0…255")
VOI_LUT = mark("DICOM: the file's VOI look-up table scaled to 0…255")
FULL_RANGE = mark("DICOM without a window: the full range of the stored bits scaled to 0…255")
INVERTED = mark("DICOM: MONOCHROME1 inverted")
COLOUR = mark("DICOM: colour converted to RGB")
NESTED = ("FrameVOILUTSequence", "PixelValueTransformationSequence", "VOILUTSequence")


@dataclass(frozen=True)
class DicomPicture:
    """The first frame of a DICOM file.

    Attributes
    ----------
    pixels : (h, w) or (h, w, 3) uint8 array
    pixel_digest : str
        SHA-256 of photometric interpretation, type, size and stored pixels.
    conversions : tuple of str
    """

    pixels: NDArray[np.uint8] = field(repr=False)
    pixel_digest: str
    conversions: tuple[str, ...]


def read_dicom(handle: BinaryIO, *, max_pixels: int) -> DicomPicture:
    """Return the first frame of a DICOM file.

    Stored values are rescaled (PS3.3 C.11.1), windowed or looked up (C.11.2) where the file says
    how, else scaled by the full range of the stored bits; MONOCHROME1 is inverted.

    Raises
    ------
    Unreadable
        If pydicom is not installed, there is no picture, or no decoder for its compression.
    Oversized
        If rows × columns is above `max_pixels`.
    """
    try:
        import pydicom
    except ImportError:
        raise Unreadable(NEEDS) from None
    header: Any = pydicom.dcmread(handle, stop_before_pixels=True)
    if "Rows" not in header or "Columns" not in header:
        raise Unreadable(NO_PICTURE)
    refuse_oversized((int(header.Columns), int(header.Rows)), max_pixels)
    handle.seek(0)
    dataset: Any = pydicom.dcmread(handle)
    _lift_first_frame(dataset)
    stored = _stored(dataset)
    steps = [FIRST_FRAME] * (int(dataset.get("NumberOfFrames", None) or 1) > 1)
    photometric = str(dataset.get("PhotometricInterpretation", ""))
    content = f"{photometric} {stored.dtype.str} {stored.shape}\n".encode() + stored.tobytes()
    grey = photometric in ("MONOCHROME1", "MONOCHROME2")
    pixels, more = _grey(stored, dataset) if grey else _colour(stored, dataset)
    digest = hashlib.sha256(content).hexdigest()
    return DicomPicture(np.ascontiguousarray(pixels), digest, (*steps, *more))


def _tools() -> ModuleType:
    return import_module("pydicom.pixels")


def _stored(dataset: Any) -> NDArray[Any]:
    if not any(name in dataset for name in ("PixelData", "FloatPixelData", "DoubleFloatPixelData")):
        raise Unreadable(NO_PICTURE)
    try:
        stored = np.asarray(_tools().pixel_array(dataset, index=0))
    except Exception as error:  # each decoder raises its own
        syntax = dataset.file_meta.TransferSyntaxUID
        if syntax.is_compressed:
            text = mark(
                "its pixels are compressed ({syntax}) and could not be unpacked here: save it"
                " uncompressed, or install a decoder"
            )
            raise Unreadable(text, syntax=syntax.name) from None
        first = next(iter(str(error).splitlines()), "")
        text = mark("its pixels are damaged or incomplete ({reason})")
        raise Unreadable(text, reason=first) from None
    return stored.astype(stored.dtype.newbyteorder("<"), copy=False)


def _lift_first_frame(dataset: Any) -> None:
    """Put the rescale and window of an enhanced file's first frame where plain files have them."""
    for groups in ("PerFrameFunctionalGroupsSequence", "SharedFunctionalGroupsSequence"):
        for name in NESTED:
            first = (dataset.get(groups) or [{}])[0]
            for element in (first.get(name) or [[]])[0]:
                if element.tag not in dataset:
                    dataset.add(element)


def _grey(stored: NDArray[Any], dataset: Any) -> tuple[NDArray[np.uint8], list[str]]:
    tools = _tools()
    steps: list[str] = []
    if dataset.get("ModalityLUTSequence"):
        steps.append(MODALITY_LUT)
    elif (dataset.get("RescaleSlope", 1), dataset.get("RescaleIntercept", 0)) != (1, 0):
        steps.append(RESCALED)
    low, high = _full_range(stored, dataset)
    values = tools.apply_modality_lut(stored, dataset)
    if dataset.get("VOILUTSequence"):
        low, high = 0.0, float(2 ** int(dataset.VOILUTSequence[0].LUTDescriptor[2]) - 1)
        steps.append(VOI_LUT)
        values = tools.apply_voi_lut(values, dataset)
    elif None not in (dataset.get("WindowCenter"), dataset.get("WindowWidth")):
        steps.append(WINDOWED)
        values = tools.apply_voi_lut(values, dataset)
    else:
        steps.append(FULL_RANGE)
        low, high = min(low, high), max(low, high)
    shades = to_bytes(values, low, high)
    if dataset.PhotometricInterpretation == "MONOCHROME1":
        return (255 - shades).astype(np.uint8), [*steps, INVERTED]
    return shades, steps


def _full_range(stored: NDArray[Any], dataset: Any) -> tuple[float, float]:
    """Return what the least and greatest value that the stored bits can tell become by rescaling.

    With a negative slope the first is the greater, which is how pydicom's windows then run too.
    """
    if dataset.get("ModalityLUTSequence"):
        return 0.0, float(2 ** int(dataset.ModalityLUTSequence[0].LUTDescriptor[2]) - 1)
    if stored.dtype.kind == "f":
        raise Unreadable(
            mark("its pixels are floating-point numbers, which have no range to scale by")
        )
    bits = int(dataset.BitsStored)
    low = -(2 ** (bits - 1)) if dataset.PixelRepresentation else 0
    slope = float(dataset.get("RescaleSlope", 1))
    intercept = float(dataset.get("RescaleIntercept", 0))
    return low * slope + intercept, (low + 2**bits - 1) * slope + intercept


def _colour(stored: NDArray[Any], dataset: Any) -> tuple[NDArray[np.uint8], list[str]]:
    photometric = str(dataset.PhotometricInterpretation)
    pixels, bits = stored, int(dataset.BitsStored)
    if photometric == "PALETTE COLOR":
        pixels = _tools().apply_color_lut(stored, dataset)
        bits = 8 * pixels.dtype.itemsize
    if pixels.ndim != 3 or pixels.shape[2] != 3:
        text = mark("the photometric interpretation {name!r} is not supported")
        raise Unreadable(text, name=photometric)
    step = [] if photometric == "RGB" else [COLOUR]
    return to_bytes(pixels, 0.0, float(2**bits - 1)), step

"""Which files are images, by ending and by their first bytes, and which are known but not read."""

from __future__ import annotations

from pathlib import PurePosixPath

from reportgen.inputs.images.refusals import Unreadable
from reportgen.language import mark

FORMATS = ("JPEG", "PNG", "TIFF", "WEBP", "GIF", "BMP", "JPEG2000", "PPM")
"""Pillow's names of the formats that are read; its JPEG opens MPO, the phones' pairs, too."""

DICOM_ENDINGS = (".dcm", ".dicom")
READ_ENDINGS = frozenset(
    f".{ending}"
    for ending in (
        *("jpg", "jpeg", "jpe", "jfif", "mpo", "png", "apng", "tif", "tiff", "webp", "gif"),
        *("bmp", "dib", "jp2", "j2k", "jpx", "ppm", "pgm", "pbm", "pnm", "dcm", "dicom"),
    )
)
UNSUPPORTED_ENDINGS = {
    ".heic": "HEIC",
    ".heif": "HEIF",
    ".avif": "AVIF",
    ".jxl": "JPEG XL",
    ".psd": "Photoshop",
    ".svg": "SVG",
    ".nii": "NIfTI",
    ".mha": "MetaImage",
    ".mhd": "MetaImage",
    ".nrrd": "NRRD",
    ".svs": "Aperio slide",
    ".ndpi": "Hamamatsu slide",
    ".mrxs": "3DHISTECH slide",
    ".scn": "Leica slide",
    ".czi": "Zeiss slide",
    ".dng": "camera raw",
    ".cr2": "camera raw",
    ".nef": "camera raw",
    ".arw": "camera raw",
}
HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
HEAD = 512
"""Bytes that tell what a file is."""


def is_image_name(name: str) -> bool:
    """Return whether a name's ending says image, readable or not."""
    return _ending(name) in READ_ENDINGS or unsupported_ending(name) is not None


def unsupported_ending(name: str) -> str | None:
    """Return the kind of image that a name's ending tells and that is not read, if any."""
    bare = name.lower().removesuffix(".gz")
    return UNSUPPORTED_ENDINGS.get(_ending(bare))


def is_dicom(head: bytes) -> bool:
    """Return whether a file starts as DICOM files do: "DICM" behind 128 bytes."""
    return head[128:132] == b"DICM"


def refusal_of(head: bytes, name: str) -> Unreadable:
    """Return the refusal of a file that no decoder knows: what it is."""
    if not head:
        return Unreadable(mark("the file is empty (0 bytes)"))
    kind = _unsupported(head) or unsupported_ending(name)
    if kind:
        text = mark("{kind} is not supported: save it as PNG, TIFF or JPEG")
        return Unreadable(text, kind=kind)
    if head.startswith(b"version https://git-lfs"):
        return Unreadable(mark("this is a Git LFS pointer, not the image: git lfs pull"))
    if _ending(name) in DICOM_ENDINGS:
        return Unreadable(mark("this is no DICOM file (the mark DICM is missing)"))
    if head.lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        return Unreadable(mark("this is a web page, not an image"))
    if _is_text(head):
        return Unreadable(mark("this is text, not an image"))
    return Unreadable(mark("this is no image that is known here"))


def _unsupported(head: bytes) -> str | None:
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        return "HEIC/HEIF" if brand in HEIF_BRANDS else "AVIF" if brand[:3] == b"avi" else None
    if head.startswith((b"\xff\x0a", b"\0\0\0\x0cJXL ")):
        return "JPEG XL"
    return "Photoshop" if head.startswith(b"8BPS") else None


def _is_text(head: bytes) -> bool:
    try:
        text = head.decode("utf-8", errors="strict")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # a character cut off by the end is none that is wrong
            return False
        text = head[: error.start].decode("utf-8")
    return all(letter.isprintable() or letter in "\r\n\t\f" for letter in text)


def _ending(name: str) -> str:
    return PurePosixPath(name.lower()).suffix

"""Sets of images for the sub-audits of integrity: made in memory, or the real ones of oscc400."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reportgen.errors import key_text
from reportgen.inputs.beside import Finder
from reportgen.inputs.detections import DetectionSet, DetectionsSettings
from reportgen.inputs.detections.reading import read_detections
from reportgen.inputs.images import ImageSet, ImagesSettings, ImageTrouble
from reportgen.inputs.images.reading import read_images
from reportgen.sections.integrity.audits import Pairs
from reportgen.stats.duplicates import clusters

Grey = NDArray[np.uint8]
OSCC400 = "data/integrity/oscc400"


def texture(seed: int, *, side: int = 128, cells: int = 16) -> Grey:
    """Return a picture of random squares: no two of them are near each other in any detector."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (cells, cells), dtype=np.uint8)
    return np.kron(coarse, np.ones((side // cells, side // cells), dtype=np.uint8))


def objects(values: Sequence[Any] | None) -> Any:
    return None if values is None else np.array(list(values), dtype=object)


def _small(picture: Grey, side: int) -> Grey:
    return np.asarray(Image.fromarray(picture).resize((side, side), Image.Resampling.BOX))


def image_set(
    pictures: Sequence[Grey],
    *,
    ids: Sequence[str] | None = None,
    split: Sequence[str] | None = None,
    labels: Sequence[Sequence[str]] | None = None,
    trouble: Sequence[ImageTrouble] = (),
    **columns: Sequence[str],
) -> ImageSet:
    """Return a set of pictures as reading would give it; the thumbnails are Pillow's own.

    `columns` are source, unit, site, acquired, files.
    """
    names = list(ids) if ids is not None else [f"{at:03d}" for at in range(len(pictures))]
    assert names == sorted(names)
    grey32 = np.stack([_small(one, 32) for one in pictures])
    digests = [hashlib.sha256(one.tobytes() + bytes(str(one.shape), "utf8")) for one in pictures]
    return ImageSet(
        name="scans",
        ids=objects(names),
        files=objects(columns.get("files", [f"{name}.png" for name in names])),
        split=objects(split),
        source=objects(columns.get("source")),
        unit=objects(columns.get("unit")),
        site=objects(columns.get("site")),
        acquired=objects(columns.get("acquired")),
        labels=None if labels is None else tuple(frozenset(one) for one in labels),
        splits=tuple(dict.fromkeys(split or ())),
        declared_size=None,
        size=np.array([one.shape[::-1] for one in pictures], dtype=np.int64),
        readable=np.ones(len(pictures), dtype=bool),
        blank=np.array([one.std() < 3 for one in grey32.astype(float)], dtype=bool),
        file_digest=objects([one.hexdigest() for one in digests]),
        pixel_digest=objects([one.hexdigest() for one in digests]),
        grey32=grey32,
        grey64=np.stack([_small(one, 64) for one in pictures]),
        load=lambda at: pictures[at],
        picture=lambda at: np.repeat(pictures[at][:, :, None], 3, axis=2),
        trouble=tuple(trouble),
    )


def pairs_between(
    n: int, image: Sequence[int], twin: Sequence[int], symmetry: Sequence[int] | None = None
) -> Pairs:
    """Return duplicate pairs as the near duplicates hand them on; image < twin in each."""
    first, second = np.array(image, dtype=np.intp), np.array(twin, dtype=np.intp)
    assert (first < second).all()
    turned = np.zeros(len(first)) if symmetry is None else np.array(symmetry)
    return Pairs(
        "wdct",
        first,
        second,
        turned.astype(np.intp),
        np.full(len(first), 0.1),
        clusters(n, first, second),
    )


def _finder(shared: Path) -> Finder:
    return Finder(shared / OSCC400, lambda key: f"m.yaml: {key_text(key)}", allow_outside=False)


def oscc400(shared: Path, *, split: str = "resplit") -> ImageSet:
    """Read the 544 histology fields with their sources and the authors' own split."""
    columns = {"file": "file", "split": split, "source": "source_id", "label": "tvnt"}
    declared = {"path": "manifest.csv", "root": "images", "columns": columns}
    images, _ = read_images("scans", ImagesSettings.model_validate(declared), _finder(shared))
    return images


BOXES: dict[str, Any] = {
    "path": "boxes.csv",
    "columns": {"image": "file", "class": "class_name", "polygon": "label_form"}
    | {name: name for name in "xywh"},
    "size": [640.0, 640.0],
    "polygons": ["polygon"],
}
PUBLISHED: dict[str, Any] = {
    "path": "boxes_as_published_coco.csv",
    "columns": {"image": "file", "class": "category_name"}
    | {name: name for name in "xywh"}
    | {"width": "image_width", "height": "image_height"},
}


def oscc400_boxes(shared: Path, declared: dict[str, Any]) -> DetectionSet:
    """Read its boxes: the right ones (BOXES), or the repository's own conversion (PUBLISHED)."""
    settings = DetectionsSettings.model_validate({"ground_truth": declared, "join": "file"})
    return read_detections("boxes", settings, _finder(shared))[0]

"""How the boxes of a set of detections meet the pictures of a set of images."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.detections import Boxes, DetectionSet
from reportgen.inputs.images import ImageSet
from reportgen.language import mark
from reportgen.sections.integrity.audits import Job

IntArray = NDArray[np.intp]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

NO_LABEL = mark("without label")
"""What images without any label are called where classes are listed; a code in the results."""


@dataclass(frozen=True)
class BoxIndex:
    """Which boxes lie on which image.

    Attributes
    ----------
    order : (m,) int array
        Boxes sorted by image, in file order within one.
    start : (n + 1,) int array
        Image i has the boxes ``order[start[i]:start[i + 1]]``.
    """

    order: IntArray
    start: IntArray

    def of(self, image: int) -> IntArray:
        """Return the boxes on one of the detections' images, by its position."""
        return self.order[self.start[image] : self.start[image + 1]]


def index_boxes(boxes: Boxes, n_images: int) -> BoxIndex:
    """Return which of `boxes` lie on which of `n_images` images."""
    order = np.argsort(boxes.image, kind="stable")
    counts = np.bincount(boxes.image, minlength=n_images)
    return BoxIndex(order, np.concatenate([[0], np.cumsum(counts)]).astype(np.intp))


@dataclass(frozen=True)
class Joined:
    """Images with the boxes on them.

    Attributes
    ----------
    images : ImageSet
    detections : DetectionSet
    at : (n,) int array
        Position of each image among the detections' images; -1 where they do not have it.
    """

    images: ImageSet
    detections: DetectionSet
    at: IntArray

    @cached_property
    def truth_index(self) -> BoxIndex:
        """Which ground-truth boxes lie on which of the detections' images."""
        return index_boxes(self.detections.truth, len(self.detections.images))

    @cached_property
    def predicted_index(self) -> BoxIndex | None:
        """Which predictions lie on which of the detections' images; None without predictions."""
        predicted = self.detections.predicted
        return None if predicted is None else index_boxes(predicted, len(self.detections.images))

    @cached_property
    def n_boxes(self) -> IntArray:
        """The number of ground-truth boxes on each image, 0 where it is not joined."""
        counts = np.diff(self.truth_index.start)
        return np.where(self.at >= 0, counts[self.at], 0).astype(np.intp)

    def truth(self, image: int) -> IntArray:
        """Return the ground-truth boxes on an image of the set, by its position."""
        return self.truth_index.of(int(self.at[image]))

    def predicted(self, image: int) -> IntArray:
        """Return the predictions on an image of the set; none without predictions."""
        index = self.predicted_index
        return np.empty(0, dtype=np.intp) if index is None else index.of(int(self.at[image]))

    def box_size(self, image: int) -> tuple[float, float]:
        """Return width and height of an image in the coordinates of its boxes.

        The size that the detections declare wins, then the image table's, then the file's.
        """
        declared = self.detections.size[self.at[image]]
        if np.all(np.isfinite(declared)) and np.all(declared > 0):
            return float(declared[0]), float(declared[1])
        table = self.images.declared_size
        if table is not None and np.all(table[image] > 0):
            return float(table[image][0]), float(table[image][1])
        width, height = self.images.size[image]
        return float(width), float(height)

    @cached_property
    def turned(self) -> BoolArray:
        """Whether an image's boxes have its width for height: they lie in the stored picture.

        Pictures are read upright, by their EXIF orientation; annotation tools that ignore it put
        boxes, and write sizes, as the file is stored. Scaling and stretching leave sides in order.
        """
        joined = np.flatnonzero((self.at >= 0) & (self.images.size > 0).all(axis=1))
        turned = np.zeros(self.images.n_images, dtype=bool)
        for image in joined.tolist():
            width, height = self.box_size(image)
            own_width, own_height = self.images.size[image].tolist()
            swapped = abs(width * own_width - height * own_height)
            as_read = abs(width * own_height - height * own_width)
            rounding = max(width, height, own_width, own_height)  # of any side by one pixel
            turned[image] = swapped <= rounding < as_read
        return turned

    def classes(self, image: int) -> frozenset[str]:
        """Return the names of the classes with a box on an image of the set."""
        names = self.detections.categories
        category = self.detections.truth.category[self.truth(image)]
        return frozenset(names[one] for one in np.unique(category))


def join(images: ImageSet, detections: DetectionSet) -> Joined:
    """Return which images carry which boxes, by id or by file as the detections declare.

    By file, whole paths are compared first; names without their folders only where they are unique
    on both sides.
    """
    if detections.join == "id":
        at = _positions(images.ids, detections.images)
    else:
        files = detections.images if detections.files is None else detections.files
        at = _positions(images.files, files)
        short = [_last(name) for name in images.files], [_last(name) for name in files]
        if np.all(at < 0) and all(len(set(names)) == len(names) for names in short):
            at = _positions(*short)
    return Joined(images, detections, at)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _positions(wanted: Iterable[str], known: Iterable[str]) -> IntArray:
    """Return where each of `wanted` stands in `known`, -1 where it does not."""
    place = {name: at for at, name in reversed(list(enumerate(known)))}
    return np.array([place.get(name, -1) for name in wanted], dtype=np.intp)


def joined_of(job: Job) -> Joined | None:
    """Return the section's images with its boxes, None if it names only one of them."""
    images, detections = images_of(job), detections_of(job)
    return None if images is None or detections is None else join(images, detections)


def images_of(job: Job) -> ImageSet | None:
    """Return the images that the section names, None if it names none."""
    return job.inputs.images.get(job.settings.images or "")


def detections_of(job: Job) -> DetectionSet | None:
    """Return the detections that the section names, None if it names none."""
    return job.inputs.detections.get(job.settings.detections or "")


BOXES, IMAGE_LABELS = mark("boxes"), mark("image labels")
"""Where labels come from; codes in the results."""
MOST_LISTED = 0.5
"""Share of a split's images among those of the boxes, from which the others count as without."""


@dataclass(frozen=True)
class ImageLabels:
    """The labels of each image and where they come from.

    Attributes
    ----------
    sets : tuple of n frozensets of text, None where nothing is known of an image
    origin : {"boxes", "image labels"}
    assumed : int
        Images taken to have no box because a table of boxes cannot list them.
    """

    sets: tuple[frozenset[str] | None, ...]
    origin: str
    assumed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Every label there is, sorted."""
        return tuple(sorted({name for one in self.sets if one is not None for name in one}))


def image_labels(images: ImageSet, joined: Joined | None, *, first: str) -> ImageLabels | None:
    """Return the labels of the images, None if there are none at all.

    Parameters
    ----------
    images : ImageSet
    joined : Joined or None
        The boxes on them.
    first : {"boxes", "image labels"}
        Which of the two to take where both are there.
    """
    from_boxes = None
    if joined is not None and np.any(joined.at >= 0):
        from_boxes = _labels_of_boxes(images, joined)
    declared = None if images.labels is None else ImageLabels(images.labels, IMAGE_LABELS)
    return (from_boxes or declared) if first == "boxes" else (declared or from_boxes)


def _labels_of_boxes(images: ImageSet, joined: Joined) -> ImageLabels:
    """Return the classes of each image's boxes.

    A COCO file lists its images, so that one it does not list is unknown. A table of boxes cannot
    list an image without boxes: where most images of a split are in it, the others have none.
    """
    known = joined.at >= 0
    empty = np.zeros(images.n_images, dtype=bool)
    if not joined.detections.listed:
        split = np.full(images.n_images, "") if images.split is None else images.split
        for name in dict.fromkeys(split.tolist()):
            members = split == name
            if known[members].mean() >= MOST_LISTED:
                empty |= members & ~known
    sets = [
        joined.classes(at) if known[at] else frozenset[str]() if empty[at] else None
        for at in range(images.n_images)
    ]
    return ImageLabels(tuple(sets), BOXES, int(empty.sum()))

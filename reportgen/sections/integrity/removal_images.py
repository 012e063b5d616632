"""Which images of the evaluation are duplicates, and which hang together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import key_text
from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, n_
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.display import image_positions
from reportgen.sections.integrity.joined import Joined, joined_of
from reportgen.sections.integrity.shares import BoolArray, IntArray
from reportgen.sections.integrity.splits import is_training
from reportgen.sections.integrity.twins import pairs_of, twins_by_split, why_none
from reportgen.stats.detection import merge_codes
from reportgen.wording import alternatives, fixed

LIST_KEY = ("removal_effect", "duplicates")


@dataclass(frozen=True)
class Removed:
    """The images to leave out, and the units that the bootstrap draws.

    Attributes
    ----------
    images : (n,) bool array
        Duplicates among the images of the detections.
    cluster : (n,) int array
        Images that hang together, from 0.
    origin : str
        Where the duplicates are known from.
    rule : str
        What the clusters are made of.
    reason : str or None
        Why there is nothing to remove; None if there is.
    """

    images: BoolArray
    cluster: IntArray
    origin: str
    rule: str
    reason: str | None = None


def removed_images(job: Job, detections: DetectionSet) -> Removed:
    """Return the duplicates of the evaluation: as listed, else as found among the images.

    Of found duplicates those count that have a twin in a training split (with declared pairs of
    splits: in the first of a pair); without splits, those whose twin is not in the evaluation.
    """
    n = len(detections.images)
    joined = joined_of(job)
    listed = job.inputs.lists.get((job.settings.name, key_text(LIST_KEY)))
    groupings: list[IntArray] = [np.arange(n, dtype=np.intp)]
    named = []
    if listed is not None:
        at = image_positions(listed["image"], detections)
        images = np.zeros(n, dtype=np.bool_)
        images[at[at >= 0]] = True
        lost = int((at < 0).sum())
        origin = _("listed")
        if lost:
            origin = n_(
                "listed; {n} row names no image here", "listed; {n} rows name no image here", lost
            ).format(n=fixed(lost, 0))
        reason = None
        if "cluster" in listed:
            groupings.append(_listed_clusters(at, listed["cluster"], n))
            named.append(_("the listed clusters"))
    else:
        images, origin, reason = _found(job, joined, n)
    for name, grouping in _groupings(job, joined, n):
        groupings.append(grouping)
        named.append(name)
    rule = _("each image is its own")
    if named:
        rule = _("images that share {what}, taken together").format(what=alternatives(named))
    if reason is None:
        reason = _degenerate(images)
    return Removed(images, merge_codes(*groupings), origin, rule, reason)


def _degenerate(images: BoolArray) -> str | None:
    if not images.any():
        return _("no image of the evaluation is a duplicate")
    return _("every image of the evaluation is a duplicate") if images.all() else None


def _listed_clusters(at: IntArray, clusters: tuple[str, ...], n: int) -> IntArray:
    code = np.full(n, -1, dtype=np.intp)
    names = np.array(clusters, dtype=object)
    known = (at >= 0) & (names != "")
    code[at[known]] = np.unique(names[known].astype(str), return_inverse=True)[1]
    return code


def _found(job: Job, joined: Joined | None, n: int) -> tuple[BoolArray, str, str | None]:
    images = np.zeros(n, dtype=np.bool_)
    pairs = pairs_of(job)
    if joined is None:
        return (
            images,
            "",
            _("no duplicates were listed, and no images were named to find them among"),
        )
    if pairs is None:
        return images, "", why_none(job)
    near = job.settings.near_duplicates
    declared = near is not None and near.between != "all"
    for twins in twins_by_split(job, joined.images, pairs):
        at = joined.at[twins.image]
        if twins.first == "all" and joined.images.split is None:
            # Either of a pair may be the image of the evaluation.
            other = joined.at[twins.twin]
            images[at[(at >= 0) & (other < 0)]] = True
            images[other[(other >= 0) & (at < 0)]] = True
        elif twins.first != twins.second and (declared or is_training(twins.first)):
            images[at[at >= 0]] = True
    return images, _("near duplicates found by {detector}").format(detector=pairs.detector), None


def _groupings(job: Job, joined: Joined | None, n: int) -> list[tuple[str, IntArray]]:
    """Return what makes images hang together: duplicates of each other, source and patient."""
    if joined is None:
        return []
    found: list[tuple[str, IntArray]] = []
    pairs = pairs_of(job)
    if pairs is not None:
        found.append((_("a cluster of duplicates"), _carried(joined, pairs.cluster, n)))
    for name, values in (
        (_("a source"), joined.images.source),
        (_("a patient"), joined.images.unit),
    ):
        if values is not None:
            found.append((name, _carried(joined, _codes(values), n)))
    return found


def _codes(values: NDArray[np.object_]) -> IntArray:
    code = np.unique(values.astype(str), return_inverse=True)[1].astype(np.intp)
    return np.where(values == "", -1, code)


def _carried(joined: Joined, code: IntArray, n: int) -> IntArray:
    """Return codes of the image set as codes of the detections' images, -1 where unknown."""
    result = np.full(n, -1, dtype=np.intp)
    known = joined.at >= 0
    result[joined.at[known]] = code[known]
    return result

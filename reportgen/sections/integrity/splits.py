"""Which splits are held against which, training first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import _

IntArray = NDArray[np.intp]
Between = Literal["all"] | list[list[str]]
TRAINING = ("train", "training", "trn")
"""Names of splits, in lower case, that are taken to be what the model was fitted on."""


@dataclass(frozen=True)
class SplitPair:
    """Two splits, of which the images of the second are counted.

    Attributes
    ----------
    first, second : str
    first_at, second_at : int arrays
        Positions of their images in the set, ascending.
    """

    first: str
    second: str
    first_at: IntArray
    second_at: IntArray

    @property
    def within(self) -> bool:
        """Whether it is one split held against itself."""
        return self.first == self.second

    @property
    def name(self) -> str:
        """Both names as texts print them."""
        if self.within:
            return _("within {split}").format(split=self.first)
        return _("{first} → {second}").format(first=self.first, second=self.second)


def is_training(split: str) -> bool:
    """Return whether a split's name says that the model was fitted on it."""
    return split.casefold() in TRAINING


def in_order(images: ImageSet) -> tuple[str, ...]:
    """Return the splits that have images, training first, else in the manifest's order."""
    if images.split is None:
        return ()
    met = [name for name in images.splits if name and np.any(images.split == name)]
    return tuple(sorted(met, key=lambda name: not is_training(name)))


def split_pairs(images: ImageSet, between: Between, *, within: bool) -> tuple[SplitPair, ...]:
    """Return the pairs of splits to look at.

    Parameters
    ----------
    images : ImageSet
    between : "all" or list of [first, second]
        "all": every two splits, training first, else in the manifest's order.
    within : bool
        Whether "all" includes each split against itself, after the others.

    Returns
    -------
    tuple of SplitPair
        None without splits.
    """
    if images.split is None:
        return ()
    if between == "all":
        order = in_order(images)
        named = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
        if within:
            named += [(a, a) for a in order]
    else:
        named = [(pair[0], pair[1]) for pair in between]
    return tuple(
        SplitPair(
            first,
            second,
            np.flatnonzero(images.split == first),
            np.flatnonzero(images.split == second),
        )
        for first, second in named
    )

"""The images of one entry of the manifest before any of them is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.cells import Cells
from reportgen.inputs.images.content import TextArray
from reportgen.inputs.images.describing import Place
from reportgen.inputs.opening import Digest
from reportgen.inputs.table import FileTrouble

TEXTS = ("split", "source", "unit", "site", "acquired")
"""Columns that are text, one value an image."""


@dataclass(frozen=True)
class Listing:
    """Who the images are and where they should be.

    Attributes
    ----------
    ids, places : sequence of text, of Place
        One an image.
    texts : mapping of text to (n,) object array
        Those of `TEXTS` that are known.
    labels : tuple of n frozensets of text, or None
    splits : tuple of str
        In their order.
    declared_size : (n, 2) int array or None
        0 where missing.
    ignored : tuple of FileTrouble
        Files that are no images, by path.
    digest : Digest or None
        Of the table; None for folders.
    columns, notes : tuple of str
        The table's header; what was noticed.
    named : mapping of text to text
        Role to column of the table; empty for folders.
    others : tuple of Cells
        The columns of the table without a role.
    """

    ids: tuple[str, ...]
    places: tuple[Place, ...]
    texts: dict[str, TextArray]
    labels: tuple[frozenset[str], ...] | None
    splits: tuple[str, ...]
    declared_size: NDArray[np.int64] | None = None
    ignored: tuple[FileTrouble, ...] = ()
    digest: Digest | None = None
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Cells, ...] = ()

    def column(self, role: str) -> str:
        """Return the column of a role; of folders, which have no columns, the role."""
        return self.named.get(role, role)

    def by_id(self) -> Listing:
        """Return the same images in ascending order of id: of code points, whatever the locale."""
        order = sorted(range(len(self.ids)), key=self.ids.__getitem__)
        labels, sizes = self.labels, self.declared_size
        return replace(
            self,
            ids=tuple(self.ids[i] for i in order),
            places=tuple(self.places[i] for i in order),
            texts={name: values[order] for name, values in self.texts.items()},
            labels=None if labels is None else tuple(labels[i] for i in order),
            declared_size=None if sizes is None else sizes[order],
        )


def text_array(values: Sequence[str]) -> TextArray:
    """Return text as an object array."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array

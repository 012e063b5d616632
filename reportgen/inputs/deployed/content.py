"""What a deployed application does with a model's output: names, thresholds, gates, displays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TextArray = NDArray[np.object_]


@dataclass(frozen=True)
class NamedClasses:
    """The class names of one artefact in the order of their index, with its file's digest."""

    name: str
    index: tuple[str, ...]
    classes: tuple[str, ...]
    digest: str | None = None


@dataclass(frozen=True)
class ShownClasses:
    """The names that one copy of an application shows, by class index.

    Attributes
    ----------
    name : str
        Of the copy.
    index : tuple of str
        Class index as the file gives it.
    shown : tuple of str
        Name shown, "" where missing.
    threshold : tuple of float or None
        Score at which a class is shown, by the name shown; None where the file has no such column.
    digest : str
        SHA-256 of the file.
    """

    name: str
    index: tuple[str, ...]
    shown: tuple[str, ...]
    threshold: tuple[float, ...] | None
    digest: str


@dataclass(frozen=True)
class ClassMap:
    """One entry of ``class_maps``.

    Attributes
    ----------
    name : str
        Its name in the manifest.
    model : tuple of str or None
        The model's own name of each class, in the order of `app.index`; None if the file has none.
    app : ShownClasses
    copies : tuple of ShownClasses
        Other deployed copies.
    artefacts : tuple of NamedClasses
        Class names of the checkpoint, the data file and so on.
    """

    name: str
    model: tuple[str, ...] | None
    app: ShownClasses
    copies: tuple[ShownClasses, ...] = ()
    artefacts: tuple[NamedClasses, ...] = ()


@dataclass(frozen=True)
class Gates:
    """What every gate of a pipeline decided on every image, one row an image and gate.

    Attributes
    ----------
    image, domain, gate : (n,) object array
        Text; `domain` is "" where the file has no such column.
    accepted : (n,) bool array
    order : tuple of str
        The gates in the order in which an image meets them.
    """

    image: TextArray
    domain: TextArray
    gate: TextArray
    accepted: NDArray[np.bool_]
    order: tuple[str, ...]


@dataclass(frozen=True)
class Shown:
    """What the application displayed, one row a finding.

    Attributes
    ----------
    image, detection, name : (n,) object array
        Text; `detection` is the id of a detection, "" where the file has no such column.
    """

    image: TextArray
    detection: TextArray
    name: TextArray


@dataclass(frozen=True)
class Pipeline:
    """One entry of ``pipelines``; a part that was not declared is None."""

    name: str
    gates: Gates | None
    shown: Shown | None

"""What the gates of a pipeline let through, by domain, class and gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.deployed import Gates
from reportgen.language import _, mark
from reportgen.sections.integrity.result_use import GateRow
from reportgen.sections.integrity.shares import BoolArray, IntArray, share_in_units

ALL = "all"
ALL_GATES = mark("all gates")


@dataclass(frozen=True)
class Passage:
    """How each image fared at the gates.

    An image meets the gates in their order and is stopped by the first that rejects it; what the
    table says of gates behind that one is not looked at.

    Attributes
    ----------
    names : (p,) object array
        Images of the table, sorted.
    domain : (p,) object array
    stopped_by : (p,) int array
        Gate in `order`; -1 for an accepted image.
    order : tuple of str
    """

    names: NDArray[np.object_]
    domain: NDArray[np.object_]
    stopped_by: IntArray
    order: tuple[str, ...]

    @property
    def accepted(self) -> BoolArray:
        """(p,) whether the image passed every gate."""
        return np.asarray(self.stopped_by < 0)

    def reached(self, gate: int) -> BoolArray:
        """Return which images met a gate."""
        return np.asarray((self.stopped_by < 0) | (self.stopped_by >= gate))


def passage(gates: Gates) -> Passage:
    """Return how each image of a table of gates fared."""
    names, first, code = np.unique(gates.image.astype(str), return_index=True, return_inverse=True)
    place = {gate: at for at, gate in enumerate(gates.order)}
    met = np.array([place[gate] for gate in gates.gate], dtype=np.intp)
    none = len(gates.order)
    stopped = np.full(len(names), none, dtype=np.intp)
    np.minimum.at(stopped, code[~gates.accepted], met[~gates.accepted])
    return Passage(
        names.astype(object),
        gates.domain[first],
        np.where(stopped == none, -1, stopped),
        gates.order,
    )


def inside(domain: NDArray[np.object_], named: list[str] | None) -> BoolArray:
    """Return which images are of a domain that the system is meant for; all if none is named."""
    if named is None:
        return np.ones(len(domain), dtype=np.bool_)
    return np.isin(domain.astype(str), named)


def gate_rows(
    found: Passage,
    *,
    in_domain: BoolArray,
    classes: list[tuple[str, BoolArray]],
    unit: IntArray,
    confidence: float,
) -> tuple[GateRow, ...]:
    """Return the decisions by domain and gate; of the domains that are meant also by class.

    Parameters
    ----------
    found : Passage
    in_domain : (p,) bool array
    classes : list of (text, (p,) bool array)
        Name of each class and the images that hold it.
    unit : (p,) int array
        Patient of each image.
    confidence : float
    """
    rows: list[GateRow] = []
    for domain in sorted(set(found.domain.tolist())):
        own = found.domain == domain
        meant = bool(in_domain[own].any())
        sets = [(ALL, own)]
        sets += [(name, own & held) for name, held in classes if meant]
        for name, held in sets:
            if name == ALL or held.any():
                rows += _rows(found, held, unit, (domain, meant, name), confidence)
    return tuple(rows)


def _rows(
    found: Passage,
    held: BoolArray,
    unit: IntArray,
    where: tuple[str, bool, str],
    confidence: float,
) -> Iterator[GateRow]:
    """Yield the row over all gates, then one a gate, of the images that met it."""
    steps = [(ALL_GATES, held, ~found.accepted)]
    steps += [
        (gate, held & found.reached(at), found.stopped_by == at)
        for at, gate in enumerate(found.order)
    ]
    for gate, among, stopped in steps:
        n, rejected = int(among.sum()), int((among & stopped).sum())
        share = share_in_units(
            stopped, among, unit, confidence=confidence, empty=_("no image met this gate")
        )
        yield GateRow(*where, gate, n, rejected, n - rejected, share)


def accepted_elsewhere(found: Passage, in_domain: BoolArray) -> tuple[int, int]:
    """Return how many images of other domains were accepted, and of how many."""
    return int((found.accepted & ~in_domain).sum()), int((~in_domain).sum())

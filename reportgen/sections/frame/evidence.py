"""Layer 3 of a section: features of groups against their references, clusters, the map."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.frame.analysis import Comparison, cutoff
from reportgen.sections.frame.data import Attribute, BoolArray, Data
from reportgen.sections.frame.result import (
    ALL,
    OVERALL,
    ClusterRow,
    MapRow,
    RepresentationRow,
)
from reportgen.sections.frame.rows import measured
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.told import told
from reportgen.sections.frame.wording import level_shown, signed
from reportgen.stats.representation.assessment import Representation, feature_shift, linked
from reportgen.stats.representation.clusters import Cluster, failure_clusters
from reportgen.stats.representation.features import complete_rows, standardise
from reportgen.stats.representation.plane import principal_plane, thinned
from reportgen.wording import separated

NO_FEATURES = mark("the table has no features")
MOST_GROUPS = 12
"""An attribute with more comparisons has its features examined where a gap is shown alone."""

Place = tuple[str, int, int]
"""Attribute, group and score of a comparison."""


def place(one: Comparison) -> Place:
    """Return the place of a comparison; its metrics share their evidence."""
    return one.attribute.name, one.group, one.score


@dataclass(frozen=True)
class Evidence:
    """What features say of the groups.

    Attributes
    ----------
    found : dict
        Place to the representation of that group against its reference.
    not_found : dict
        Place to the reason why there is none.
    """

    found: dict[Place, Representation]
    not_found: dict[Place, str]

    def of(self, one: Comparison) -> tuple[bool | None, str]:
        """Return whether a comparison has representational evidence, and why."""
        key = place(one)
        if key in self.found:
            return self.found[key].evidence, told(self.found[key].reason)
        return None, self.not_found.get(key, _(NO_FEATURES))


def gather(
    data: Data,
    shown: Collection[Place],
    settings: FrameSettings,
    rng: np.random.Generator,
    *,
    confidence: float,
    progress: Callable[[float], None],
) -> Evidence:
    """Examine the features of every group of a single attribute against its reference.

    Parameters
    ----------
    data : Data
    shown : collection of Place
        Where a gap is shown: of an attribute with many groups only these are examined.
    settings : FrameSettings
    rng : numpy.random.Generator
    confidence : float
    progress : callable
    """
    found: dict[Place, Representation] = {}
    not_found: dict[Place, str] = {}
    singles = [one for one in data.attributes if one.single and one.reference >= 0]
    tasks = [
        (attribute, group, child)
        for attribute, own in zip(singles, rng.spawn(len(singles)), strict=True)
        for group, child in zip(attribute.others, own.spawn(len(attribute.others)), strict=True)
    ]
    for done, (attribute, group, child) in enumerate(tasks):
        keys = [(attribute.name, group, score) for score in range(len(data.names))]
        reason = _obstacle(data, attribute, group, any(key in shown for key in keys))
        if reason:
            not_found.update(dict.fromkeys(keys, reason))
            continue
        examined = _examine(data, attribute, group, settings, child, confidence)
        found.update(zip(keys, examined, strict=True))
        progress((done + 1) / len(tasks))
    return Evidence(found, not_found)


def _obstacle(data: Data, attribute: Attribute, group: int, shown: bool) -> str:
    if data.features is None:
        return _(NO_FEATURES)
    if len(attribute.others) > MOST_GROUPS and not shown:
        return _("no gap is shown, and {attribute} has more than {most} groups").format(
            attribute=attribute.name, most=MOST_GROUPS
        )
    whole = complete_rows(data.features)
    for level in (group, attribute.reference):
        if not (whole & (attribute.code == level)).any():
            return _("{group}: no row with every feature").format(
                group=level_shown(attribute.levels[level])
            )
    return ""


def _examine(
    data: Data,
    attribute: Attribute,
    group: int,
    settings: FrameSettings,
    rng: np.random.Generator,
    confidence: float,
) -> Iterator[Representation]:
    if data.features is None:
        raise ValueError(NO_FEATURES)
    rows = np.isin(attribute.code, [group, attribute.reference])
    in_group, unit, positive = attribute.code[rows] == group, data.unit[rows], data.positive[rows]
    shift = feature_shift(
        data.features[rows],
        positive,
        in_group,
        unit,
        rng,
        names=data.feature_names,
        bank=data.bank,
        bank_unit=data.bank_unit,
        confidence=confidence,
    )
    for score in data.scores:
        probability = score[rows] if data.probability else None
        yield linked(shift, probability, positive, in_group, unit, alpha=settings.alpha)


def representation_rows(
    evidence: Evidence, data: Data, confidence: float
) -> Iterator[RepresentationRow]:
    """Yield one row a score, attribute and group, those not examined with their reason."""
    for attribute in data.attributes:
        if not attribute.single or attribute.reference < 0 or data.features is None:
            continue
        for group in attribute.others:
            for score in range(len(data.names)):
                key = (attribute.name, group, score)
                found, why = evidence.found.get(key), evidence.not_found.get(key, _(NO_FEATURES))
                yield _row(data, attribute, group, score, found, why, confidence)


def _row(
    data: Data,
    attribute: Attribute,
    group: int,
    score: int,
    found: Representation | None,
    why: str,
    confidence: float,
) -> RepresentationRow:
    shift = None if found is None else found.shift
    nothing = Estimate.missing(why)
    domain, negatives, positives, own, other, deficit = (
        (nothing,) * 6
        if shift is None
        else tuple(
            measured(one, confidence)
            for one in (
                shift.domain,
                shift.domain_in_negatives,
                shift.domain_in_positives,
                shift.coverage.group,
                shift.coverage.reference,
                shift.coverage.deficit,
            )
        )
    )
    return RepresentationRow(
        score=data.names[score],
        attribute=attribute.name,
        group=attribute.levels[group],
        reference=attribute.levels[attribute.reference],
        domain_auc=domain,
        domain_auc_in_negatives=negatives,
        domain_auc_in_positives=positives,
        coverage=own,
        reference_coverage=other,
        coverage_deficit=deficit,
        coverage_p=None if shift is None else shift.coverage.p,
        link_z=None if found is None else found.link.z,
        link_p=None if found is None else found.link.p,
        evidence=None if found is None else found.evidence,
        reason=why if found is None else told(found.reason),
        covered_by="reference" if data.bank is None else "training set",
        features=0 if shift is None else len(shift.names),
        rows_left_out=0 if shift is None else int(np.count_nonzero(~shift.used)),
    )


def failures(data: Data, settings: FrameSettings, score: int) -> BoolArray:
    """Return the rows whose decision is wrong; none without a threshold."""
    if settings.threshold is None:
        return np.zeros(data.n_rows, dtype=bool)
    return np.asarray((data.scores[score] >= cutoff(settings)) != data.positive)


@dataclass(frozen=True)
class Clustered:
    """Regions with more errors than elsewhere.

    Attributes
    ----------
    rows : tuple of ClusterRow
    not_searched : tuple of str
        Where none were looked for, and why.
    left_out : tuple of str
        What was left out of a search.
    """

    rows: tuple[ClusterRow, ...] = ()
    not_searched: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def cluster_rows(
    data: Data,
    shown: Collection[Place],
    settings: FrameSettings,
    rng: np.random.Generator,
    confidence: float,
) -> Clustered:
    """Return regions with more errors: of all rows, and of each group whose gap is shown.

    There are none without features or without a threshold; the notes tell of that.
    """
    if data.features is None or settings.threshold is None:
        return Clustered()
    whole = np.ones(data.n_rows, dtype=bool)
    tasks = [(OVERALL, ALL, score, whole) for score in range(len(data.names))]
    tasks += [
        (one.name, one.levels[group], score, one.code == group)
        for one in data.attributes
        if one.single
        for group in one.others
        for score in range(len(data.names))
        if (one.name, group, score) in shown
    ]
    found: list[ClusterRow] = []
    not_searched: list[str] = []
    left_out: list[str] = []
    for (attribute, group, score, rows), child in zip(tasks, rng.spawn(len(tasks)), strict=True):
        clusters = failure_clusters(
            data.features[rows],
            failures(data, settings, score)[rows],
            data.unit[rows],
            child,
            names=data.feature_names,
            alpha=settings.alpha,
            confidence=confidence,
        )
        found += [
            _cluster(data.names[score], attribute, group, one, confidence)
            for one in clusters.clusters
        ]
        place = data.names[score], attribute, group
        if clusters.reason:
            not_searched.append(_of_search(*place, clusters.reason))
        left_out += [_of_search(*place, note) for note in clusters.notes]
    return Clustered(tuple(found), tuple(not_searched), tuple(left_out))


def _of_search(score: str, attribute: str, group: str, reason: str) -> str:
    """Return what is said of a search for regions in a group, or in all rows."""
    if attribute == OVERALL:
        text = _("Failure clusters of {score}, overall all: {reason}.")
        return text.format(score=score, reason=told(reason))
    text = _("Failure clusters of {score}, {attribute} {group}: {reason}.")
    return text.format(
        score=score, attribute=attribute, group=level_shown(group), reason=told(reason)
    )


def _cluster(score: str, attribute: str, group: str, one: Cluster, confidence: float) -> ClusterRow:
    return ClusterRow(
        score=score,
        attribute=attribute,
        group=group,
        cluster=one.number,
        n_units=one.n_units,
        n_rows=one.n_rows,
        error_rate=measured(one.rate, confidence),
        error_rate_elsewhere=one.elsewhere.value,
        p=one.p,
        p_adjusted=one.p_adjusted,
        confirmed=one.confirmed,
        describing=separated(
            _("{name} {deviation} SD").format(name=name, deviation=signed(value, 1))
            for name, value in one.describing
        ),
    )


def map_rows(
    data: Data, settings: FrameSettings
) -> tuple[tuple[MapRow, ...], tuple[str, ...], tuple[float, ...]]:
    """Return the points of the map, the features it is of, and the variance along its axes."""
    if data.features is None:
        return (), (), ()
    used = complete_rows(data.features)
    if not used.any():
        return (), (), ()
    ready = standardise(data.features[used], names=data.feature_names)
    if not ready.names:
        return (), (), ()
    plane = principal_plane(ready.values)
    failed = failures(data, settings, 0)[used]
    points = []
    for attribute in data.attributes:
        if not attribute.single:
            continue
        code = attribute.code[used]
        rows, stands_for = thinned(plane, code, failed)
        points += [
            MapRow(
                attribute.name,
                attribute.levels[int(code[row])],
                float(plane.x[row]),
                float(plane.y[row]),
                bool(failed[row]),
                int(count),
            )
            for row, count in zip(rows.tolist(), stands_for.tolist(), strict=True)
        ]
    return tuple(points), ready.names, tuple(map(float, plane.explained))

"""The roles that the columns of a file seem to have, by name and by content.

Which class is positive is proposed only where the two values leave no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reportgen.errors import Fault, RequestError
from reportgen.inputs.codes import canonical
from reportgen.inputs.convert import Coded, RoleError, to_codes, to_numbers
from reportgen.inputs.opening import read_file
from reportgen.inputs.trouble import FileFaults

CHOOSE = "CHOOSE"
LABELS = re.compile(
    r"label|outcome|target|truth|event|diagnos|disease|cancer|malign|progress|positive|died|dead"
    r"|^(y|class|status|case)$",
    re.IGNORECASE,
)
SCORES = re.compile(r"score|prob|pred|risk|logit|yhat|^p_|_p$|^p$", re.IGNORECASE)
UNITS = re.compile(r"patient|subject|participant|person|^(pid|mrn)$", re.IGNORECASE)
KEYS = re.compile(r"(^|_)(id|key|uid|accession)$", re.IGNORECASE)
GROUPS = re.compile(
    r"sex|gender|age|site|cent(er|re)|hospital|scanner|device|race|ethnic|region|group|split"
    r"|modality|view",
    re.IGNORECASE,
)
TIMES = re.compile(
    r"^(time|tte|futime|years|months|weeks|days)$|^tt[a-z]{2,}|time_?to|to_?event|surviv|follow_?up"
    r"|(^|_)(os|pfs|dfs|efs|rfs)(_|$)|(event|death|obs|censor)\w*_?time",
    re.IGNORECASE,
)
EVENTS = re.compile(LABELS.pattern + r"|status|cens|(^|_)cr$", re.IGNORECASE)
POSITIVE = {"1": "0", "true": "false", "yes": "no", "positive": "negative", "malignant": "benign"}
POSITIVE_OTHERS = {"1": "-1"}
MOST_GROUPS = 12
MOST_EVENTS = 4


@dataclass(frozen=True)
class Profile:
    """What a column looks like.

    Attributes
    ----------
    name : str
        Its heading.
    cells : Coded
        Its distinct texts.
    low, high : float or None
        Range, if every cell that is not empty is a number.
    """

    name: str
    cells: Coded
    low: float | None = None
    high: float | None = None

    @property
    def distinct(self) -> int:
        """Distinct values that are not missing."""
        return len(self.cells.values)

    def within(self, low: float, high: float) -> bool:
        """Return whether it is a column of numbers between `low` and `high`."""
        return (
            self.low is not None and self.high is not None and low <= self.low <= self.high <= high
        )


@dataclass
class Proposal:
    """The roles proposed for the columns of a file.

    Where there is a `time`, `label` holds what happened then, and `events` other columns that may
    tell it in more detail (competing events). `telling` columns are no groups, since they follow
    from the outcome or it from them.
    """

    path: str
    label: Profile | None = None
    positive: str = CHOOSE
    time: Profile | None = None
    events: list[Profile] = field(default_factory=list)
    scores: list[Profile] = field(default_factory=list)
    scale: str = "probability"
    unit: Profile | None = None
    key: Profile | None = None
    groups: list[Profile] = field(default_factory=list)
    telling: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


def propose(data: Path, folder: Path) -> Proposal:
    """Return the roles that the columns of `data` seem to have.

    Raises
    ------
    RequestError
        If `data` cannot be read.
    """
    profiles = _profiles(data)
    inside = data.resolve().is_relative_to(folder.resolve())
    place = data.resolve().relative_to(folder.resolve()).as_posix() if inside else data.name
    proposal = Proposal(place)
    left = {profile.name: profile for profile in profiles}

    def take(profile: Profile | None) -> Profile | None:
        if profile is not None:
            del left[profile.name]
        return profile

    proposal.label, proposal.time = _outcome(profiles)
    label, time = take(proposal.label), take(proposal.time)
    if label is not None:
        proposal.positive = _positive(label)
    if time is not None:
        proposal.events = [p for p in left.values() if _is_event(p)]
    proposal.scores, proposal.scale = _scores(list(left.values()))
    for score in proposal.scores:
        take(score)
    proposal.unit = take(
        next((p for p in left.values() if UNITS.search(p.name) and p.distinct > 2), None)
    )
    proposal.key = take(
        next((p for p in left.values() if KEYS.search(p.name) and _unique(p)), None)
    )
    groups = [p for p in left.values() if _is_group(p)]
    telling = [p for p in groups if label is not None and _tells(p, label)]
    proposal.telling = [p.name for p in telling]
    proposal.groups = [p for p in groups if p not in telling]
    proposal.unused = [name for name, p in left.items() if p not in groups]
    return proposal


def _profiles(data: Path) -> list[Profile]:
    if not data.is_file():
        raise RequestError([Fault(str(data), "there is no such file", "check the path")])
    try:
        header, _ = read_file(data, reading=None, wanted=(), keep_short=True)
        wanted = set(header.columns)
        grid, _ = read_file(data, reading=None, wanted=wanted, keep_short=True)
    except FileFaults as found:
        spots = found.spots
        faults = [
            Fault(f"{data}{spot.place}", spot.what, spot.mend, count=spot.count) for spot in spots
        ]
        raise RequestError(faults) from None
    names = [name for name in grid.columns if name and grid.columns.count(name) == 1]
    return [_profile(name, grid.data[name]) for name in names]


def _profile(name: str, column: object) -> Profile:
    try:
        cells = to_codes(column, missing={""})
        numbers = to_numbers(column, missing={""})
    except RoleError:
        return Profile(name, Coded((), np.zeros(0, dtype=np.intp)))
    present = numbers.values[~np.isnan(numbers.values)]
    if len(numbers.bad) or not len(present):
        return Profile(name, cells)
    return Profile(name, cells, float(present.min()), float(present.max()))


def _label(profiles: Sequence[Profile]) -> Profile | None:
    two = [p for p in profiles if p.distinct == 2 and not SCORES.search(p.name)]
    named = [p for p in two if LABELS.search(p.name)]
    return next(iter(named or [p for p in two if not GROUPS.search(p.name)]), None)


def _outcome(profiles: Sequence[Profile]) -> tuple[Profile | None, Profile | None]:
    """Return the outcome and, where it comes with one, the time to it."""
    label = _label(profiles)
    time = next((p for p in profiles if _is_time(p)), None)
    named = label is not None and EVENTS.search(label.name)
    if time is not None and not named:
        label = next((p for p in profiles if _is_event(p)), None)
    return label, None if label is None else time


def _is_time(profile: Profile) -> bool:
    named = TIMES.search(profile.name) and not SCORES.search(profile.name)
    return bool(named) and profile.distinct > MOST_GROUPS and profile.within(0, float("inf"))


def _is_event(profile: Profile) -> bool:
    named = EVENTS.search(profile.name) and not SCORES.search(profile.name)
    return bool(named) and 2 <= profile.distinct <= MOST_EVENTS


def _tells(profile: Profile, label: Profile) -> bool:
    """Return whether each value of one of the two goes with a single value of the other."""
    both = (profile.cells.codes >= 0) & (label.cells.codes >= 0)
    pairs = np.unique(np.stack([profile.cells.codes[both], label.cells.codes[both]]), axis=1)
    return any(len(np.unique(side)) == len(side) for side in pairs)


def _positive(label: Profile) -> str:
    values = {canonical(value).casefold(): value for value in label.cells.values}
    for pairs in (POSITIVE, POSITIVE_OTHERS):
        for positive, negative in pairs.items():
            if values.keys() == {positive, negative}:
                return values[positive]
    return CHOOSE


def _scores(profiles: Sequence[Profile]) -> tuple[list[Profile], str]:
    numeric = [p for p in profiles if p.low is not None and p.distinct > 2]
    named = [p for p in numeric if SCORES.search(p.name)]
    if any(p.within(0, 1) for p in named):
        return [p for p in named if p.within(0, 1)], "probability"
    if named:
        return named, "percent" if all(p.within(0, 100) for p in named) else "score"
    return [p for p in numeric if p.within(0, 1) and p.distinct > MOST_GROUPS], "probability"


def _unique(profile: Profile) -> bool:
    return profile.distinct == len(profile.cells.codes)


def _is_group(profile: Profile) -> bool:
    few = 2 <= profile.distinct <= MOST_GROUPS
    return few and (profile.low is None or GROUPS.search(profile.name) is not None)

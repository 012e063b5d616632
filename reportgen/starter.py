"""The starter manifest of ``reportgen init``: commented, with proposed roles where data is given.

A proposal says why it was made; a person confirms it. Which class is positive is proposed only
where the two values leave no doubt.
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
from reportgen.inputs.settings import Reading
from reportgen.inputs.trouble import FileFaults
from reportgen.sections import SECTIONS

FILE = "manifest.yaml"
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
POSITIVE = {"1": "0", "true": "false", "yes": "no", "positive": "negative", "malignant": "benign"}
POSITIVE_OTHERS = {"1": "-1"}
MOST_GROUPS = 12
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
RESERVED = ("true", "false", "null")


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

    def counted(self) -> str:
        """Return its values with their counts, as a comment shows them."""
        pairs = zip(self.cells.values, self.cells.counts().tolist(), strict=True)
        return ", ".join(f"{quoted(value)} × {count}" for value, count in pairs)


@dataclass
class Proposal:
    """The roles proposed for the columns of a file, each with its reason."""

    path: str
    label: Profile | None = None
    positive: str = CHOOSE
    scores: list[Profile] = field(default_factory=list)
    scale: str = "probability"
    unit: Profile | None = None
    key: Profile | None = None
    groups: list[Profile] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


def write_starter(folder: Path, *, data: Path | None = None) -> Path:
    """Write a commented ``manifest.yaml`` into `folder` and return its path.

    Parameters
    ----------
    folder : pathlib.Path
        Created if it is not there.
    data : pathlib.Path, optional
        A data file from which roles are proposed, each to be confirmed by a person. It is not
        copied: the manifest expects it inside `folder`.

    Raises
    ------
    RequestError
        If there is a manifest already, or `data` cannot be read.
    """
    path = folder / FILE
    text = starter_text(None if data is None else propose(data, folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        met = path if folder.is_dir() else folder
        mend = "name another folder, or move this file away"
        raise RequestError([Fault(str(met), "is there already", mend)]) from None
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        raise RequestError([Fault(str(path), what, "check the folder's permissions")]) from None
    return path


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
    proposal.label = _label(profiles)
    if proposal.label is not None:
        del left[proposal.label.name]
        proposal.positive = _positive(proposal.label)
    proposal.scores, proposal.scale = _scores(list(left.values()))
    for score in proposal.scores:
        del left[score.name]
    proposal.unit = next(
        (p for p in left.values() if UNITS.search(p.name) and p.distinct > 2), None
    )
    if proposal.unit is not None:
        del left[proposal.unit.name]
    proposal.key = next((p for p in left.values() if KEYS.search(p.name) and _unique(p)), None)
    if proposal.key is not None:
        del left[proposal.key.name]
    proposal.groups = [p for p in left.values() if _is_group(p)]
    proposal.unused = [name for name, p in left.items() if p not in proposal.groups]
    return proposal


def _profiles(data: Path) -> list[Profile]:
    if not data.is_file():
        raise RequestError([Fault(str(data), "there is no such file", "check the path")])
    try:
        header, _ = read_file(data, reading=Reading(), wanted=())
        grid, _ = read_file(data, reading=Reading(), wanted=set(header.columns))
    except FileFaults as found:
        spots = found.spots
        faults = [Fault(f"{data}{spot.place}", spot.what, spot.mend) for spot in spots]
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


def quoted(text: str) -> str:
    """Return text as one plain or double-quoted YAML scalar on one line."""
    if WORD.fullmatch(text) and text.lower() not in RESERVED:
        return text
    safe = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in safe) + '"'


def starter_text(proposal: Proposal | None) -> str:
    """Return a starter manifest, with the proposed roles if there are any."""
    return HEAD + (TABLE if proposal is None else _table(proposal)) + _sections(proposal) + TAIL


def _table(proposal: Proposal) -> str:
    lines = [
        "tables:",
        "  test:",
        f"    path: {quoted(proposal.path)}  # inside this folder: copy it here if it is not",
        *_label_lines(proposal),
        *_score_lines(proposal.scores),
        f"    scale: {proposal.scale}  # CONFIRM: probability | percent | score (ranking)",
        *_identity(proposal),
    ]
    return "\n".join(lines) + "\n\n"


def _label_lines(proposal: Proposal) -> list[str]:
    label, doubt = proposal.label, proposal.positive == CHOOSE
    if label is None:
        return ["    # label: no column has two values; {column: …, positive: …}"]
    comment = "  # the class that the scores speak of" if doubt else ""
    return [
        f"    label:  # CONFIRM: two values, {label.counted()}",
        f"      column: {quoted(label.name)}",
        f"      positive: {quoted(proposal.positive)}{comment}",
    ]


def _score_lines(scores: Sequence[Profile]) -> list[str]:
    if not scores:
        return [
            "    # scores: no column of numbers between 0 and 1 was found; {shown name: column}"
        ]
    names = [(quoted(score.name), score) for score in scores]
    return ["    scores:  # CONFIRM: name shown in the dossier: column"] + [
        f"      {name}: {name}  # numbers from {score.low:g} to {score.high:g}"
        for name, score in names
    ]


def _identity(proposal: Proposal) -> list[str]:
    unit, key, groups = proposal.unit, proposal.key, proposal.groups
    lines = ["    # unit: patient_id  # the independent unit; without it each row counts as one"]
    if unit is not None:
        lines = [f"    unit: {quoted(unit.name)}  # CONFIRM: {unit.distinct} distinct values"]
    if key is not None:
        lines.append(f"    key: {quoted(key.name)}  # CONFIRM: every row has a value of its own")
    if groups:
        lines.append("    groups:  # CONFIRM: few values each")
        lines += [f"      - {quoted(p.name)}  # {p.counted()}" for p in groups]
    if proposal.unused:
        names = ", ".join(map(quoted, proposal.unused[:20]))
        lines.append(f"    # columns without a role: {names}")
    return lines


def _sections(proposal: Proposal | None) -> str:
    """Return every kind of section, active where the table has what it needs."""
    blocks = ["sections:"]
    scored = proposal is None or (proposal.label is not None and bool(proposal.scores))
    names = ["model"] if proposal is None else [quoted(score.name) for score in proposal.scores]
    ranking = proposal is not None and proposal.scale == "score"
    active = {"dca": scored and not ranking, "prevalence": scored}
    for section in SECTIONS:
        block = EXAMPLES.get(section.kind, f"  - kind: {section.kind}\n")
        block = block.replace("SCORE", names[0] if names else "model")
        kept = active.get(section.kind, False)
        blocks.append(f"  # {section.title}: {section.question}")
        blocks.append(block.rstrip("\n") if kept else _commented(block))
    if not any(active.values()):
        blocks.append(PUBLISHED.rstrip("\n"))
    return "\n".join(blocks) + "\n\n"


def _commented(block: str) -> str:
    return "\n".join(f"  # {line[2:]}".rstrip() for line in block.rstrip("\n").splitlines())


HEAD = """\
# The run manifest of an audit. What stands behind a # is a comment; fill in and confirm the rest.
#   reportgen check manifest.yaml     lists every mistake, computes nothing
#   reportgen build manifest.yaml     writes the dossier
# Text that looks like a number or holds ": " or " #" needs quotes. Paths stay inside this folder.

reportgen: 1  # the version of this form

dossier:
  title: Release audit  # FILL IN
  # date: 2026-01-31             # else the day of the run
  # intended_use: What the model is for, in whose hands.
  # prepared_by: Validation group
  # sign_off: [{role: Biostatistician}, {role: Clinical lead}]

model:
  name: my-model  # FILL IN
  version: "0.1"  # FILL IN, in quotes

# defaults: {seed: 20261130, resamples: 2000, confidence: 0.95}
# plan: {path: plan.md}          # the analysis plan that was fixed before the run

"""

TABLE = """\
tables:
  test:
    path: predictions.csv  # FILL IN: csv, tsv or parquet, also .gz or .zip
    label:
      column: outcome  # FILL IN: the column of the truth
      positive: 1  # FILL IN: the value of the class that the scores speak of
    # label: {time: years, event: status, positive: 1, competing: [2], at: 1.5}   # time to event
    scores:
      model: score  # FILL IN: name shown in the dossier: column
    scale: probability  # probability | percent | score (for ranking only)
    # unit: patient_id             # the independent unit; without it each row counts as one
    # key: image_id                # the id of a row
    # groups: [sex, age_band, site]
    # missing: ["", "NA"]          # what counts as missing; the empty cell alone if absent
    # levels: {sex: {F: [F, female], M: [M, male]}}
    # bins: {age: {edges: [0, 40, 60, 120], closed: left, name: age_band}}
    # read: {delimiter: ";", decimal: ",", encoding: cp1252}

"""

EXAMPLES = {
    "dca": """\
  - kind: dca
    table: test
    thresholds:
      from: 0.05  # FILL IN: the lowest risk at which someone would act
      to: 0.5  # FILL IN: the highest risk at which someone would still wait
      step: 0.01
      # owner: who chose this range
      # reason: why
""",
    "prevalence": """\
  - kind: prevalence
    table: test
    score: SCORE
    threshold: 0.5  # FILL IN: the threshold in use
    prevalences: [0.5, 0.1, 0.01]  # FILL IN: where the model will be used
""",
}

PUBLISHED = """\
  # No section has the columns it needs yet. This one needs none: replace its EXAMPLE figures by
  # published ones, or delete it once another section is active.
  - kind: prevalence
    id: published
    sensitivity: {k: 80, n: 100}  # EXAMPLE
    specificity: {k: 450, n: 500}  # EXAMPLE
    prevalences: [0.1, 0.01]
"""

TAIL = """\
# gate: {fail_on: fail}          # when `reportgen build --gate` answers no: fail | warn | never
"""

"""The words of a starter manifest; every line that needs a person says so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reportgen.sections import SECTIONS
from reportgen.starter.proposal import CHOOSE, Profile, Proposal

WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
RESERVED = ("true", "false", "null")
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
  # paper: letter          # else A4
  # language: zh           # else en; the font for it: pip install "reportgen[zh]"
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
    # unit_missing: own            # a row whose unit is missing: own (a warning) | drop
    # key: image_id                # the id of a row
    # groups: [sex, age_band, site]
    # missing: ["", "NA"]          # what counts as missing; the empty cell alone if absent
    # levels: {sex: {F: [F, female], M: [M, male]}}
    # bins: {age: {edges: [0, 40, 60, 120], closed: left, name: age_band}}
    # read: {delimiter: ";", decimal: ",", encoding: cp1252}

"""

EXAMPLES = {
    "frame": """\
  - kind: frame
    table: test
    score: SCORE
    threshold: 0.5  # the threshold in use
    groups: [sex, age_band]  # attributes among the table's groups; [sex, age_band] inside: crossed
    margin: 0.05  # the largest gap that would be tolerated, stated before the run
    # required: {sex: [F, M]}      # groups without which there is no release
    # (features: [..] in the table above lets it look for representational evidence)
""",
    "robust": """\
  - kind: robust
    table: test
    score: SCORE
    model: {linear: coefficients.json}  # or trees: | mlp: , written by `reportgen export-model`
    sensitive: sex
    metrics: [demographic_parity, equalized_odds]
    threshold: 0.5
    tolerance: 0.1  # the largest gap that would be tolerated
    perturbation:
      norm: l2
      features:
        bmi: {eps: 0.5, unit: kg/m2, basis: repeatability of the scale}
""",
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
    "integrity": """\
  - kind: integrity
    # Name what there is: images, detections, class_maps, pipelines stand beside `tables` above, as
    #   images: {scans: {path: images.csv, root: images, columns: {file: file, split: split}}}
    #   detections: {boxes: {ground_truth: coco.json, predictions: detections.json}}
    images: scans
    near_duplicates: {between: [[train, test]], detectors: {wdct: 0.60}}
    leakage: {by: [source, unit, content]}
    detections: boxes
    evaluator: {conventions: all}
    classifier: {table: test, score: SCORE, threshold: 0.5}
    claims: [{metric: accuracy, value: "0.91", source: README}]  # digits as printed, in quotes
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
# criteria:                      # what a release requires of a figure; stated in the plan, too
#   - {metric: sensitivity, section: prevalence, threshold: 0.5, at_least: 0.8, source: plan 4.2}
#     # the whole interval must keep the bound; bound_on: estimate asks for less
# plan pinned by its sha256: criteria count as pre-specified, else as exploratory
# compare_to: previous           # or the path of an earlier dossier: what changed since
# gate: {fail_on: fail}          # when `reportgen build --gate` answers no: fail | warn | never
"""


def starter_text(proposal: Proposal | None) -> str:
    """Return a starter manifest, with the proposed roles if there are any."""
    return HEAD + (TABLE if proposal is None else _table(proposal)) + _sections(proposal) + TAIL


def _table(proposal: Proposal) -> str:
    lines = [
        "tables:",
        "  test:",
        f"    path: {quoted(proposal.path)}  # inside this folder",
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
    if proposal.time is not None:
        return _survival_lines(label, proposal.time, proposal)
    comment = "  # the class that the scores speak of" if doubt else ""
    return [
        f"    label:  # CONFIRM: two values, {_counted(label)}",
        f"      column: {quoted(label.name)}",
        f"      positive: {quoted(proposal.positive)}{comment}",
    ]


def _survival_lines(label: Profile, time: Profile, proposal: Proposal) -> list[str]:
    """Return the time-to-event form; a yes-or-no outcome would take the censored for event-free."""
    names = f"time: {quoted(time.name)}, event: "
    positive = quoted(proposal.positive)
    lines = [
        "    label:  # CONFIRM: a time to an event, censored where it was not seen",
        f"      time: {quoted(time.name)}  # numbers from {time.low:g} to {time.high:g}",
        f"      event: {quoted(label.name)}  # {_counted(label)}",
        f"      positive: {positive}  # the event that the scores speak of",
    ]
    if label.distinct > 2:
        lines.append("      # competing: [CHOOSE]  # events after which it cannot happen")
    lines.append(
        f"      at: {CHOOSE}  # the horizon of the scores, in the unit of {quoted(time.name)}"
    )
    for other in proposal.events:
        codes = f"positive: {CHOOSE}, competing: [{CHOOSE}], at: {CHOOSE}"
        form = f"{{{names}{quoted(other.name)}, {codes}}}"
        lines.append(f"    # or label: {form}  # {_counted(other)}")
    if label.distinct == 2:
        form = f"{{column: {quoted(label.name)}, positive: {positive}}}"
        lines.append(f"    # or, if all were followed equally long: label: {form}")
    return lines


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
        lines += [f"      - {quoted(p.name)}  # {_counted(p)}" for p in groups]
    if proposal.telling:
        names = ", ".join(map(quoted, proposal.telling[:20]))
        lines.append(f"    # no groups, since they tell the outcome or follow from it: {names}")
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
    timed = proposal is not None and proposal.time is not None
    active = {"dca": scored and not ranking, "prevalence": scored and not timed}
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


def quoted(text: str) -> str:
    """Return text as one plain or double-quoted YAML scalar on one line."""
    if WORD.fullmatch(text) and text.lower() not in RESERVED:
        return text
    safe = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in safe) + '"'


def _counted(profile: Profile) -> str:
    """Return its values with their counts, as a comment shows them."""
    pairs = zip(profile.cells.values, profile.cells.counts().tolist(), strict=True)
    return ", ".join(f"{quoted(value)} × {count}" for value, count in pairs)

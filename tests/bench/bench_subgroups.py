"""How long patient resamples of group metrics take, against three other ways.

Run with ``make bench`` or as a script. All ways take the same rows in one run, so that only the
ratios mean something; values are compared with scikit-learn's, draw by draw, before times are.

Ours gives the area, sensitivity, specificity and balanced accuracy of every group in 1,000 draws of
patients, arranging the rows included; the others give the area alone. They are timed on fewer draws
and scaled up, as they are linear in them: the function of article 000 (with its table of patients,
timed on a hundred of them), fairlearn's bootstrap of rows and confidenceinterval's bootstrap of
rows, a group at a time. One column has the article's loop give all four metrics. fairlearn and
confidenceinterval are no dependencies; where they are not installed the line says so. Times are of
the processor, so that other work on the machine disturbs them least.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

from reportgen.stats.subgroups.draws import patient_draws
from reportgen.stats.subgroups.resampling import Resampled, resample
from reportgen.stats.subgroups.study import arrange

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

SIZES = (1_000, 20_000, 200_000)
GROUPS = (2, 6)
IMAGES = 4
RESAMPLES = 1000
THRESHOLD = 0.5
TIMED = {1_000: 40, 20_000: 6, 200_000: 2}
METRICS = ("auc", "sensitivity", "specificity", "balanced_accuracy")
EXACT = 1e-12


@dataclass(frozen=True)
class Rows:
    """One made-up table: four images a patient, 40 % positive, scores with and without ties."""

    label: NDArray[np.bool_]
    score: FloatArray
    group: IntArray
    patient: IntArray
    groups: int


def data(n: int, groups: int) -> Rows:
    """Draw n rows; every third score is rounded, so that there are ties."""
    rng = np.random.default_rng([n, groups])
    patients = n // IMAGES
    label = np.repeat(rng.random(patients) < 0.4, IMAGES)
    score = 1 / (1 + np.exp(-(label + rng.normal(size=n))))
    score[::3] = score[::3].round(2)
    group = np.repeat(rng.integers(0, groups, patients), IMAGES)
    return Rows(label, score, group, np.repeat(np.arange(patients), IMAGES), groups)


def ours(rows: Rows, resamples: int = RESAMPLES) -> Resampled:
    """Return every metric of every group under patient draws."""
    study = arrange(rows.label, rows.score, rows.group, rows.patient, n_levels=rows.groups)
    draws = patient_draws(study, np.random.default_rng(1), resamples=resamples)
    return resample(study, draws, thresholds=[THRESHOLD], overall=False)


def the_article(rows: Rows, n: int, *, all_four: bool) -> float:
    """Return the seconds of the article's function: its table of patients, then its loop.

    Patients and groups are text there, and are so here. The article computes the area alone; with
    `all_four` the loop gives the same four metrics as ours, by scikit-learn.
    """
    names = np.char.mod("patient_%06d", rows.patient)
    groups = np.char.mod("group_%d", rows.group)
    patients, kinds = np.unique(names), np.unique(groups)
    labels, rng = rows.label.astype(int), np.random.default_rng(1)
    some = patients[:: max(1, len(patients) // 100)]
    table = seconds(lambda: [np.where(names == patient)[0] for patient in some], repeats=1)
    order = np.argsort(names, kind="stable")
    rows_of = dict(zip(patients.tolist(), np.split(order, len(patients)), strict=True))

    def loop() -> None:
        for _ in range(TIMED[n]):
            drawn = rng.choice(patients, size=len(patients), replace=True)
            index = np.concatenate([rows_of[patient] for patient in drawn])
            for group in kinds:
                mask = groups[index] == group
                label, score = labels[index][mask], rows.score[index][mask]
                if len(np.unique(label)) == 2:
                    by_scikit_learn(label, score) if all_four else roc_auc_score(label, score)

    return table * len(patients) / len(some) + timed(loop, n)


def by_scikit_learn(label: NDArray[Any], score: FloatArray) -> tuple[float, ...]:
    """Return area, sensitivity, specificity and balanced accuracy, in the order of METRICS."""
    chosen = score >= THRESHOLD
    return (
        roc_auc_score(label, score),
        recall_score(label, chosen),
        recall_score(label, chosen, pos_label=0),
        balanced_accuracy_score(label, chosen),
    )


def fairlearn_frame(rows: Rows, draws: int) -> Callable[[], object] | None:
    """Return fairlearn's bootstrap of rows, or None where it is not installed."""
    module = optional("fairlearn.metrics")
    return (
        None
        if module is None
        else lambda: module.MetricFrame(
            metrics=roc_auc_score,
            y_true=rows.label.astype(int),
            y_pred=rows.score,
            sensitive_features=rows.group,
            n_boot=draws,
            ci_quantiles=[0.025, 0.975],
            random_state=1,
        )
    )


def confidenceinterval_score(rows: Rows, draws: int) -> Callable[[], object] | None:
    """Return confidenceinterval's bootstrap of rows, a group at a time, or None without it."""
    module = optional("confidenceinterval")
    if module is None:
        return None

    def each_group() -> None:
        for group in range(rows.groups):
            mask = rows.group == group
            module.roc_auc_score(
                rows.label[mask].astype(int),
                rows.score[mask],
                method="bootstrap_percentile",
                n_resamples=draws,
            )

    return each_group


def optional(name: str) -> Any:
    """Return a module, or None if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def check_values(rows: Rows) -> float:
    """Return the largest difference to scikit-learn over some draws; stop if it is not exact."""
    study = arrange(rows.label, rows.score, rows.group, rows.patient, n_levels=rows.groups)
    draws = patient_draws(study, np.random.default_rng(1), resamples=3)
    found = resample(study, draws, thresholds=[THRESHOLD], overall=False)
    worst = 0.0
    for b, count in enumerate(np.concatenate(list(draws.blocks()))):
        for group in range(rows.groups):
            members = study.rows(group)
            drawn = np.repeat(members, count[study.patient[members]])
            label, score = study.positive[drawn], study.scores[0, drawn]
            right = by_scikit_learn(label, score)
            for name, value in zip(METRICS, right, strict=True):
                got = found.draws_of(name, model=0, level=group)[b]
                worst = max(worst, abs(float(got) - float(value)))
    if worst > EXACT:
        sys.exit(f"values differ from scikit-learn's by {worst}")
    return worst


def seconds(work: Callable[[], object], *, repeats: int) -> float:
    """Return the least processor time of several runs, which other work disturbs least."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def timed(work: Callable[[], object], n: int) -> float:
    """Return the time of all resamples from that of a few."""
    return seconds(work, repeats=2 if n == SIZES[0] else 1) * RESAMPLES / TIMED[n]


def others(rows: Rows, n: int, mine: float) -> list[str]:
    """Return a column for each other way: its time and how many times ours it is."""
    columns = []
    times: list[float | None] = [
        the_article(rows, n, all_four=False),
        the_article(rows, n, all_four=True),
    ]
    for make in (fairlearn_frame, confidenceinterval_score):
        work = make(rows, TIMED[n])
        times.append(None if work is None else timed(work, n))
    for theirs in times:
        shown = "not installed" if theirs is None else f"{theirs:8.2f} s {theirs / mine:5.0f}x"
        columns.append(f"{shown:>18}")
    return columns


def peak_megabytes(rows: Rows) -> float:
    """Return the peak of memory while drawing, a few draws being as many as all."""
    tracemalloc.start()
    ours(rows, resamples=20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def say(line: str) -> None:
    """Write one line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print one line a size and number of groups."""
    say(f"{RESAMPLES} patient resamples: AUC, sensitivity, specificity, balanced accuracy (ours)")
    say("against AUC alone (others); target at 1k, 20k, 200k: 200, 240, 70 times the article,")
    say("575, 880, 390 times fairlearn, at most 50 MB at 200k")
    head = ("images", "groups", "ours", "article 000", "article, all four", "fairlearn")
    say("{:>8} {:>6} {:>9} {:>18} {:>18} {:>18} confidenceinterval   MB  off".format(*head))
    for n in SIZES:
        for groups in GROUPS:
            rows = data(n, groups)
            worst = check_values(rows)
            mine = seconds(partial(ours, rows), repeats=3)
            columns = " ".join(others(rows, n, mine))
            megabytes = peak_megabytes(rows)
            say(f"{n:8d} {groups:6d} {mine:7.3f} s {columns} {megabytes:4.0f}  {worst:.1e}")


if __name__ == "__main__":
    main()

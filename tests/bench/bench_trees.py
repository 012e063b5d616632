"""How long tree ensembles take to be solved exactly, and what a random search finds instead.

Run with ``make bench`` or as a script. Each line is one family of models with eight features, moved
in a box of eps around 600 records: processor time per record for both sides, records proven
optimal, mean width of the interval from below and above, and the share of that width that the best
of 50 random directions per record reaches. A witness that its model scores otherwise ends the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from reportgen.export_model import model_data
from reportgen.inputs.models import parse_model
from reportgen.stats.robust.intervals import ScoreIntervals
from reportgen.stats.robust.moves import move_set
from reportgen.stats.robust_models import Model, build_model

N, D, DIRECTIONS = 600, 8, 50
FAMILIES: dict[str, Callable[[], Any]] = {
    "decision tree": lambda: DecisionTreeClassifier(max_depth=5, random_state=0),
    "gradient boosting": lambda: GradientBoostingClassifier(random_state=0),
    "histogram boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "random forest 50": lambda: RandomForestClassifier(50, min_samples_leaf=5, random_state=0),
    "extra trees 50": lambda: ExtraTreesClassifier(50, min_samples_leaf=5, random_state=0),
}


def exported(fitted: Any) -> Model:
    """Return a fitted model as the audit reads it."""
    read = parse_model("trees", model_data(fitted), "model.json")
    return build_model(read.kind, read.features or (), read.content)


def random_width(model: Model, x: NDArray[np.float64], eps: float) -> float:
    """Return the mean width that random directions find, the best kept for every record."""
    rng = np.random.default_rng(0)
    low = high = model.score(x)
    for _ in range(DIRECTIONS):
        way = rng.standard_normal(x.shape)
        moved = model.score(x + eps * way / np.abs(way).max(axis=1, keepdims=True))
        low, high = np.minimum(low, moved), np.maximum(high, moved)
    return float(np.mean(high - low))


def check(fitted: Any, got: ScoreIntervals) -> None:
    """Raise unless the fitted model scores the witnesses as is said."""
    for witness, said in (
        (got.witness_low, got.attained_low), (got.witness_high, got.attained_high)
    ):  # fmt: skip
        off = float(np.abs(fitted.predict_proba(witness)[:, 1] - said).max())
        if off > 1e-12:
            raise ArithmeticError(f"a witness scores otherwise by {off:g}")


def main() -> None:
    """Print one line a family and eps."""
    x, y = make_classification(2000 + N, D, n_informative=D // 2, n_redundant=0, random_state=0)
    print(f"{'family':20} {'eps':>5} {'ms/record':>10} {'optimal':>8} {'found':>8} "  # noqa: T201
          f"{'certified':>9} {'random':>7}")  # fmt: skip
    for name, family in FAMILIES.items():
        fitted = family().fit(x[:2000], y[:2000])
        model, records = exported(fitted), x[2000:]
        for eps in (0.05, 0.2):
            start = time.process_time()
            got = model.intervals(records, move_set(np.full(D, eps), norm="linf"))
            taken = 1000 * (time.process_time() - start) / N
            check(fitted, got)
            found = float(np.mean(got.attained_high - got.attained_low))
            outer = float(np.mean(got.certified_high - got.certified_low))
            share = random_width(model, records, eps) / found
            print(f"{name:20} {eps:5} {taken:10.2f} {np.mean(got.closed):8.1%} "  # noqa: T201
                  f"{found:8.4f} {outer:9.4f} {share:7.1%}")  # fmt: skip


if __name__ == "__main__":
    main()

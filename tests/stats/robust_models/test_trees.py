"""Tree ensembles: what fitted scikit-learn models say of the witnesses, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
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
from reportgen.stats.robust.moves import Norm, move_set
from reportgen.stats.robust_models import Tree, TreeEnsemble, build_model, tree_ensemble

Floats = NDArray[np.float64]
FAMILIES: dict[str, Callable[[], Any]] = {
    "tree": lambda: DecisionTreeClassifier(max_depth=5, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=50, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=50, random_state=0),
    "forest": lambda: RandomForestClassifier(25, min_samples_leaf=5, random_state=0),
    "extra": lambda: ExtraTreesClassifier(25, min_samples_leaf=5, random_state=0),
}


def fitted(family: str, *, n: int, d: int = 8) -> tuple[Any, TreeEnsemble, Floats]:
    x, y = make_classification(2000 + n, d, n_informative=d // 2, n_redundant=0, random_state=1)
    model = FAMILIES[family]().fit(x[:2000], y[:2000])
    read = parse_model("trees", model_data(model), "model.json")
    ensemble = build_model(read.kind, read.features or (), read.content)
    assert isinstance(ensemble, TreeEnsemble)
    return model, ensemble, x[2000:]


@pytest.mark.parametrize("norm", ["linf", "l2", "l1"])
@pytest.mark.parametrize("family", FAMILIES)
def test_fitted_model_agrees_with_its_witnesses(family: str, norm: Norm) -> None:
    model, ensemble, x = fitted(family, n=30)
    moves = move_set(np.full(8, 0.1), norm=norm)
    got = ensemble.intervals(x, moves)
    for witness, attained in (
        (got.witness_low, got.attained_low), (got.witness_high, got.attained_high)
    ):  # fmt: skip
        assert witness is not None
        assert not moves.violations(x, witness).any()
        theirs = model.predict_proba(witness)[:, 1]
        np.testing.assert_allclose(attained, theirs, rtol=0, atol=1e-12)
    base = model.predict_proba(x)[:, 1]
    assert (got.certified_low <= got.attained_low).all()
    assert (got.attained_low <= base + 1e-12).all()
    assert (base <= got.attained_high + 1e-12).all()
    assert (got.attained_high <= got.certified_high).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_no_random_move_of_the_fitted_model_leaves_the_interval(family: str) -> None:
    model, ensemble, x = fitted(family, n=20)
    got = ensemble.intervals(x, move_set(np.full(8, 0.15), norm="linf"))
    rng = np.random.default_rng(5)
    for _ in range(200):
        moved = x + 0.15 * rng.uniform(-1, 1, x.shape)
        scores = model.predict_proba(moved)[:, 1]
        assert (got.certified_low - 1e-12 <= scores).all()
        assert (scores <= got.certified_high + 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_six_hundred_records_are_solved_exactly(family: str, simulation_share: float) -> None:
    n = max(60, round(600 * simulation_share))
    model, ensemble, x = fitted(family, n=n)
    got = ensemble.intervals(x, move_set(np.full(8, 0.05), norm="linf"))
    assert got.closed.all()
    assert got.exact
    assert got.witness_high is not None
    theirs = model.predict_proba(got.witness_high)[:, 1]
    np.testing.assert_allclose(got.attained_high, theirs, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("eps", [0.05, 0.2])
def test_veritas_finds_the_same_maximum(eps: float) -> None:
    """Devos, Meert and Davis, ICML 2021: dtai-veritas, an independent search for the same."""
    veritas = pytest.importorskip("veritas", reason="dtai-veritas, an oracle, is not installed")
    model, ensemble, x = fitted("boosting", n=40)
    theirs = veritas.get_addtree(model, silent=True)
    got = ensemble.intervals(x, move_set(np.full(8, eps), norm="linf"))
    assert got.exact
    for row in range(len(x)):
        box = [veritas.Interval(v - eps, np.nextafter(v + eps, np.inf)) for v in x[row]]
        config = veritas.Config(veritas.HeuristicType.MAX_OUTPUT)
        search = config.get_search(theirs, box)
        while search.steps(100) == veritas.StopReason.NONE:
            pass
        assert search.is_optimal()
        best = 1 / (1 + np.exp(-search.get_solution(0).output))
        assert got.attained_high[row] == pytest.approx(best, abs=1e-12)


def a_tree(**changes: Any) -> Tree:
    """Return the stump x0 <= 0.5, with other arrays put in."""
    arrays: dict[str, Any] = {
        "feature": [0, -1, -1],
        "threshold": [0.5, 0.0, 0.0],
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "value": [0.0, -1.0, 1.0],
    }
    arrays |= changes
    return Tree(**{name: np.array(array) for name, array in arrays.items()})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"left": [0, -1, -1]}, "tree 0: node 0: it is reached 2 times"),
        ({"left": [2, -1, -1]}, "tree 0: node 1: it is never reached"),
        ({"right": [3, -1, -1]}, "tree 0: node 0: its right child is not one of nodes 0 to 2"),
        ({"left": [-5, -1, -1]}, "tree 0: node 0: its left child is not one of nodes 0 to 2"),
        ({"feature": [2, -1, -1]}, "tree 0: node 0: its feature is not below 2"),
        ({"feature": [0, -2, -1]}, "tree 0: node 1: its feature is below -1"),
        ({"threshold": [np.nan, 0, 0]}, "tree 0: node 0: its threshold is not a finite number"),
        ({"value": [0.0, np.inf, 1.0]}, "tree 0: node 1: its value is not a finite number"),
        ({"value": [0.0, 1.0]}, "tree 0: its arrays differ in length"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tree_ensemble(["a", "b"], [a_tree(**changes)], intercept=0.0, link="logit")


def test_a_cycle_apart_from_the_root_is_found() -> None:
    tree = Tree(
        np.array([-1, 0, 0, -1, -1]),
        np.zeros(5),
        np.array([-1, 2, 1, -1, -1]),
        np.array([-1, 3, 4, -1, -1]),
        np.zeros(5),
    )
    with pytest.raises(ValueError, match="tree 0: 4 nodes form a cycle apart from the root"):
        tree_ensemble(["a"], [tree], intercept=0.0, link="logit")


def test_a_stump_has_the_values_on_paper() -> None:
    ensemble = tree_ensemble(["a", "b"], [a_tree()], intercept=0.0, link="logit")
    x = np.array([[0.5, 0.0], [0.45, 0.0], [0.39, 0.0], [np.nextafter(0.5, 1), 0.0]])
    got = ensemble.intervals(x, move_set([0.1, 0.0], norm="linf"))
    low, high = 1 / (1 + np.e), 1 / (1 + np.exp(-1))
    np.testing.assert_allclose(ensemble.score(x), [low, low, low, high], atol=1e-15)
    np.testing.assert_allclose(got.attained_high, [high, high, low, high], atol=1e-15)
    np.testing.assert_allclose(got.attained_low, [low, low, low, low], atol=1e-15)


def test_what_is_no_probability_is_refused() -> None:
    ensemble = tree_ensemble(["a", "b"], [a_tree()], intercept=1.0, link="identity")
    with pytest.raises(ValueError, match=r"record 1 scores 2, which is no probability"):
        ensemble.score(np.array([[0.0, 0.0], [1.0, 0.0]]))


def test_missing_values_are_refused_by_trees_that_take_none() -> None:
    ensemble = tree_ensemble(["age", "bmi"], [a_tree()], intercept=0.0, link="logit")
    with pytest.raises(ValueError, match="missing or infinite values in bmi"):
        ensemble.score(np.array([[0.0, np.nan]]))
    with pytest.raises(ValueError, match=r"records of shape \(1, 3\) for a model of 2 features"):
        ensemble.score(np.zeros((1, 3)))

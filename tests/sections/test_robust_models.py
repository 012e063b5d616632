"""Models of other kinds through the section: trees, derived columns, categories, several groups."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from reportgen.inputs import Table
from reportgen.inputs.models import ReadModel
from reportgen.sections.robust.expressions import parse_expression
from reportgen.stats.robust_models import build_model
from tests.support.robust import (
    HARD,
    SOFT,
    finding,
    gap,
    linear_read,
    moves_of,
    opaque_read,
    result_of,
    run,
    scored,
    table_of,
)

STUMPS = (("a", 0.0, -0.8, 0.7), ("b", 0.5, 0.4, -0.5), ("a", 1.0, -0.2, 0.3))
"""Feature, threshold, value at or below it, value above it."""


def stump_read() -> ReadModel:
    names = ("a", "b")
    trees = [
        {
            "feature": np.array([names.index(name), -1, -1]),
            "threshold": np.array([cut, 0.0, 0.0]),
            "left": np.array([1, -1, -1]),
            "right": np.array([2, -1, -1]),
            "value": np.array([0.0, below, above]),
            "missing_left": None,
        }
        for name, cut, below, above in STUMPS
    ]
    content = {"trees": trees, "intercept": 0.1, "link": "logit"}
    return ReadModel("trees", "forest.json", names, content, {}, "0" * 64)


def stump_table(n: int = 300) -> tuple[Table, ReadModel]:
    rng = np.random.default_rng(2)
    x = {"a": rng.normal(0.3, 1, n), "b": rng.normal(0.5, 0.5, n)}
    read = stump_read()
    return table_of(scored(read, x), np.arange(n) % 2, features=x), read


def stump_ends(table: Table, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest score in the box, by going through every side of every cut."""
    raw = []
    a, b = table.features["a"], table.features["b"]
    for side in (np.fmin, np.fmax):
        best = np.full(len(a), -np.inf if side is np.fmax else np.inf)
        for signs in itertools.product((-1, 1), repeat=2):
            # All cuts of one feature rise or fall together in a corner; those between lie inside.
            for part in np.linspace(0, 1, 201):
                total = np.full(len(a), 0.1)
                for name, cut, below, above in STUMPS:
                    base = a if name == "a" else b
                    sign = signs[0] if name == "a" else signs[1]
                    total += np.where(base + sign * part * eps <= cut, below, above)
                best = side(best, total)
        raw.append(1 / (1 + np.exp(-best)))
    return raw[0], raw[1]


@pytest.mark.parametrize("eps", [0.05, 0.3])
def test_trees_agree_with_going_through_the_box(eps: float) -> None:
    table, read = stump_table()
    moves = moves_of({"a": eps, "b": eps}, "linf")
    outcome = run(table, read, perturbation=moves, tolerance=0.99, **SOFT)
    row = gap(outcome, "demographic_parity")
    low, high = stump_ends(table, eps)
    group = table.groups["s"] == "1"
    by_hand = max(high[group].mean() - low[~group].mean(), high[~group].mean() - low[group].mean())
    assert row.exact
    assert row.found.estimate == pytest.approx(by_hand, abs=1e-12)
    assert row.certified.estimate == pytest.approx(by_hand, abs=1e-12)
    attribution = result_of(outcome).attribution[0]
    assert abs(attribution.completeness or 0) < 1e-12
    assert attribution.sum_of_values == pytest.approx(attribution.change)


def test_the_ladder_of_trees() -> None:
    table, read = stump_table()
    moves = moves_of({"a": 0.3, "b": 0.3})
    outcome = run(table, read, perturbation=moves, tolerance=0.99, **HARD)
    common, group, record = (
        gap(outcome, "demographic_parity", rung) for rung in ("common", "group", "record")
    )
    ladder = [row.found.estimate or 0 for row in (common, group, record)]
    assert ladder == sorted(ladder)
    assert common.certified.estimate == record.certified.estimate
    for row in (common, group):
        assert (row.certified.reason or "").startswith("bounded by the per-record rung")
        assert (row.found.reason or "").startswith("found by a search")
        assert row.critical_unsafe is None
        assert row.critical_reason.startswith("not reached at the declared moves")
    assert "per-record" not in (record.certified.reason or "")


def test_whole_numbers_borrow_the_bound_and_say_so() -> None:
    """A common shift of a linear score is solved for continuous features, not for integer ones."""
    rng = np.random.default_rng(2)
    x = {"x": rng.integers(-3, 4, size=200).astype(float)}
    read = linear_read({"x": 0.5}, 0.0)
    table = table_of(scored(read, x), np.arange(200) % 2, features=x)
    for kind, told in (("integer", True), ("continuous", False)):
        moves = moves_of({"x": {"eps": 1.0, "kind": kind}})
        outcome = run(table, read, perturbation=moves, tolerance=0.5, **SOFT)
        row = gap(outcome, "demographic_parity", "common")
        for end in (row.found, row.certified):
            assert ("bounded by the per-record rung" in (end.reason or "")) is told


def test_a_common_shift_that_never_passes_says_where_the_search_stops() -> None:
    """One feature, one group at each side of it: far moves make all scores alike."""
    x = {"x": np.where(np.arange(200) % 2, 0.1, -0.1)}
    read = linear_read({"x": 1.0}, 0.0)
    table = table_of(scored(read, x), np.arange(200) % 2, features=x)
    outcome = run(table, read, perturbation=moves_of({"x": 0.1}), tolerance=0.06, **SOFT)
    row = gap(outcome, "demographic_parity", "common")
    assert row.critical_unsafe is None
    assert row.critical_safe == 4
    assert row.critical_reason == (
        "not reached within 4 times the declared moves, where the search stops"
    )
    reached = gap(outcome, "demographic_parity", "record")
    assert reached.critical_unsafe is not None
    assert reached.critical_reason == ""


def test_the_bracket_of_trees_holds_the_radius_of_a_finer_search() -> None:
    table, read = stump_table()
    base = gap(run(table, tolerance=0.99, **HARD), "demographic_parity", None).base.estimate or 0
    tolerance = base + 0.04
    moves = moves_of({"a": 1.0, "b": 1.0}, "linf")
    row = gap(
        run(table, read, perturbation=moves, tolerance=tolerance, **HARD), "demographic_parity"
    )
    assert row.critical_safe is not None
    assert row.critical_unsafe is not None
    assert row.critical_safe < row.critical_unsafe <= row.critical_safe + 0.02
    group = table.groups["s"] == "1"
    for radius, passes in ((row.critical_safe, False), (row.critical_unsafe, True)):
        low, high = (end >= 0.5 for end in stump_ends(table, radius))
        worst = max(
            high[group].mean() - low[~group].mean(), high[~group].mean() - low[group].mean()
        )
        assert bool(worst > tolerance) is passes


def test_three_groups_and_the_pair_that_is_worst() -> None:
    rng = np.random.default_rng(4)
    group = np.array(["a", "b", "c"])[np.arange(300) % 3]
    x = {"x": rng.normal(size=300) + np.where(group == "b", 1.0, 0.0)}
    read = linear_read({"x": 1.0}, 0.0)
    score = scored(read, x)
    table = table_of(score, group, features=x)
    outcome = run(table, read, perturbation=moves_of({"x": 0.1}), tolerance=0.3, **SOFT)
    row = gap(outcome, "demographic_parity")
    up, down = 1 / (1 + np.exp(-x["x"] - 0.1)), 1 / (1 + np.exp(-x["x"] + 0.1))
    by_hand = max(
        up[group == one].mean() - down[group == other].mean()
        for one, other in itertools.permutations("abc", 2)
    )
    assert row.found.estimate == pytest.approx(by_hand, abs=1e-12)
    assert row.highest_group == "b"
    assert {one.group for one in result_of(outcome).groups} == {"a", "b", "c"}


def body(n: int = 200) -> tuple[Table, ReadModel]:
    rng = np.random.default_rng(6)
    x = {"weight": rng.uniform(50, 110, n), "height": rng.uniform(1.5, 1.95, n)}
    x["bmi"] = x["weight"] / x["height"] ** 2
    read = linear_read({"bmi": 0.3}, -8.0)
    return table_of(scored(read, x), np.arange(n) % 2, features=x), read


def test_derived_columns_are_recomputed_from_what_moves() -> None:
    table, read = body()
    moves = moves_of(
        {"weight": {"eps": 1.0, "unit": "kg"}}, "linf", derived={"bmi": "weight / height**2"}
    )
    outcome = run(table, read, perturbation=moves, tolerance=0.5, **SOFT)
    row = gap(outcome, "demographic_parity")
    w, h = table.features["weight"], table.features["height"]
    up, down = (1 / (1 + np.exp(8 - 0.3 * (w + d) / h**2)) for d in (1, -1))
    group = table.groups["s"] == "1"
    by_hand = max(up[group].mean() - down[~group].mean(), up[~group].mean() - down[group].mean())
    assert row.found.estimate == pytest.approx(by_hand, abs=1e-12)
    # In one column that occurs once, interval arithmetic is exact.
    assert row.certified.estimate == pytest.approx(by_hand, abs=1e-12)
    assert result_of(outcome).derived[0].expression == "weight / height**2"
    assert {one.feature for one in result_of(outcome).direction} == {"weight"}


@pytest.mark.parametrize(
    "text", ["a * b - b / a", "log(a) + sqrt(b) * 2", "-a**2 + max(a, b)", "min(a, 3) / (a - b)"]
)
def test_ranges_hold_every_value_inside(text: str) -> None:
    rng = np.random.default_rng(8)
    expression = parse_expression(text)
    low = {name: rng.uniform(0.1, 2, 50) for name in "ab"}
    high = {name: low[name] + rng.uniform(0, 1, 50) for name in "ab"}
    least, most = expression.range(low, high)
    for _ in range(200):
        inside = {name: rng.uniform(low[name], high[name]) for name in "ab"}
        value = expression.value(inside)
        assert np.all((value >= least - 1e-9) & (value <= most + 1e-9))


def test_categories_are_swapped_whole() -> None:
    rng = np.random.default_rng(9)
    level = rng.integers(0, 3, 240)
    x = {f"c{k}": (level == k).astype(float) for k in range(3)} | {"z": rng.normal(size=240)}
    read = linear_read({"c0": 0.0, "c1": 1.0, "c2": -1.0, "z": 0.3}, 0.0)
    table = table_of(scored(read, x), np.arange(240) % 2, features=x)
    moves = moves_of({"site": {"kind": "category", "columns": ["c0", "c1", "c2"]}}, "linf")
    outcome = run(table, read, perturbation=moves, tolerance=0.9, **SOFT)
    row = gap(outcome, "demographic_parity")
    best, worst = (1 / (1 + np.exp(-(end + 0.3 * x["z"]))) for end in (1.0, -1.0))
    group = table.groups["s"] == "1"
    by_hand = max(
        best[group].mean() - worst[~group].mean(), best[~group].mean() - worst[group].mean()
    )
    assert row.found.estimate == pytest.approx(by_hand, abs=1e-12)
    assert result_of(outcome).witness[0].violations == 0
    assert result_of(outcome).perturbation[0].columns == "c0, c1, c2"


def test_bounds_and_directions_hold() -> None:
    rng = np.random.default_rng(10)
    x = {"x": rng.uniform(0, 1, 200)}
    read = linear_read({"x": 2.0}, -1.0)
    table = table_of(scored(read, x), np.arange(200) % 2, features=x)
    move = {"eps": 0.5, "bounds": [0.0, 1.0], "direction": "up"}
    outcome = run(table, read, perturbation=moves_of({"x": move}), tolerance=0.9, **SOFT)
    up = 1 / (1 + np.exp(1 - 2 * np.minimum(x["x"] + 0.5, 1.0)))
    still = table.scores["m"]
    group = table.groups["s"] == "1"
    by_hand = max(up[group].mean() - still[~group].mean(), up[~group].mean() - still[group].mean())
    assert gap(outcome, "demographic_parity").found.estimate == pytest.approx(by_hand, abs=1e-12)


def test_the_same_seed_gives_the_same_search() -> None:
    table, read = body()
    linear = build_model("linear", ["bmi"], read.content)
    black = opaque_read(["bmi"], lambda values: linear.score(values))
    settings: dict[str, Any] = {
        "perturbation": moves_of({"bmi": 0.5}),
        "tolerance": 0.5,
        "curve": [0.5, 2.0],
        **SOFT,
    }
    assert run(table, black, **settings).result == run(table, black, **settings).result


def test_a_network_is_bracketed() -> None:
    rng = np.random.default_rng(11)
    layers = [
        (rng.normal(size=(2, 6)), rng.normal(size=6)),
        (rng.normal(size=(6, 1)), rng.normal(size=1)),
    ]
    content = {"layers": layers, "activation": "relu", "link": "logit"}
    read = ReadModel("mlp", "mlp.json", ("a", "b"), content, {}, "0" * 64)
    x = {"a": rng.normal(size=150), "b": rng.normal(size=150)}
    table = table_of(scored(read, x), np.arange(150) % 2, features=x)
    outcome = run(table, read, perturbation=moves_of({"a": 0.05, "b": 0.05}), **SOFT)
    row = gap(outcome, "demographic_parity")
    assert (row.base.estimate or 1) <= (row.found.estimate or 0) <= (row.certified.estimate or 0)
    assert finding(outcome, "ROB-010").severity == "note"

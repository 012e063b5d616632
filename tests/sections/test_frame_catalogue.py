"""Awkward groups: each has its row and its reason, and none distorts the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.inputs import Table
from reportgen.sections.frame import FrameResult
from reportgen.sections.frame.result import ParityRow
from tests.support.frame import (
    codes,
    finding,
    gap,
    group,
    result,
    run,
    table_of,
    two_groups,
)


def parity(found: FrameResult, metric: str) -> ParityRow:
    (row,) = [row for row in found.parity if row.metric == metric]
    return row


def decided(label: str, chosen: str, names: str) -> Table:
    """Return rows whose score is 0.9 where chosen, else 0.1."""
    scores = [0.9 if one == "1" else 0.1 for one in chosen]
    return table_of([int(one) for one in label], scores, {"g": list(names)})


def test_rows_without_a_value_are_a_group() -> None:
    table = table_of([1, 0, 1, 0, 1, 0, 1], np.linspace(0.1, 0.9, 7), {"g": [*"aaaabb", ""]})
    outcome = run(table)
    assert isinstance(outcome.result, FrameResult)
    rows = {row.group: row.n_rows for row in outcome.result.groups}
    assert rows == {"all": 7, "a": 4, "b": 2, "missing": 1}
    assert gap(outcome.result, "g", "missing").verdict == "not estimable"
    assert "1 row without g" in finding(outcome, "FRM-011").statement
    assert "FRM-011" not in codes(run(two_groups()))


def test_a_group_called_missing_is_not_the_rows_without_a_value() -> None:
    names = ["missing"] * 4 + ["a"] * 4 + [""] * 2
    found = result(table_of([1, 0] * 5, np.linspace(0, 1, 10), {"g": names}))
    rows = {row.group: row.n_rows for row in found.groups if row.attribute == "g"}
    assert rows == {"a": 4, "missing": 4, "missing (no value)": 2}


def test_texts_that_look_missing_are_groups() -> None:
    names = np.repeat(["NA", "NULL", "None", "nan", "a"], 4)
    found = result(table_of([1, 0] * 10, np.linspace(0, 1, 20), {"g": names}))
    assert {row.group for row in found.groups} == {"all", "NA", "NULL", "None", "nan", "a"}


def test_a_group_of_one_row_has_its_row_and_no_figures() -> None:
    table = table_of([1, 0] * 20 + [1], np.linspace(0.1, 0.9, 41), {"g": ["a"] * 40 + ["b"]})
    found = result(table, threshold=0.5)
    row = group(found, "g", "b")
    assert (row.n_rows, row.estimable) == (1, False)
    assert row.auc.estimate is None
    assert row.auc.reason == "no negatives"
    assert row.specificity.reason == "no negatives"
    compared = gap(found, "g", "b")
    assert compared.gap.estimate is None
    assert compared.verdict == "not estimable"
    assert parity(found, "auc").value.estimate is None


def test_a_group_without_positives() -> None:
    found = result(decided("1010" + "00000", "1001" + "00101", "aaaabbbbb"), threshold=0.5)
    row = group(found, "g", "b")
    assert row.specificity.estimate == pytest.approx(0.6)
    assert row.sensitivity.reason == "no positives"
    assert row.balanced_accuracy.estimate is None
    assert row.balanced_accuracy.reason == "no positives"


def test_parity_leaves_a_group_without_positives_out_and_names_it() -> None:
    table = decided("1100" + "1100" + "00", "1101" + "1000" + "10", "aaaabbbbcc")
    found = result(table, threshold=0.5)
    assert parity(found, "demographic_parity").value.estimate == pytest.approx(0.5)
    opportunity = parity(found, "equal_opportunity")
    assert opportunity.value.estimate == pytest.approx(0.5)
    assert (opportunity.highest_group, opportunity.lowest_group) == ("a", "b")
    assert opportunity.left_out == ("c (no positive patients)",)
    odds = parity(found, "equalized_odds")
    assert odds.value.estimate == pytest.approx(0.5)
    assert odds.left_out == ("c (no positive patients)",)


def test_a_group_of_one_patient_drives_no_worst_pair() -> None:
    """Catalogue D28: group c has one patient, selected, of whom fairlearn makes a gap of 0.75."""
    table = decided("1100" + "1100" + "1", "1100" + "1000" + "1", "aaaabbbbc")
    found = result(table, threshold=0.5)
    row = parity(found, "demographic_parity")
    assert row.value.estimate == pytest.approx(0.25)
    assert (row.highest_group, row.lowest_group, row.left_out) == ("a", "b", ("c (1 patient)",))
    odds = parity(found, "equalized_odds")
    assert odds.value.estimate == pytest.approx(0.5)
    assert odds.left_out == ("c (1 positive patient, no negative patients)",)
    assert parity(found, "auc").left_out == ("c (1 positive patient, no negative patients)",)


def test_small_groups_have_no_exploratory_p_value() -> None:
    """Group b has 3 patients, all of them wrong: nothing of it stands out, and it says why."""
    rng = np.random.default_rng(5)
    label = np.tile([1, 0], 60)
    right = np.clip(0.25 + 0.5 * label + rng.normal(0, 0.1, 120), 0.01, 0.99)
    wrong = 1 - 0.9 * np.array([1, 0, 1])
    group_of = ["a"] * 60 + ["c"] * 60 + ["b"] * 3
    table = table_of([*label, 1, 0, 1], [*right, *(wrong)], {"g": group_of})
    outcome = run(table, threshold=0.5)
    found = outcome.result
    assert isinstance(found, FrameResult)
    exploratory = [row for row in found.gaps if not row.primary]
    small = [row for row in exploratory if row.group == "b"]
    assert len(small) > 5
    for row in small:
        assert (row.p, row.p_adjusted, row.image_level_p) == (None, None, None)
        assert "fewer than 10" in row.test
    tested = {row.metric for row in exploratory if row.p is not None}
    assert tested
    assert f"holds {len(tested - {'false_positive_rate'})} tests" in found.notes[0]


def test_the_worst_pair_is_highest_minus_lowest() -> None:
    chosen = "1100000000" + "1111100000" + "1111110000"
    found = result(decided("10" * 15, chosen, "a" * 10 + "b" * 10 + "c" * 10), threshold=0.5)
    row = parity(found, "demographic_parity")
    assert row.value.estimate == pytest.approx(0.4)
    assert (row.highest_group, row.lowest_group) == ("c", "a")
    assert parity(found, "demographic_parity_ratio").value.estimate == pytest.approx(1 / 3)


def test_nobody_selected_is_no_parity() -> None:
    outcome = run(decided("10" * 10, "0" * 20, "a" * 10 + "b" * 10), threshold=0.5)
    assert isinstance(outcome.result, FrameResult)
    assert parity(outcome.result, "demographic_parity").value.estimate == 0
    ratio = parity(outcome.result, "demographic_parity_ratio").value
    assert ratio.estimate is None
    assert "0/0" in str(ratio.reason)
    assert finding(outcome, "FRM-022").title == "Nobody is selected"
    assert "FRM-022" not in codes(run(two_groups(), threshold=0.5))


def test_a_declared_group_without_rows_is_there() -> None:
    table = table_of(
        [1, 0] * 20,
        np.linspace(0.1, 0.9, 40),
        {"g": ["a"] * 20 + ["b"] * 20},
        levels={"g": ("unknown", "a", "b")},
    )
    outcome = run(table, threshold=0.5, required={"g": ["unknown"]})
    assert isinstance(outcome.result, FrameResult)
    row = group(outcome.result, "g", "unknown")
    assert (row.n_rows, row.n_units, row.reason) == (0, 0, "no rows")
    assert gap(outcome.result, "g", "unknown").reason == "unknown: no rows"
    assert finding(outcome, "FRM-007").severity == "fail"


def test_an_attribute_of_one_group_has_no_comparison() -> None:
    outcome = run(table_of([1, 0] * 20, np.linspace(0, 1, 40), {"g": ["a"] * 40}))
    assert isinstance(outcome.result, FrameResult)
    assert outcome.result.gaps == ()
    assert outcome.result.family_size == 0


def test_150_sites_are_all_there() -> None:
    rng = np.random.default_rng(1)
    sizes = np.where(np.arange(150) % 2 == 0, 8, 30)
    site = np.repeat([f"s{k:03d}" for k in range(150)], sizes)
    label = rng.random(len(site)) < 0.4
    table = table_of(label, rng.random(len(site)), {"site": site})
    outcome = run(table, threshold=0.5)
    found = outcome.result
    assert isinstance(found, FrameResult)
    assert len([row for row in found.groups if row.attribute == "site"]) == 150
    assert found.family_size == 149
    assert "primary family holds 149 comparisons" in found.notes[0]
    worst = parity(found, "auc")
    sizes_of = {row.group: row.n_rows for row in found.groups}
    assert sizes_of[worst.lowest_group] > 0
    judged = [row for row in found.gaps if row.primary and row.verdict != "not estimable"]
    assert 0 < len(judged) < 149
    told = [code for code in codes(outcome) if code in ("FRM-001", "FRM-002", "FRM-007")]
    assert len(told) == len(judged) + 1  # one finding for all that cannot be estimated


def test_a_patient_in_two_groups_is_one_unit() -> None:
    rng = np.random.default_rng(2)
    unit = np.repeat(np.arange(100), 2)
    label = (rng.random(100) < 0.4)[unit]
    side = np.where(np.arange(200) % 2 == 0, "left", "right")
    table = table_of(label, rng.random(200), {"eye": side}, unit=unit)
    outcome = run(table)
    assert isinstance(outcome.result, FrameResult)
    (row,) = outcome.result.units_in_several
    assert (row.attribute, row.n_units) == ("eye", 100)
    compared = gap(outcome.result, "eye", "right")
    assert compared.units_in_both == 100
    assert compared.test.startswith("inverted MOVER interval")
    assert "100 patients in several groups of eye" in finding(outcome, "FRM-012").statement
    assert "FRM-012" not in codes(run(two_groups()))


def test_repeating_every_image_narrows_no_interval_of_patients() -> None:
    once = two_groups(3, images=2)
    twice = Table(
        "test",
        4 * once.n_rows,
        "probability",
        np.tile(once.label, 4) if once.label is not None else None,
        None,
        {"m": np.tile(once.scores["m"], 4)},
        np.tile(once.unit, 4) if once.unit is not None else None,
        {"group": np.tile(once.groups["group"], 4)},
        {},
    )
    first, second = (gap(result(table), "group", "small") for table in (once, twice))
    assert second.gap.estimate == pytest.approx(first.gap.estimate, abs=1e-12)
    assert second.gap.low == pytest.approx(first.gap.low, abs=1e-9)
    assert second.gap_percentile.low == pytest.approx(first.gap_percentile.low, abs=1e-12)
    # Two sets of 4,999 permutations: three standard errors of their difference.
    assert second.p == pytest.approx(first.p, abs=3 * (2 * 0.26 * 0.74 / 4999) ** 0.5)
    # Counted as patients of their own, four images for one look like four times the data.
    assert first.design_effect is not None
    assert second.design_effect == pytest.approx(4 * first.design_effect, rel=0.05)


def test_the_share_of_draws_without_a_class_is_counted() -> None:
    label = np.concatenate([np.arange(100) % 2, [1], np.zeros(9)])
    names = ["a"] * 100 + ["b"] * 10
    outcome = run(table_of(label, np.linspace(0, 1, 110), {"g": names}), resamples=4000)
    assert isinstance(outcome.result, FrameResult)
    # One of ten patients is drawn in none of ten draws with probability .9 ** 10 = .349.
    share = group(outcome.result, "g", "b").undefined_share
    assert share == pytest.approx(0.9**10, abs=3.3 * (0.349 * 0.651 / 4000) ** 0.5)
    percentile = gap(outcome.result, "g", "b").gap_percentile
    assert percentile.low is None
    assert "undefined in" in str(percentile.reason)
    assert "“g b” (3" in finding(outcome, "FRM-015").statement
    assert "FRM-015" not in codes(run(two_groups()))


def test_perfect_separation_has_an_exact_bound() -> None:
    label = np.concatenate([np.arange(200) % 2, [0] * 10, [1] * 10])
    score = np.concatenate([np.random.default_rng(1).random(200), [0.1] * 10, [0.9] * 10])
    names = ["a"] * 200 + ["b"] * 20
    outcome = run(table_of(label, score, {"g": names}))
    assert isinstance(outcome.result, FrameResult)
    area = group(outcome.result, "g", "b").auc
    # 10 of 10, Clopper and Pearson: (alpha / 2) ** (1 / 10).
    assert (area.estimate, area.high) == (1, 1)
    assert area.low == pytest.approx(0.025**0.1)
    assert "one-sided" in str(area.method)
    assert "“g b” (" in finding(outcome, "FRM-016").statement
    assert "FRM-016" not in codes(run(two_groups()))


def test_a_rate_of_0_of_4_has_no_wald_interval() -> None:
    table = decided("1100" + "0000", "1010" + "1111", "aaaabbbb")
    rate = group(result(table, threshold=0.5), "g", "b").specificity
    # 0 of 4, Wilson: z² / (4 + z²) = 0.490.
    assert (rate.estimate, rate.low) == (0, 0)
    assert rate.high == pytest.approx(1.959964**2 / (4 + 1.959964**2), rel=1e-6)
    assert "Wilson" in str(rate.method)


def test_features_that_cannot_be_used_are_named() -> None:
    table = two_groups(5)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(table.n_rows, 3))
    x[:, 1] = 4.0
    features = {"real": x[:, 0], "constant": x[:, 1], "copy": x[:, 0], "other": x[:, 2]}
    left_out = finding(run(_with(table, features), threshold=0.5), "FRM-025").statement
    assert "constant left out: constant" in left_out
    assert "copy left out: a copy of real" in left_out
    found = result(_with(table, features), threshold=0.5)
    assert found.features == ("real", "other")


def test_too_few_patients_for_coverage() -> None:
    rng = np.random.default_rng(1)
    names = np.repeat(["a", "b"], [60, 4])
    table = table_of(
        rng.random(64) < 0.5, rng.random(64), {"g": names}, features=rng.normal(size=(64, 2))
    )
    (row,) = result(table, threshold=0.5).representation
    assert row.coverage.estimate is None
    assert "4 patients" in str(row.coverage.reason)
    assert row.domain_auc.estimate is None


def test_two_failures_make_no_clusters() -> None:
    rng = np.random.default_rng(1)
    label = np.arange(100) % 2
    score = np.where(label == 1, 0.9, 0.1)
    score[:2] = 0.6, 0.4
    names = np.repeat(["a", "b"], 50)
    table = table_of(label, score, {"g": names}, features=rng.normal(size=(100, 2)))
    assert result(table, threshold=0.5).clusters == ()
    statement = finding(run(table, threshold=0.5), "FRM-027").statement
    assert "too few failures: 2 patients" in statement


def test_rows_without_complete_features_of_a_whole_group() -> None:
    table = two_groups(5)
    x = np.random.default_rng(1).normal(size=table.n_rows)
    x[np.asarray(table.groups["group"] == "small")] = np.nan
    (row,) = result(_with(table, {"x": x}), threshold=0.5).representation
    assert row.domain_auc.estimate is None
    assert "small: no row with every feature" in row.reason


def test_a_section_of_one_class_shows_what_is_defined() -> None:
    """What of one class is defined stands (catalogue D07); no gap of both is passed."""
    outcome = run(table_of([1] * 10, np.linspace(0, 1, 10), {"g": list("ab") * 5}), threshold=0.5)
    assert finding(outcome, "FRM-020").severity == "warn"
    assert "every label is positive" in finding(outcome, "FRM-020").statement
    assert not [one for one in outcome.findings if one.severity == "pass"]
    assert isinstance(outcome.result, FrameResult)
    whole = outcome.result.groups[0]
    assert (whole.sensitivity.estimate, whole.auc.estimate) == (0.5, None)
    nothing = run(table_of([np.nan] * 4, [0.1] * 4, {"g": list("ab") * 2}))
    assert codes(nothing) == ["FRM-020", "FRM-010"]


def _with(table: Table, features: dict[str, Any]) -> Table:
    return Table(
        table.name,
        table.n_rows,
        table.scale,
        table.label,
        None,
        table.scores,
        table.unit,
        table.groups,
        features,
    )

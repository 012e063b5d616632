"""Which counts a printed figure allows: published cases and exhaustive counting."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score

from reportgen.stats.possible import granularity, possible_from_table, read_printed


@pytest.mark.parametrize(
    ("text", "value", "step"),
    [
        ("0.9633", Fraction(9633, 10_000), Fraction(1, 10_000)),
        ("96.33 %", Fraction(9633, 10_000), Fraction(1, 10_000)),
        ("96.33%", Fraction(9633, 10_000), Fraction(1, 10_000)),
        (".831", Fraction(831, 1000), Fraction(1, 1000)),
        ("1", Fraction(1), Fraction(1)),
        ("\u22120.012", Fraction(-12, 1000), Fraction(1, 1000)),
    ],
)
def test_digits_say_the_rounding(text: str, value: Fraction, step: Fraction) -> None:
    printed = read_printed(text)
    assert (printed.value, printed.step) == (value, step)


@pytest.mark.parametrize("text", ["", ".", "1e-3", "0,9", "about 0.9", "105/109", "nan"])
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no decimal figure"):
        read_printed(text)


def test_published_impossible_mean() -> None:
    """Brown & Heathers (2017), their first example: 5.19 of 28 whole numbers cannot be."""
    found = granularity(read_printed("0.19"), 28)
    assert not found.possible
    assert found.nearest == 5
    for possible in ("0.18", "0.21"):
        assert granularity(read_printed(possible), 28).possible


def test_implied_counts_of_the_article(shared: Path) -> None:
    """Every count behind a printed rate of article 003 is one that its digits allow."""
    with (shared / "data/integrity/oral_app/published_counts.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["published"]]
    assert len(rows) > 10
    for row in rows:
        found = granularity(read_printed(row["published"]), int(row["n"]))
        assert found.first <= int(row["k"]) <= found.last, row["id"]
    only = granularity(read_printed("23.48 %"), 9688)
    assert (only.first, only.last) == (2275, 2275)
    ulcer = granularity(read_printed("51.5 %"), 274)
    assert (ulcer.first, ulcer.last) == (141, 141)


def test_area_is_pairs() -> None:
    """AUC .831 over 105 x 4 pairs is 349/420 and no other, ties counted half (methods, 3)."""
    found = granularity(read_printed(".831"), 840)
    assert (found.first, found.last) == (698, 698)


@pytest.mark.parametrize("n", [1, 3, 7, 28, 109])
def test_against_rounding_every_share(n: int) -> None:
    shares = {f"{k / n:.2f}" for k in range(n + 1)}
    for hundredth in range(101):
        text = f"{hundredth / 100:.2f}"
        if text in shares:
            assert granularity(read_printed(text), n).possible
    assert granularity(read_printed("0.50"), n).any_figure == (n >= 100)


def test_halves_may_round_either_way() -> None:
    """1/8 is .125: printed .12 by rounding to even, .13 by rounding up."""
    assert granularity(read_printed("0.12"), 8).possible
    assert granularity(read_printed("0.13"), 8).possible


@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy"])
def test_tables_of_six_rows(metric: str) -> None:
    """Every table of four positives and two negatives, by scikit-learn."""
    score = f1_score if metric == "f1" else balanced_accuracy_score
    label = [1] * 4 + [0] * 2
    met = set()
    for tp in range(5):
        for fp in range(3):
            called = [1] * tp + [0] * (4 - tp) + [1] * fp + [0] * (2 - fp)
            met.add(f"{score(label, called):.3f}")
    for thousandth in range(0, 1001, 7):
        text = f"{thousandth / 1000:.3f}"
        found = possible_from_table(read_printed(text), metric, n_positive=4, n_negative=2)
        assert found == (text in met)
    for text in sorted(met):
        assert possible_from_table(read_printed(text), metric, n_positive=4, n_negative=2)


def test_too_many_tables_are_left_open() -> None:
    printed = read_printed("0.5")
    assert possible_from_table(printed, "f1", n_positive=10_000, n_negative=10_000) is None

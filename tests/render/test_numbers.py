"""Each format against what a copy editor would write."""

from __future__ import annotations

import locale
from typing import Any, get_args

import pytest

from reportgen.render import numbers
from reportgen.render.view import Column, Format


def est(estimate: float | None, low: float | None = None, high: float | None = None) -> Any:
    reason = {} if low is not None else {"reason": "too few positives"}
    return {"estimate": estimate, "low": low, "high": high, **reason}


def test_every_format_of_the_contract_is_there() -> None:
    assert set(numbers.FORMATS) == set(get_args(Format))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (0.0, "0"),
        (0.06412, "0.0641"),
        (0.12345, "0.123"),
        (1.23456, "1.235"),
        (12.3456, "12.35"),
        (123.456, "123.5"),
        (12345.6, "12,346"),
        (-0.5, "−0.500"),
        (0.0000123, "1.23e−5"),
        (-0.0000123, "−1.23e−5"),
        (1234567, "1,234,567"),
        (None, "–"),
    ],
)
def test_number(value: float | None, written: str) -> None:
    assert numbers.number(value) == written


@pytest.mark.parametrize(
    ("write", "value", "written"),
    [
        (numbers.signed, 0.0123, "+0.0123"),
        (numbers.signed, -0.0123, "−0.0123"),
        (numbers.signed, 0.0, "0"),
        (numbers.count, 1234, "1,234"),
        (numbers.count, -1234, "−1,234"),
        (numbers.percent, 0.123, "12.3\u00a0%"),
        (numbers.percent, 0.0, "0.0\u00a0%"),
        (numbers.percent, 1.0, "100.0\u00a0%"),
        (numbers.percent, 0.00012, "0.012\u00a0%"),
        (numbers.percent, 0.99996, "99.9960\u00a0%"),
        (numbers.percent, 1e-9, "< 0.0001\u00a0%"),
        (numbers.probability, 0.1234, "0.123"),
        (numbers.probability, 0.0, "0.000"),
        (numbers.probability, 0.9995, "0.99950"),
        (numbers.probability, 0.00012, "0.00012"),
        (numbers.probability, 1e-9, "< 0.000001"),
        (numbers.probability, 1 - 1e-9, "> 0.999999"),
        (numbers.threshold, 0.25, "0.25"),
        (numbers.threshold, 0.5, "0.5"),
        (numbers.threshold, 1e-05, "0.00001"),
        (numbers.threshold, 100.0, "100"),
        (numbers.yes_no, True, "yes"),
        (numbers.yes_no, False, "no"),
        (numbers.yes_no, None, "–"),
        (numbers.text, ["a", "b"], "a, b"),
        (numbers.text, True, "yes"),
        (numbers.text, 0.25, "0.250"),
        (numbers.text, "", "–"),
        (numbers.text, "{{ 7*7 }}", "{{ 7*7 }}"),
    ],
)
def test_single_values(write: Any, value: Any, written: str) -> None:
    assert write(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (est(0.0641, 0.0412, 0.0881), "0.064 (0.041 to 0.088)"),
        (est(0.5, 0.12, 0.88), "0.50 (0.12 to 0.88)"),
        (est(50.2, 42.4, 57.1), "50 (42 to 57)"),
        (est(0.06412, 0.0592, 0.0691), "0.0641 (0.0592 to 0.0691)"),
        (est(-0.0641, -0.0881, -0.0412), "−0.064 (−0.088 to −0.041)"),
        (est(-0.0001, -0.02, 0.02), "0.000 (−0.020 to 0.020)"),
        (est(0.25, 0.25, 0.25), "0.250 (0.250 to 0.250)"),
        (est(None), "not estimable: too few positives"),
        (est(0.25), "0.250 (no interval: too few positives)"),
        (None, "–"),
    ],
)
def test_estimate(value: Any, written: str) -> None:
    assert numbers.estimate(value) == written


def test_signed_and_percent_estimates() -> None:
    assert numbers.signed_estimate(est(0.0123, -0.0031, 0.0302)) == "+0.012 (−0.003 to 0.030)"
    assert numbers.signed_estimate(est(-0.0123, -0.0301, 0.0032)) == "−0.012 (−0.030 to 0.003)"
    assert numbers.signed_estimate(est(0.0001, -0.03, 0.03)) == "0.000 (−0.030 to 0.030)"
    assert numbers.signed_estimate(est(None)) == "not estimable: too few positives"
    assert numbers.percent_estimate(est(0.123, 0.1, 0.15)) == "12.3\u00a0% (10.0 to 15.0)"
    assert numbers.percent_estimate(est(0.5, 0.5, 0.5)) == "50.0\u00a0% (50.0 to 50.0)"


def test_interval_of_a_whole_column_keeps_what_narrow_rows_need() -> None:
    rows = [
        {"x": est(0.0641, 0.0412, 0.0881)},
        {"x": est(0.1641, 0.1412, 0.1881)},
        {"x": est(0.5, 0.12, 0.88)},
        {"x": est(0.02000, 0.01995, 0.02005)},
        {"x": est(None)},
    ]
    assert numbers.cells(Column("x", "X", "estimate"), rows) == [
        "0.064 (0.041 to 0.088)",
        "0.164 (0.141 to 0.188)",
        "0.500 (0.120 to 0.880)",
        "0.02000 (0.01995 to 0.02005)",
        "not estimable: too few positives",
    ]


def test_column_adds_at_most_one_idle_digit() -> None:
    rows = [{"x": est(0.1, 0.05, 0.15)}] * 2 + [{"x": est(500.0, 451.0, 549.0)}]
    assert numbers.cells(Column("x", "X", "estimate"), rows)[-1] == "500.0 (451.0 to 549.0)"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.25, "0.25"), (0.12345, "0.12345"), (3.0, "3"), (3, "3"), (1500, "1,500"), ("a", "a"),
        (0.064123456789, "0.0641"), (0.12999684, "0.130"), (0.0, "0"),
    ],
)  # fmt: skip
def test_evidence_is_written_as_typed_or_as_in_the_statement(value: Any, written: str) -> None:
    assert numbers.evidence(value) == written


def test_evidence_estimate() -> None:
    assert numbers.evidence(est(0.0641, 0.0412, 0.0881)) == "0.064 (0.041 to 0.088)"


def test_no_hyphen_stands_for_a_minus() -> None:
    for write in (numbers.number, numbers.signed, numbers.count, numbers.threshold):
        assert "-" not in write(-1.5)


def test_locale_changes_nothing() -> None:
    before = locale.setlocale(locale.LC_ALL)
    try:
        for name in ("de_DE.UTF-8", "C.UTF-8", "C"):
            try:
                locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
            assert numbers.number(1234.5) == "1,234" or numbers.number(1234.5) == "1,235"
            assert numbers.estimate(est(0.0641, 0.0412, 0.0881)) == "0.064 (0.041 to 0.088)"
    finally:
        locale.setlocale(locale.LC_ALL, before)

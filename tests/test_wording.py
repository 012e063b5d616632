"""Figures in sentences: digits by the interval's width, true minus signs, names as typed."""

from __future__ import annotations

import re

import pytest

from reportgen import wording
from reportgen.render import numbers
from reportgen.result import Estimate, LeftOut, plain


def _estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, "method")


@pytest.mark.parametrize(
    ("found", "written"),
    [
        (_estimate(0.0986, 0.0316, 0.165), "0.10 (0.03 to 0.17)"),
        (_estimate(0.0641, 0.0412, 0.0878), "0.064 (0.041 to 0.088)"),
        (_estimate(-0.246, -0.305, -0.187), "−0.25 (−0.30 to −0.19)"),
        (_estimate(1234.5, 1100.2, 1411.9), "1,234 (1,100 to 1,412)"),
        (_estimate(0.25, 0.25, 0.25), "0.250 (0.250 to 0.250)"),
        (_estimate(-0.0001, -0.03, 0.04), "0.000 (−0.030 to 0.040)"),
        (_estimate(0.1, 0.004, 0.2), "0.100 (0.004 to 0.200)"),
        (_estimate(-0.015, -0.03, -0.00004), "−0.01500 (−0.03000 to −0.00004)"),
        (_estimate(0.1, 0.0, 0.2), "0.10 (0.00 to 0.20)"),
        (_estimate(0.1, 2e-9, 0.2), "0.10 (2.00e−9 to 0.20)"),
        (_estimate(0.1, -1e-17, 0.2), "0.10 (0.00 to 0.20)"),
        (Estimate(0.2, reason="one row"), "0.200 (no interval: one row)"),
        (Estimate.missing("one class"), "not estimable (one class)"),
    ],
)
def test_an_estimate(found: Estimate, written: str) -> None:
    assert wording.estimate(found) == written


FIGURES = [
    (0.0986, 0.0316, 0.165),
    (-0.2, -0.5, 0.3),
    (12.3, 4.5, 40.1),
    (0.1, 0.0004, 0.2),
    (-0.1, -0.2, -3e-8),
    (3456.7, 3210.1, 3698.2),
]


@pytest.mark.parametrize("found", FIGURES)
def test_sentences_and_tables_round_alike(found: tuple[float, float, float]) -> None:
    one = _estimate(*found)
    assert wording.estimate(one) == numbers.estimate(plain(one)) == numbers.evidence(plain(one))
    assert f"{wording.point(one)} ({wording.interval(one.low or 0, one.high or 0)})" == (
        wording.estimate(one)
    )


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("power", range(-9, 1))
@pytest.mark.parametrize("width", [0.0031, 0.2, 7.5])
def test_no_limit_is_rounded_to_zero(sign: int, power: int, width: float) -> None:
    near = sign * 4.4 * 10.0**power
    low, high = sorted((near, near + sign * width))
    for text in (wording.interval(low, high), numbers.estimate(plain(_estimate(low, low, high)))):
        limits = re.search(r"(−?)([\d.e−]+) to (−?)([\d.e−]+)", text)
        assert limits is not None
        assert (limits[1] == "−") is (limits[3] == "−") is (sign < 0)
        assert re.search("[1-9]", limits[2].partition("e")[0])
        assert re.search("[1-9]", limits[4].partition("e")[0])


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"), (0.46058, "0.461"), (0.0803, "0.0803"), (1.23456, "1.235"), (12.3456, "12.35"),
        (-3.2849, "−3.285"), (0.0000123, "1.23e−5"), (-0.0000123, "−1.23e−5"), (56789.1, "56,789"),
    ],
)  # fmt: skip
def test_a_number(value: float, written: str) -> None:
    assert wording.number(value) == written
    assert numbers.number(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.25, "0.25"), (0.1 + 0.2, "0.3"), (1e-5, "0.00001"), (100.0, "100"), (-0.5, "−0.5")],
)
def test_a_number_as_typed(value: float, written: str) -> None:
    assert wording.typed(value) == written


def test_shares_and_coverage_are_in_per_cent() -> None:
    assert [wording.percent(share) for share in (0.123, 0.00012, 0.0, 1.0)] == [
        "12.3\xa0%", "0.012\xa0%", "0.0\xa0%", "100.0\xa0%",
    ]  # fmt: skip
    assert [wording.coverage(c) for c in (0.95, 0.975, 1 - 0.05 / 3)] == [
        "95\xa0%", "97.5\xa0%", "98.33\xa0%",
    ]  # fmt: skip


def test_limits_show_on_which_side_of_zero_they_lie() -> None:
    assert wording.sided_decimals(2, 0.004, 0.17) == 3
    assert wording.sided_decimals(2, -0.00004, 0.17) == 5
    assert wording.sided_decimals(2, 0.0, 0.17) == 2
    assert wording.sided_decimals(2, 0.01, -0.2) == 2
    assert wording.sided_decimals(2, 1e-9, 0.2) == 2  # more digits than a reader would count


def test_what_a_figure_rests_on() -> None:
    assert wording.rows_of_units(300, 300, None) == "300 rows"
    assert wording.rows_of_units(300, 180, None) == "300 rows of 180 units"
    assert wording.rows_of_units(300, 180, "patient_id") == "300 rows of 180 units (patient_id)"
    assert wording.rows_of_units(300, 300, "pat") == "300 rows of 300 units (pat)"


def test_names_stand_as_typed() -> None:
    assert wording.quoted("{{ 7*7 }} <b>") == "“{{ 7*7 }} <b>”"
    assert re.fullmatch("“.*”", wording.quoted(""))


@pytest.mark.parametrize(("gone", "severity"), [(5, "note"), (6, "warn")])
def test_rows_left_out_are_a_warning_above_a_twentieth(gone: int, severity: str) -> None:
    reasons = (LeftOut("label missing", 2), LeftOut("score of m missing", gone - 2))
    (finding,) = wording.rows_left_out("DCA-005", reasons, table="test", n_read=100)
    assert (finding.code, finding.severity) == ("DCA-005", severity)
    assert finding.statement == (
        f"{gone} of 100 rows of table “test” ({gone}.0\xa0%) were left out: "
        f"2 label missing, {gone - 2} score of m missing."
    )
    assert finding.evidence == {"left_out": gone, "rows": 100}
    assert list(wording.rows_left_out("DCA-005", (), table="test", n_read=100)) == []


def test_undefined_resamples_are_counted() -> None:
    assert wording.undefined_in(3, 2000) == "undefined in 3 of 2000 resamples"
    assert wording.undefined_in(0, 2000) is None


def test_a_level_that_is_a_number_is_named_with_its_attribute() -> None:
    assert wording.level_named("sex", "1") == "sex 1"
    assert wording.level_named("sex", "women") == "women"
    assert wording.level_named("stage", "2a") == "2a"

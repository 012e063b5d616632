"""Verdicts and findings of the decision curve section: each code fires, and does not."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.inputs import Survival, Table
from reportgen.render.numbers import evidence
from reportgen.result import NotApplicable, plain
from reportgen.sections.dca import AS_DEPLOYED, BETTER_DEFAULT, CODES, RECALIBRATED, TREAT_NONE
from reportgen.sections.dca.findings import self_check_tolerance
from reportgen.sections.dca.verdicts import deciding, judge, stretches, whole
from tests.support.dca import STATED, codes, informative, one, result_of, run, table_of

RANGE = {"from": 0.1, "to": 0.3, "step": 0.05, **STATED}


def test_supported() -> None:
    outcome = run(informative(), thresholds=RANGE)
    finding = one(outcome, "DCA-001")
    assert finding.severity == "pass"
    assert "From threshold 0.1 to 0.3 (5 thresholds)" in finding.statement
    assert "3000 rows" in finding.statement
    assert "overfitting" in finding.limits
    assert not codes(outcome) & {"DCA-002", "DCA-003", "DCA-004", "DCA-005", "DCA-006"}
    result = result_of(outcome)
    runs = [(row.from_, row.to, row.verdict) for row in result.verdicts]
    assert runs == [(0.1, 0.3, "supported")]
    assert [row.verdict for row in result.overall] == ["supported"]


def test_not_supported() -> None:
    generator = np.random.default_rng(1)
    useless = table_of({"m": generator.random(2000)}, generator.random(2000) < 0.2)
    outcome = run(useless, thresholds=RANGE)
    finding = one(outcome, "DCA-002")
    assert finding.severity == "fail"
    assert "not supported at" in finding.statement
    assert "DCA-001" not in codes(outcome)


def test_undecided_across_zero() -> None:
    outcome = run(informative(150), thresholds=RANGE)
    finding = one(outcome, "DCA-003")
    assert finding.severity == "warn"
    assert not codes(outcome) & {"DCA-001", "DCA-002"}


def test_undecided_with_four_false_negatives() -> None:
    """A gain far above its limits, but only four false negatives stand behind it."""
    label = np.repeat([1.0, 0.0], 1000)
    for misses, verdict in ((4, "undecided"), (5, "supported")):
        scores = np.where(label == 1, 0.9, 0.1)
        scores[:misses] = 0.1
        scores[-20:] = 0.9
        gain = result_of(run(table_of({"m": scores}, label), thresholds=[0.5])).gains[0]
        assert gain.simultaneous_low is not None
        assert gain.simultaneous_low > 0.4
        assert gain.verdict == verdict
        assert (gain.reason == "fewer than 5 rows with a false negative") is (misses == 4)


def test_limits_below_zero_without_verdict_are_said() -> None:
    """A constant score with a harm: it repeats treat all, and does worse by the harm throughout."""
    label = np.arange(200) % 4 == 0
    table = table_of({"m": np.full(200, 0.5)}, label)
    outcome = run(table, thresholds={"values": [0.1, 0.2], **STATED}, harm={"m": 0.01})
    for row in result_of(outcome).gains:
        assert row.gain.estimate == pytest.approx(-0.01)
        assert row.simultaneous_high is not None
        assert row.simultaneous_high < 0
        assert row.verdict == "undecided"
    statement = one(outcome, "DCA-003").statement
    assert (
        "at every threshold fewer than 5 rows with a false negative, too few to trust the"
        " simultaneous limits of the gain, which lie below 0." in statement
    )


def test_an_undecided_range_names_every_reason_and_why_a_threshold_is_cited() -> None:
    """Judged by hand: too few at 0.2, limits across 0 at 0.49 and 0.5, above it between."""
    thresholds = np.array([0.2, 0.3, 0.4, 0.49, 0.5])
    low = np.array([0.03, 0.05, 0.02, -0.002, -0.001])
    short = ["fewer than 5 rows with a false negative", "", "", "", ""]
    judged = judge(thresholds, low, low + 0.2, short)
    verdict, reason = whole(judged, thresholds)
    assert verdict == "undecided"
    assert reason == (
        "supported at 2 of 5 thresholds; undecided at 3: fewer than 5 rows with a false negative"
        " (at 0.2); the simultaneous limits of the gain include 0 (at 0.49 to 0.5)"
    )
    assert deciding(judged, verdict, low, low + 0.2) == 3
    below = judge(thresholds, low - 0.2, low - 0.1, [""] * 5)
    assert whole(below, thresholds) == (
        "not supported", "at every threshold the simultaneous limits of the gain lie below 0",
    )  # fmt: skip
    assert deciding(below, "not supported", low - 0.2, low - 0.1) == 3


def test_many_stretches_are_cut_short() -> None:
    thresholds = np.arange(1, 20) / 20
    written = stretches(thresholds, [0, 2, 4, 5, 8, 10, 12])
    assert written == "at 0.05, 0.15, 0.25 to 0.3, 0.45 and 2 more stretches"


def test_the_cited_threshold_is_the_one_of_the_lowest_limit() -> None:
    outcome = run(informative(), thresholds=RANGE)
    result = result_of(outcome)
    lows = [(row.simultaneous_low, row.threshold) for row in result.gains]
    lowest = min((low, threshold) for low, threshold in lows if low is not None)[1]
    assert result.overall[0].deciding_threshold == lowest
    finding = one(outcome, "DCA-001")
    assert f"The lowest lower simultaneous limit is that at {lowest}; there" in finding.statement
    assert finding.evidence["threshold"] == lowest


def test_evidence_is_written_as_in_the_statement() -> None:
    for outcome in (run(informative(150), thresholds=RANGE), run(informative(), thresholds=RANGE)):
        (finding,) = [f for f in outcome.findings if "gain" in f.evidence]
        written = {name: evidence(plain(value)) for name, value in finding.evidence.items()}
        share = "(95\xa0% interval "
        gain, _, interval = written["gain"].partition(" (")
        assert f"gain is {gain} {share}{interval[:-1]}; simultaneous" in finding.statement
        band = written["gain_with_simultaneous_limits"].partition(" (")[2]
        assert f"limits {band} net true positives per row" in finding.statement


def test_the_count_rule_counts_units() -> None:
    label = np.repeat([1.0, 0.0], 1000)
    scores = np.where(label == 1, 0.9, 0.1)
    scores[:40] = 0.1
    scores[-40:] = 0.9
    alone = table_of({"m": scores}, label, unit=np.arange(2000).astype(str))
    together = table_of({"m": scores}, label, unit=(np.arange(2000) // 10).astype(str))
    assert result_of(run(alone, thresholds=[0.5])).gains[0].verdict == "supported"
    gain = result_of(run(together, thresholds=[0.5])).gains[0]
    assert gain.verdict == "undecided"
    assert gain.reason == "fewer than 5 units with a false negative or with a false positive"


def test_threshold_zero_has_no_verdict() -> None:
    result = result_of(run(informative(), thresholds={"values": [0, 0.2], **STATED}))
    assert [row.verdict for row in result.gains] == [None, "supported"]
    assert [row.from_ for row in result.verdicts] == [0.2]
    assert result.overall[0].verdict == "supported"
    assert result.overall[0].reason == (
        "the simultaneous limits of the gain lie above 0 (at 0.2); at threshold 0 everyone is"
        " treated, with the model as without it, and there is no verdict"
    )
    only = run(informative(), thresholds={"values": [0], **STATED})
    assert result_of(only).overall[0].verdict == "undecided"
    assert result_of(only).verdicts == ()


def test_no_owner_is_said() -> None:
    assert one(run(informative(), thresholds=[0.2]), "DCA-004").severity == "note"
    half = {"values": [0.2], "owner": "Head of the clinic"}
    assert "without reason" in one(run(informative(), thresholds=half), "DCA-004").statement


@pytest.mark.parametrize(("missing", "severity"), [(20, "note"), (200, "warn")])
def test_rows_left_out(missing: int, severity: str) -> None:
    table = informative(2000)
    scores = table.scores["good"].copy()
    scores[:missing] = np.nan
    outcome = run(table_of({"good": scores}, table.label), thresholds=RANGE)
    finding = one(outcome, "DCA-005")
    assert finding.severity == severity
    assert f"{missing} score of good missing" in finding.statement
    assert result_of(outcome).n_rows == 2000 - missing


def test_constant_scores_cannot_be_supported() -> None:
    """Case D15: every score 0.3."""
    label = np.arange(200) % 4 == 0
    outcome = run(table_of({"m": np.full(200, 0.3)}, label), thresholds=RANGE)
    assert one(outcome, "DCA-006").severity == "warn"
    result = result_of(outcome)
    for row in result.gains:
        assert row.gain.estimate is not None
        assert row.gain.estimate <= 0
        assert row.verdict != "supported"
    # The score equals the threshold 0.3: everyone is flagged there (case D18).
    assert (result.curve[4].threshold, result.curve[4].true_positives) == (0.3, 50)


def test_two_distinct_scores_are_said() -> None:
    label = np.arange(200) % 4 == 0
    scores = np.where(label, 0.8, 0.1)
    outcome = run(table_of({"m": scores}, label), thresholds=RANGE)
    assert one(outcome, "DCA-006").severity == "note"


def test_a_target_prevalence_is_said() -> None:
    outcome = run(informative(), thresholds=RANGE, prevalence=0.1)
    assert "label shift" in one(outcome, "DCA-007").limits
    assert "DCA-007" not in codes(run(informative(), thresholds=RANGE))


def test_the_shift_of_recalibrated_scores_is_disclosed() -> None:
    """What another shift gives, by shifting each score's odds and counting."""
    table = informative(800)
    outcome = run(table, thresholds=RANGE, prevalence=0.1)
    finding = one(outcome, "DCA-011")
    assert finding.severity == "note"
    assert "take that shift as known" in finding.statement
    assert "Of a cohort" in finding.statement
    rows = result_of(outcome).recalibration
    assert [row.threshold for row in rows] == [0.1, 0.15, 0.2, 0.25, 0.3]
    assert table.label is not None
    score, positive = table.scores["good"], table.label == 1
    changes = []
    for row in rows:
        for own, found in (
            (row.prevalence_low, row.net_benefit_low),
            (row.prevalence_high, row.net_benefit_high),
        ):
            odds = score / (1 - score) * (0.1 / 0.9) / (own / (1 - own))
            treated = odds / (1 + odds) >= row.threshold
            benefit = 0.1 * treated[positive].mean() - 0.9 * treated[~positive].mean() * (
                row.threshold / (1 - row.threshold)
            )
            assert found.estimate == pytest.approx(benefit, abs=1e-12)
            assert row.net_benefit.estimate is not None
            changes.append(abs(benefit - row.net_benefit.estimate))
    assert finding.evidence["largest change, good"] == pytest.approx(max(changes))
    assert "DCA-011" not in codes(run(table, thresholds=RANGE))
    assert result_of(run(table, thresholds=RANGE)).recalibration == ()


def test_no_two_findings_have_one_title() -> None:
    table = informative(400)
    both = table_of({"a": table.scores["good"], "b": table.scores["good"] ** 2}, table.label)
    outcome = run(both, thresholds=RANGE, prevalence=0.1)
    titles = [finding.title for finding in outcome.findings]
    assert len(titles) >= 7
    assert len(set(titles)) == len(titles)


def test_whether_one_model_is_better_is_asked_once() -> None:
    table = informative(1000)
    twins = table_of({"a": table.scores["good"], "b": table.scores["good"]}, table.label)
    statement = one(run(twins, thresholds=RANGE), "DCA-010").statement
    assert "whether “a” has a higher net benefit than “b” is undecided: at every threshold" in (
        statement
    )
    assert statement.count("undecided") == 1


def test_recalibrated_scores_do_not_hold_up_a_release() -> None:
    generator = np.random.default_rng(1)
    useless = table_of({"m": generator.random(2000)}, generator.random(2000) < 0.2)
    outcome = run(useless, thresholds=RANGE, prevalence=0.15)
    severities = {
        finding.evidence["probabilities"]: finding.severity
        for finding in outcome.findings
        if finding.code in ("DCA-002", "DCA-003")
    }
    assert severities == {AS_DEPLOYED: "fail", RECALIBRATED: "note"}


def test_the_self_check_passes_and_can_fail() -> None:
    outcome = run(informative(), thresholds=RANGE, resamples=2000)
    assert "DCA-008" not in codes(outcome)
    result = result_of(outcome)
    rows = {row.model: row for row in result.self_check}
    assert rows["good"].thresholds_checked == 5
    assert rows["good"].ratio_median == pytest.approx(1, abs=self_check_tolerance(2000))
    assert TREAT_NONE not in rows  # it does not vary


def test_the_self_check_fails_where_one_unit_decides() -> None:
    """One unit with 100 of 140 rows: the first-order error misses what drawing it twice does."""
    unit = np.concatenate([np.zeros(100, dtype=int), np.arange(1, 41)])
    label = np.arange(140) < 120
    scores = np.where(np.arange(140) % 3 == 0, 0.75 - 0.5 * label, 0.25 + 0.5 * label)
    table = table_of({"m": scores}, label, unit=unit.astype(str))
    outcome = run(table, thresholds={"values": [0.5], **STATED}, resamples=2000)
    found = [finding for finding in outcome.findings if finding.code == "DCA-008"]
    assert [finding.severity for finding in found] == ["warn", "warn"]
    assert all(float(str(finding.evidence["ratio_low"])) > 1.5 for finding in found)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (table_of({"m": [0.1, 0.2]}, [0, 0]), "none of 2 rows is positive"),
        (table_of({"m": [0.1, 0.2]}, [1, 1]), "none of 2 rows is negative"),
        (table_of({"m": [np.nan, np.nan]}, [0, 1]), "no row has an outcome"),
        (table_of({"m": [0.1, 2.0]}, [0, 1]), "no probabilities"),
        (
            table_of(
                {"m": [0.1, 0.2]}, survival=Survival(np.array([1.0, 2]), np.array([0.0, 0]), 1.5)
            ),
            "has the event",
        ),
        (
            table_of(
                {"m": [0.1, 0.2]}, survival=Survival(np.array([1.0, 2]), np.array([1.0, 0]), 3.0)
            ),
            "follow-up ends before",
        ),
    ],
)
def test_what_cannot_be_assessed_is_said(table: Table, words: str) -> None:
    outcome = run(table, thresholds=RANGE)
    assert isinstance(outcome.result, NotApplicable)
    assert words in outcome.result.reason
    assert one(outcome, "DCA-009").severity == "warn"
    assert words in one(outcome, "DCA-009").statement


def test_models_are_compared_in_pairs() -> None:
    table = informative(2000)
    generator = np.random.default_rng(4)
    noisy = np.clip(table.scores["good"] + generator.normal(0, 0.25, 2000), 0, 1)
    outcome = run(
        table_of({"good": table.scores["good"], "noisy": noisy}, table.label), thresholds=RANGE
    )
    finding = one(outcome, "DCA-010")
    assert (finding.severity, finding.title) == ("note", "good against noisy: supported")
    result = result_of(outcome)
    assert [(r.model, r.against) for r in result.between_models] == [("good", "noisy")]
    assert {row.against for row in result.overall} == {BETTER_DEFAULT}
    assert "DCA-009" not in codes(outcome)
    assert "DCA-010" not in codes(run(table, thresholds=RANGE))


def test_equal_models_are_undecided() -> None:
    table = informative(1000)
    twins = table_of({"a": table.scores["good"], "b": table.scores["good"]}, table.label)
    result = result_of(run(twins, thresholds=RANGE))
    pair = [row for row in result.gains if row.against == "b"]
    assert {row.gain.estimate for row in pair} == {0.0}
    assert {row.verdict for row in pair} == {"undecided"}
    assert all("only one of the two flags" in row.reason for row in pair)


def test_test_tradeoff_turns_the_gain_over() -> None:
    result = result_of(run(informative(300), thresholds=RANGE))
    for row in result.gains:
        gain, patients = row.gain, row.test_tradeoff
        assert gain.estimate is not None
        if gain.estimate <= 0:
            assert patients.reason == "the gain is not above 0"
            continue
        assert patients.estimate == pytest.approx(1 / gain.estimate)
        assert gain.low is not None
        assert gain.high is not None
        assert patients.low == pytest.approx(1 / gain.high)
        assert (patients.high is None) is (gain.low <= 0)


def test_every_code_is_documented_and_nothing_is_overclaimed() -> None:
    documented = {code.code: code.severities for code in CODES}
    outcomes = [
        run(informative(), thresholds=RANGE, prevalence=0.1),
        run(informative(100), thresholds=[0, 0.2]),
        run(table_of({"m": [0.1, 0.2]}, [0, 0]), thresholds=RANGE),
    ]
    for finding in (f for outcome in outcomes for f in outcome.findings):
        assert finding.severity in documented[finding.code]
        text = f"{finding.title} {finding.statement} {finding.limits}".casefold()
        for word in ("best threshold", "optimal threshold", "unbiased", "proves", "guarantee"):
            assert word not in text
        assert "p-value" not in text


def test_resamples_of_one_class_are_passed_over_and_said() -> None:
    """Four positives in forty rows: about 1.5 % of resamples hold none."""
    label = np.arange(40) < 4
    scores = np.random.default_rng(5).random(40)
    outcome = run(table_of({"m": scores}, label), thresholds=RANGE, prevalence=0.3, resamples=2000)
    row = result_of(outcome).curve[0]
    assert row.net_benefit.low is not None
    assert row.net_benefit.reason is not None
    k = int(row.net_benefit.reason.split()[2])
    # (36 / 40) ** 40 of 2,000 resamples, within five standard errors.
    assert abs(k - 2000 * 0.9**40) < 5 * np.sqrt(2000 * 0.9**40)
    two = run(table_of({"m": scores}, np.arange(40) < 2), thresholds=RANGE, prevalence=0.3)
    assert result_of(two).curve[0].net_benefit.low is None
    assert "undefined in" in str(result_of(two).curve[0].net_benefit.reason)
    assert {gain.verdict for gain in result_of(two).gains} == {"undecided"}


def test_names_appear_as_typed() -> None:
    label = np.arange(200) % 4 == 0
    name = "<b>{{ 7*7 }}</b> \\d 'x'"
    outcome = run(table_of({name: np.full(200, 0.3)}, label), thresholds=RANGE)
    assert f"“{name}”" in one(outcome, "DCA-006").statement


def test_verdicts_have_a_line_for_the_list_of_all_findings() -> None:
    """The line gives the gain and the limits of the statement, and the same figures."""
    for outcome in (run(informative(), thresholds=RANGE), run(informative(150), thresholds=RANGE)):
        (told,) = [f for f in outcome.findings if "gain" in f.evidence]
        band = evidence(plain(told.evidence["gain_with_simultaneous_limits"]))
        figure, _, limits = band.partition(" (")
        assert f"at threshold {told.evidence['threshold']}: " in told.summary
        assert told.summary.endswith(f": {figure} (simultaneous limits {limits[:-1]}).")
        assert len(told.summary) < 0.5 * len(told.statement)

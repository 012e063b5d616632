"""Claims against the data, counting heads against heads that do not look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.inputs.detections import EvaluatorPins
from reportgen.sections.integrity import claims, classifier, counting_heads
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.result_evaluation import ConventionRow, Evaluator
from tests.support.integrity_jobs import boxes, detection_set, grades, job, score_table

CLASSIFIER: dict[str, Any] = {"classifier": {"table": "test", "threshold": 0.5}}


def _claims(*made: dict[str, Any]) -> Audited:
    """Return the audit of claims about 105 positives and 4 negatives, AUC 349/420."""
    label = [1] * 105 + [0] * 4
    score = [0.95] * 87 + [0.65] + [0.55] * 17 + [0.6, 0.7, 0.8, 0.9]
    settings = {**CLASSIFIER, "claims": list(made)}
    tables = {"test": score_table(label, score)}
    done = {"classifier": classifier.audit(job(settings, tables=tables))}
    return claims.audit(job(settings, tables=tables, done=done))


def test_right_claims_agree() -> None:
    found = _claims(
        {"metric": "accuracy", "value": "96.33 %", "n": 109},
        {"metric": "auc", "value": ".831"},
        {"metric": "f1", "value": "0.9813"},
        {"metric": "balanced_accuracy", "value": "0.50"},
        {"metric": "specificity", "value": "0.000", "n": 4},
    )
    assert [row.agrees for row in found.result.rows] == [True] * 5
    assert [row.possible for row in found.result.rows] == [True] * 5
    assert found.result.rows[0].nearest == "105/109 = 0.963303"
    assert found.result.rows[1].nearest == "349/420 = 0.830952"
    assert {grade for every in grades(found).values() for grade in every} == {None}


def test_claims_of_the_public_repository_contradict_each_other() -> None:
    """Methods section 1: its README says AUC 1.0000 in one table and 0.6476 in another."""
    found = _claims(
        {"metric": "auc", "value": "1.0000", "source": "first table"},
        {"metric": "auc", "value": "0.6476", "source": "second table"},
    )
    assert grades(found)["INT-080"] == ["major", "major"]
    assert grades(found)["INT-082"] == ["major", "major"]
    assert found.result.rows[0].conflict == "0.6476 (second table)"
    assert found.result.rows[1].possible  # 272 of 420 pairs
    assert found.result.rows[1].nearest == "272/420 = 0.647619"


def test_a_percentage_that_no_count_gives() -> None:
    found = _claims({"metric": "accuracy", "value": "0.97", "n": 28})
    (row,) = found.result.rows
    assert (row.possible, row.nearest) == (False, "27/28 = 0.964286")
    assert "n = 28" in str(row.reason)
    assert grades(found) == {"INT-083": [None], "INT-081": ["major"]}


def test_own_counts_that_give_another_figure() -> None:
    (row,) = _claims({"metric": "accuracy", "value": "0.98", "k": 105, "n": 109}).result.rows
    assert row.possible is False
    assert "105/109" in str(row.reason)


def test_another_count_behind_the_same_digits() -> None:
    """Digits so few that 104 and 105 of 109 print alike: the counts tell them apart."""
    found = _claims({"metric": "accuracy", "value": "1.0", "k": 104, "n": 109})
    (row,) = found.result.rows
    assert row.possible is True
    assert row.agrees is False
    assert "k = 104, these data give 105" in str(row.reason)


def test_area_on_other_rows_has_no_known_pairs() -> None:
    (row,) = _claims({"metric": "auc", "value": "0.9", "n": 50}).result.rows
    assert row.possible is None


def test_rate_of_a_class_rests_on_the_rows_of_that_class() -> None:
    """100 of 105 is .9524 and 2 of 4 is .50, though no k of 109, the n of the rows, is either."""
    sensitive, specific, precise = _claims(
        {"metric": "sensitivity", "value": "0.9524", "n": 109},
        {"metric": "specificity", "value": "0.5000", "n": 109},
        {"metric": "precision", "value": "0.9524", "n": 109},  # 100 of 105 called positive
    ).result.rows
    assert min(abs(k / 109 - 0.9524) for k in range(110)) > 0.001
    assert min(abs(k / 109 - 0.5) for k in range(110)) > 0.004
    assert (sensitive.possible, sensitive.nearest) == (True, "100/105 = 0.952381")
    assert (specific.possible, specific.nearest) == (True, "2/4 = 0.500000")
    assert (precise.possible, precise.nearest) == (True, None)
    (counted,) = _claims({"metric": "sensitivity", "value": "0.97", "k": 106, "n": 109}).result.rows
    assert counted.nearest == "106/109 = 0.972477"  # counts say what they are of


def test_claim_on_other_rows_neither_agrees_nor_differs() -> None:
    """Another sample may have another accuracy, or the same one by chance."""
    found = _claims(
        {"metric": "accuracy", "value": "0.50", "n": 50},
        {"metric": "accuracy", "value": "0.963", "n": 27},
        {"metric": "accuracy", "value": "0.9633", "n": 109},
    )
    assert [row.agrees for row in found.result.rows] == [None, None, True]
    assert [row.conflict for row in found.result.rows] == [None] * 3
    assert grades(found)["INT-083"] == [None, None]
    assert "is not compared: " in found.findings[0].statement
    assert "n = 50, these data have 109" in found.findings[0].statement


def test_map_has_a_value_by_each_rule_so_two_claims_may_both_hold() -> None:
    """coco100: .697 by COCO's rule and .780 by Ultralytics' until 8.4.36, on the same matches."""
    found = _claims(
        {"metric": "map50", "value": "0.780", "source": "notebook"},
        {"metric": "map50", "value": "0.697", "source": "paper"},
    )
    assert [row.conflict for row in found.result.rows] == [None, None]
    assert "INT-082" not in grades(found)


def test_pairs_beyond_a_million_are_written_out() -> None:
    """1,500 times 1,001 pairs, an area of 1: its count is 1,501,500 and not 1.5015e+06."""
    label, score = [1] * 1500 + [0] * 1001, [0.9] * 1500 + [0.1] * 1001
    tables = {"test": score_table(label, score)}
    settings = {**CLASSIFIER, "claims": [{"metric": "auc", "value": "1.0000000"}]}
    done = {"classifier": classifier.audit(job(settings, tables=tables))}
    (row,) = claims.audit(job(settings, tables=tables, done=done)).result.rows
    assert row.nearest == "1501500/1501500 = 1.000000"


def test_what_cannot_be_recomputed_is_not_testable() -> None:
    found = _claims({"metric": "map50", "value": "0.77"})
    (row,) = found.result.rows
    assert (row.recomputed, row.agrees, row.possible) == (None, None, None)
    assert [record.status for record in found.records] == ["not testable"]
    assert found.result.status == "not testable"


def _map_claim(value: str, pins: EvaluatorPins) -> Any:
    values = {"coco_101": 0.696973, "ultralytics_8_4_36": 0.779668, "ultralytics_8_4_37": 0.695046}
    rows = tuple(
        ConventionRow(name, "rule", "tool", "map50", "all", number, None, 70)
        for name, number in values.items()
    )
    given = detection_set(["1"], ["a"], boxes([(0, 0, (0, 0, 9, 9))]), None, pins=pins)
    found = claims.audit(
        job(
            {"detections": "boxes", "claims": [{"metric": "map50", "value": value}]},
            detections={"boxes": given},
            done={"evaluator": Audited(Evaluator("found", None, rows))},
        )
    )
    return found.result.rows[0]


def test_map_is_held_against_the_declared_tool() -> None:
    """The figures are those of coco100 (reference.json)."""
    old = EvaluatorPins(tool="Ultralytics", version="8.3.231")
    row = _map_claim("0.780", old)
    assert (row.recomputed_from, row.agrees) == ("ultralytics_8_4_36", True)
    row = _map_claim("0.695", old)
    assert (row.recomputed, row.agrees) == (0.779668, False)
    assert row.reason is not None
    assert row.reason.startswith("it agrees under ultralytics_8_4_37, not under the rule")
    new = EvaluatorPins(tool="ultralytics", version="8.4.118")
    assert _map_claim("0.695", new).agrees is True


def test_map_under_a_rule_that_was_not_evaluated_is_not_compared() -> None:
    row = _map_claim("0.780", EvaluatorPins(tool="scikit-learn", version="1.9.1"))
    assert (row.recomputed, row.agrees) == (None, None)
    assert row.reason == "the rule of the declared tool, step, was not evaluated"


def test_map_without_a_tool_says_which_rule_agrees() -> None:
    row = _map_claim("0.780", EvaluatorPins())
    assert (row.recomputed_from, row.agrees) == ("ultralytics_8_4_36", True)
    assert "not declared" in str(row.reason)
    row = _map_claim("0.5", EvaluatorPins())
    assert (row.recomputed_from, row.agrees) == ("coco_101", False)


def _heads(true: list[float], predicted: list[float]) -> Audited:
    table = score_table(
        [0] * len(true), [0] * len(true), features={"t": true, "p": predicted}, name="counts"
    )
    heads = {"mitoses": {"true": "t", "predicted": "p"}}
    settings = {"counting_heads": {"table": "counts", "heads": heads}}
    return counting_heads.audit(job(settings, tables={"counts": table}))


def test_head_that_always_shows_zero() -> None:
    """Article 003, 3.7: predictions from 0.00 to 0.27 all round to zero."""
    rng = np.random.default_rng(1)
    true = (rng.random(109) < 0.12).astype(float)
    predicted = np.clip(0.05 + 0.06 * true + rng.normal(0, 0.05, 109), 0, 0.27)
    found = _heads(true.tolist(), predicted.tolist())
    (row,) = found.result.rows
    assert row.share_zero.estimate == 1
    assert row.share_zero.low == pytest.approx(0.025 ** (1 / 109))
    assert row.mae_zero.estimate == pytest.approx(true.mean())
    assert (row.min, row.max) == (predicted.min(), predicted.max())
    assert grades(found)["INT-065"] == ["critical"]
    assert "0.5" in found.result.rounding_rule
    assert found.findings[0].severity == "fail"


def test_head_that_counts_fires_nothing() -> None:
    rng = np.random.default_rng(2)
    true = rng.poisson(3, 100).astype(float)
    found = _heads(true.tolist(), (true + rng.normal(0, 0.5, 100)).tolist())
    assert grades(found) == {"INT-065": [None], "INT-066": [None], "INT-067": [None]}
    (row,) = found.result.rows
    assert row.gain_over_zero.low is not None
    assert row.gain_over_zero.low > 0


def test_head_worse_than_zero_and_than_the_mean() -> None:
    rng = np.random.default_rng(3)
    true = (rng.random(100) < 0.1).astype(float)
    found = _heads(true.tolist(), np.full(100, 0.9).tolist())
    assert grades(found) == {"INT-065": [None], "INT-066": ["major"], "INT-067": ["major"]}


def test_gain_that_reaches_zero_is_minor() -> None:
    true, predicted = [0.0] * 8 + [1, 1], [0.0] * 8 + [0.1, 0.1]
    predicted[0] = 0.15
    found = _heads(true, predicted)
    assert grades(found)["INT-066"] == ["minor"]


def test_r2_that_reaches_zero_is_minor() -> None:
    """By hand: squared errors 0.9 against 1.0 of the mean 0.5 here, R squared 0.1, of 4 rows."""
    true, predicted = [0.0, 0.0, 1.0, 1.0], [0.0, 0.9**0.5, 1.0, 1.0]
    found = _heads(true, predicted)
    (row,) = found.result.rows
    assert row.r2.estimate == pytest.approx(0.1)
    assert row.r2.low is None or row.r2.low < 0
    assert grades(found)["INT-067"] == ["minor"]
    assert "not shown to be smaller" in found.findings[2].statement


def test_head_without_any_error_has_no_spread_and_fires_nothing() -> None:
    """Rows all counted right say nothing of the spread of errors: no interval of 0 to 0."""
    found = _heads([1.0, 2.0, 3.0] * 10, [1.0, 2.0, 3.0] * 10)
    (row,) = found.result.rows
    assert (row.mae.estimate, row.mae.low) == (0, None)
    assert "same value" in str(row.mae.reason)
    assert (row.r2.estimate, row.r2.low) == (1, None)
    assert grades(found) == {"INT-065": [None], "INT-066": [None], "INT-067": [None]}


def test_nothing_to_count_is_not_testable() -> None:
    found = _heads([0.0] * 10, [0.1] * 10)
    status = {record.code: record.status for record in found.records}
    assert status["INT-065"] == status["INT-067"] == "not testable"


def test_missing_column_is_said() -> None:
    table = score_table([0], [0], name="counts")
    heads = {"mitoses": {"true": "t", "predicted": "p"}}
    found = counting_heads.audit(
        job({"counting_heads": {"table": "counts", "heads": heads}}, tables={"counts": table})
    )
    assert found.result.status == "not testable"
    assert "“t”" in str(found.result.reason)

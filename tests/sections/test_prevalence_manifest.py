"""What a manifest can get wrong in a prevalence section."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from reportgen.errors import KeyFault
from reportgen.inputs import TableSettings
from reportgen.sections.prevalence import CODES, SECTION, PrevalenceSettings, check

Make = Callable[..., Any]
PUBLISHED: dict[str, Any] = {
    "kind": "prevalence",
    "sensitivity": {"k": 31, "n": 34},
    "specificity": {"k": 32, "n": 44},
    "prevalences": [0.07],
}


def _tables(**changes: Mapping[str, Any]) -> dict[str, TableSettings]:
    label = {"column": "y", "positive": 1}
    base: dict[str, dict[str, Any]] = {
        "test": {"path": "a.csv", "label": label, "scores": {"logistic": "p", "forest": "q"}},
        "field": {"path": "b.csv", "scores": {"logistic": "p"}},
    }
    for name, change in changes.items():
        base[name] = base.get(name, {"path": "c.csv"}) | dict(change)
    return {name: TableSettings.model_validate(value) for name, value in base.items()}


def _faults(tables: dict[str, TableSettings] | None = None, **settings: Any) -> list[KeyFault]:
    base = {"kind": "prevalence", "prevalences": [0.1]}
    parsed = PrevalenceSettings.model_validate(base | settings)
    return list(check(parsed, _tables() if tables is None else tables))


GOOD: dict[str, Any] = {"table": "test", "score": "logistic", "thresholds": [0.3, 0.5]}


def test_good_sections_have_no_fault() -> None:
    assert _faults(**GOOD, unlabelled="field") == []
    assert _faults(sensitivity={"k": 8, "n": 10}, specificity=0.9) == []
    assert _faults(sensitivity=1, specificity=0, threshold=4.0) == []
    assert (
        _faults(
            table="field",
            threshold=0,
            tables=_tables(field={"label": {"column": "y", "positive": 1}}),
        )
        == []
    )
    ranking = _tables(test={"scale": "score"})
    assert _faults(table="test", score="forest", threshold=-3.5, tables=ranking) == []


@pytest.mark.parametrize(
    ("settings", "key", "words"),
    [
        ({}, (), "neither"),
        ({"sensitivity": 0.8}, (), "specificity is missing"),
        ({"specificity": 0.8}, (), "sensitivity is missing"),
        (GOOD | {"sensitivity": 0.8}, ("sensitivity",), "beside a table"),
        (GOOD | {"specificity": {"k": 1, "n": 2}}, ("specificity",), "beside a table"),
        ({"score": "logistic", "threshold": 0.5}, ("score",), "without a table"),
        (GOOD | {"table": "tset"}, ("table",), "tset"),
        (GOOD | {"score": "logistik"}, ("score",), "logistik"),
        ({"table": "test", "threshold": 0.5}, ("table",), "2 scores"),
        ({"table": "test", "score": "forest"}, (), "no threshold"),
        ({"table": "field", "threshold": 0.5}, ("table",), "no label"),
        (GOOD | {"thresholds": [0.3, 1.5]}, ("thresholds", 1), "1.5"),
        ({"table": "test", "score": "forest", "threshold": -0.1}, ("threshold",), "-0.1"),
        (GOOD | {"thresholds": [0.3, 0.30]}, ("thresholds", 1), "twice"),
        (GOOD | {"thresholds": []}, ("thresholds",), "empty"),
        (GOOD | {"threshold": 0.2}, ("threshold",), "beside thresholds"),
        (
            GOOD | {"prevalences": [0.1, {"positives": 1, "negatives": 9}]},
            ("prevalences", 1),
            "0.1",
        ),
        (GOOD | {"unlabelled": "feild"}, ("unlabelled",), "feild"),
        (GOOD | {"unlabelled": "test"}, ("unlabelled",), "itself"),
        (GOOD | {"score": "forest", "unlabelled": "field"}, ("unlabelled",), "no score 'forest'"),
        ({"sensitivity": 0.8, "specificity": 0.8, "unlabelled": "field"}, ("unlabelled",), "needs"),
        ({"sensitivity": {"k": 11, "n": 10}, "specificity": 0.8}, ("sensitivity", "k"), "11 of 10"),
        ({"sensitivity": 80, "specificity": 0.8}, ("sensitivity",), "80 % is 0.8"),
        ({"sensitivity": 0.8, "specificity": -0.2}, ("specificity",), "-0.2"),
        ({"sensitivity": 0.8, "specificity": 0.8, "thresholds": [1, 2]}, ("thresholds",), "2 thre"),
    ],
)
def test_faults(settings: dict[str, Any], key: tuple[str | int, ...], words: str) -> None:
    (fault,) = _faults(**settings)
    assert fault.key == key
    assert words in fault.what
    assert fault.mend


def test_faults_name_the_nearest() -> None:
    (fault,) = _faults(**GOOD | {"table": "tset"})
    assert "did you mean 'test'?" in fault.mend
    (fault,) = _faults(**GOOD | {"score": "logistik"})
    assert "did you mean 'logistic'?" in fault.mend


def test_faults_of_the_tables() -> None:
    survival = {"time": "t", "event": "e", "positive": 1, "at": 1.5}
    (fault,) = _faults(_tables(test={"label": survival}), **GOOD)
    assert (fault.key, "time to an event" in fault.what) == (("table",), True)
    (fault,) = _faults(_tables(field={"scale": "score"}), **GOOD, unlabelled="field")
    assert (fault.key, "scale score" in fault.what) == (("unlabelled",), True)
    (fault,) = _faults(_tables(test={"scale": "percent"}), **GOOD | {"thresholds": [30]})
    assert "divided by 100" in fault.what


@pytest.mark.parametrize("prevalence", [1.5, -0.1, 3, "9:1", "3%", "", None, 0, 1, True])
def test_other_prevalences_are_refused(prevalence: Any, prevalence_settings: Make) -> None:
    with pytest.raises(ValidationError):
        prevalence_settings(prevalences=[prevalence])


@pytest.mark.parametrize(
    ("prevalence", "said"),
    [
        ({"positives": 1, "negatives": 1e-17}, "a prevalence of 1 does not lie between 0 and 1"),
        ({"positives": 1e-300, "negatives": 1e300}, "a prevalence of 0 does not lie"),
        (1e-320, "does not lie between 0 and 1 in twelve digits"),
        (0.9999999999999999, "does not lie between 0 and 1 in twelve digits"),
    ],
)
def test_what_rounds_to_0_or_1_is_no_prevalence(
    prevalence: Any, said: str, prevalence_settings: Make
) -> None:
    with pytest.raises(ValidationError, match=said):
        prevalence_settings(prevalences=[prevalence])


def test_parts_of_a_ratio_may_be_of_any_size(prevalence_settings: Make) -> None:
    for most in (9e307, 10**400):
        settings = prevalence_settings(prevalences=[{"positives": most, "negatives": most}])
        assert settings.prevalences == [0.5]
    assert prevalence_settings(prevalences=[1e-12]).prevalences == [1e-12]


def test_zero_has_no_sign(prevalence_settings: Make) -> None:
    (threshold,) = prevalence_settings(threshold=-0.0).all_thresholds
    assert str(threshold) == "0.0"


@pytest.mark.parametrize(
    "counts", [{"k": -1, "n": 5}, {"k": 0, "n": 0}, {"k": 1.5, "n": 5}, {"k": 1}, "4/5", True]
)
def test_other_counts_are_refused(counts: Any) -> None:
    with pytest.raises(ValidationError):
        PrevalenceSettings.model_validate(PUBLISHED | {"sensitivity": counts})


def test_the_section_reads_as_json_does() -> None:
    text = json.dumps(PUBLISHED)
    parsed = SECTION.settings.model_validate_json(text)
    assert isinstance(parsed, PrevalenceSettings)
    assert list(SECTION.check(parsed, {})) == []


def test_codes_are_documented_once() -> None:
    codes = [code.code for code in CODES]
    assert codes == sorted(set(codes))
    assert all(code.meaning.endswith(".") for code in CODES)

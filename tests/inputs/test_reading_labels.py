"""Labels, scores and times: catalogue D01–D08, D11–D17, D20."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import InputError, key_text
from reportgen.inputs import Inputs, TableSettings, read_inputs

Read = Callable[..., Inputs]
Faults = Callable[..., list[str]]


def label(**keys: Any) -> dict[str, Any]:
    return {"column": "y", **keys}


@pytest.mark.parametrize(
    ("cells", "positives"),
    [
        ("-1 1 -1 1", ["1", 1, 1.0, "+1", "1.0"]),
        ("2 1 2 1", ["1", 1, 1.0]),
        ("0.0 1.0 0.0 1.0", ["1", 1, 1.0, "1.0"]),
        ("0 1.0 0.0 1", [1]),
        ("FALSE TRUE False true", [True, "TRUE", "true", "True"]),
        ("benign malignant benign malignant", ["malignant", " malignant"]),
    ],
)
def test_every_coding_of_the_positive_class_is_the_same(
    read: Read, cells: str, positives: list[Any]
) -> None:
    text = "y\n" + "\n".join(cells.split()) + "\n"
    for positive in positives:
        inputs = read(text, label=label(positive=positive))
        found = inputs.tables["test"].label
        assert found is not None
        assert found.tolist() == [0, 1, 0, 1]
        assert (inputs.records[0].positives, inputs.records[0].negatives) == (2, 2)


def test_absent_positive_class_lists_what_there_is(faults: Faults) -> None:
    text = "y\nmalignant\nbenign\nbenign\n"
    (line,) = faults(text, label=label(positive="malign"))
    assert line.startswith("m.yaml:1: tables.test.label.positive: test.csv, column 'y'")
    assert "'benign' × 2, 'malignant' × 1" in line
    assert "did you mean 'malignant'?" in line


def test_one_is_not_true_unless_said(faults: Faults) -> None:
    (line,) = faults("y\nTRUE\nFALSE\n", label=label(positive=1))
    assert "did you mean 'true'?" in line


def test_blank_among_truth_values_is_missing_and_counted(read: Read) -> None:
    inputs = read("id,y\na,True\nb,\nc,False\n", label=label(positive=True))
    found = inputs.tables["test"].label
    assert found is not None
    assert np.isnan(found[1])
    assert found[[0, 2]].tolist() == [1, 0]
    assert [(out.reason, out.k) for out in inputs.records[0].left_out] == [("label missing", 1)]
    assert inputs.records[0].read == 2


def test_third_value_is_named_with_its_line_and_may_be_declared_missing(
    read: Read, faults: Faults
) -> None:
    text = "y\n" + "\n".join("01010101010109" + "1") + "\n"
    (line,) = faults(text, label=label(positive=1))
    assert line.startswith("test.csv:15: column 'y': '9' is a third value")
    assert 'missing: ["", "9"]' in line
    inputs = read(text, label=label(positive=1), missing=["", "9"])
    assert inputs.records[0].read == 14


def test_one_class_only_where_the_other_is_known(read: Read, faults: Faults) -> None:
    for positive, cells, counts in ((1, "1 1", (2, 0)), (1, "0 0", (0, 2)), (True, "true", (1, 0))):
        inputs = read("y\n" + "\n".join(cells.split()), label=label(positive=positive))
        assert (inputs.records[0].positives, inputs.records[0].negatives) == counts
        assert "only one class of the label occurs" in inputs.records[0].notes
    (line,) = faults("y\ncase\ncase\n", label=label(positive="case"))
    assert "other class is unknown" in line
    inputs = read("y\ncase\n", label=label(positive="case", negative="control"))
    assert inputs.records[0].positives == 1
    (line,) = faults("y\n-1\n-1\n", label=label(positive=1))
    assert "no row holds '1'" in line


def test_a_column_of_numbers_is_no_label(faults: Faults) -> None:
    (line,) = faults("y\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", label=label(positive=1))
    assert "the label has 9 values" in line


@pytest.mark.parametrize(
    "bad", ["inf", "-Infinity", "1e400", "n/a", "0x10", "1.234,5", "1,234", "1_0"]
)
def test_cells_that_are_no_finite_numbers_are_named(faults: Faults, bad: str) -> None:
    (line,) = faults(f's\n0.5\n"{bad}"\n', scores={"m": "s"}, scale="score")
    assert line.startswith(f"test.csv:3: column 's': '{bad}' is n")


def test_many_bad_cells_are_counted(faults: Faults) -> None:
    lines = faults("s\n" + "x\n" * 100, scores={"m": "s"})
    assert [line.partition(": column")[0] for line in lines] == [
        "test.csv:2",
        "test.csv:3",
        "test.csv",
    ]
    assert "… and 98 more rows, in lines 4–101" in lines[-1]


def test_faults_of_one_table_are_capped_at_twenty(faults: Faults) -> None:
    columns = [f"s{i}" for i in range(9)]
    text = ",".join(columns) + "\n" + (",".join("x" * 9) + "\n") * 3
    lines = faults(text, scores={c: c for c in columns})
    assert len(lines) == 21
    assert "7 more faults" in lines[-1]


def test_numbers_are_read_as_typed(read: Read) -> None:
    cells = ["0.1", " .5 ", "1.", "+0.25", "1E-3", "2e-4", "1"]
    found = read("s\n" + "\n".join(cells), scores={"m": "s"}).tables["test"].scores["m"]
    assert found.tolist() == [0.1, 0.5, 1.0, 0.25, 0.001, 0.0002, 1.0]


def test_decimal_comma_where_declared(read: Read, faults: Faults) -> None:
    text = "s;y\n0,73;1\n0,2;0\n"
    reading = {"delimiter": ";", "decimal": ","}
    inputs = read(text, scores={"m": "s"}, label=label(positive=1), read=reading)
    assert inputs.tables["test"].scores["m"].tolist() == [0.73, 0.2]
    (line,) = faults("s;y\n1.234,5;1\n0,1;0\n", scores={"m": "s"}, read=reading)
    assert line.startswith("test.csv:2: column 's': '1.234,5'")


def test_percent_is_divided_on_the_decimal_digits(read: Read) -> None:
    cells = [f"{i / 10:.1f}" for i in range(1001)]
    found = read("s\n" + "\n".join(cells), scores={"m": "s"}, scale="percent").tables["test"]
    assert found.scale == "probability"
    assert found.scores["m"].tolist() == [float(f"0.{i:03d}") for i in range(1000)] + [1.0]


def test_percent_undeclared_is_refused(faults: Faults) -> None:
    (line,) = faults("s\n12\n88\n40\n", scores={"m": "s"})
    assert "column 's': values run from 12 to 88, 3 of 3 outside 0 to 1; lines 2, 3, 4" in line
    assert "scale: percent" in line


def test_logits_need_the_scale_score(read: Read, faults: Faults) -> None:
    text = "s\n-0.4\n0.2\n2.5\n0.3\n"
    (line,) = faults(text, scores={"m": "s"})
    assert "scale: score" in line
    table = read(text, scores={"m": "s"}, scale="score").tables["test"]
    assert table.scores["m"].tolist() == [-0.4, 0.2, 2.5, 0.3]
    assert table.scale == "score"


def test_constant_scores_and_decisions_are_noted(read: Read) -> None:
    notes = read("s,d\n0.3,0\n0.3,1\n0.3,1\n", scores={"a": "s", "b": "d"}).records[0].notes
    assert "score 'a' is constant: 0.3" in notes
    assert any(note.startswith("score 'b' takes only two values") for note in notes)


def test_missing_score_is_left_out_with_its_reason(read: Read) -> None:
    text = "y,p\n0,.1\n0,\n1,.5\n1,.9\n0,.5\n"
    record = read(text, label=label(positive=1), scores={"m": "p"}).records[0]
    assert record.read == 4
    assert [(out.reason, out.k) for out in record.left_out] == [("score of m missing", 1)]


def test_empty_cell_not_declared_missing_is_a_fault(faults: Faults) -> None:
    (line,) = faults("y,p\n0,.1\n0,\n1,.2\n", scores={"m": "p"}, missing=["NA"])
    assert line.startswith("test.csv:3: column 'p': the cell is empty")


SURVIVAL = {"time": "t", "event": "e", "positive": "died", "at": 1.0}


def test_survival_codes(read: Read) -> None:
    text = "t,e\n1,died\n2,censor\n0,other\n,died\n3,\n"
    inputs = read(text, label={**SURVIVAL, "competing": ["other"]})
    found = inputs.tables["test"].survival
    assert found is not None
    assert found.event[:3].tolist() == [1, 0, 2]
    assert found.time[[0, 1, 2]].tolist() == [1, 2, 0]
    assert np.isnan(found.time[3])
    assert np.isnan(found.event[4])
    reasons = [(out.reason, out.k) for out in inputs.records[0].left_out]
    assert reasons == [("time missing", 1), ("event missing", 1)]
    assert inputs.records[0].positives is None


def test_survival_codes_in_doubt_are_listed(read: Read, faults: Faults) -> None:
    (line,) = faults("t,e\n1,died\n2,censor\n1,other\n", label=SURVIVAL)
    assert "'censor', 'other' are neither the event nor competing nor censored" in line
    inputs = read(
        "t,e\n1,died\n2,censor\n1,lost\n", label={**SURVIVAL, "censored": ["censor", "lost"]}
    )
    assert inputs.tables["test"].survival is not None


def test_misspelt_competing_code_is_not_taken_for_censoring(faults: Faults) -> None:
    lines = faults(
        "t,e\n1,died\n1,other cause\n", label={**SURVIVAL, "competing": ["other causes"]}
    )
    assert "tables.test.label.competing[0]" in lines[0]
    assert "did you mean 'other cause'?" in lines[0]


def test_times_below_zero_are_refused(faults: Faults) -> None:
    (line,) = faults("t,e\n-1,died\n2,censor\n", label=SURVIVAL)
    assert line.startswith("test.csv:2: column 't': the time -1 is below 0")


def test_events_zero_and_one_without_an_event(read: Read) -> None:
    inputs = read("t,e\n1,0\n2,0\n", label={**SURVIVAL, "positive": 1, "competing": [2]})
    assert "no row holds the competing code '2'" in inputs.records[0].notes


def test_reference_survival_file(shared: Path) -> None:
    table = TableSettings.model_validate(
        {
            "path": "df_surv.csv",
            "label": {
                "time": "ttcancer",
                "event": "cancer_cr",
                "positive": "diagnosed with cancer",
                "competing": ["dead other causes"],
                "at": 1.0,
            },
        }
    )
    folder = shared / "data" / "dca"
    found = read_inputs({"s": table}, folder=folder, where=key_text).tables["s"].survival
    lines = (folder / "df_surv.csv").read_text().splitlines()
    cells = [line.split(",")[-1] for line in lines[1:]]
    assert found is not None
    for code, text in ((1, "diagnosed with cancer"), (2, "dead other causes"), (0, "censor")):
        assert np.count_nonzero(found.event == code) == cells.count(text) > 0


def test_a_fault_in_the_data_says_where_the_manifest_names_the_column(
    read: Read,
) -> None:
    with pytest.raises(InputError) as caught:
        read("a,s\n1,0.5\n2,x\n", scores={"m": "s"}, features=["a"])
    assert [fault.where for fault in caught.value.faults] == [
        "test.csv:3: column 's' (m.yaml:1: tables.test.scores.m)"
    ]


@pytest.mark.parametrize(
    ("cells", "scale", "percent"),
    [
        ([0.2, 0.4, 1.2, 0.1], "probability", False),  # a mistake among probabilities
        ([20, 55.5, 99, 0.4], "probability", True),
        ([20, 55.5, 101, 4], "probability", False),
        ([-3, 55.5, 99, 4], "probability", False),
        ([20, 55.5, 101, 4], "percent", False),
    ],
)
def test_percent_is_suggested_where_it_may_be(
    faults: Faults, cells: list[float], scale: str, percent: bool
) -> None:
    text = "s\n" + "\n".join(map(str, cells)) + "\n"
    (line,) = faults(text, scores={"m": "s"}, scale=scale)
    assert ("scale: percent" in line) == percent
    assert "scale: score (ranking only)" in line
    assert "another column" in line


def test_the_column_of_two_scores_is_faulted_once(faults: Faults) -> None:
    assert len(faults("s\nx\n0.5\n", scores={"m": "s", "n": "s"})) == 1

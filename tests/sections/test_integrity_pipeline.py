"""From benchmark to user: the article's counts, the catalogue's case, and what cannot be said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reportgen.inputs.deployed import Pipeline
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.pipeline import audit
from reportgen.sections.integrity.result_use import FunnelRow, GateRow
from tests.support.integrity_jobs import boxes, class_map, detection_set, gates, grades, job, shown

BOX = (10.0, 10.0, 100.0, 100.0)
AWAY = (500.0, 500.0, 50.0, 50.0)


def _audit(detections: Any, deployed: Pipeline, **settings: Any) -> Audited:
    own = {"of": "app", **settings.pop("pipeline", {})}
    inputs = {"pipelines": {"app": deployed}, **settings.pop("inputs", {})}
    given = {"pipeline": own, **settings}
    if detections is not None:
        given["detections"] = "boxes"
        inputs["detections"] = {"boxes": detections}
    return audit(job(given, **inputs))


def _row(found: Audited, name: str) -> FunnelRow:
    row: FunnelRow = next(row for row in found.result.rows if row.class_ == name)
    return row


def _gate(found: Audited, domain: str, name: str, gate: str = "all gates") -> GateRow:
    row: GateRow = next(
        row
        for row in found.result.gates
        if (row.domain, row.class_, row.gate) == (domain, name, gate)
    )
    return row


def _d112(*, predicted: bool) -> Audited:
    """Return 40 ulcer images: a router stops 10, 27 of the other 30 are reported."""
    names = [f"i{at:02d}" for at in range(40)]
    truth = boxes([(at, 0, BOX) for at in range(40)])
    rows = [(at, 0, BOX) for at in range(37)]
    found = boxes(rows, [0.9] * 37) if predicted else None
    # Images 27 to 36 are those the router stops: the detector finds their ulcers too.
    stopped = set(range(27, 37))
    way = [(name, "", "router", at not in stopped) for at, name in enumerate(names)]
    display = shown([(names[at], str(at + 1) if predicted else "", "ulcer") for at in range(27)])
    return _audit(
        detection_set(names, ["ulcer"], truth, found), Pipeline("app", gates(way), display)
    )


@pytest.mark.parametrize("predicted", [True, False])
def test_d112_end_to_end_is_27_of_40(*, predicted: bool) -> None:
    found = _d112(predicted=predicted)
    row = _row(found, "ulcer")
    assert row.image_sensitivity.estimate == 27 / 40 == 0.675
    assert (row.n, row.accepted, row.rightly_named, row.misses) == (40, 30, 27, 13)
    assert row.misses_never_analysed.estimate == 10 / 13
    if predicted:
        assert (row.detected, row.above_threshold, row.shown) == (27, 27, 27)
        assert row.image_sensitivity_without_gates.estimate == 37 / 40
        assert row.instance_sensitivity.estimate == 27 / 40
    else:
        assert (row.detected, row.above_threshold) == (None, None)
        assert row.image_sensitivity_without_gates.estimate is None
        assert row.instance_sensitivity.reason == "there are no predictions"
    assert grades(found)["INT-070"] == ["critical"]
    blocked = next(one for one in found.findings if one.code == "INT-070")
    assert "no negative finding" in blocked.limits


def test_images_at_the_gates_that_are_not_evaluated_are_told_at_the_share() -> None:
    names = ["a", "b", "c"]
    found = _audit(
        detection_set(names, ["ulcer"], boxes([(at, 0, BOX) for at in range(3)]), None),
        Pipeline("app", gates([(name, "", "router", name != "c") for name in (*names, "z")]), None),
    )
    blocked = next(one for one in found.findings if one.code == "INT-070")
    assert "1 of 4" in blocked.statement
    assert "1 of the images at the gates is not among the evaluation's." in blocked.statement


def test_a_row_that_displays_a_prediction_again_counts_once() -> None:
    """Two predictions; the table says twice that the first is shown as an ulcer (D112)."""
    found = boxes([(0, 0, BOX), (1, 0, BOX)], [0.9, 0.9])
    display = [("a", "1", "ulcer"), ("a", "1", "ulcer"), ("b", "2", "ulcer"), ("b", "2", "other")]
    audited = _audit(
        detection_set(["a", "b"], ["ulcer"], boxes([(0, 0, BOX), (1, 0, BOX)]), found),
        Pipeline("app", None, shown(display)),
    )
    told = [one.statement for one in audited.findings if one.code == "INT-074"]
    assert "1 row left out: it displays a prediction under the same name again" in told[0]


def _article() -> Audited:
    """Return 1,500 images whose counts are those that article 003 prints.

    Ulcer images come first (274: 141 stopped, 100 of the other 133 reported), then calculus (342:
    21 stopped); the router stops 344 of all 1,500, 134 of 544 histology images and lets 11 of 128
    strangers pass.
    """
    n = 1500
    names = [f"t{at:04d}" for at in range(n)]
    ulcer, calculus, caries = np.arange(274), np.arange(274, 616), np.arange(616, n)
    stopped = np.zeros(n, dtype=bool)
    stopped[ulcer[:141]] = True
    stopped[calculus[:21]] = True
    stopped[caries[: 344 - 162]] = True
    truth = boxes(
        [(int(at), 0, BOX) for at in ulcer]
        + [(int(at), 1, BOX) for at in calculus]
        + [(int(at), 2, BOX) for at in caries]
    )
    found = [(int(at), 0, BOX) for at in ulcer[:241]]  # 141 stopped ones and 100 others
    found += [(int(at), 0, AWAY) for at in ulcer[241:]]  # a finding in the wrong place
    found += [(int(at), 1, BOX) for at in calculus] + [(int(at), 2, BOX) for at in caries]
    way = [(name, "clinical", "router", not stopped[at]) for at, name in enumerate(names)]
    way += [(f"h{at}", "histology", "router", at >= 134) for at in range(544)]
    way += [(f"c{at}", "COCO", "router", at < 11) for at in range(128)]
    detections = detection_set(
        names, ["ulcer", "calculus", "caries"], truth, boxes(found, [0.9] * len(found))
    )
    right = [("0", "ulcer", "Ulcer", 0.6), ("1", "calculus", "Calculus", 0.25)]
    right += [("2", "caries", "Caries", 0.35)]
    return _audit(
        detections,
        Pipeline("app", gates(way), None),
        pipeline={"in_domain": ["clinical", "histology"]},
        class_map="map",
        inputs={"class_maps": {"map": class_map(right)}},
    )


def test_counts_of_the_article() -> None:
    """Figures and Clopper-Pearson limits of methods section 3."""
    found = _article()
    for gate, k, n, low, high in (
        (_gate(found, "clinical", "all"), 344, 1500, 0.2083, 0.2515),
        (_gate(found, "histology", "all"), 134, 544, 0.2107, 0.2848),
        (_gate(found, "clinical", "ulcer"), 141, 274, None, None),
        (_gate(found, "clinical", "calculus"), 21, 342, None, None),
    ):
        assert (gate.rejected, gate.n, gate.in_domain) == (k, n, True)
        assert gate.share_rejected.estimate == pytest.approx(k / n)
        if low is not None:
            assert (gate.share_rejected.low, gate.share_rejected.high) == pytest.approx(
                (low, high), abs=5e-5
            )
    out = found.result.out_of_domain_accepted
    assert out.estimate == pytest.approx(11 / 128)
    assert (out.low, out.high) == pytest.approx((0.0437, 0.1486), abs=5e-5)
    row = _row(found, "ulcer")
    assert (row.n, row.accepted, row.rightly_named, row.misses) == (274, 133, 100, 174)
    assert row.image_sensitivity.estimate == pytest.approx(0.36496, abs=5e-6)
    assert row.misses_never_analysed.estimate == pytest.approx(141 / 174)
    assert row.image_sensitivity_without_gates.estimate == pytest.approx(241 / 274)
    assert grades(found) == {
        "INT-070": ["critical"],
        "INT-071": ["major"],
        "INT-072": ["minor"],
        "INT-073": [None],
    }
    negatives = next(record for record in found.records if record.code == "INT-073")
    assert negatives.status == "not testable"
    assert str(negatives.reason).startswith("no negatives")
    assert found.result.specificity.reason == "not testable: no negatives"
    said = next(one.statement for one in found.findings if one.code == "INT-071")
    assert "141 of 174 (81.0" in said
    assert "100 of 274" in said


def _small(**more: Any) -> Audited:
    """Return four images: two with a box of a, one of b, one without; everything is accepted."""
    names = ["1", "2", "3", "4"]
    truth = boxes([(0, 0, BOX), (1, 0, BOX), (1, 0, AWAY), (2, 1, BOX)])
    found = boxes([(0, 0, BOX), (1, 0, BOX), (2, 1, BOX)], [0.9, 0.3, 0.8])
    given = detection_set(names, ["a", "b"], truth, found)
    way = more.pop("gates", [(name, "", "g", True) for name in names])
    display = more.pop("shown", [("1", "1", "a"), ("3", "3", "b")])
    return _audit(given, Pipeline("app", gates(way), shown(display)), **more)


def test_steps_and_boxes() -> None:
    found = _small()
    row = _row(found, "a")
    assert (row.n, row.detected, row.above_threshold, row.shown, row.rightly_named) == (
        (2, 2, 2, 1, 1)
    )
    assert row.instances == 3
    assert row.instance_sensitivity.estimate == pytest.approx(1 / 3)
    assert row.image_sensitivity.estimate == 0.5
    assert found.result.specificity.estimate == 1
    assert grades(found)["INT-070"] == [None]
    assert row.image_sensitivity_of_detector is not None
    assert row.image_sensitivity_of_detector.estimate == 1  # one of both is not displayed
    # A loss of .5 against half the width of the exact interval of 2/2, .158 to 1: .421.
    assert grades(found)["INT-071"] == ["major"]
    assert grades(found)["INT-073"] == [None]


def test_nothing_is_lost_where_all_is_shown() -> None:
    found = _small(shown=[("1", "1", "a"), ("2", "2", "a"), ("3", "3", "b")])
    assert grades(found)["INT-071"] == [None]
    assert _row(found, "a").misses_never_analysed.reason == "no image of the class is missed"


def test_wrong_name_is_shown_and_not_rightly_named() -> None:
    row = _row(_small(shown=[("1", "1", "b"), ("3", "3", "b")]), "a")
    assert (row.shown, row.rightly_named) == (1, 0)


def test_stopped_negative_is_not_analysed() -> None:
    way = [(name, "", "g", name != "4") for name in "1234"]
    found = _small(gates=way)
    assert found.result.specificity.estimate is None
    assert "stopped by a gate" in str(found.result.specificity.reason)


def test_gates_are_met_in_their_order() -> None:
    way = [("1", "", "dark", False), ("1", "", "router", False)]
    way += [(name, "", gate, True) for name in "23" for gate in ("dark", "router")]
    way += [("4", "", "dark", True), ("4", "", "router", False)]
    found = _small(gates=way)
    assert (_gate(found, "", "all").rejected, _gate(found, "", "all").n) == (2, 4)
    assert (_gate(found, "", "all", "dark").rejected, _gate(found, "", "all", "dark").n) == (1, 4)
    assert (_gate(found, "", "all", "router").rejected, _gate(found, "", "all", "router").n) == (
        (1, 3)
    )


def test_images_without_a_decision_are_not_analysed_and_said() -> None:
    found = _small(gates=[(name, "", "g", True) for name in "124"])
    assert _row(found, "b").accepted == 0
    assert "1 image of the evaluation without a decision of a gate" in found.result.notes[0]
    assert grades(found)["INT-074"] == ["info"]


def test_deployed_threshold_decides_what_is_above() -> None:
    rows = [("0", "a", "a", 0.5), ("1", "b", "b", 0.5)]
    names = ["1", "2", "3"]
    truth = boxes([(0, 0, BOX), (1, 0, BOX), (2, 1, BOX)])
    predicted = boxes([(0, 0, BOX), (1, 0, BOX), (2, 1, BOX)], [0.9, 0.3, 0.8])
    found = _audit(
        detection_set(names, ["a", "b"], truth, predicted),
        Pipeline("app", gates([(name, "", "g", True) for name in names]), None),
        class_map="map",
        inputs={"class_maps": {"map": class_map(rows)}},
    )
    row = _row(found, "a")
    assert (row.detected, row.above_threshold, row.shown, row.rightly_named) == (2, 1, 1, 1)
    assert found.result.shown_from == "class map"


def test_a_map_of_other_classes_displays_nothing_and_hides_nothing() -> None:
    """What the map does not know is told, not counted as never displayed."""
    names = ["1", "2"]
    truth = boxes([(0, 0, BOX), (1, 0, BOX)])
    found = _audit(
        detection_set(names, ["a"], truth, boxes([(0, 0, BOX), (1, 0, BOX)], [0.9, 0.9])),
        Pipeline("app", gates([(name, "", "g", True) for name in names]), None),
        class_map="map",
        inputs={"class_maps": {"map": class_map()}},
    )
    row = _row(found, "a")
    assert (row.shown, row.rightly_named, row.image_sensitivity.estimate) == (None, None, 1)
    assert any("not in the class map: “a”" in note for note in found.result.notes)


def test_without_detections_only_gates_are_told() -> None:
    way = gates([("1", "x", "g", False), ("2", "x", "g", True)])
    found = _audit(None, Pipeline("app", way, None))
    assert found.result.rows == ()
    assert _gate(found, "x", "all").rejected == 1
    status = {record.code: record.status for record in found.records}
    assert status == {
        "INT-070": "found",
        "INT-071": "not testable",
        "INT-072": "not testable",
        "INT-073": "not testable",
    }


def test_wrong_names_are_a_loss_without_any_gate() -> None:
    """The detector finds the class on both images; it is shown under another name."""
    found = _small(shown=[("1", "1", "b"), ("2", "2", "b"), ("3", "3", "b")])
    row = _row(found, "a")
    assert row.image_sensitivity.estimate == row.image_sensitivity_without_gates.estimate == 0
    assert row.image_sensitivity_of_detector is not None
    assert row.image_sensitivity_of_detector.estimate == 1
    assert grades(found)["INT-071"] == ["major"]


def test_names_that_are_nearly_the_same_or_declared_count_as_right() -> None:
    assert _row(_small(shown=[("1", "1", "A"), ("3", "3", "b")]), "a").rightly_named == 1
    found = _small(shown=[("1", "1", "Alpha"), ("3", "3", "b")], same_names={"a": "alpha"})
    assert _row(found, "a").rightly_named == 1


def test_not_asked_for_is_none() -> None:
    assert audit(job({})).result is None

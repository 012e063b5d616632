"""Charts and tables on evaluator, removals, models, pipeline and names: figures as computed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from reportgen.inputs.deployed import Pipeline
from reportgen.render.pages import integrity
from reportgen.render.pages.integrity_evaluation_figures import removal_effect
from reportgen.render.pages.integrity_use_figures import pipeline as funnel_figure
from reportgen.render.placing import placed_tables
from reportgen.render.step_chart import StepBar, StepRow, step_chart
from reportgen.render.view import FigureView, TableView
from reportgen.result import Estimate, plain
from reportgen.sections.integrity import class_map, classifier, evaluator, pipeline
from reportgen.sections.integrity.result import IntegrityResult
from reportgen.sections.integrity.result_evaluation import (
    ControlBin,
    RemovalEffect,
    RemovalRow,
    StratumRow,
)
from tests.support.coco100 import coco100
from tests.support.integrity_jobs import boxes, detection_set, gates, job, score_table, shown
from tests.support.integrity_jobs import class_map as map_of

Plain = dict[str, Any]
BOX = (10.0, 10.0, 100.0, 100.0)


def section(**parts: Any) -> Plain:
    """A section with some parts of a result."""
    whole = IntegrityResult(None, 0.95, "scans", "boxes", (), **parts)
    return {"id": "integrity", "kind": "integrity", "result": plain(whole)}


def figure(made: Plain, key: str) -> FigureView:
    return next(view for view in integrity.figures(made) if view.key == key)


def table(made: Plain, key: str) -> TableView:
    return next(view for view in integrity.tables(made) if view.key == key)


def levels(view: FigureView, name: str) -> list[float]:
    """Values of a field in every layer of the chart."""
    found = re.findall(rf"'{name}': (-?[\d.]+(?:e-?\d+)?)", str(view.chart.to_dict()))
    return [float(value) for value in found]


@pytest.fixture(scope="module")
def coco(shared: Path) -> Plain:
    found = evaluator.audit(
        job(
            {"detections": "boxes", "evaluator": {}},
            detections={"boxes": coco100(shared)},
        )
    )
    return section(evaluator=found.result)


def test_bars_of_coco100_are_the_references(coco: Plain) -> None:
    """reference.json: pycocotools 2.0.11 and Ultralytics' own code."""
    view = figure(coco, "conventions")
    drawn = levels(view, "f3")
    for value in (0.696973, 0.504581, 0.691679, 0.779668, 0.597065, 0.502157, 0.488813):
        assert any(abs(one - value) < 1e-6 for one in drawn), value
    assert set(levels(view, "f2")) == {0.0}
    assert "0.681 (steps, no envelope) to 0.780 (Ultralytics until 8.4.36)" in view.alt
    assert "100 images, 839 boxes and 734 detections" not in view.alt
    assert "100 images" in view.caption


def test_every_convention_has_a_row_with_tool_and_rule(coco: Plain) -> None:
    view = table(coco, "conventions")
    assert len(view.rows) == 7
    first = view.rows[0]
    assert (first["m_map50"], first["m_map50_95"]) == ("0.697", "0.505")
    assert first["rule"].startswith("pycocotools 2.0.11: mean, over the recalls")


def test_many_classes_are_cut_to_those_that_differ_most(coco: Plain) -> None:
    view = table(coco, "class_conventions")
    printed = view.print_rows or []
    assert len(view.rows) > 60
    assert len(printed) == 20
    left = [row["spread"] or 0.0 for row in view.rows if row not in printed]
    assert min(row["spread"] for row in printed) >= max(left)
    assert f"20 of {len(view.rows)} rows" in view.note


def test_drift_of_coco100_is_that_of_the_reference(coco: Plain) -> None:
    view = table(coco, "drift_1")
    by_name = {row["figure"]: row["difference"] for row in view.rows}
    assert by_name["mAP, IoU 0.5"] == pytest.approx(0.695046 - 0.779668, abs=2e-6)
    assert by_name["mAP, IoU 0.5 to 0.95"] == pytest.approx(0.502157 - 0.597065, abs=2e-6)
    heads = [column.heading for column in view.columns]
    assert heads[1:3] == ["Ultralytics until 8.4.36", "Ultralytics from 8.4.37"]
    assert [row["figure"] for row in (view.print_rows or [])[:1]] == ["mAP, IoU 0.5"]
    assert "pull request #24175" in view.note


def test_settings_that_are_not_declared_say_so(coco: Plain) -> None:
    rows = table(coco, "pins").rows
    assert len(rows) == 5
    assert {row["value_text"] for row in rows} == {"not declared"}


def _removal(classes: int = 2, **more: Any) -> RemovalEffect:
    change = Estimate(-0.012, -0.031, 0.006, 0.95, "percentile bootstrap of clusters")
    gap = Estimate(0.05, -0.02, 0.12, 0.95, "percentile bootstrap of clusters")
    common: dict[str, Any] = {
        "all_images": 0.712,
        "without": 0.700,
        "control_mean": 0.0,
        "control_low": -0.02,
        "control_high": 0.02,
        "p": 0.24,
        "p_low": 0.12,
        "p_high": 0.88,
        "p_adjusted": 0.72,
        "minimum_detectable_effect": 0.0185,
        "detected": False,
        "reading": "no detectable change",
    }
    rows = [RemovalRow("map50", "all", change=change, gap=gap, **common)]
    missing = Estimate.missing("no duplicate holds the class")
    rows += [
        RemovalRow(
            "recall",
            f"c{at}",
            change=missing if at == 0 else Estimate(-at / 1000, -0.05, 0.05, 0.95, "b"),
            gap=missing,
            **common,
        )
        for at in range(classes)
    ]
    bins = tuple(ControlBin("map50", -0.03 + at / 100, -0.02 + at / 100, 10) for at in range(6))
    return RemovalEffect(
        "not found",
        None,
        rows=tuple(rows),
        controls_histogram=bins,
        images=1500,
        duplicates=259,
        resamples=10000,
        controls=60,
        seed=1,
        clusters=1300,
        **more,
    )


def test_the_forest_draws_change_interval_and_controls() -> None:
    view = figure(section(removal_effect=_removal()), "removal")
    assert {-0.012, -0.031, 0.006, -0.02, 0.02} <= {
        *levels(view, "f0"),
        *levels(view, "f2"),
        *levels(view, "f3"),
    }
    assert "−0.012 (−0.031 to 0.006)" in view.alt
    assert "control removals by −0.02 to 0.02" in view.alt.replace("0.020", "0.02")
    assert "259 duplicates among 1,500 images." in view.caption
    assert "not estimable: no duplicate holds the class" in str(view.chart.to_dict())


def test_a_forest_of_many_classes_keeps_the_means_and_the_largest() -> None:
    found = plain(_removal(classes=80))
    # c0 has no figure at all; of the others the largest changes are those with the largest number.
    (view, *_) = removal_effect(found, {"confidence": 0.95})
    drawn = str(view.chart.to_dict())
    assert "'mAP, IoU 0.5'" in drawn
    assert "'Recall of c79'" in drawn
    assert "'Recall of c1'" not in drawn
    assert "14 of 81" in view.caption
    view_of_all = table(section(removal_effect=_removal(classes=80)), "removal")
    assert (len(view_of_all.rows), len(view_of_all.print_rows or [])) == (81, 24)
    assert "24 of 81 rows" in view_of_all.note


def test_the_histogram_shows_the_observed_change_even_beyond_the_controls() -> None:
    found = plain(_removal())
    found["rows"][0]["change"]["estimate"] = -0.5
    made = {"id": "integrity", "kind": "integrity", "result": section()["result"]}
    made["result"]["removal_effect"] = found
    view = figure(made, "controls_1")
    assert view.alt.startswith("60 control removals change mAP, IoU 0.5 by −0.0300 to +0.0300")
    assert "by −0.500" in view.alt
    (low, high) = view.chart.to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low < -0.5 < 0.03 <= high


def test_missing_effects_stand_with_their_reason_and_mde_is_always_there() -> None:
    made = section(removal_effect=_removal())
    written = placed_tables([table(made, "removal")], "integrity", iter(range(1, 9)))["removal"]
    cells = [cell.text for cell in written.written_rows[0]]
    assert cells[3].replace("\u00a0", " ") == "−0.012 (−0.031 to 0.006)"
    assert cells[4] == "0.0185"
    assert written.reasons == [("a", "Not estimable: no duplicate holds the class")]


def test_short_strata_are_printed_first() -> None:
    strata = tuple(StratumRow(f"c{at}", "all", at % 9, 10, at == 70) for at in range(80))
    view = table(section(removal_effect=_removal(strata=strata)), "strata")
    assert len(view.rows) == 71  # each ninth of the 80 holds no duplicate
    assert "9 more without a duplicate" in view.note
    assert (view.print_rows or [])[0]["dominant_class"] == "c70"
    assert (view.print_rows or [])[0]["short_text"] == "short"


def test_an_undefined_figure_is_said_as_such() -> None:
    """All 109 called positive, 105 are: F1 = 210/214, MCC 0/0 (article 003, section 3.7)."""
    scores = score_table([1.0] * 105 + [0.0] * 4, [0.9] * 109, name="test")
    found = classifier.audit(
        job({"classifier": {"table": "test", "threshold": 0.5}}, tables={"test": scores})
    )
    view = table(section(classifier=found.result), "classifier_figures")
    by_name = {row["figure"]: row["s_0"] for row in view.rows}
    assert by_name["Matthews correlation"] == "undefined (0/0)"
    assert by_name["F1"].startswith("0.981")
    assert by_name["Accuracy"].replace("\u00a0", " ").startswith("96.3 %")
    assert by_name["Specificity"].replace("\u00a0", " ").startswith("0 %")
    assert "Matthews correlation: undefined (0/0): every row is called the same" in view.note


def test_many_splits_are_spread_over_tables() -> None:
    site = [f"site {at % 7}" for at in range(70)]
    scores = score_table(
        [float(at % 2) for at in range(70)], [at / 70 for at in range(70)], groups={"site": site}
    )
    settings = {"classifier": {"table": "test", "threshold": 0.5, "split": "site"}}
    found = classifier.audit(job(settings, tables={"test": scores}))
    views = integrity.tables(section(classifier=found.result))
    keys = [view.key for view in views]
    assert keys == [
        "classifier",
        "classifier_figures",
        "classifier_figures_2",
        "classifier_figures_3",
    ]
    heads = [column.heading for view in views[1:] for column in view.columns[1:]]
    assert heads == ["All rows", *(f"Split site {at}" for at in range(7))]


def _d112() -> Plain:
    """Catalogue D112: of 40 ulcer images a router stops 10, 27 of the other 30 are reported."""
    names = [f"i{at:02d}" for at in range(40)]
    truth = boxes([(at, 0, BOX) for at in range(40)])
    found = boxes([(at, 0, BOX) for at in range(37)], [0.9] * 37)
    way = [(name, "", "router", not 27 <= at < 37) for at, name in enumerate(names)]
    display = shown([(names[at], str(at + 1), "ulcer") for at in range(27)])
    audited = pipeline.audit(
        job(
            {"detections": "boxes", "pipeline": {"of": "app"}},
            detections={"boxes": detection_set(names, ["ulcer"], truth, found)},
            pipelines={"app": Pipeline("app", gates(way), display)},
        )
    )
    return section(pipeline=audited.result)


def test_the_funnel_of_d112() -> None:
    made = _d112()
    row = table(made, "funnel").rows[0]
    steps = ("n", "accepted", "detected", "above_threshold", "shown", "rightly_named")
    assert [row[key] for key in steps] == [40, 30, 27, 27, 27, 27]
    view = figure(made, "funnel")
    assert "ulcer: 40 images, 30 accepted, 27 detected" in view.alt
    drawn = str(view.chart.to_dict())
    assert "'30, 75.0\\xa0%'" in drawn
    assert "'27, 67.5\\xa0%'" in drawn
    assert not any(ord(letter) < 32 for letter in view.caption)


def test_one_gate_is_not_told_twice() -> None:
    rows = table(_d112(), "gates_in_domain").rows
    assert [(row["class_text"], row["gate"], row["counts"]) for row in rows] == [
        ("all classes", "router", "10 of 40"),
        ("ulcer", "router", "10 of 40"),
    ]


def test_steps_that_cannot_be_seen_are_left_out_of_the_funnel() -> None:
    made = _d112()
    row = made["result"]["pipeline"]["rows"][0]
    row |= {"detected": None, "above_threshold": None}
    headings = [column.heading for column in table(made, "funnel").columns]
    assert headings == ["Class", "Images", "Accepted", "Shown", "Rightly named", "Not reported"]
    view = figure(made, "funnel")
    assert "Steps that the inputs cannot show are left out." in view.caption
    assert "detected" not in view.alt


def test_a_funnel_of_many_classes_draws_those_that_lose_most() -> None:
    found = _d112()["result"]["pipeline"]
    first = found["rows"][0]
    found["rows"] = [{**first, "class": f"c{at}", "rightly_named": at} for at in range(28)]
    (view,) = funnel_figure(found)
    drawn = str(view.chart.to_dict())
    assert "'c0'" in drawn
    assert "'c15'" in drawn
    assert "'c16'" not in drawn
    assert "the 16 of 28 classes" in view.caption


def test_bars_of_a_step_chart_are_shares_of_their_track() -> None:
    rows = [StepRow("a", [StepBar(1.0, "8"), StepBar(0.25, "2"), StepBar(None, "not known")])]
    tracks, bars = step_chart(["x", "y", "z"], rows, width=300)["layer"][:2]
    whole = [row["f2"] - row["f0"] for row in tracks["data"]["values"]]
    filled = [row["f2"] - row["f0"] for row in bars["data"]["values"]]
    assert [part / all_ for part, all_ in zip(filled, whole, strict=True)] == [1.0, 0.25]
    assert len(whole) == 2


def test_the_class_map_of_the_oral_app_is_told_in_words() -> None:
    """oral_app/class_maps.csv: five of six names wrong, gingivitis right."""
    found = class_map.audit(
        job(
            {"class_map": "app", "same_names": {"ulcer": "Ulcers"}},
            class_maps={"app": map_of()},
        )
    )
    made = section(class_map=found.result)
    rows = table(made, "class_map").rows
    assert [row["same_text"] for row in rows] == ["no", "no", "yes", "no", "no", "no"]
    assert (made["result"]["class_map"]["k"], made["result"]["class_map"]["n"]) == (5, 6)


def test_an_unknown_name_is_neither_right_nor_wrong() -> None:
    found = class_map.audit(job({"class_map": "app"}, class_maps={"app": map_of(model=False)}))
    rows = table(section(class_map=found.result), "class_map").rows
    assert {row["same_text"] for row in rows} == {"not known"}
    assert {row["model_text"] for row in rows} == {"not named"}


def test_many_reasons_give_way_to_one_and_the_file() -> None:
    found = plain(_removal(classes=9))
    for at, row in enumerate(found["rows"][1:]):
        row["change"] = {"estimate": 0.1, "low": None, "high": None, "reason": f"why {at}"}
    made = section()
    made["result"]["removal_effect"] = found
    written = placed_tables([table(made, "removal")], "integrity", iter(range(1, 9)))["removal"]
    assert not written.reasons
    assert "Why a figure or an interval is missing stands in the CSV; such as:" in written.note
    assert written.written_rows[1][3].text.startswith("+0.100 (no interval)")
    assert written.written_rows[1][5].text == "–"


def test_a_claim_names_conventions_in_words() -> None:
    from reportgen.render.pages.integrity_words import conventions_named

    said = conventions_named("it agrees under ultralytics_8_4_36, voc_11_plus_1, step alone")
    assert said == (
        "it agrees under Ultralytics until 8.4.36, VOC 2007, 11 points, inclusive pixels, step "
        "alone"
    )


def test_a_table_of_prose_may_break_between_its_rows(coco: Plain) -> None:
    views = [table(coco, key) for key in ("conventions", "pins")]
    written = placed_tables(views, "integrity", iter(range(1, 9)))
    assert (written["conventions"].short, written["pins"].short) == (False, True)

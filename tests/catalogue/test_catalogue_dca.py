"""Decision curves: catalogue D65–D75."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.support.catalogue import DECLARED, Bench, Case, Cases, Dossier, columns, dca, label

case = Cases()

FIVE = columns(y="0 0 1 1 0", p="0 .2 .5 1 .5")


def curve(dossier: Dossier, model: str, key: str = "net_benefit", **more: Any) -> list[Any]:
    """Return a figure of one model over its thresholds."""
    rows = [
        row
        for row in dossier.result("dca")["curve"]
        if row["model"] == model and all(row[name] == value for name, value in more.items())
    ]
    return [row[key]["estimate"] for row in rows]


@case("D65")
def net_benefit_of_five_rows(bench: Bench) -> None:
    bench.table(FIVE, dca(0, 0.2, 0.5, 0.9), **DECLARED)
    dossier = bench.build()
    assert curve(dossier, "s") == pytest.approx([0.4, 0.3, 0.2, 0.2])
    assert curve(dossier, "treat all") == pytest.approx([0.4, 0.25, -0.2, -5.0])
    assert curve(dossier, "treat none") == [0, 0, 0, 0]


@case("D66")
def thresholds_0_and_1(bench: Bench) -> None:
    bench.table(FIVE, dca(0, 0.5, 1), **DECLARED)
    dossier = bench.build()
    # At 0 everyone is treated, also who has risk 0: the prevalence.
    assert curve(dossier, "s")[0] == pytest.approx(0.4)
    assert len(curve(dossier, "s")) == 2
    dossier.warns("DCA-012", "threshold 1 was left out")
    assert not re.search(r"\b(nan|inf|infinity)\b", dossier.text, re.IGNORECASE)


@case("D67")
def thresholds_in_percent_or_out_of_order(bench: Bench) -> None:
    bench.table(FIVE, dca(5, 10, 20), **DECLARED)
    bench.refused("m.yaml:", "thresholds[0]", "5 does not lie in [0, 1)", "0.05", most=3)
    bench.table(FIVE, dca(0.3, 0.1, 0.2, 0.1), **DECLARED)
    dossier = bench.build()
    rows = [row["threshold"] for row in dossier.result("dca")["curve"] if row["model"] == "s"]
    assert rows == [0.1, 0.2, 0.3]
    dossier.warns("DCA-012", "1 repeated threshold", "ascending order")
    bench.table(FIVE, {**dca(), "thresholds": 0.1}, **DECLARED)
    bench.refused("m.yaml:", "thresholds: 0.1 is a number", "list", most=1)
    bench.table(FIVE, dca(0.1), **DECLARED)
    assert len(curve(bench.build(), "s")) == 1


@case("D68")
def outcomes_that_are_not_0_and_1(bench: Bench) -> None:
    for cells, positive in (("1 1 2 2 1", 2), ("no no yes yes no", "yes")):
        bench.table(
            columns(y=cells, p="0 .2 .5 1 .5"),
            dca(0.2, 0.5),
            label=label(positive=positive),
            scores={"s": "p"},
        )
        assert curve(bench.build(), "s") == pytest.approx([0.3, 0.2])
    bench.table(columns(y="no no yes yes no", p="0 .2 .5 1 .5"), dca(0.2), **DECLARED)
    bench.refused("t.csv", "column 'y'", "'no' × 3, 'yes' × 2", most=1)


@case("D69")
def the_axis_is_cut_and_says_so(bench: Bench) -> None:
    rng = np.random.default_rng(1)
    p = rng.random(200).round(3)
    bench.table(columns(y=(rng.random(200) < p).astype(int), p=p), dca(0.1, 0.5, 0.9), **DECLARED)
    dossier = bench.build()
    assert curve(dossier, "treat all")[2] < -3
    dossier.shows("The vertical axis is cut at", "treat all falls to −", part="section-dca")


@case("D70")
def no_curve_is_smoothed(bench: Bench) -> None:
    bench.table(FIVE, dca(0.2, smooth=True), **DECLARED)
    bench.refused("m.yaml:", "smooth: unknown key", most=1)
    bench.table(FIVE, dca(0.2, 0.5), **DECLARED)
    dossier = bench.build()
    dossier.shows("Lines are point estimates", part="section-dca")
    points = (dossier.folder / "tables" / "dca-curve.csv").read_text("utf-8")
    assert points.count("\ns,") == 2


@case("D71")
def no_threshold_is_chosen_by_the_curve(bench: Bench) -> None:
    bench.table(FIVE, dca(0.1, 0.2, 0.5), **DECLARED)
    dossier = bench.build()
    dossier.shows("no curve can select it", part="section-dca")
    said = dossier.text.casefold()
    for claim in ("best threshold", "optimal threshold", "optimal cut"):
        assert claim not in said
    # Above 0 is not useful: at 0.2 the model is held against the better default, 0.25.
    gains = [row for row in dossier.result("dca")["gains"] if row["threshold"] == 0.2]
    (gain,) = [row for row in gains if row["against"].startswith("better of")]
    assert gain["gain"]["estimate"] == pytest.approx(0.05)


@case("D72")
def standardised_net_benefit(bench: Bench) -> None:
    bench.table(FIVE, dca(0.2, 0.5), **DECLARED)
    dossier = bench.build()
    found = curve(dossier, "s", "standardised_net_benefit")
    assert found == pytest.approx([0.3 / 0.4, 0.2 / 0.4])
    dossier.shows("Standardised: net benefit as a share of the prevalence", part="section-dca")


@case("D73")
def a_case_control_sample_with_a_stated_prevalence(bench: Bench) -> None:
    y, p = [1] * 10 + [0] * 10, [0.9] * 8 + [0.1] * 2 + [0.9] * 3 + [0.1] * 7
    bench.table(columns(y=y, p=p), dca(0.2, prevalence=0.05), **DECLARED)
    dossier = bench.build()
    # sens·π − (1 − spec)·(1 − π)·pt/(1 − pt), with 0.8, 0.7, π = 0.05 and pt = 0.2
    expected = 0.8 * 0.05 - 0.3 * 0.95 * 0.25
    deployed = curve(dossier, "s", probabilities="as deployed")
    assert deployed == pytest.approx([expected])
    dossier.warns("DCA-007", "to 0.05", "Scores as deployed")
    assert dossier.result("dca")["target_prevalence"] == 0.05
    dossier.shows("takes the scores to be calibrated in the sample", part="section-dca")


@case("D74")
def two_models_on_the_same_draws(bench: Bench) -> None:
    rng = np.random.default_rng(4)
    p = rng.random(200).round(3)
    y = (rng.random(200) < p).astype(int)
    bench.table(
        columns(y=y, p=p, q=p, r=rng.random(200).round(3)),
        dca(0.3, 0.5),
        label=label(),
        scores={"one": "p", "same": "q", "noise": "r"},
    )
    gains = bench.build().result("dca")["gains"]
    pairs = {(row["model"], row["against"]): row for row in gains if row["threshold"] == 0.3}
    same = pairs.get(("one", "same")) or pairs["same", "one"]
    # The difference of a model and itself has no width on the same rows; on others it would.
    assert (same["gain"]["estimate"], same["gain"]["low"], same["gain"]["high"]) == (0, 0, 0)
    noise = pairs.get(("one", "noise")) or pairs["noise", "one"]
    assert noise["gain"]["low"] < noise["gain"]["estimate"] < noise["gain"]["high"]


@case("D75")
def time_to_event_without_a_horizon(bench: Bench) -> None:
    cells = columns(t="1 2 3 4 2 5 1 3", e="1 0 2 1 0 0 1 2", p=".9 .2 .5 .6 .1 .3 .8 .4")
    bench.table(
        cells, dca(0.2), label={"time": "t", "event": "e", "positive": 1}, scores={"s": "p"}
    )
    bench.refused("m.yaml:", "label.at: this key is missing", most=1)
    declared = {"time": "t", "event": "e", "positive": 1, "competing": [2], "at": 3}
    bench.table(cells, dca(0.2), label=declared, scores={"s": "p"})
    result = bench.build().result("dca")
    assert result["horizon"] == 3
    # Aalen–Johansen by hand: 2 of 8 at time 1; none at 2; none at 3 (two competing): 0.25.
    assert result["prevalence"]["estimate"] == pytest.approx(0.25)


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)

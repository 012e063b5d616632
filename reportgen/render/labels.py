"""Keys of the results as words, and the codes that stand behind some of them."""

from __future__ import annotations

from typing import Any

from reportgen.language import _, mark

CODED = ("metric", "binding", "probabilities", "status", "lower_bound")
"""Keys of a finding's evidence whose values are codes."""
CODES = (
    *(mark("as deployed"), mark("recalibrated"), mark("pre-specified"), mark("exploratory")),
    *(mark("demographic_parity"), mark("equalized_odds"), mark("equal_opportunity")),
    *(mark("demographic_parity_overall"), mark("equalized_odds_mean")),
    *(mark("demographic_parity_ratio"), mark("equalized_odds_ratio")),
    mark("equal_opportunity_ratio"),
)
LABELS = (
    *(mark("after"), mark("against"), mark("at least"), mark("before"), mark("binding")),
    *(mark("bound"), mark("change"), mark("changed"), mark("coverage"), mark("critical radius")),
    *(mark("critical safe"), mark("critical unsafe"), mark("elsewhere"), mark("features")),
    *(mark("figure"), mark("gain"), mark("gain with simultaneous limits"), mark("gap")),
    *(mark("groups"), mark("high"), mark("highest"), mark("label gap"), mark("least")),
    *(mark("left out"), mark("low"), mark("lower bound"), mark("lowest"), mark("margin")),
    *(mark("metric"), mark("model"), mark("moves"), mark("no longer selected")),
    *(mark("one sided limit"), mark("past tolerance"), mark("probabilities"), mark("rows")),
    *(mark("sample prevalence"), mark("selected"), mark("share"), mark("simultaneous high")),
    *(mark("simultaneous low"), mark("static"), mark("status"), mark("target prevalence")),
    *(mark("threats"), mark("threshold"), mark("thresholded"), mark("tolerance")),
    *(mark("weighted"), mark("worst"), mark("worst certified"), mark("worst found")),
)
"""Evidence of findings that results.json names by a key."""
PARTS = (
    *(mark("class map"), mark("classifier"), mark("clusters"), mark("curve"), mark("evaluator")),
    *(mark("heterogeneity"), mark("label agreement"), mark("label geometry"), mark("leakage")),
    *(mark("near duplicates"), mark("operating points"), mark("pipeline"), mark("recalibration")),
    *(mark("removal effect"), mark("representation")),
)
"""Parts of a section's result that crosswalks ask for."""


def label(name: str) -> str:
    """Return a key of the results as words: ``n_rows`` reads "n rows"."""
    words = name.replace("_", " ")
    return _(words)


def decoded(value: Any, name: str) -> Any:
    """Return a piece of evidence, a code in the dossier's language where `name` holds codes."""
    return _(value) if name in CODED and isinstance(value, str) else value

"""Hypothesis strategies for what a manifest asks of its tables: sections and criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from reportgen.criteria.catalogue import AT_A_MIX, OF_A_CLASSIFIER, metrics
from reportgen.sections.frame.settings import AT_THRESHOLD, PRIMARY
from reportgen.sections.robust.checks import PROXY_MEASURES
from reportgen.stats.robust.gaps import MEASURES

Draw = st.DrawFn
Asked = dict[str, Any]

PROBABILITY_CUTS = (0.5, 0.5, 0.3, 0.25, 0, 1, 0.7)
RANK_CUTS = (0, 0.5, -1.5, 4, 1e300)
MIXES = (0.5, 0.1, 0.01, 0.001, 0.9, 1e-9, {"positives": 1, "negatives": 4})
CLAIMED = ("accuracy", "sensitivity", "auc", "mcc", "f1", "prevalence", "precision")


@dataclass(frozen=True)
class Facts:
    """A table as sections see it: names, and the texts that stand in its group columns."""

    name: str
    scores: Sequence[str]
    scale: str
    groups: Mapping[str, Sequence[str]]
    features: Sequence[str]
    survival: bool = False
    moves: Sequence[str] = field(default_factory=list)
    """Features of the linear model that made the first score; none without a model."""
    train: bool = False

    @property
    def cuts(self) -> Sequence[float]:
        """Thresholds on its scale."""
        return RANK_CUTS if self.scale == "score" else PROBABILITY_CUTS


def _maybe(draw: Draw, asked: Asked, key: str, strategy: st.SearchStrategy[Any]) -> None:
    """Set a key in half of the cases."""
    if draw(st.booleans()):
        asked[key] = draw(strategy)


def _some(pool: Sequence[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique_by=str)


@st.composite
def frames(draw: Draw, table: Facts) -> Asked:
    """Draw a ``frame`` section on a table with groups."""
    asked: Asked = {"kind": "frame", "table": table.name}
    asked["margin"] = draw(st.sampled_from([0.05, 0.2, 1e-6]))
    which = draw(st.sampled_from(["all", "one", "several"]))
    if which == "one":
        asked["score"] = table.scores[0]
    elif which == "several":
        asked["scores"] = draw(_some(table.scores))
    _maybe(draw, asked, "threshold", st.sampled_from(table.cuts))
    offered = PRIMARY if "threshold" in asked else tuple(set(PRIMARY) - set(AT_THRESHOLD))
    _maybe(draw, asked, "primary", _some(sorted(offered)))
    names = list(table.groups)
    if len(names) > 1:
        _maybe(draw, asked, "groups", st.just([*names, names[:2]]))
    for name, texts in table.groups.items():
        given = [text for text in texts if text]
        if given and not draw(st.integers(0, 3)):
            asked.setdefault("reference", {})[name] = draw(st.sampled_from(given))
        if given and not draw(st.integers(0, 3)):
            asked.setdefault("required", {})[name] = draw(_some(given))
    few = {"positive_units": 2, "negative_units": 2}
    _maybe(draw, asked, "minimum", st.sampled_from([few, {"positive_units": 5}]))
    _maybe(draw, asked, "alpha", st.sampled_from([0.05, 0.2, 0.001]))
    return asked


@st.composite
def curves(draw: Draw, table: Facts) -> Asked:
    """Draw a ``dca`` section on a binary outcome or on a time to an event."""
    asked: Asked = {"kind": "dca", "table": table.name}
    grid = {"from": 0.05, "to": 0.45, "step": 0.1, "owner": "<b>clinic</b>", "reason": "{{ x }}"}
    shapes = [[0.5], [0, 0.1, 0.3, 0.5], [0.3, 0.1, 0.3, 1], grid, {"values": [0.25, 0.999999]}]
    asked["thresholds"] = draw(st.sampled_from(shapes))
    _maybe(draw, asked, "scores", _some(table.scores))
    used = asked.get("scores", table.scores)
    harm = st.sampled_from([0, 0.002, 0.9])
    _maybe(draw, asked, "harm", st.dictionaries(st.sampled_from(list(used)), harm))
    _maybe(draw, asked, "prevalence", st.sampled_from(MIXES))
    return asked


@st.composite
def mixes(draw: Draw, table: Facts, unlabelled: str | None) -> Asked:
    """Draw a ``prevalence`` section on a table."""
    asked: Asked = {"kind": "prevalence", "table": table.name, "score": table.scores[0]}
    asked["thresholds"] = draw(_some(table.cuts))
    asked["prevalences"] = draw(_some(MIXES))
    if unlabelled is not None:
        _maybe(draw, asked, "unlabelled", st.just(unlabelled))
    return asked


@st.composite
def published(draw: Draw) -> Asked:
    """Draw a ``prevalence`` section on typed figures."""
    figure = st.sampled_from([0, 1, 0.8, 0.001]) | st.integers(1, 500).flatmap(
        lambda n: st.fixed_dictionaries({"k": st.integers(0, n), "n": st.just(n)})
    )
    asked: Asked = {"kind": "prevalence"}
    asked["sensitivity"], asked["specificity"] = draw(figure), draw(figure)
    _maybe(draw, asked, "threshold", st.sampled_from(PROBABILITY_CUTS))
    asked["prevalences"] = draw(_some(MIXES))
    return asked


@st.composite
def integrities(draw: Draw, table: Facts) -> Asked:
    """Draw an ``integrity`` section with the sub-audits that a table allows."""
    asked: Asked = {"kind": "integrity"}
    kinds = ["classifier"]
    kinds += ["duplicate_rows"] if table.features else []
    kinds += ["leakage"] if table.train else []
    kinds += ["counting_heads"] if len(table.features) > 1 else []
    for kind in draw(_some(kinds)):
        asked[kind] = {"table": table.name}
    if "classifier" in asked:
        asked["classifier"] |= {
            "score": table.scores[0],
            "threshold": draw(st.sampled_from(table.cuts)),
        }
        if table.groups:
            _maybe(draw, asked["classifier"], "split", st.sampled_from(list(table.groups)))
        _maybe(draw, asked, "claims", st.lists(_claims(), min_size=1, max_size=3))
    if "duplicate_rows" in asked:
        _maybe(draw, asked["duplicate_rows"], "distance", st.sampled_from([0, 0.05, 5]))
    if "counting_heads" in asked:
        head = {"true": table.features[0], "predicted": table.features[1]}
        asked["counting_heads"]["heads"] = {"<b>cells</b>": head}
    if not draw(st.integers(0, 3)):
        asked["planned"] = draw(_some([kind for kind in kinds if kind in asked]))
    return asked


@st.composite
def _claims(draw: Draw) -> Asked:
    claim: Asked = {"metric": draw(st.sampled_from(CLAIMED))}
    claim["value"] = draw(st.sampled_from(["0.9633", "50 %", "0.5", "1", "0", ".75", "96.3 %"]))
    _maybe(draw, claim, "n", st.integers(1, 200))
    _maybe(draw, claim, "source", st.just("<i>README</i>"))
    return claim


@st.composite
def robusts(draw: Draw, table: Facts, model: str) -> Asked:
    """Draw a ``robust`` section: of the linear model if there is one, else static."""
    asked: Asked = {"kind": "robust", "table": table.name, "score": table.scores[0]}
    asked["metrics"] = draw(_some(sorted(MEASURES if table.groups else PROXY_MEASURES)))
    asked["tolerance"] = {
        name: draw(st.sampled_from([0, 0.1, 0.8, 1])) for name in asked["metrics"]
    }
    asked["threshold"] = draw(st.sampled_from(table.cuts))
    if table.scale != "score":
        _maybe(draw, asked, "decisions", st.sampled_from(["hard", "soft"]))
    _maybe(draw, asked, "minimum", st.sampled_from([2, 5]))
    asked["node_budget"] = 20
    if table.groups:
        asked["sensitive"] = draw(st.sampled_from(list(table.groups)))
        if table.moves and not draw(st.integers(0, 1)):
            asked["model"] = {"linear": model}
            asked["perturbation"] = draw(_perturbations(table))
    elif table.features:
        asked["proxy"] = {"column": table.features[0]}
    if draw(st.booleans()):
        threats: Asked = {"flips": [0, 0.05], "mix": [1, 1.5], "prevalence": [0.05]}
        threats |= {"average": [0.01]} if "perturbation" in asked else {}
        asked["other_threats"] = {name: threats[name] for name in draw(_some(list(threats)))}
    return asked


@st.composite
def _perturbations(draw: Draw, table: Facts) -> Asked:
    moved: dict[str, Asked] = {}
    for name in draw(_some(table.moves)):
        move: Asked = {"eps": draw(st.sampled_from([0, 0.5, 3, 1e6])), "unit": "<u>"}
        if not draw(st.integers(0, 4)):
            move = {"eps_sd": draw(st.sampled_from([0.05, 2]))}
        _maybe(draw, move, "basis", st.just("repeatability & more"))
        _maybe(draw, move, "bounds", st.sampled_from([[-200, 200], [0, 3], [5, 5]]))
        _maybe(draw, move, "direction", st.sampled_from(["both", "up", "down"]))
        if "eps" in move:
            _maybe(draw, move, "kind", st.sampled_from(["continuous", "integer", "ordinal"]))
        moved[name] = move
    return {"norm": draw(st.sampled_from(["l1", "l2", "linf"])), "features": moved}


@st.composite
def _one(draw: Draw, tables: Sequence[Facts], unlabelled: str | None, model: str) -> Asked:
    table = draw(st.sampled_from(tables))
    if table.survival:
        return draw(curves(table))
    kinds = [mixes(table, unlabelled), integrities(table), published()]
    kinds += [curves(table)] * (2 if table.scale != "score" else 0)
    kinds += [frames(table), robusts(table, model), frames(table)] * (2 if table.groups else 0)
    if table.features and not table.groups:
        kinds.append(robusts(table, model))
    return draw(draw(st.sampled_from(kinds)))


@st.composite
def sections(
    draw: Draw, tables: Sequence[Facts], *, unlabelled: str | None, model: str
) -> list[Asked]:
    """Draw one to three sections, each with an id of its own.

    Parameters
    ----------
    tables : sequence of Facts
        Those with an outcome.
    unlabelled : str or None
        The name of a table without one, with the scores of the first.
    model : str
        The file of the linear model.
    """
    made = draw(st.lists(_one(tables, unlabelled, model), min_size=1, max_size=3))
    for at, asked in enumerate(made):
        asked["id"] = f"{asked['kind']}-{at}"
        if not draw(st.integers(0, 7)):
            asked["title"] = "<h1>{{ title }}</h1> & 标题"
    return made


@st.composite
def criteria(draw: Draw, asked: Sequence[Asked]) -> list[Asked]:
    """Draw one or two bounds on figures, mostly such as the sections offer."""
    found: list[Asked] = []
    for section in asked[: draw(st.integers(1, 2))]:
        kind = section["kind"]
        named = _audited(section) if kind == "integrity" else metrics(kind)
        if not named:
            continue
        metric = draw(st.sampled_from(named))
        one: Asked = {"metric": metric, "section": section["id"]}
        one[draw(st.sampled_from(["at_least", "at_most"]))] = draw(
            st.sampled_from([0, 0.5, 0.7, 1])
        )
        if kind == "frame":
            _maybe(draw, one, "attribute", st.just("overall"))
        if kind in ("dca", "frame") and "scores" not in section:
            _maybe(draw, one, "score", st.just("a"))
        if kind == "prevalence" and metric in AT_A_MIX:
            _maybe(draw, one, "prevalence", st.sampled_from(section["prevalences"]))
        if isinstance(section.get("thresholds"), list) and metric != "auc":
            _maybe(draw, one, "threshold", st.sampled_from(section["thresholds"]))
        _maybe(draw, one, "bound_on", st.sampled_from(["interval", "estimate"]))
        _maybe(draw, one, "reason", st.just("<b>why</b>"))
        found.append(one)
    return found


def _audited(section: Asked) -> Sequence[str]:
    """Return figures of the sub-audits that a section asks for."""
    found = [*OF_A_CLASSIFIER] if "classifier" in section else []
    found += ["mae", "r2", "gain_over_zero"] if "counting_heads" in section else []
    return [*found, *(["leaked_share"] if "leakage" in section else [])]

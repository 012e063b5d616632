"""What the manifest alone, and what the data and the model, show to be wrong with an audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from reportgen.errors import Key, KeyFault, choose_from, unknown_name
from reportgen.inputs import Inputs, SurvivalLabel, Table, TableSettings
from reportgen.inputs.trouble import few
from reportgen.sections.attributes import numbers_for_groups
from reportgen.sections.robust.data import column, read_data
from reportgen.sections.robust.expressions import parse_expression
from reportgen.sections.robust.settings import Move, Perturbation, RobustSettings
from reportgen.sections.robust.subject import (
    ALLOWED_DIFFERENCE,
    model_features,
    open_model,
    score_difference,
    takes_missing,
)
from reportgen.sections.robust.values import value_faults
from reportgen.stats.robust.gaps import MEASURES

RATIOS = tuple(name for name, measure in MEASURES.items() if measure.falls)
WITHOUT_LABEL = tuple(
    name for name, measure in MEASURES.items() if measure.metrics == ("selection_rate",)
)
PROXY_MEASURES = (
    "demographic_parity",
    "equal_opportunity",
    "equalized_odds",
    "selection_rate",
    "sensitivity",
    "false_positive_rate",
)


def check(settings: RobustSettings, tables: Mapping[str, TableSettings]) -> Iterator[KeyFault]:
    """Yield what the manifest alone shows to be wrong with a ``robust`` section."""
    yield from _metric_faults(settings)
    yield from _tolerance_faults(settings)
    yield from _pairing_faults(settings)
    yield from _threat_faults(settings)
    if settings.perturbation is not None:
        yield from _perturbation_faults(settings, settings.perturbation)
    table = tables.get(settings.table)
    if table is None:
        yield unknown_name("table", settings.table, tables, key=("table",))
        return
    yield from _label_faults(settings, table)
    yield from _score_faults(settings, table)
    yield from _decision_faults(settings, table)
    yield from _attribute_faults(settings, table)


def _metric_faults(settings: RobustSettings) -> Iterator[KeyFault]:
    if not settings.metrics:
        yield KeyFault(("metrics",), "no metric is named", choose_from(MEASURES))
    for at, name in enumerate(settings.metrics):
        if name not in MEASURES:
            yield unknown_name("metric", name, MEASURES, key=("metrics", at))
        elif name in settings.metrics[:at]:
            yield KeyFault(("metrics", at), f"{name!r} is named twice", "name it once")
        elif settings.sensitive is None and name not in PROXY_MEASURES:
            what = f"{name} cannot be bounded by a proxy"
            yield KeyFault(("metrics", at), what, choose_from(PROXY_MEASURES))


def _tolerance_faults(settings: RobustSettings) -> Iterator[KeyFault]:
    given, key = settings.tolerance, "tolerance"
    if given is None:
        yield KeyFault(
            (key,), "no tolerance is given, so no gap can be called small", "state it: 0.1, say"
        )
        return
    known = [name for name in settings.metrics if name in MEASURES]
    if isinstance(given, float):
        ratios = [name for name in known if name in RATIOS]
        if ratios and len(ratios) < len(known):
            what = f"one tolerance stands for differences and for {few(ratios)}"
            mend = f"give each its own: {{{known[0]}: 0.1, {ratios[0]}: 0.8}}"
            yield KeyFault((key,), what, mend)
        values: dict[Key, float] = {(key,): given}
    else:
        values = {(key, name): value for name, value in given.items()}
        for name in given:
            if name not in settings.metrics:
                yield unknown_name("metric", name, settings.metrics, key=(key, name))
        for name in known:
            if name not in given:
                yield KeyFault((key,), f"{name} has no tolerance", f"add {name}: 0.1, say")
    for place, value in values.items():
        if not 0 <= value <= 1:
            yield KeyFault(place, f"a tolerance of {value:g} is not in [0, 1]", "write 0.1, say")


def _pairing_faults(settings: RobustSettings) -> Iterator[KeyFault]:
    if settings.perturbation is not None and settings.model is None:
        yield KeyFault(
            ("perturbation",), "moves need a model to score them", "add model, or take it out"
        )
    if settings.model is not None and settings.perturbation is None:
        yield KeyFault(
            ("model",),
            "a model without moves says nothing more",
            "add perturbation, or take it out",
        )
    if settings.sensitive is None and settings.proxy is None:
        mend = "name the attribute with sensitive, or give a proxy for it"
        yield KeyFault(("sensitive",), "no sensitive attribute is named", mend)
    if settings.sensitive is None and settings.model is not None:
        what = "with a proxy alone the gap is bounded as it stands, not under moves"
        yield KeyFault(("model",), what, "take model and perturbation out")
    for at, value in enumerate(settings.curve):
        if not 0 <= value <= 64:
            mend = "write multiples of eps, from 0 to 64"
            yield KeyFault(("curve", at), f"{value:g} cannot be drawn", mend)


SIZES = {
    "flips": (0.0, 1.0, "a share of the records, such as 0.05"),
    "mix": (1.0, 1e6, "a largest weight, 1 or more, such as 1.1"),
    "prevalence": (0.0, 1.0, "a change of prevalence, such as 0.05"),
    "average": (0.0, 1e6, "a mean move in multiples of eps, such as 0.1"),
}


def _threat_faults(settings: RobustSettings) -> Iterator[KeyFault]:
    for name, (least, most, mend) in SIZES.items():
        for at, value in enumerate(getattr(settings.other_threats, name)):
            if not least <= value <= most:
                what = f"{value:g} is no size of this threat"
                yield KeyFault(("other_threats", name, at), what, f"write {mend}")
    if settings.other_threats.average and settings.perturbation is None:
        key: Key = ("other_threats", "average")
        yield KeyFault(key, "a mean move needs moves", "add model and perturbation")


def _perturbation_faults(settings: RobustSettings, moves: Perturbation) -> Iterator[KeyFault]:
    taken: dict[str, str] = {}
    for name, move in moves.features.items():
        key: Key = ("perturbation", "features", name)
        yield from _move_faults(move, key)
        members = move.columns or [name]
        for member in members:
            if member == settings.sensitive:
                what = f"{member!r} is the sensitive attribute itself"
                mend = "take it out: groups are compared as they are; see other_threats.flips"
                yield KeyFault(key, what, mend)
            if member in taken:
                yield KeyFault(key, f"{member!r} is moved by {taken[member]!r} too", "name it once")
            if member in moves.derived:
                what = f"{member!r} is derived from other columns"
                yield KeyFault(key, what, "move what it is derived from")
            taken[member] = name
    for name, text in moves.derived.items():
        key = ("perturbation", "derived", name)
        try:
            names = parse_expression(text).names
        except ValueError as error:
            mend = "use numbers, columns, + - * / **, log, exp, sqrt, min, max"
            yield KeyFault(key, str(error), mend)
            continue
        for other in names:
            if other in moves.derived:
                what = f"{other!r} is derived itself"
                yield KeyFault(key, what, "write the expression in columns that are measured")


MOST_EPS = 1e100
"""Squares of such moves, times weights and multiples of eps, stay within double precision."""


def _move_faults(move: Move, key: Key) -> Iterator[KeyFault]:
    given = [name for name in ("eps", "eps_sd") if getattr(move, name) is not None]
    swapped = move.kind in ("category", "binary")
    if len(given) == 2 or (not given and not swapped):
        what = "both eps and eps_sd are given" if given else "no eps is given"
        mend = "write eps in the feature's unit, or eps_sd in standard deviations"
        yield KeyFault(key, what, mend)
    for name in given:
        if getattr(move, name) < 0:
            what = f"an eps of {getattr(move, name):g} is below 0"
            yield KeyFault((*key, name), what, "write 0 or more; 0 lets nothing move")
        elif getattr(move, name) > MOST_EPS:
            what = f"an eps of {getattr(move, name):g} is beyond what can be computed with"
            yield KeyFault((*key, name), what, "write the largest move that occurs, in its unit")
    if move.eps_sd is not None and move.kind != "continuous":
        what = f"standard deviations of a feature that is {move.kind}"
        yield KeyFault((*key, "eps_sd"), what, "write eps in steps")
    if move.bounds is not None and not move.bounds[0] <= move.bounds[1]:
        yield KeyFault((*key, "bounds"), f"the bounds {move.bounds} do not rise", "swap them")
    if (move.kind == "category") != (move.columns is not None):
        what = "a category has no columns" if move.columns is None else "columns of no category"
        yield KeyFault(key, what, "write kind: category and columns: [its one-hot columns]")
    elif move.columns is not None and len(set(move.columns)) < 2:
        yield KeyFault((*key, "columns"), "a category needs two columns", "name each level's")


def _label_faults(settings: RobustSettings, table: TableSettings) -> Iterator[KeyFault]:
    if isinstance(table.label, SurvivalLabel):
        what = f"the label of {settings.table!r} is a time to an event"
        yield KeyFault(("table",), what, "this section needs a binary label, or none")
        return
    if table.label is not None:
        return
    for at, name in enumerate(settings.metrics):
        if name in MEASURES and name not in WITHOUT_LABEL:
            what = f"{name} needs a label, and table {settings.table!r} has none"
            yield KeyFault(("metrics", at), what, f"add tables.{settings.table}.label")
    if settings.other_threats.prevalence:
        what = f"a shift of prevalence needs a label, and table {settings.table!r} has none"
        yield KeyFault(("other_threats", "prevalence"), what, "add a label, or take it out")


def _score_faults(settings: RobustSettings, table: TableSettings) -> Iterator[KeyFault]:
    if not table.scores:
        what = f"table {settings.table!r} has no scores"
        yield KeyFault(("table",), what, "add scores: {shown name: column} to it")
    elif settings.score is None and len(table.scores) > 1:
        yield KeyFault(("score",), "several scores, and none is named", choose_from(table.scores))
    elif settings.score is not None and settings.score not in table.scores:
        what = f"table {settings.table!r} has no score {settings.score!r}"
        yield KeyFault(("score",), what, choose_from(table.scores, settings.score))


def _decision_faults(settings: RobustSettings, table: TableSettings) -> Iterator[KeyFault]:
    value = settings.threshold
    if settings.decisions == "soft":
        if table.scale == "score":
            what = "mean scores need probabilities; the table's scale is score"
            yield KeyFault(("decisions",), what, "write decisions: hard, with a threshold")
    elif value is None:
        yield KeyFault(("threshold",), "hard decisions need a threshold", "add threshold: 0.5, say")
    if table.scale == "score" and "brier" in settings.metrics:
        what = "the Brier score needs probabilities; the table's scale is score"
        mend = "take a metric of decisions or ranks"
        yield KeyFault(("metrics", settings.metrics.index("brier")), what, mend)
    if value is not None and table.scale != "score" and not 0 <= value <= 1:
        percent = f"; {value:g} % is {value / 100:g}" if 1 < value <= 100 else ""
        what = f"threshold {value:g} is no probability{percent}"
        yield KeyFault(("threshold",), what, "write it from 0 to 1")


def _attribute_faults(settings: RobustSettings, table: TableSettings) -> Iterator[KeyFault]:
    made = [bins.name or name for name, bins in table.bins.items()]
    known = list(dict.fromkeys([*table.groups, *made]))
    if settings.sensitive is not None and settings.sensitive not in known:
        what = f"{settings.sensitive!r} is not among the groups of table {settings.table!r}"
        yield KeyFault(("sensitive",), what, choose_from(known, settings.sensitive))


def check_inputs(settings: RobustSettings, inputs: Inputs) -> Iterator[KeyFault]:
    """Yield what data and model show to be wrong with a ``robust`` section."""
    table = inputs.tables[settings.table]
    if settings.proxy is not None:
        yield from _proxy_faults(settings.proxy.column, table)
    measured = settings.sensitive and numbers_for_groups(table, settings.sensitive)
    if measured:
        yield KeyFault(("sensitive",), *measured)
        return
    if settings.sensitive is not None and settings.required is not None:
        present = {*table.groups[settings.sensitive].tolist()} - {""}
        present |= set(table.levels.get(settings.sensitive, ()))
        for at, name in enumerate(settings.required):
            if name not in present:
                what = f"no row of table {settings.table!r} has the {settings.sensitive} {name!r}"
                yield KeyFault(("required", at), what, choose_from(present, name))
    read = inputs.models.get(settings.name)
    if read is None or settings.perturbation is None or settings.model is None:
        return
    where: Key = ("model", settings.model.kind)
    try:
        model = open_model(settings, inputs)
    except ValueError as error:
        yield KeyFault(where, f"{read.path}: {error}", "export the model anew")
        return
    features = model_features(read, table)
    absent = list(_absent(features, settings.perturbation, table))
    if absent:
        what = f"the model takes {few(absent)}, which table {settings.table!r} has not as numbers"
        yield KeyFault(where, what, f"add to tables.{settings.table}.features")
    faults = [
        *_unknown_moves(settings.perturbation, model.features, table),
        *_derived_faults(settings.perturbation, features, table),
    ]
    yield from faults
    if not absent and not faults:
        yield from _difference_faults(settings, inputs, where)
        missing = takes_missing(model)
        data = read_data(inputs, settings, model.features, missing_allowed=missing)
        yield from value_faults(settings.perturbation, data)


def _proxy_faults(name: str, table: Table) -> Iterator[KeyFault]:
    key: Key = ("proxy", "column")
    values = column(table, name)
    if values is None:
        what = f"table {table.name!r} has no feature {name!r}"
        mend = f"add it to tables.{table.name}.features; {choose_from(table.features, name)}"
        yield KeyFault(key, what, mend)
        return
    known = values[~np.isnan(values)]
    if len(known) and not (known.min() >= 0 and known.max() <= 1):
        what = f"{name!r} holds {known.min():g} to {known.max():g}: no probabilities"
        yield KeyFault(key, what, "give the probability of membership, 0 to 1")


def _absent(features: Sequence[str], moves: Perturbation, table: Table) -> Iterable[str]:
    rests_on = [n for text in moves.derived.values() for n in parse_expression(text).names]
    direct = [name for name in features if name not in moves.derived]
    return (n for n in dict.fromkeys([*direct, *rests_on]) if column(table, n) is None)


def _unknown_moves(
    moves: Perturbation, inputs_of: Sequence[str], table: Table
) -> Iterator[KeyFault]:
    for name, move in moves.features.items():
        for member in move.columns or [name]:
            if member in inputs_of:
                continue
            what = (
                f"{member!r} is no input of the model, so moving it changes nothing"
                if member in table.features
                else f"{member!r} is no feature of the model"
            )
            key: Key = ("perturbation", "features", name)
            yield KeyFault(key, what, choose_from(inputs_of, member))


def _derived_faults(
    moves: Perturbation, features: Sequence[str], table: Table
) -> Iterator[KeyFault]:
    for name, text in moves.derived.items():
        key: Key = ("perturbation", "derived", name)
        if name not in features:
            what = f"{name!r} is no feature of the model"
            yield KeyFault(key, what, choose_from(features, name))
            continue
        stored = column(table, name)
        expression = parse_expression(text)
        rests_on = {one: column(table, one) for one in expression.names}
        known = {one: values for one, values in rests_on.items() if values is not None}
        if stored is None or len(known) < len(rests_on):
            continue
        off = np.abs(expression.value(known) - stored)
        off = off[~np.isnan(off)] if len(off) else off
        far = float(off.max(initial=0.0))
        if far > 1e-6 * max(1.0, float(np.nanmax(np.abs(stored), initial=0.0))):
            what = f"{text} is up to {far:.3g} from the column {name!r}"
            yield KeyFault(key, what, "correct the expression, or do not declare it as derived")


def _difference_faults(settings: RobustSettings, inputs: Inputs, where: Key) -> Iterator[KeyFault]:
    try:
        difference = score_difference(settings, inputs)
    except ValueError as error:
        what, _, mend = str(error).partition("; ")
        what = f"the model cannot score the table: {what}"
        yield KeyFault(where, what, mend or "check its features")
        return
    if not difference <= ALLOWED_DIFFERENCE:
        what = (
            f"the model's scores are up to {difference:.3g} from the table's, more than "
            f"{ALLOWED_DIFFERENCE:g}"
        )
        mend = "give the model that made them, its features in their order and units"
        yield KeyFault(where, what, mend)

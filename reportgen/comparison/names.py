"""Figures of a comparison in words."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen import wording
from reportgen.comparison.direction import GAP, RADIUS, SIGNED
from reportgen.criteria.figures import USUAL
from reportgen.criteria.names import metric_named, narrowed
from reportgen.language import _, mark

ENDINGS: Mapping[str, str] = {
    "_found": mark("{figure}, found under moves"),
    "_certified": mark("{figure}, certified under moves"),
    RADIUS: mark("critical radius of {figure}"),
}
WORDS = (
    *(mark("rung"), mark("of"), mark("threat"), mark("size")),
    *(mark("domain auc"), mark("coverage"), mark("coverage deficit"), mark("wrong name share")),
    *(mark("misses never analysed"), mark("label agreement kappa")),
)
"""Figures and what narrows them down, beside those that criteria can name."""


def figure_named(metric: str) -> str:
    """Return the name of a figure in words: "sensitivity gap", "equalized odds, found …"."""
    for ending, text in ENDINGS.items():
        if metric.endswith(ending) and metric != ending:
            return _(text).format(figure=metric_named(metric.removesuffix(ending)))
    return metric_named(metric)


def size_named(metric: str) -> str:
    """Return the name of a figure of which the size is compared: "size of the AUC gap"."""
    if metric.endswith(GAP) or metric in SIGNED:
        return _("size of the {figure}").format(figure=figure_named(metric))
    return figure_named(metric)


def of_named(keys: Mapping[str, object]) -> str:
    """Return what a figure is of: "logistic, sex F against M, threshold 0.5"."""
    told = {name: value for name, value in keys.items() if USUAL.get(name) != value}
    parts = [str(told.pop(name)) for name in ("score", "model") if name in told]
    attribute, group = told.pop("attribute", None), told.pop("group", None)
    if attribute is None and "attribute" in keys:
        group = _("all rows")
    against = told.pop("against", None)
    about = " ".join(_value(one) for one in (attribute, group) if one is not None)
    if against is not None:
        if about:
            about = _("{group} against {other}").format(group=about, other=_value(against))
        else:
            other = str(against)
            about = _("against {other}").format(other=_(other))
    parts += [about] if about else []
    parts += [narrowed(name.replace("_", " "), _value(one)) for name, one in told.items()]
    return wording.separated(parts)


def _value(value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return wording.typed(float(value)) if number else str(value)  # type: ignore[arg-type]

"""Templates and pages in the language that results.json names."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from reportgen.language import SOURCE, _, mark, n_, p_, use
from reportgen.render.view import Plain
from reportgen.spacing import Spaced, joined
from reportgen.wording import alternatives, day, gap, separated

CODES = (
    *(mark("pass"), mark("note"), mark("warn"), mark("fail")),
    *(mark("release"), mark("conditional"), mark("hold")),
    *(mark("undecided"), mark("not assessable")),
    *(mark("text read"), mark("text not checked")),
    *(mark("criteria"), mark("run")),
    *(mark("present"), mark("not installed")),
)
"""Codes of results.json that templates show through the filter ``translated``."""
_NAMED = re.compile(r"%\((\w+)\)s")
Maker = TypeVar("Maker", bound=Callable[..., Any])


def in_its_language(make: Maker) -> Maker:
    """Return a function of results that writes in the language that they name."""

    @functools.wraps(make)
    def made(results: Plain, *args: Any, **kwargs: Any) -> Any:
        with use(results["dossier"].get("language", SOURCE)):
            return make(results, *args, **kwargs)

    return made  # type: ignore[return-value]


def install(environment: Environment) -> None:
    """Give templates ``{% trans %}``, ``_("…")`` and the filters below.

    What they return depends on the language at the time of rendering, not of compiling, so that one
    environment serves all languages. A message is safe HTML, what is put into it is escaped.
    """
    made: Any = environment
    made.add_extension("jinja2.ext.i18n")
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(_, n_, newstyle=True, pgettext=p_)
    made.globals.update(gettext=_in_template(_, 1), ngettext=_in_template(n_, 3))
    made.globals.update(pgettext=_in_template(p_, 2), gap=gap)
    made.filters.update(translated=_, separated=separated, alternatives=alternatives, day=day)


def _in_template(translate: Callable[..., str], given: int) -> Callable[..., str]:
    """Return what a template calls: `given` places of a message, then the values by name.

    As Jinja's own, but that the spaces of a message may depend on its values.
    """

    @pass_context
    def translated(context: Context, *message: Any, **values: Any) -> str:
        text = translate(*message[:given])
        if given == 3:  # the number of a plural form
            values.setdefault("num", message[2])
        html = bool(context.eval_ctx.autoescape)
        if not isinstance(text, Spaced):
            return (Markup(text) if html else text) % values  # noqa: S704 - from our own catalogue
        return _filled(text, values, html=html)

    return translated


def _filled(message: str, values: Mapping[str, Any], *, html: bool) -> str:
    """Return a message with its values, the text around them spaced for them."""
    pieces = _NAMED.split(message)
    texts = [piece.replace("%%", "%") for piece in pieces[::2]]
    filled = [escape(values[name]) if html else str(values[name]) for name in pieces[1::2]]
    taken = [piece for pair in zip(texts, [*filled, ""], strict=True) for piece in pair]
    whole = joined(list(map(str, taken[:-1])))
    return Markup(whole) if html else whole  # noqa: S704 - escaped above

"""Templates and pages in the language that results.json names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from jinja2 import Environment

from reportgen.language import SOURCE, _, mark, n_, p_, use
from reportgen.render.view import Plain
from reportgen.wording import alternatives, day, separated

CODES = (
    *(mark("pass"), mark("note"), mark("warn"), mark("fail")),
    *(mark("release"), mark("conditional"), mark("hold")),
    *(mark("undecided"), mark("not assessable")),
    *(mark("text read"), mark("text not checked")),
    *(mark("criteria"), mark("run")),
)
"""Codes of results.json that templates show through the filter ``translated``."""
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
    made.filters.update(translated=_, separated=separated, alternatives=alternatives, day=day)

"""What a section is.

To add one:

1. Write ``reportgen/sections/<kind>.py``: its settings (extending ``SectionSettings``), its result
   (frozen dataclasses; a table is a tuple of *flat* rows of numbers, text, bools and ``Estimate``),
   ``compute(inputs, settings, context) -> Outcome``, ``check(settings, tables)`` for mistakes that
   can be seen without computing, ``check_inputs(settings, inputs)`` for those that take the data,
   and ``CODES`` with every finding it can make. Figures in sentences are written by
   ``reportgen/wording.py``.
2. Write ``templates/sections/<kind>.html.j2`` for its page and ``templates/methods/<kind>.html.j2``
   for its formulas and references; name its figures in ``reportgen/render/figures/<kind>.py``.
3. Add its ``SECTION`` to the literal list in ``reportgen/sections/__init__.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reportgen.errors import Key, KeyFault
from reportgen.inputs import Inputs, TableSettings
from reportgen.result import Outcome, Severity
from reportgen.settings import SectionSettings


def _silent(done: float) -> None:
    """Ignore progress."""


def _no_lists(_settings: Any) -> Mapping[Key, str]:
    """Name no table."""
    return {}


def _no_faults(_settings: Any, _inputs: Inputs) -> Iterable[KeyFault]:
    """Find nothing wrong with the inputs."""
    return ()


@dataclass(frozen=True)
class Context:
    """What the run lends to a section.

    Attributes
    ----------
    rng : numpy.random.Generator
        This section's own generator, made from the manifest's seed and the section's id.
    resamples : int
        Number of bootstrap resamples.
    confidence : float
        Coverage of every interval, 0 < confidence < 1.
    progress : callable
        Takes the share done, 0 to 1.
    """

    rng: np.random.Generator
    resamples: int
    confidence: float
    progress: Callable[[float], None] = _silent


@dataclass(frozen=True)
class Code:
    """A finding's code with what it means, for the dossier and for ``reportgen explain``."""

    code: str
    severities: tuple[Severity, ...]
    meaning: str


@dataclass(frozen=True)
class Section:
    """One kind of section: a name, its settings and what it computes.

    Attributes
    ----------
    kind : str
        Name in the manifest.
    title : str
        Heading unless the manifest gives another.
    question : str
        What the section answers, in one line.
    settings : type
        Its settings, a subclass of SectionSettings.
    compute : callable
        ``compute(inputs, settings, context) -> Outcome``.
    check : callable
        ``check(settings, tables)`` yields a KeyFault, its key relative to the section, for each
        mistake that the manifest alone shows.
    codes : tuple of Code
        Every finding it can make.
    check_inputs : callable
        ``check_inputs(settings, inputs)`` yields a KeyFault, its key relative to the section, for
        each mistake that only the data show, such as a reference group that does not occur.
    lists : callable
        ``lists(settings)`` gives the tables of plain text that the settings name: the key, relative
        to the section, of each and its path. They are in ``inputs.lists`` under the section's id
        and the key as text.
    names : mapping of text to tuple of Key
        By block of the manifest ("images", say) the keys, relative to the section, at which its
        settings name an entry of that block. The keys "table" and "unlabelled" need no mention.
    """

    kind: str
    title: str
    question: str
    settings: type[SectionSettings]
    compute: Callable[[Inputs, Any, Context], Outcome]
    check: Callable[[Any, Mapping[str, TableSettings]], Iterable[KeyFault]]
    codes: tuple[Code, ...]
    check_inputs: Callable[[Any, Inputs], Iterable[KeyFault]] = _no_faults
    lists: Callable[[Any], Mapping[Key, str]] = _no_lists
    names: Mapping[str, tuple[Key, ...]] = field(default_factory=dict)

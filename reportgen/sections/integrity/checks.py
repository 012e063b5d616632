"""Mistakes of an integrity section that need no computing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reportgen.errors import KeyFault
from reportgen.inputs import Inputs, TableSettings
from reportgen.sections.integrity.settings import IntegritySettings


def check(settings: IntegritySettings, tables: Mapping[str, TableSettings]) -> Iterator[KeyFault]:
    """Yield the mistakes that the manifest alone shows."""
    if settings.classifier is not None and settings.classifier.table in tables:
        scores = tables[settings.classifier.table].scores
        if settings.classifier.score is None and len(scores) != 1:
            what = f"table {settings.classifier.table!r} has {len(scores)} scores"
            yield KeyFault(("classifier", "score"), what, "say which one: score: NAME")


def check_inputs(_settings: IntegritySettings, _inputs: Inputs) -> Iterator[KeyFault]:
    """Yield the mistakes that only the data show."""
    yield from ()

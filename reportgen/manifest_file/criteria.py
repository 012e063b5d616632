"""Acceptance criteria against the sections that are to compute their figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.comparison import SECTION as COMPARISON
from reportgen.criteria import SECTION, Criterion, check_criterion
from reportgen.errors import Key, KeyFault
from reportgen.manifest_file.checks import covers, sound_section

RUN = "run"
"""Where the findings of the run as a whole stand."""


def check_criteria(data: Mapping[str, Any], wrong: Sequence[Key]) -> Iterator[KeyFault]:
    """Yield a fault for everything about criteria that the manifest alone shows.

    Parameters
    ----------
    data : mapping
        The plain data.
    wrong : sequence of Key
        Keys that are known to be at fault: nothing rests on them.
    """
    listed = data.get("sections")
    entries = listed if isinstance(listed, list) else []
    names = [_name(entry) for entry in entries]
    yield from _reserved(names)
    sections = {
        name: settings
        for at, name in enumerate(names)
        if name is not None and (settings := sound_section(entries[at], at, wrong)) is not None
    }
    criteria = data.get("criteria")
    seen: dict[str, int] = {}
    for at, entry in enumerate(criteria if isinstance(criteria, list) else []):
        key: Key = ("criteria", at)
        if covers([one[:2] for one in wrong if one[:1] == ("criteria",)], key):
            continue
        criterion = Criterion.model_validate_json(json.dumps(entry))
        name = criterion.id or f"criterion-{at + 1}"
        if name in seen:
            what = f"criteria[{seen[name]}] is called {name!r} already"
            yield KeyFault((*key, "id"), what, "give this criterion an id of its own")
        seen.setdefault(name, at)
        known = [one for one in names if one is not None]
        for fault in check_criterion(criterion, sections, known):
            yield fault.below(*key)


def _name(entry: Any) -> str | None:
    name = entry.get("id", entry.get("kind")) if isinstance(entry, Mapping) else None
    return name if isinstance(name, str) else None


def _reserved(names: Sequence[str | None]) -> Iterator[KeyFault]:
    for at, name in enumerate(names):
        if name in (SECTION, RUN, COMPARISON):
            what = f"{name!r} is where findings stand that belong to no section"
            yield KeyFault(("sections", at, "id"), what, "give this section another id")

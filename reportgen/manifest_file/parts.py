"""What of a manifest can be used whatever is wrong with the rest, so that its data are read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from reportgen.errors import Key
from reportgen.inputs import Outline, PinnedFile, TableSettings
from reportgen.inputs.columns import columns_named
from reportgen.inputs.gathering import BLOCKS, Blocks
from reportgen.inputs.settings import Reading
from reportgen.manifest_file.checks import covers, sound_section, touches
from reportgen.settings import SectionSettings


@dataclass(frozen=True)
class Parts:
    """The blocks of a manifest that have no fault, and what is left of tables that have.

    Attributes
    ----------
    tables : mapping of text to TableSettings
        Sound tables, by name.
    outlines : mapping of text to Outline
        Tables with faults, if it is known which file they mean and how to read it.
    sections : mapping of int to SectionSettings
        Sound sections, by their place in the list.
    plan : PinnedFile or None
        The plan, if there is one without fault.
    blocks : Blocks
        Sound images, detections, class maps and pipelines.
    """

    tables: Mapping[str, TableSettings]
    outlines: Mapping[str, Outline]
    sections: Mapping[int, SectionSettings]
    plan: PinnedFile | None
    blocks: Blocks = field(default_factory=Blocks)


def sound_parts(data: Mapping[str, Any], wrong: Sequence[Key]) -> Parts:
    """Return what stands apart from the keys at fault in a manifest that is plain data."""
    given = data.get("tables")
    tables: dict[str, TableSettings] = {}
    outlines: dict[str, Outline] = {}
    for name, table in given.items() if isinstance(given, dict) else ():
        if not touches(wrong, ("tables", name)):
            tables[name] = TableSettings.model_validate_json(json.dumps(table))
        elif isinstance(table, dict):
            outline = _outline(name, table, wrong)
            outlines |= {} if outline is None else {name: outline}
    listed = data.get("sections")
    sections = {
        at: settings
        for at, entry in enumerate(listed if isinstance(listed, list) else ())
        if (settings := sound_section(entry, at, wrong)) is not None
    }
    plan = data.get("plan")
    sound = plan is not None and not touches(wrong, ("plan",))
    pinned = PinnedFile.model_validate(plan) if sound else None
    return Parts(tables, outlines, sections, pinned, _blocks(data, wrong))


def _blocks(data: Mapping[str, Any], wrong: Sequence[Key]) -> Blocks:
    sound: dict[str, dict[str, Any]] = {}
    for block, model in BLOCKS.items():
        entries = data.get(block)
        sound[block] = {
            name: model.model_validate_json(json.dumps(entry))
            for name, entry in (entries.items() if isinstance(entries, dict) else ())
            if not touches(wrong, (block, name))
        }
    return Blocks(**sound)


def _outline(name: str, table: Mapping[str, Any], wrong: Sequence[Key]) -> Outline | None:
    below: Key = ("tables", name)
    path = table.get("path")
    if not isinstance(path, str) or covers(wrong, (*below, "path")):
        return None
    try:
        reading = Reading.model_validate(table.get("read", {}))
    except ValidationError:
        return None
    if touches(wrong, (*below, "read")):
        return None
    columns = [((*below, *key), column) for key, column in columns_named(table)]
    kept = [(key, column) for key, column in columns if not covers(wrong, key)]
    if touches(wrong, (*below, "bins")):  # they make groups, perhaps misspelt ones
        kept = [(key, column) for key, column in kept if key[2] != "groups"]
    label = table.get("label")
    undecided = None
    if isinstance(label, dict) and not {"positive", "time", "event"} & label.keys():
        undecided = label.get("column")
    column = undecided if isinstance(undecided, str) else None
    return Outline(path, reading, tuple(kept), column)

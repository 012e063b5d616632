"""A manifest and everything it names: read, with every fault of both told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from reportgen.computing import KINDS
from reportgen.errors import Fault, InputError, Key, ManifestError
from reportgen.inputs import InputRecord, Inputs, gather_inputs
from reportgen.inputs.beside import Finder
from reportgen.inputs.fonts import read_font_dirs
from reportgen.inputs.gathering import Blocks, ListFile, gather_blocks, gather_lists
from reportgen.inputs.models import Doors, ModelSettings, ReadModel, read_model
from reportgen.inputs.settings import BinaryLabel
from reportgen.language import SOURCE, use
from reportgen.letters import undrawable
from reportgen.manifest import Manifest
from reportgen.manifest_file import Draft, draft_manifest
from reportgen.manifest_file.parts import Parts
from reportgen.manifest_file.references import inputs_named
from reportgen.settings import SectionSettings


def prepare(
    manifest_path: Path | str,
    *,
    overrides: Iterable[tuple[str, str]] = (),
    allow_outside: bool = False,
    allow_pickle: bool = False,
    allow_code: bool = False,
) -> tuple[Manifest, Inputs]:
    """Load a manifest and read its inputs; parameters are those of :func:`reportgen.build.build`.

    Raises
    ------
    RequestError
        With every fault of both, in the order of their lines: what a manifest with faults still
        names is read too.
    """
    draft = draft_manifest(manifest_path, overrides=overrides, allow_outside=allow_outside)
    with use(SOURCE if draft.settings is None else draft.settings.dossier.language):
        inputs, faults = _read(draft, draft.parts, Doors(allow_pickle, allow_code))
    if faults:
        kind = ManifestError if draft.faults else InputError
        raise kind(sorted([*draft.faults, *faults], key=lambda fault: draft.line(fault.key)))
    return draft.manifest(), inputs


def read(manifest: Manifest, *, allow_pickle: bool = False, allow_code: bool = False) -> Inputs:
    """Read every input of a manifest.

    Raises
    ------
    InputError
        With every fault of every input, and with what the sections find wrong with the data.
    """
    settings = manifest.settings
    sections = dict(enumerate(settings.sections))
    blocks = Blocks(settings.images, settings.detections, settings.class_maps, settings.pipelines)
    parts = Parts(settings.tables, {}, sections, settings.plan, blocks)
    with use(settings.dossier.language):
        inputs, faults = _read(manifest, parts, Doors(allow_pickle, allow_code))
    if faults:
        raise InputError(sorted(faults, key=lambda fault: manifest.line(fault.key)))
    return inputs


def _read(manifest: Manifest | Draft, parts: Parts, doors: Doors) -> tuple[Inputs, list[Fault]]:
    """Read what can be read; what cannot is a fault, so is what the sections find in the data."""
    inputs, faults = gather_inputs(
        parts.tables,
        folder=manifest.path.parent,
        where=manifest.where,
        plan=parts.plan,
        allow_outside=manifest.allow_outside,
        outlines=parts.outlines,
    )
    finder = Finder(manifest.path.parent, manifest.where, manifest.allow_outside)
    beside, wrong = gather_blocks(parts.blocks, finder)
    models, of_models, unfit = _models(parts, finder, doors)
    lists, of_lists, unlisted, lacking = gather_lists(_lists(parts.sections), finder)
    folders = () if manifest.settings is None else manifest.settings.dossier.font_dirs
    fonts, of_fonts, not_fonts = read_font_dirs(folders, finder)
    inputs = replace(
        beside,
        tables=inputs.tables,
        records=(*inputs.records, *beside.records, *of_models, *of_lists, *of_fonts),
        models=models,
        lists=lists,
        plan=inputs.plan,
        fonts=fonts,
    )
    faults += [*wrong, *unfit, *unlisted, *not_fonts]
    for at, settings in parts.sections.items():
        if settings.name in lacking or not _all_read(settings, inputs):
            continue  # one of its inputs cannot be read, which is a fault already
        for fault in KINDS[settings.kind].check_inputs(settings, inputs):
            placed = fault.below("sections", at)
            where = manifest.where(placed.key)
            faults.append(Fault(where, placed.what, placed.mend, placed.key, placed.count))
    if manifest.settings is not None:
        faults += undrawable(manifest.settings, inputs, manifest.where)
    return inputs, faults


def _all_read(settings: SectionSettings, inputs: Inputs) -> bool:
    """Return whether every input that a section names is there."""
    named = inputs_named(settings.model_dump())
    return all(name in getattr(inputs, block) for block, name in named)


def _lists(sections: Mapping[int, SectionSettings]) -> list[ListFile]:
    """Return the tables of plain text that sections name."""
    return [
        ListFile(settings.name, key, ("sections", at, *key), path)
        for at, settings in sections.items()
        for key, path in KINDS[settings.kind].lists(settings).items()
    ]


def _models(
    parts: Parts, finder: Finder, doors: Doors
) -> tuple[dict[str, ReadModel], list[InputRecord], list[Fault]]:
    """Read the models that sections name, by the id of the section."""
    models: dict[str, ReadModel] = {}
    records: list[InputRecord] = []
    faults: list[Fault] = []
    for at, section in parts.sections.items():
        named = getattr(section, "model", None)
        if not isinstance(named, ModelSettings):
            continue
        try:
            key: Key = ("sections", at, "model")
            table = parts.tables.get(str(getattr(section, "table", "")))
            label = table.label if table and isinstance(table.label, BinaryLabel) else None
            models[section.name], record = read_model(
                named, key=key, finder=finder, doors=doors, label=label
            )
            records.append(record)
        except InputError as error:
            faults += error.faults
    return models, records, faults

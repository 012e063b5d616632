"""All the files of a run: found, digested, read, converted and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from reportgen.errors import Key
from reportgen.inputs.settings import PinnedFile, TableSettings
from reportgen.inputs.table import Inputs


def read_inputs(
    tables: Mapping[str, TableSettings],
    *,
    folder: Path,
    where: Callable[[Key], str],
    plan: PinnedFile | None = None,
    allow_outside: bool = False,
) -> Inputs:
    """Read every table of a manifest.

    Parameters
    ----------
    tables : mapping of text to TableSettings
        What the manifest declares, by name.
    folder : pathlib.Path
        The folder that paths are relative to and must stay inside.
    where : callable
        Turns a manifest key into its place, for faults.
    plan : PinnedFile, optional
        The analysis plan: digested and recorded, not read.
    allow_outside : bool
        Whether paths may leave `folder`.

    Returns
    -------
    Inputs
        Tables and one record a file, in the order of the manifest; the plan's record is last.

    Raises
    ------
    InputError
        With the faults of all tables, at most twenty a table and a line that counts the rest.
    """
    raise NotImplementedError

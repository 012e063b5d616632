"""A small sound request, which the hostile tests spoil in one place each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.bounded import MOST_SECONDS, Ran, Server
from tests.support.catalogue import columns, label, tree

Files = dict[str, bytes]
ROWS = columns(id=[f"r{i}" for i in range(40)], y=[0, 1] * 20, p=[0.2, 0.8] * 20).encode()
SOUND = {"path": "t.csv", "label": label(), "scores": {"s": "p"}, "key": "id"}


def request_of(table: dict[str, Any] | None = None, **blocks: Any) -> str:
    """Return the text of a manifest around a table."""
    sections = blocks.pop("sections", [{"kind": "dca", "table": "t", "thresholds": [0.5]}])
    data = {
        "reportgen": 1,
        "dossier": {"title": "T", "date": "2026-11-30"},
        "model": {"name": "m", "version": "1"},
        "defaults": {"resamples": 100},
        "tables": {"t": {**SOUND, **(table or {})}},
        **blocks,
        "sections": sections,
    }
    return json.dumps(data, indent=1)


def write(folder: Path, files: Files) -> None:
    """Write files into a folder."""
    for name, content in files.items():
        (folder / name).write_bytes(content)


def refused(server: Server, folder: Path, *options: str, draws: bool = False) -> Ran:
    """Assert that a build says one to three lines, exits with 2, and writes nothing."""
    before = tree(folder)
    words = ("build", "m.yaml", "-o", "out", "--format", "html", *options)
    ran = server.run(folder, *words, draws=draws)
    assert (ran.status, ran.out) == (2, ""), ran
    # A line a section that was computed is no fault.
    lines = [line for line in ran.err.splitlines() if not line.endswith(": done")]
    closing = lines.pop()
    assert closing.endswith("nothing was written"), ran
    assert 1 <= len(lines) <= 3, ran
    assert max(map(len, lines)) < 2100
    assert "Traceback" not in ran.err
    assert tree(folder) == before
    assert ran.seconds < MOST_SECONDS
    return ran

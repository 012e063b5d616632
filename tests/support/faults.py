"""The command line in a process of its own that starts with what this one has imported."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import reportgen.archiving
import reportgen.build
import reportgen.release.crate
import reportgen.render.html  # noqa: F401 - imported once, before processes are made of this one
from reportgen.cli import main
from tests.support.bare_pages import without_charts, without_fonts

MANIFEST = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30}
model: {name: m, version: "1"}
sections:
  - {kind: prevalence, id: one, prevalences: [0.1], sensitivity: {k: 80, n: 100},
     specificity: {k: 450, n: 500}}
  - {kind: prevalence, id: two, prevalences: [0.2], sensitivity: {k: 80, n: 100},
     specificity: {k: 450, n: 500}}
"""


class Done(NamedTuple):
    """How a run of the command line ended."""

    status: int
    out: str
    err: str


def nothing() -> None:
    """Prepare nothing."""


def run(folder: Path, *words: str, before: Callable[[], object] = nothing) -> Done:
    """Run the command line in `folder`; `before` is called in its process, ahead of it.

    Fonts and charts are left out: no test here looks at a letter or a line.
    """
    if not hasattr(os, "fork"):
        pytest.skip("this system starts no process with the memory of another one")
    out, err = folder / ".out", folder / ".err"
    child = os.fork()
    if child == 0:
        _work(folder, words, (out, err), before)
    _, ended = os.waitpid(child, 0)
    texts = [path.read_text("utf-8", "replace") if path.exists() else "" for path in (out, err)]
    for path in (out, err):
        path.unlink(missing_ok=True)
    return Done(os.waitstatus_to_exitcode(ended), *texts)


def _work(
    folder: Path, words: tuple[str, ...], said: tuple[Path, Path], before: Callable[[], object]
) -> None:
    status = 99
    try:
        os.chdir(folder)
        for number, path in enumerate(said, start=1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdout, sys.stderr = (open(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))  # noqa: SIM115
        patch = pytest.MonkeyPatch()
        without_fonts(patch)
        without_charts(patch)
        before()
        main(list(words))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        os._exit(status)


def real(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as its users do, with variables put over the environment."""
    return subprocess.run(
        [sys.executable, "-m", "reportgen.cli", *words],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


def require_clear(done: Done, *parts: str, status: int = 2) -> None:
    """Check that a run ended with this status and clear lines that hold `parts`."""
    assert done.status == status, done
    assert "Traceback" not in done.err
    assert "fault of ours" not in done.err
    for part in parts:
        assert part in done.err, done.err


def bytes_of(folder: Path) -> dict[str, str]:
    """Return the digest of every file of a folder, hidden ones too, by its name."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def killed(*_: object) -> None:
    """Kill the process that calls this, as a system does that runs out of memory."""
    os.kill(os.getpid(), signal.SIGKILL)

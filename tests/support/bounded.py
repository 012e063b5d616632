"""The command line with bounds on its time and memory, one process a run.

A server imports the product once and forks a process for every run: a run costs no start.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

MOST_MEMORY = 3 * 2**30
MOST_SECONDS = 120
"""Processor time: a busy machine makes a run longer, not dearer."""


@dataclass(frozen=True)
class Ran:
    """What a run said and took.

    Attributes
    ----------
    status : int
        Exit status; below 0, the signal that ended it.
    out, err : str
    memory : int
        Most bytes in use.
    seconds : float
        Of processor time.
    """

    status: int
    out: str
    err: str
    memory: int
    seconds: float


class Server:
    """Runs commands with bounds, one after another."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.bounded"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[2],
            env={**os.environ, "OMP_NUM_THREADS": "1", "REPORTGEN_CACHE": "off"},
        )

    def run(self, folder: Path, *words: str, draws: bool = False) -> Ran:
        """Run a command in a folder; what `draws` charts may reserve more addresses than it fills.

        The engine that draws charts reserves far more than memory at its start, so that the memory
        of such a run is measured and not limited.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(folder), words, draws]), file=self.process.stdin, flush=True)
        ran = Ran(**json.loads(self.process.stdout.readline()))
        assert ran.memory < MOST_MEMORY
        return ran

    def close(self) -> None:
        """End the server."""
        self.process.communicate(timeout=60)  # closes both pipes


def _serve() -> None:
    import reportgen.build
    import reportgen.cli  # noqa: F401

    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        folder, words, draws = json.loads(line)
        print(json.dumps(_ran(folder, words, draws)), file=answers, flush=True)


def _ran(folder: str, words: Sequence[str], draws: bool) -> dict[str, Any]:
    with TemporaryFile() as out, TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            _become(folder, words, (out.fileno(), err.fileno()), draws)
        _, status, used = os.wait4(child, 0)
        said = [_whole(one) for one in (out, err)]
    return {
        "status": os.waitstatus_to_exitcode(status),
        "out": said[0],
        "err": said[1],
        "memory": used.ru_maxrss * 1024,
        "seconds": used.ru_utime + used.ru_stime,
    }


def _whole(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _become(folder: str, words: Sequence[str], ends: Sequence[int], draws: bool) -> None:
    from reportgen.cli import main

    os.chdir(folder)
    for number, end in enumerate(ends, start=1):
        os.dup2(end, number)
    sys.stdout, sys.stderr = (os.fdopen(n, "w", encoding="utf-8") for n in (1, 2))
    if not draws:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    signal.alarm(5 * MOST_SECONDS)  # for a run that waits and does not work
    status: Any = 70
    try:
        main(list(words))
    except SystemExit as done:
        status = done.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 0 if status is None else 1)


if __name__ == "__main__":
    _serve()

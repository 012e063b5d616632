"""What is said to people, on standard error: lines, faults, progress."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
import unicodedata
from contextlib import ExitStack, suppress
from typing import Any

import click

from reportgen import __version__
from reportgen.errors import ReportgenError

NO, WRONG, OURS, INTERRUPTED = 1, 2, 70, 130
"""Exit statuses: the answer is no; the request is wrong; a fault of ours; stopped by the user."""

LONGEST, MOST_FAULTS = 2000, 100


def say(text: str, *, bold: bool = False) -> None:
    """Print a line for people, on standard error; control characters in it stay visible.

    A standard error that takes nothing (closed, or on a full disk) stops no run: what is told there
    is for people, and the exit status says the rest.
    """
    plain = os.environ.get("NO_COLOR", "") != ""
    with suppress(OSError):
        click.secho(shown(text), err=True, bold=bold or None, color=False if plain else None)


def shown(text: str) -> str:
    """Return text with its control characters escaped; blanks of any width become plain ones."""
    return "".join(
        c
        if c.isprintable()
        else " "
        if unicodedata.category(c) == "Zs"
        else c.encode("unicode_escape").decode()
        for c in text
    )


def report_faults(error: ReportgenError, *, written: bool) -> int:
    """Say every fault, a line each, and return the exit status."""
    count = sum(fault.count for fault in error.faults)
    for fault in error.faults[:MOST_FAULTS]:
        say(_shortened(str(fault)))
    if len(error.faults) > MOST_FAULTS:
        more = sum(fault.count for fault in error.faults[MOST_FAULTS:])
        say(f"and {more} more faults: mend these first, then check again")
    closing = "" if written else "; nothing was written"
    say(f"{count} fault{'s' if count != 1 else ''}{closing}", bold=True)
    return WRONG


def _shortened(line: str) -> str:
    """Return a line that can be read: the middle of what quotes a file at length is left out."""
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"


def report_ours(error: Exception) -> None:
    """Say where the traceback of a fault of ours was put."""
    what = f"reportgen {__version__}: a fault of ours, {type(error).__name__}"
    try:
        handle, path = tempfile.mkstemp(prefix="reportgen-fault-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            traceback.print_exception(error, file=file)
    except OSError:  # no place left for temporary files
        say(f"{what} ({error}); please report it")
        return
    say(f"{what}; please report {path}")


def output_lost(error: OSError) -> bool:
    """Return whether an error is one of standard output (a full disk), having said so.

    Only click writes there; standard error, which it writes too, loses its errors in `say`.
    """
    names = [frame.f_globals.get("__name__") for frame, _ in traceback.walk_tb(error.__traceback__)]
    if names[-1:] != [click.utils.__name__]:
        return False
    what = f"standard output cannot be written ({error.strerror or error})"
    say(f"{what}; send it elsewhere, what was made before stays")
    return True


def hold_streams() -> None:
    """Open what was closed of standard input, output and error on nothing.

    Else the next file that is opened, one of the dossier maybe, would get the number of a closed
    stream, and whatever a library writes there would go into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one


class Progress:
    """Shows how far each section is: a bar on a terminal, else a line when it is done."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.open = ExitStack()
        self.bars: dict[str, Any] = {}

    def __call__(self, section: str, done: float) -> None:
        """Take the share of a section that is done, 0 to 1."""
        if self.quiet:
            return
        if self.terminal:
            self._bar(section, done)
        elif done >= 1:
            say(f"{section}: done")

    def _bar(self, section: str, done: float) -> None:
        if section not in self.bars:
            bar = click.progressbar(length=100, label=section, file=sys.stderr, show_eta=False)
            self.bars[section] = self.open.enter_context(bar)
        bar = self.bars[section]
        bar.update(round(100 * done) - bar.pos)
        if done >= 1:
            self.open.close()

"""What is said to people, on standard error: lines, faults, progress."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
import unicodedata
from contextlib import ExitStack
from typing import Any

import click

from reportgen import __version__
from reportgen.errors import ReportgenError

NO, WRONG, OURS, INTERRUPTED = 1, 2, 70, 130
"""Exit statuses: the answer is no; the request is wrong; a fault of ours; stopped by the user."""


def say(text: str, *, bold: bool = False) -> None:
    """Print a line for people, on standard error; control characters in it stay visible."""
    plain = os.environ.get("NO_COLOR", "") != ""
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
    for fault in error.faults:
        say(str(fault))
    count = len(error.faults)
    closing = "" if written else "; nothing was written"
    say(f"{count} fault{'s' if count != 1 else ''}{closing}", bold=True)
    return WRONG


def report_ours(error: Exception) -> None:
    """Say where the traceback of a fault of ours was put."""
    handle, path = tempfile.mkstemp(prefix="reportgen-fault-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        traceback.print_exception(error, file=file)
    say(f"reportgen {__version__}: a fault of ours, {type(error).__name__}; please report {path}")


class Progress:
    """Shows how far each section is: a bar on a terminal, else a line when it is done."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.terminal = sys.stderr.isatty()
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

"""What a PDF holds, read by other software than the one that made it."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page
import pikepdf
import pytest

Matrix = tuple[float, ...]
EPOCH = "1795996800"
"""2026-11-30, the only date that any of these files may hold."""
UNIT: Matrix = (1, 0, 0, 1, 0, 0)


def failed_rules(file: Path, standard: str) -> list[str]:
    """Return the rules of "2a", "3a" or "ua1" that page-validation finds broken."""
    report = page.validate_pdf(str(file), profile=standard)
    assert report.rules.total > 100
    failures = sorted({failure.rule_id for failure in report.failures})
    assert report.is_compliant == (not failures)
    return failures


def unfinished(html: str, identifier: str = "i") -> bytes:
    """Return the PDF as WeasyPrint alone writes it, from a process of its own as always."""
    code = (
        "import sys; from reportgen.render.pdf import render; "
        f"sys.stdout.buffer.write(render(sys.stdin.read(), identifier={identifier!r}))"
    )
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "SOURCE_DATE_EPOCH": EPOCH}
    return subprocess.run(
        command, input=html.encode(), env=environment, capture_output=True, check=True
    ).stdout


def tool(name: str, *words: str) -> str:
    """Return what a tool of the machine prints; skip, saying so, where it is not there."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not on this machine")
    done = subprocess.run([name, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def text_sizes(file: Path) -> Iterator[tuple[float, int]]:
    """Yield the size of every run of text as it is printed, in points, and its page."""
    with pikepdf.open(file) as pdf:
        for number, sheet in enumerate(pdf.pages, 1):
            for size in _sizes(sheet, sheet.Resources, UNIT):
                yield size, number


def _sizes(content: Any, resources: Any, ctm: Matrix) -> Iterator[float]:
    saved: list[tuple[Matrix, float]] = []
    text, size = UNIT, 0.0
    for step in pikepdf.parse_content_stream(content):
        operands: Any = step.operands
        match str(step.operator):
            case "q":
                saved.append((ctm, size))
            case "Q":
                ctm, size = saved.pop()
            case "cm":
                ctm = _after(_numbers(operands), ctm)
            case "Tf":
                size = float(operands[1])
            case "Tm":
                text = _numbers(operands)
            case "Tj" | "TJ":
                whole = _after(text, ctm)
                yield size * math.hypot(whole[2], whole[3])
            case "Do":
                form = resources.XObject[operands[0]]
                if form.Subtype == pikepdf.Name.Form:
                    moved = _after(_numbers(form.get("/Matrix", UNIT)), ctm)
                    yield from _sizes(form, form.get("/Resources", resources), moved)


def _numbers(operands: Any) -> Matrix:
    return tuple(float(number) for number in operands)


def _after(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (
        a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j,
        e * g + f * i + k, e * h + f * j + m,
    )  # fmt: skip


def margins(file: Path) -> dict[str, float]:
    """Return the least distance of any word to each edge of its page, in millimetres (poppler)."""
    text = tool("pdftotext", "-bbox", str(file), "-")
    least = dict.fromkeys(("left", "top", "right", "bottom"), math.inf)
    width = height = 0.0
    number = r'="([-\d.]+)"'
    for line in text.splitlines():
        if found := re.search(f"<page width{number} height{number}", line):
            width, height = map(float, found.groups())
        elif found := re.search(f"<word xMin{number} yMin{number} xMax{number} yMax{number}", line):
            left, top, right, bottom = map(float, found.groups())
            gaps = {"left": left, "top": top, "right": width - right, "bottom": height - bottom}
            least = {edge: min(least[edge], gap / 72 * 25.4) for edge, gap in gaps.items()}
    return least

"""What the pages of a dossier of about 30 pages cost, against WeasyPrint alone on the same HTML.

Run with ``make bench``. A small dossier is built once. Then a process makes all its pages from its
results (charts, page for the screen, page for print, PDF with tags and metadata), and ``python -m
weasyprint`` turns the page for print into a PDF and does no more. CPU seconds of the processes are
compared, loading included and the clock left out, so that a busy machine changes little; the least
of a few runs counts. ``reportgen render``, which also checks the record it reads, and
``reportgen --help`` are shown beside.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pikepdf

from reportgen.render.fonts import SCHEME, STYLES, font_file
from reportgen.render.html import render_pages

PAGES_OF_RESULTS = """
import json, sys
from pathlib import Path
from reportgen.render.html import render_pages
from reportgen.render.pdf import write_pdf
pages = render_pages(json.loads(Path(sys.argv[1]).read_text("utf-8")))
Path("ours.html").write_text(pages.html, "utf-8")
write_pdf(pages.print_html, Path("ours.pdf"), identifier="0" * 64, date="2026-11-30")
"""
MANIFEST = Path(__file__).resolve().parents[2] / "examples" / "diabetes" / "manifest.yaml"
SECTIONS = ("prevalence",)
PAGES = range(20, 41)
RUNS = 3
MOST_RATIO, MOST_SECONDS_OF_HELP = 2.0, 0.3


def run(words: Sequence[str | Path], folder: Path) -> str:
    command = [sys.executable, "-P", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of the processes that `work` starts, the least of a few runs."""
    spent = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        work()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def built(folder: Path) -> Path:
    only = [word for name in SECTIONS for word in ("--only", name)]
    quick = ("--quiet", "--set", "defaults.resamples=200")
    words: list[str | Path] = ["-m", "reportgen.cli", "build", MANIFEST, "-o", "o", *only, *quick]
    return folder / run(words, folder).splitlines()[-1]


def page_for_print(dossier: Path, folder: Path) -> Path:
    """Write the page that the PDF is laid out from, its fonts by their files."""
    html = render_pages(json.loads((dossier / "results.json").read_text("utf-8"))).print_html
    for style in STYLES:
        html = html.replace(f"{SCHEME}:{style}", font_file(style).as_uri())
    path = folder / "print.html"
    path.write_text(html, "utf-8")
    return path


def main() -> int:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with TemporaryDirectory() as name:
        folder = Path(name)
        dossier = built(folder)
        page = page_for_print(dossier, folder)
        ours = cpu(lambda: run(["-c", PAGES_OF_RESULTS, dossier / "results.json"], folder))
        command = cpu(lambda: run(["-m", "reportgen.cli", "render", dossier, "--quiet"], folder))
        bare = cpu(lambda: run(["-m", "weasyprint", page, "bare.pdf"], folder))
        with (
            pikepdf.open(folder / "ours.pdf") as pdf,
            pikepdf.open(folder / "bare.pdf") as plain,
        ):
            pages = len(pdf.pages)
            assert len(plain.pages) == pages  # the same work
        seconds = cpu(lambda: run(["-m", "reportgen.cli", "--help"], folder))
        charts = len(re.findall("<img class=", page.read_text("utf-8")))
    sys.stdout.write(
        f"{pages} pages, {charts} charts: {ours:.1f} s CPU; WeasyPrint alone {bare:.1f} s\n"
    )
    sys.stdout.write(
        f"ratio {ours / bare:.2f} (at most {MOST_RATIO}); reportgen render {command / bare:.2f}\n"
    )
    sys.stdout.write(f"reportgen --help {seconds:.2f} s CPU (at most {MOST_SECONDS_OF_HELP})\n")
    return int(pages not in PAGES or ours > MOST_RATIO * bare or seconds > MOST_SECONDS_OF_HELP)


if __name__ == "__main__":
    sys.exit(main())

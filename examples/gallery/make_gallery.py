"""Pictures of the example dossier for the README: first pages, a page of each section, sign-off.

    make gallery                                      builds the example first
    python examples/gallery/make_gallery.py DOSSIER   from a dossier's folder that is there

A page is found by words that stand on it, so that it stays the right one when others are added.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

HERE = Path(__file__).resolve().parent
DOTS_PER_INCH, COLOURS, MOST_BYTES = 88, 256, 150_000
PAGES: dict[str, tuple[str, ...]] = {
    "cover": ("What decides", "Digest (SHA-256)"),
    "risk-list": ("Risk list", "As it stands", "At worst"),
    "frame": ("Figure", "Gaps in AUC, logistic.", "margin ±"),
    "robust": ("Worst gap against the size of the moves.", "All metrics at once."),
    "dca": ("Decision curve.", "Net benefit of each strategy."),
    "prevalence": (
        "Precision (positive predictive value) against prevalence.",
        "Prevalence (logarithmic)",
    ),
    "integrity": ("Nearest pair.", "From left: the image, its twin"),
    "pipeline": ("From benchmark to user, by class.", "Rightly named"),
    "crosswalk": ("EU AI Act, Annex IV", "What is asked, and how far"),
    "sign-off": ("Sign-off", "Signature", "Role"),
}
"""Name of the picture, and words of its page, all of which stand on it."""


def build(folder: Path) -> Path:
    """Build the example into a folder; return its dossier."""
    words = [sys.executable, "-m", "reportgen.cli", "demo", "-o", str(folder / "demo")]
    subprocess.run(words, check=True, capture_output=True)  # noqa: S603
    return next((folder / "demo").rglob("dossier.pdf")).parent


def texts(pdf: Path) -> list[str]:
    """Return the text of each page, white space as one blank."""
    words = ["pdftotext", "-layout", str(pdf), "-"]
    done = subprocess.run(words, check=True, capture_output=True, encoding="utf-8")  # noqa: S603
    return [" ".join(page.split()) for page in done.stdout.split("\f")]


def page_with(pages: Sequence[str], words: Sequence[str]) -> int:
    """Return the number of the first page that holds all of `words`; lists of contents are none."""
    for number, text in enumerate(pages, 1):
        if all(word in text for word in words) and not re.search(r"(?: \.){9}|\.{9}", text):
            return number
    raise SystemExit(f"no page holds all of {', '.join(words)}")


def picture(pdf: Path, number: int, target: Path) -> None:
    """Write a page as a small PNG with few colours."""
    with TemporaryDirectory() as folder:
        stem = Path(folder) / "page"
        at = ["-f", str(number), "-l", str(number), "-r", str(DOTS_PER_INCH), "-singlefile"]
        words = ["pdftoppm", "-png", *at, str(pdf), str(stem)]
        subprocess.run(words, check=True)  # noqa: S603
        with Image.open(stem.with_suffix(".png")) as page:
            few = page.convert("RGB").quantize(
                COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
            )
            few.save(target, optimize=True)
    if target.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{target.name} is larger than {MOST_BYTES} bytes")


def main(words: Sequence[str]) -> None:
    """Write every picture beside this file."""
    with TemporaryDirectory() as folder:
        pdf = (Path(words[0]) if words else build(Path(folder))) / "dossier.pdf"
        pages = texts(pdf)
        for name, wanted in PAGES.items():
            picture(pdf, page_with(pages, wanted), HERE / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Make the digit images of this example, with defects that an audit of partitions must find.

The pictures are handwritten digits of the UCI data set "Optical Recognition of Handwritten Digits"
(Alpaydin and Kaynak 1998) as scikit-learn ships them: 8 x 8 pixels, who wrote which is not said.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits

Picture = NDArray[np.uint8]

SEED = 20261130
GREY = 15
"""Grey levels a step of the source's 0 to 16."""
A_CLASS = {"train": 12, "valid": 3, "test": 4}
ABSENT = {"valid": 9}
"""The class that a split lacks."""
ALIKE = {"train": 1585, "test": 1648}
"""Two different ones that look alike: the nearest of all 1,797 pictures, and no copies."""
TURNS: dict[str, Callable[[Picture], Picture]] = {
    "rotate_90": lambda picture: np.rot90(picture),
    "rotate_180": lambda picture: np.rot90(picture, 2),
    "rotate_270": lambda picture: np.rot90(picture, 3),
    "flip_left_right": np.fliplr,
    "flip_top_bottom": np.flipud,
    "transpose": np.transpose,
}
FAINT, SHIFTED = 3, 2
"""Declared copies of one source: paler with noise, and moved by one pixel."""
CONFLICT = (8, "3")
"""A class of which one exact copy gets another label."""


@dataclass(frozen=True)
class Digit:
    """One picture with what the image table says of it; `planted` says what it is in truth."""

    split: str
    source: str
    label: str
    pixels: Picture
    planted: str = ""
    of: str = ""


def digit_files() -> dict[str, bytes]:
    """Return the files, name to bytes: pictures, the table of images, the reviewed pairs."""
    rng = np.random.default_rng(SEED)
    digits = _drawn(rng)
    digits += _planted(digits, rng)
    order = sorted(
        rng.permutation(len(digits)), key=lambda at: list(A_CLASS).index(digits[at].split)
    )
    named = {f"d{number:03d}": digits[at] for number, at in enumerate(order, start=1)}
    files = {f"digits/images/{name}.png": _png(digit) for name, digit in named.items()}
    files["digits/images.csv"] = _table(named)
    files["digits/review.csv"] = _review(named)
    return files


def _drawn(rng: np.random.Generator) -> list[Digit]:
    """Return real digits, the same number of each class in a split but for the one that lacks."""
    cohort = load_digits()
    pixels = (cohort.images * GREY).astype(np.uint8)
    made = []
    for label in range(10):
        free = np.setdiff1d(np.flatnonzero(cohort.target == label), list(ALIKE.values()))
        rows = iter(rng.permutation(free).tolist())
        for split, many in A_CLASS.items():
            if ABSENT.get(split) == label:
                continue
            chosen = [ALIKE[split]] if label == 1 and split in ALIKE else []
            chosen += [next(rows) for _ in range(many - len(chosen))]
            made += [Digit(split, f"s{row:04d}", str(label), pixels[row]) for row in chosen]
    return made


def _planted(digits: list[Digit], rng: np.random.Generator) -> list[Digit]:
    """Return the defects, each made from a training picture that no other defect uses."""
    train = [
        one for one in digits if one.split == "train" and int(one.source[1:]) not in ALIKE.values()
    ]
    of_class = [one for one in train if one.label == str(CONFLICT[0])]
    conflicting = of_class[0]
    rest = [one for one in train if one is not conflicting]
    chosen = [rest[at] for at in rng.permutation(len(rest))]
    made = []
    for name, turn in TURNS.items():
        old = chosen.pop()
        made.append(_copy(old, name, turn(_noisy(old.pixels, rng)), source=f"n{len(made) + 1:04d}"))
    for _ in range(FAINT):
        old = chosen.pop()
        pale = (_noisy(old.pixels, rng) * 0.95).astype(np.uint8)
        made.append(_copy(old, "paler copy", pale, source=old.source))
    for _ in range(SHIFTED):
        old = chosen.pop()
        made.append(
            _copy(old, "moved by a pixel", np.roll(old.pixels, 1, axis=0), source=old.source)
        )
    same = _copy(conflicting, "other label", conflicting.pixels, source="n0007")
    blank = Digit("test", "n0008", "0", np.zeros((8, 8), np.uint8), "blank")
    broken = Digit("test", "n0009", "5", chosen.pop().pixels, "unreadable")
    return [*made, replace(same, label=CONFLICT[1]), blank, broken]


def _copy(old: Digit, planted: str, pixels: Picture, *, source: str) -> Digit:
    return Digit("test", source, old.label, pixels, planted, old.source)


def _noisy(pixels: Picture, rng: np.random.Generator) -> Picture:
    """Return a picture with a tenth of its pixels one step darker or lighter."""
    moves = rng.choice([-GREY, 0, GREY], size=pixels.shape, p=[0.05, 0.9, 0.05])
    return np.clip(pixels.astype(int) + moves, 0, 16 * GREY).astype(np.uint8)


def _png(digit: Digit) -> bytes:
    """Return the file of a picture; that of the unreadable one breaks off."""
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(digit.pixels)).save(file, "PNG", optimize=True)
    content = file.getvalue()
    return content[: len(content) // 2] if digit.planted == "unreadable" else content


def _table(named: dict[str, Digit]) -> bytes:
    rows = [
        {
            "image_id": name,
            "file": f"{name}.png",
            "split": one.split,
            "source_id": one.source,
            "label": one.label,
        }
        for name, one in named.items()
    ]
    return _csv(rows)


def _review(named: dict[str, Digit]) -> bytes:
    """Return verdicts on pairs as a reviewer who knows what was planted would give them."""
    train = {one.source: name for name, one in named.items() if one.split == "train"}
    rows = []
    for name, one in named.items():
        if one.of and one.planted != "moved by a pixel":
            rows.append((name, train[one.of], "duplicate"))
        elif one.source == f"s{ALIKE['test']:04d}":
            rows.append((name, train[f"s{ALIKE['train']:04d}"], "different"))
    return _csv(
        {
            "image": image,
            "twin": twin,
            "verdict": verdict,
            "reviewer": "example",
            "date": "2026-11-20",
        }
        for image, twin, verdict in rows
    )


def _csv(rows: object) -> bytes:
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n").encode()

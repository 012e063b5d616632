"""How long the exact search for near duplicates takes, against brute force and against imagededup.

Run with ``make bench`` or as a script; ``make bench`` gives BLAS one thread, for both sides.

Searches: thumbnails like photographs, i.e. Gaussian fields of amplitude 1/f^a (a uniform in 0.9 to
1.5 an image), contrast (SD) uniform in 20 to 70 and mean normal (117, 35) grey levels, clipped; a
sixth of the smaller set is planted in the larger one as copies under a random symmetry, shifted in
brightness by N(0, 2) and with noise of SD 0 to 20. Brute force is eight single-precision matrix
products of 1,024 columns in blocks; with grey levels less 128 they are exact. It is run whole and
once, at the larger threshold, and its hits at both are compared with ours: a difference ends the
run. Times are processor times of one run on one thread, so that other programs disturb less.

Folder: the 544 histology pictures beside the checkout, as they are (160 px) and enlarged to 640 px
(bicubic, JPEG quality 90), read by reportgen (no cache) and searched by both detectors; against
imagededup's PHash, distance <= 10, two workers. Reading includes the digests of file and pixels,
which imagededup does not make; the thumbnails alone, on two threads, are timed beside. imagededup
is no dependency: name the Python of an environment that has it in REPORTGEN_IMAGEDEDUP. Times are
wall-clock, the least of three runs in turns.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from reportgen.inputs.beside import Finder
from reportgen.inputs.images import ImageSet, ImagesSettings
from reportgen.inputs.images.reading import read_images
from reportgen.stats.duplicates import (
    Hits,
    apply_symmetry,
    rms32_nearest,
    rms32_pairs,
    wdct_features,
    wdct_nearest,
    wdct_pairs,
)

Stack = NDArray[np.uint8]
T = TypeVar("T")

SIZES = ((1_500, 7_000), (10_000, 50_000))
THRESHOLDS = (4.0, 15.0)
OSCC = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "integrity" / "oscc400"

PHASH = """
import sys, json, time
from imagededup.methods import PHash
hasher = PHash(verbose=False)
begin = time.perf_counter()
codes = hasher.encode_images(image_dir=sys.argv[1], num_enc_workers=2)
encoded = time.perf_counter()
found = hasher.find_duplicates(encoding_map=codes, max_distance_threshold=10,
                               num_dist_workers=2)
print(json.dumps([encoded - begin, time.perf_counter() - encoded, found]))
"""


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201


def photographs(n: int, rng: np.random.Generator) -> Stack:
    """Return (n, 32, 32) thumbnails with the spectrum, contrast and brightness of photographs."""
    frequency = np.hypot(np.fft.fftfreq(32)[:, None], np.fft.rfftfreq(32))
    frequency[0, 0] = 1.0
    made = np.empty((n, 32, 32), np.uint8)
    for rows in np.array_split(np.arange(n), max(1, n // 2000)):
        slope = rng.uniform(0.9, 1.5, (len(rows), 1, 1))
        noise = np.fft.rfft2(rng.standard_normal((len(rows), 32, 32)))
        field = np.fft.irfft2(noise * frequency**-slope, s=(32, 32))
        field -= field.mean(axis=(1, 2), keepdims=True)
        field *= rng.uniform(20, 70, slope.shape) / field.std(axis=(1, 2), keepdims=True)
        made[rows] = np.clip(field + rng.normal(117, 35, slope.shape), 0, 255).round()
    return made


def plant(first: Stack, second: Stack, rng: np.random.Generator) -> None:
    """Put turned and disturbed copies of a sixth of the first set into the second."""
    places = rng.permutation(len(second))[: len(first) // 6]
    for place, source in zip(places, rng.integers(0, len(first), len(places)), strict=True):
        copy = apply_symmetry(first[source], int(rng.integers(8))).astype(float)
        copy += rng.normal(0, 2) + rng.normal(0, rng.uniform(0, 20), (32, 32))
        second[place] = np.clip(copy, 0, 255).round()


def turned_stack(pictures: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """Return (n, s, s) pictures, each after the `k`-th symmetry."""
    # A stack is one picture whose channels are the pictures.
    turned = apply_symmetry(pictures.transpose(1, 2, 0), k)
    return np.array(turned.transpose(2, 0, 1), order="C")


def brute_force(first: Stack, second: Stack, threshold: float) -> NDArray[np.int64]:
    """Return row, column and square of every pair within the threshold, by comparing all."""
    a = first.astype(np.float32) - 128
    b = np.ascontiguousarray((second.astype(np.float32) - 128).reshape(len(second), -1))
    limit = threshold**2 * 1024
    energy_a, energy_b = (np.square(x.reshape(len(x), -1)).sum(axis=1) for x in (a, b))
    found = []
    for i in range(0, len(a), 512):
        some = a[i : i + 512]
        turned = [turned_stack(some, k).reshape(len(some), -1) for k in range(8)]
        for j in range(0, len(b), 4096):
            columns = b[j : j + 4096].T
            best = turned[0] @ columns
            for one in turned[1:]:
                np.maximum(best, one @ columns, out=best)
            rough = energy_a[i : i + 512, None] + energy_b[j : j + 4096] - 2 * best
            row, column = np.nonzero(rough <= limit + 16)  # a sum of energies may pass 2^24
            energy = energy_a[row + i].astype(np.int64) + energy_b[column + j].astype(np.int64)
            least = energy - 2 * best[row, column].astype(np.int64)
            found.append(np.stack([row + i, column + j, least], 1)[least <= limit])
    pairs: NDArray[np.int64] = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def taken(work: Callable[[], T], clock: Callable[[], float] = time.process_time) -> tuple[float, T]:
    """Return how long some work takes, and what it gives."""
    begin = clock()
    result = work()
    return clock() - begin, result


def same_hits(hits: Hits, pairs: NDArray[np.int64], threshold: float) -> None:
    """Raise unless the hits are the pairs that brute force found, at the same distances."""
    said = pairs[pairs[:, 2] <= threshold**2 * 1024]
    got = np.stack([hits.first, hits.second, np.rint(hits.distance**2 * 1024)], axis=1)
    if not np.array_equal(got, said):
        raise ArithmeticError(f"{len(hits)} pairs instead of {len(said)} at {threshold:g}")


def searches() -> None:
    """Print one line a size and threshold, and one for the nearest neighbours."""
    say(f"{'thumbnails':>16} {'search':>12} {'ours s':>8} {'brute s':>8} {'ratio':>6} {'pairs':>7}")
    for n, m in SIZES:
        rng = np.random.default_rng(32)
        first, second = photographs(n, rng), photographs(m, rng)
        plant(first, second, rng)
        brute, pairs = taken(partial(brute_force, first, second, max(THRESHOLDS)))
        seconds = []
        for threshold in THRESHOLDS:
            ours, hits = taken(partial(rms32_pairs, first, second, threshold=threshold))
            same_hits(hits, pairs, threshold)
            seconds.append(ours)
            say(f"{n:>7,} × {m:>6,} {f'rms <= {threshold:g}':>12} {ours:8.2f} {brute:8.1f}"
                f" {brute / ours:5.0f}× {len(hits):7}")  # fmt: skip
        ours, _ = taken(partial(rms32_nearest, first, second))
        say(f"{n:>7,} × {m:>6,} {'nearest':>12} {ours:8.2f} {brute:8.1f} {brute / ours:5.1f}×")
        rate = 8 * 2 * 1024 * n * m / brute / 1e9
        say(f"  brute force ran at {rate:.0f} GFLOP/s; from 4 to 15 grey levels ours grows"
            f" {seconds[1] / seconds[0]:.1f} times")  # fmt: skip


def read_folder(folder: Path) -> ImageSet:
    """Read a folder of images as a manifest's ``images`` would, without the cache."""
    settings = ImagesSettings(root=".", folders={"all": folder.name})
    images, _ = read_images("bench", settings, Finder(folder.parent, str, allow_outside=False))
    return images


def ours_whole(folder: Path) -> tuple[float, float, dict[str, Hits], list[str]]:
    """Return the seconds of reading and of searching, the hits by detector, and the files."""
    wall = time.perf_counter
    reading, images = taken(lambda: read_folder(folder), wall)

    def search() -> dict[str, Hits]:
        every = np.arange(images.n_images)
        features = wdct_features(images.grey64, images.readable)
        rms32_nearest(images.grey32)
        wdct_nearest(features, every)
        return {
            "rms32 <= 15": rms32_pairs(images.grey32, threshold=15),
            "wdct >= 0.60": wdct_pairs(features, every, threshold=0.6),
        }

    searching, hits = taken(search, wall)
    return reading, searching, hits, [Path(file).name for file in images.files]


def thumbnails_alone(folder: Path) -> float:
    """Return the seconds of decoding and reducing alone, on two threads."""

    def small(path: Path) -> list[bytes]:
        with Image.open(path) as picture:
            grey = picture.convert("L")
        return [grey.resize((n, n), Image.Resampling.BOX).tobytes() for n in (32, 64)]

    with ThreadPoolExecutor(2) as pool:
        every = partial(pool.map, small, sorted(folder.iterdir()))
        return taken(lambda: list(every()), time.perf_counter)[0]


def phash_whole(python: str, folder: Path) -> tuple[float, float, list[tuple[str, str]]]:
    """Return imagededup's seconds of encoding and of searching, and its pairs of files."""
    run = subprocess.run(
        [python, "-c", PHASH, str(folder)], capture_output=True, text=True, check=True
    )
    encoding, searching, found = json.loads(run.stdout.splitlines()[-1])
    pairs = {tuple(sorted((file, twin))) for file, twins in found.items() for twin in twins}
    return encoding, searching, sorted((a, b) for a, b in pairs)


def enlarged(source: Path, folder: Path) -> Path:
    """Write the pictures of a folder at 640 px into another and return that."""
    folder.mkdir()
    for path in sorted(source.iterdir()):
        with Image.open(path) as picture:
            picture.resize((640, 640), Image.Resampling.BICUBIC).save(
                folder / path.name, quality=90
            )
    return folder


def folder_times(folder: Path, source: dict[str, str], side: int) -> None:
    """Print the times and what was found of one folder, ours and imagededup's."""
    python = os.environ.get("REPORTGEN_IMAGEDEDUP")
    ours, theirs, alone = [], [], []
    for _ in range(3):
        ours.append(ours_whole(folder))
        alone.append(thumbnails_alone(folder))
        if python:
            theirs.append(phash_whole(python, folder))
    reading, searching, hits, files = min(ours, key=lambda run: run[0] + run[1])
    say(f"{side} px: reportgen {reading + searching:.2f} s (reading {reading:.2f},"
        f" searches and nearest {searching:.2f}; thumbnails alone {min(alone):.2f})")  # fmt: skip
    for detector, found in hits.items():
        named = [(files[a], files[b]) for a, b in zip(found.first, found.second, strict=True)]
        say(f"  {detector}: {counted(named, source)}")
    if not theirs:
        say("  imagededup: not measured; name a Python that has it in REPORTGEN_IMAGEDEDUP")
        return
    encoding, matching, pairs = min(theirs, key=lambda run: run[0] + run[1])
    total = encoding + matching
    say(f"  imagededup PHash {total:.2f} s (encoding {encoding:.2f}, search {matching:.2f}),"
        f" {total / (reading + searching):.2f} times ours and"
        f" {total / (min(alone) + searching):.2f} times thumbnails and search:"
        f" {counted(pairs, source)}")  # fmt: skip


def counted(pairs: list[tuple[str, str]], source: dict[str, str]) -> str:
    """Say how many pairs are of one source, and how many are not."""
    same = sum(source[a] == source[b] for a, b in pairs)
    return f"{same} of 474 pairs of one source, {len(pairs) - same} false"


def folders() -> None:
    """Print the times for the folder of real pictures, if it is there."""
    if not OSCC.is_dir():
        say("whole folder: not measured, the reference data (../shared) are not there")
        return
    os.environ["REPORTGEN_CACHE"] = "off"
    with (OSCC / "manifest.csv").open(newline="") as file:
        source: dict[str, Any] = {row["file"]: row["source_id"] for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as place:
        folder_times(OSCC / "images", source, 160)
        folder_times(enlarged(OSCC / "images", Path(place) / "enlarged"), source, 640)


if __name__ == "__main__":
    if "--folders" not in sys.argv:
        searches()
    folders()

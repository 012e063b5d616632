"""Paths that lead elsewhere, files that are no files, and models that run code."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.bounded import MOST_SECONDS, Server
from tests.support.catalogue import tree
from tests.support.spoiled import ROWS, refused, request_of, write


def above(folder: Path) -> str:
    write(folder.parent, {"outside.csv": ROWS})
    return "../outside.csv"


def absolute(folder: Path) -> str:
    return str(folder.parent / above(folder)[3:])


def down_and_up(folder: Path) -> str:
    return "sub/../" + above(folder)


def link_out(folder: Path) -> str:
    (folder / "link.csv").symlink_to(folder / above(folder))
    return "link.csv"


def linked_folder(folder: Path) -> str:
    (folder / "sub").symlink_to(folder.parent)
    return "sub/" + above(folder)[3:]


def link_to_itself(folder: Path) -> str:
    (folder / "ring.csv").symlink_to("ring.csv")
    return "ring.csv"


def device(folder: Path) -> str:
    return "/dev/zero"


def link_to_a_device(folder: Path) -> str:
    (folder / "zero.csv").symlink_to("/dev/zero")
    return "zero.csv"


def pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.csv")
    return "pipe.csv"


def long_name(folder: Path) -> str:
    return "n" * 300 + ".csv"


def long_path(folder: Path) -> str:
    return "d/" * 5000 + "t.csv"


def windows(folder: Path) -> str:
    return "C:\\t.csv"


def address(folder: Path) -> str:
    return "file:///etc/passwd"


def zero_byte(folder: Path) -> str:
    return "t.csv\u2028\u202e"


WAYS: list[Callable[[Path], str]] = [
    above,
    absolute,
    down_and_up,
    link_out,
    linked_folder,
    link_to_itself,
    device,
    link_to_a_device,
    pipe,
    long_name,
    long_path,
    windows,
    address,
    zero_byte,
]
NO_FILES = (device, link_to_a_device, pipe, link_to_itself, long_name, long_path, address)


@pytest.mark.parametrize("way", WAYS, ids=lambda one: one.__name__)
def test_a_path_that_leads_elsewhere_is_refused(
    server: Server, tmp_path: Path, way: Callable[[Path], str]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write(folder, {"t.csv": ROWS})
    manifest = request_of({"path": way(folder)})
    write(folder, {"m.yaml": manifest.encode()})
    refused(server, folder)


@pytest.mark.parametrize("way", NO_FILES, ids=lambda one: one.__name__)
def test_what_is_no_file_is_refused_where_outside_is_allowed(
    server: Server, tmp_path: Path, way: Callable[[Path], str]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write(folder, {"m.yaml": request_of({"path": way(folder)}).encode()})
    refused(server, folder, "--allow-outside")


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "ring"])
def test_a_manifest_that_is_no_file_is_refused(server: Server, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "ring").symlink_to("ring")
    before = tree(tmp_path)
    ran = server.run(tmp_path, "build", name, "-o", "out")
    assert (ran.status, ran.out) == (2, ""), ran
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) <= 4
    assert tree(tmp_path) == before
    assert ran.seconds < MOST_SECONDS


class Trap:
    """A pickle that makes a file when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("key", ["pickle", "linear", "trees", "mlp", "skops", "onnx"])
def test_a_pickle_is_not_opened_under_any_name(server: Server, tmp_path: Path, key: str) -> None:
    sprung = tmp_path / "sprung"
    raw = pickle.dumps(Trap(sprung))
    moved = {"norm": "l2", "features": {"p": {"eps": 0.1}}}
    model = {key: "m.pkl", "sha256": hashlib.sha256(raw).hexdigest()}
    if key in ("skops", "onnx"):
        model["features"] = ["p"]  # type: ignore[assignment]
    section = {
        "kind": "robust",
        "table": "t",
        "model": model,
        "sensitive": "y",
        "threshold": 0.5,
        "tolerance": 0.1,
        "perturbation": moved,
    }
    manifest = request_of({"groups": ["y"], "features": ["p"]}, sections=[section])
    write(tmp_path, {"m.yaml": manifest.encode(), "t.csv": ROWS, "m.pkl": raw})
    refused(server, tmp_path)
    assert not sprung.exists()
    pickle.loads(raw)
    assert sprung.exists()  # so it is a trap


@pytest.mark.parametrize("name", ["f.npy", "f.npz", "t.parquet"])
def test_a_pickle_is_not_opened_as_data(server: Server, tmp_path: Path, name: str) -> None:
    sprung = tmp_path / "sprung"
    table: dict[str, Any] = {"features": {"path": name}} if name[0] == "f" else {"path": name}
    files = {"t.csv": ROWS, name: pickle.dumps(Trap(sprung))}
    write(tmp_path, {**files, "m.yaml": request_of(table).encode()})
    refused(server, tmp_path)
    assert not sprung.exists()

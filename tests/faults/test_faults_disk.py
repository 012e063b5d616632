"""Disks that are full or may not be written: a clear line, earlier revisions whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.faults import MANIFEST, bytes_of, require_clear, run

BUILD = ("build", "m.yaml", "-o", "disk", "--format", "html")


@pytest.fixture
def disk(work: Path) -> Iterator[Path]:
    """Yield a small file system of its own."""
    place = work / "disk"
    place.mkdir()
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount the small disk of this test")
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount the small disk of this test")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path, *, left: int) -> Path:
    ballast = disk.parent / "disk" / "ballast"
    free = os.statvfs(disk)
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - left))
    return ballast


def test_a_disk_that_was_full_from_the_start_holds_no_empty_folders(work: Path, disk: Path) -> None:
    ballast = fill(disk, left=24 * 1024)
    require_clear(run(work, *BUILD), "No space left on device", "nothing was written")
    assert list(disk.iterdir()) == [ballast]


def test_a_folder_that_is_gone(work: Path) -> None:
    (work / "gone").mkdir()
    start = f"{sys.executable} -P -m reportgen build {work}/m.yaml -o x"
    words = f"cd gone && rmdir ../gone && exec {start}"
    done = subprocess.run(
        ["sh", "-c", words], capture_output=True, text=True, check=False, cwd=work
    )
    assert done.returncode == 2, done.stderr
    first, last = done.stderr.splitlines()
    assert first == (
        "x: the folder that reportgen was started in is gone; change into a folder that is there,"
        " or give a whole path with -o"
    )
    assert last == "1 fault; nothing was written"


def test_a_full_disk_then_a_read_only_one(work: Path, disk: Path) -> None:
    require_clear(run(work, *BUILD), status=0)
    before = bytes_of(disk)
    for left in (0, 24 * 1024):
        ballast = fill(disk, left=left)
        done = run(work, *BUILD, "--set", "dossier.title=Other")
        require_clear(done, "No space left on device", "free some space", "nothing was written")
        assert done.out == ""
        ballast.unlink()
        assert bytes_of(disk) == before
        assert list(disk.rglob(".staging-*")) == []
    done = run(work, *BUILD, "--set", "dossier.title=Other")
    require_clear(done, status=0)
    assert done.out.strip().endswith("r2")
    before = bytes_of(disk)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    done = run(work, *BUILD, "--set", "dossier.title=Third")
    require_clear(done, "may not be written", "choose another folder with -o")
    assert bytes_of(disk) == before


def test_a_full_folder_for_temporary_files(work: Path, disk: Path) -> None:
    fill(disk, left=8 * 1024)
    words = ("build", "m.yaml", "-o", "out", "--format", "pdf")

    def before() -> None:
        tempfile.tempdir = str(disk)

    done = run(work, *words, before=before)
    require_clear(done, "dossier.pdf", "No space left on device", "TMPDIR")
    assert not (work / "out").exists()


def test_a_folder_that_another_user_may_not_write() -> None:
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "m.yaml").write_text(MANIFEST)
        (place / "disk").mkdir(mode=0o755)
        place.chmod(0o755)

        def before() -> None:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        done = run(place, *BUILD, before=before)
        require_clear(done, "may not be written", "ask for the right to write there")
        assert list((place / "disk").iterdir()) == []


def test_no_folder_for_temporary_files_at_all(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        tempfile.tempdir = None
        tempfile._candidate_tempdir_list = lambda: [str(work / "none")]  # type: ignore[attr-defined]

    done = run(work, "build", "m.yaml", "-o", "out", "--format", "pdf", before=none)
    require_clear(done, "temporary", "TMPDIR", "--format html")
    assert not (work / "out").exists()
    require_clear(run(work, *BUILD, before=none), status=0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_gate_files_on_a_full_device(work: Path) -> None:
    # By a link, so that a fault here can never replace the device itself.
    (work / "full.xml").symlink_to("/dev/full")
    done = run(work, *BUILD, "--junit", "full.xml")
    require_clear(done, "full.xml", "No space left on device", "the rest was written")
    assert (work / "full.xml").is_symlink(), "a device is written into, not replaced"
    assert Path("/dev/full").is_char_device()
    assert (work / done.err.strip().splitlines()[-1].split(": ")[-1] / "SHA256SUMS").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_standard_output_that_is_full(work: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "reportgen.cli", "check", "m.yaml"],
            cwd=work,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2, done
    assert done.stderr.startswith("standard output cannot be written (No space left on device)")
    assert len(done.stderr.splitlines()) == 1

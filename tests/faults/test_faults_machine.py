"""Killed processes, missing software, odd environments: a clear line or the same dossier."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.faults import (
    MANIFEST,
    bytes_of,
    killed,
    real,
    require_clear,
    run,
)

HTML = ("build", "m.yaml", "-o", "out", "--format", "html")


def patched(name: str, value: object) -> Any:
    return lambda: pytest.MonkeyPatch().setattr(name, value)


def test_a_killed_worker(work: Path) -> None:
    require_clear(run(work, *HTML), status=0)
    whole = bytes_of(work / "out")
    words = (*HTML, "--jobs", "2", "--set", "dossier.title=Other")
    done = run(work, *words, before=patched("reportgen.computing._compute_in", killed))
    require_clear(done, "--jobs 2", "stopped from outside", "--jobs 1", "nothing was written")
    assert done.out == ""
    assert bytes_of(work / "out") == whole


def test_the_process_of_the_pdf_killed(work: Path) -> None:
    plain = subprocess.run
    suicide = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"]

    def instead(command: list[str], **options: Any) -> Any:
        return plain(suicide if "reportgen.render.pdf" in command else command, **options)

    done = run(work, "build", "m.yaml", "-o", "out", before=patched("subprocess.run", instead))
    require_clear(done, "dossier.pdf", "signal 9", "--format html", "nothing was written")
    assert [path for path in (work / "out").rglob("*") if path.is_file()] == []


def test_fonts_that_are_missing(work: Path) -> None:
    def gone() -> None:
        from reportgen.render import fonts

        fonts.font_file.cache_clear()
        fonts._covered.cache_clear()
        pytest.MonkeyPatch().setattr("fontpkg.path", lambda *_, **__: work / "gone.ttf")

    done = run(work, *HTML, before=gone)
    require_clear(done, "fonts: ", "gone.ttf", "pip install", "nothing was written")
    assert not [path for path in (work / "out").rglob("*") if path.is_file()]
    done = run(work, "doctor", before=gone)
    assert re.search(r"--  font, normal +missing: pip install", done.out), done


@pytest.mark.skipif(sys.platform != "linux", reason="the loader's path is set as on Linux")
def test_pango_that_cannot_be_loaded(work: Path) -> None:
    # The loader takes this file for the library, and finds that it is none.
    (work / "libpango-1.0.so.0").write_text("no library")
    words = ("build", "m.yaml", "-o", "out", "--format", "pdf")
    done = real(work, *words, LD_LIBRARY_PATH=str(work))
    assert done.returncode == 2, done
    assert re.match(rb"dossier.pdf: this machine lacks pango.*; install it: apt-get", done.stderr)
    assert b"Traceback" not in done.stderr
    assert not (work / "out").exists()


def test_a_locale_that_is_not_there(work: Path) -> None:
    (work / "m.yaml").write_text(MANIFEST.replace("title: T", "title: Prüfung – 模型"), "utf-8")
    broken = {"LC_ALL": "xx_XX", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = real(work, *HTML, **broken, PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0, done
    page = work / done.stdout.decode().splitlines()[-1] / "dossier.html"
    assert "Prüfung – 模型" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("epoch", "day"), [("0", "1970-01-01"), ("4102444800", "2100-01-01")], ids=["1970", "2100"]
)
def test_a_clock_that_is_wrong(work: Path, epoch: str, day: str) -> None:
    (work / "m.yaml").write_text(MANIFEST.replace(", date: 2026-11-30", ""))

    def clock() -> None:
        os.environ["SOURCE_DATE_EPOCH"] = epoch

    done = run(work, *HTML, before=clock)
    require_clear(done, status=0)
    folder = work / done.out.splitlines()[-1]
    assert f'"date": "{day}"' in (folder / "results.json").read_text("utf-8")
    assert day in (folder / "dossier.html").read_text("utf-8")
    require_clear(run(work, "archive", str(folder), before=clock), status=0)
    again = run(work, *HTML, before=clock)
    assert again.out == done.out
    assert "unchanged" in again.err


def test_a_user_without_a_home(work: Path) -> None:
    def homeless() -> None:
        for name in ("HOME", "XDG_CACHE_HOME", "REPORTGEN_CACHE"):
            os.environ.pop(name, None)

    def nowhere() -> None:
        homeless()
        os.environ["HOME"] = "/proc/none"

    require_clear(run(work, *HTML, before=homeless), status=0)
    require_clear(run(work, *HTML, before=nowhere), "unchanged", status=0)


@pytest.mark.skipif(os.name != "posix", reason="the numbers of streams are closed as on POSIX")
@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)], ids=["output", "error", "all"])
def test_streams_that_are_closed(work: Path, closed: tuple[int, ...]) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)
            name = ("stdin", "stdout", "stderr")[number]
            setattr(sys, name, None)  # what the interpreter itself has for a closed stream

    done = run(work, *HTML, before=close)
    assert done.status == 0, done
    folder = work / "out" / "m" / "1" / "r1"
    assert (folder / "SHA256SUMS").is_file()
    assert bytes_of(work / "out") == {
        name: digest for name, digest in bytes_of(work / "out").items() if ".staging" not in name
    }


def test_a_reader_that_leaves_and_an_error_stream_that_is_full(work: Path) -> None:
    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 2)

    if Path("/dev/full").exists():
        require_clear(run(work, *HTML, before=full), status=0)
    before = bytes_of(work / "out") if (work / "out").exists() else {}

    def leave() -> None:
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
        sys.stdout = os.fdopen(1, "w", closefd=False)

    done = run(work, *HTML, before=leave)
    assert "Traceback" not in done.err
    assert "fault of ours" not in done.err
    assert before.items() <= bytes_of(work / "out").items()

"""Running: catalogue D137–D142."""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.catalogue import PUBLISHED, Bench, Case, Cases, prevalence, tree

case = Cases()

FORK = "fork" in multiprocessing.get_all_start_methods()


def aside(bench: Bench, *words: str) -> Any:
    """Return a process that runs the command line; it starts with what this one has imported."""
    if not FORK:
        pytest.skip("this system starts no process with the memory of another one")

    def work() -> None:
        status, out, err = bench.run(*words)
        name = f"said-{os.getpid()}.txt"
        (bench.folder / name).write_text(f"{status}\n{out}{err}")

    return multiprocessing.get_context("fork").Process(target=work)


def bytes_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@case("D137")
def the_libraries_of_the_pdf_are_missing(bench: Bench) -> None:
    bench.manifest(prevalence(**PUBLISHED))
    bench.monkeypatch.setattr("reportgen.drafting.missing_for_pdf", lambda: ["pango"])
    status, out, err = bench.run("build", "m.yaml", "-o", "out")
    assert status == 0
    folder = Path(out.splitlines()[-1])
    assert (folder / "dossier.html").exists()
    assert not (folder / "dossier.pdf").exists()
    assert "pango" in err
    assert "apt-get install" in err
    status, _out, err = bench.run("build", "m.yaml", "-o", "only", "--format", "pdf")
    assert status == 2
    assert "pango" in err
    assert "Traceback" not in err
    assert not (bench.folder / "only").exists()
    # Nothing of the command line asks for the library when it is imported.
    code = "import sys, reportgen.cli; sys.exit('weasyprint' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@case("D138")
def the_same_bytes(bench: Bench) -> None:
    bench.draws_charts()
    bench.manifest(prevalence(**PUBLISHED), dossier={"date": None})
    bench.monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    first, second = bench.build(), bench.build("--jobs", "2")
    assert first.folder != second.folder
    assert bytes_of(first.folder) == bytes_of(second.folder)
    assert first.data["dossier"]["date"] == "2026-05-28"  # date -u -d @1780000000


@case("D139")
def a_run_that_dies_and_a_full_disk(bench: Bench) -> None:
    bench.manifest(prevalence(**PUBLISHED))
    status, out, err = bench.run("build", "m.yaml", "-o", "out", "--format", "html")
    assert status == 0, err
    folder = Path(out.splitlines()[-1])
    before = bytes_of(folder)
    bench.manifest(prevalence(**PUBLISHED), dossier={"title": "Another"})

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", full)
        status, out, err = bench.run("build", "m.yaml", "-o", "out", "--format", "html")
    assert (status, out) == (2, "")
    assert "No space left on device" in err or "disk is full" in err or "full" in err
    assert "Traceback" not in err
    assert bytes_of(folder) == before
    assert sorted(path.name for path in folder.parent.iterdir()) == ["r1"]
    # Killed while it publishes: the lock says so, and the next run removes what is left.
    stop = bench.folder / "staged"

    def wait(*_: Any, **__: Any) -> None:
        stop.touch()
        time.sleep(60)

    bench.monkeypatch.setattr("reportgen.release.folder._rename", wait)
    run = aside(bench, "build", "m.yaml", "-o", "out", "--format", "html")
    run.start()
    for _ in range(600):
        if stop.exists():
            break
        time.sleep(0.1)
    assert run.pid is not None
    os.kill(run.pid, signal.SIGKILL)
    run.join()
    assert bytes_of(folder) == before
    shown = [path.name for path in folder.parent.iterdir() if not path.name.startswith(".")]
    assert shown == ["r1"]


@case("D140")
def places_that_are_taken(bench: Bench) -> None:
    bench.manifest(prevalence(**PUBLISHED))
    bench.write("taken", "a file")
    before = tree(bench.folder)
    status, out, err = bench.run("build", "m.yaml", "-o", "taken", "--format", "html")
    assert (status, out) == (2, "")
    assert "taken" in err
    assert "is a file" in err
    assert len(err.splitlines()) == 2
    assert tree(bench.folder) == before

    def shut(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.mkdtemp", shut)
        status, out, err = bench.run("build", "m.yaml", "-o", "shut", "--format", "html")
    assert (status, out) == (2, ""), err
    assert "Permission denied" in err or "cannot be written" in err
    assert "Traceback" not in err
    runs = []
    for at in range(2):
        bench.manifest(prevalence(**PUBLISHED), dossier={"title": f"Run {at}"})
        (bench.folder / "m.yaml").rename(bench.folder / f"m{at}.yaml")
        runs.append(aside(bench, "build", f"m{at}.yaml", "-o", "both", "--format", "html"))
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    said = [path.read_text() for path in bench.folder.glob("said-*.txt")]
    assert [one.split()[0] for one in said] == ["0", "0"], said
    home = bench.folder / "both" / "m" / "1"
    assert sorted(p.name for p in home.iterdir() if not p.name.startswith(".")) == ["r1", "r2"]
    titles = [
        json.loads((home / name / "results.json").read_text("utf-8"))["dossier"]["title"]
        for name in ("r1", "r2")
    ]
    assert sorted(titles) == ["Run 0", "Run 1"]


@case("D141")
def locales_that_cannot_say_it(bench: Bench) -> None:
    bench.manifest(prevalence(**PUBLISHED))
    name = os.fsencode(bench.folder) + b"/m\xff\xe9.yaml"
    os.rename(bench.folder / "m.yaml", name)  # noqa: PTH104 - a name of bytes
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))},
        "LANG": "C",
        "LC_CTYPE": "xx_XX.broken",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "latin-1",
    }
    code = (
        "import sys\n"
        "from reportgen.cli import main\n"
        "for path in sys.argv[1:]:\n"
        "    try: main(['check', path])\n"
        "    except SystemExit as end: print('exit', end.code, flush=True)\n"
    )
    words: list[str | bytes] = [sys.executable, "-c", code, name, name + b"x"]
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.findall(rb"exit (\d+)", done.stdout) == [b"0", b"2"]
    assert b"Traceback" not in done.stderr
    assert b"m\\udcff\\udce9.yamlx" in done.stderr or b"m\\xff\\xe9.yamlx" in done.stderr


@case("D142")
def time_zones(bench: Bench) -> None:
    bench.monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780012799")  # 2026-05-28 23:59:59 UTC
    bench.manifest(prevalence(**PUBLISHED), dossier={"date": None})
    seen = []
    for zone in ("UTC", "Pacific/Kiritimati", "America/Adak"):
        bench.monkeypatch.setenv("TZ", zone)
        time.tzset()
        try:
            dossier = bench.build()
        finally:
            bench.monkeypatch.delenv("TZ")
            time.tzset()
        assert dossier.data["dossier"]["date"] == "2026-05-28"
        seen.append(bytes_of(dossier.folder))
    assert seen == [seen[0]] * 3
    dossier.shows("2026-05-28")
    # The only moment that is written with its hour is that of an approval, in UTC with its zone.
    assert not [text for text in (dossier.text,) if ":59:59" in text]


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)

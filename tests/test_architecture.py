"""The house stays as it was drawn: layers, light start, nothing of anyone's machine in it."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter import cli as importlinter

ROOT = Path(__file__).resolve().parents[1]
HEAVY = [
    "pandas",
    "altair",
    "weasyprint",
    "sklearn",
    "numpy",
    "scipy",
    "pydantic",
    "jinja2",
    "pyarrow",
]


def test_layers_hold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    status = importlinter.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_importing_reportgen_is_light() -> None:
    assert loaded_by("import reportgen.cli") == []


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_loads_nothing_heavy(argument: str) -> None:
    run = f"from reportgen.cli import main\nmain([{argument!r}], standalone_mode=False)"
    assert loaded_by(run) == []


def loaded_by(code: str) -> list[str]:
    """Return which heavy packages a fresh interpreter has loaded after running `code`."""
    tail = f"\nimport sys\nprint('loaded', *[m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code + tail], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1].split()[1:]


def test_help_starts_quickly() -> None:
    # Processor time, not the clock on the wall: the machine may be busy with other things.
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "reportgen.cli", "--help"], capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.3


def tracked() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.decode().split("\0") if name]


def test_no_tracked_file_names_a_machine() -> None:
    # Written in halves, so that this file does not name one itself.
    words = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "py" + "pi.org", "pythonho" + "sted.org"]
    place = re.compile("|".join(map(re.escape, words)).encode())
    guilty = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        if path.is_file()
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if place.search(line)
    ]
    assert guilty == []


def test_nothing_stands_at_the_top_that_was_not_drawn() -> None:
    drawn = {
        "reportgen", "templates", "styles", "tests", "examples", "pyproject.toml", "README.md",
        "LICENSE", "CHANGELOG.md", "Makefile", "requirements.lock",
    }  # fmt: skip
    top = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in top if not name.startswith(".")} <= drawn


def test_files_and_functions_stay_readable() -> None:
    long = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "reportgen").rglob("*.py")
        if len(path.read_text("utf-8").splitlines()) > 400
    ]
    assert long == []

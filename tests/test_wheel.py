"""The installed wheel is whole: package, templates, styles and examples, and it runs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_wheel_holds_every_file_it_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "styles", "examples/diabetes", "examples/frame-simulation"):
        for source in (ROOT / folder).rglob("*"):
            if source.is_file() and "__pycache__" not in source.parts:
                inside = f"reportgen/_assets/{source.relative_to(ROOT).as_posix()}"
                assert inside in names
    for source in (ROOT / "reportgen").rglob("*.py"):
        assert source.relative_to(ROOT).as_posix() in names
    assert "reportgen/py.typed" in names
    assert not [name for name in names if "gallery" in name]  # pictures for the README
    assert not [name for name in names if name.startswith(("tests/", "templates/"))]


def test_wheel_builds_the_example_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    program = (
        "import sys, reportgen, reportgen.cli; "
        f"assert reportgen.__file__.startswith({str(site)!r}), reportgen.__file__; "
        "sys.argv = ['reportgen', 'demo', '-o', 'demo']; reportgen.cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    dossier = tmp_path / done.stdout.strip().splitlines()[-1]
    assert (dossier / "dossier.html").is_file()
    assert (dossier / "results.json").is_file()

"""The examples, built for the screen and looked at once in Chromium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
# Fewer resamples than the examples ask for: pages have the same parts, figures are not judged here.
QUICK = ("--format", "html", "--quiet", "--set", "defaults.resamples=200")
LIVE, INTERACTIVE = "frame-simulation", "interactive"
"""The example that is also looked at with live charts, and what that page is called here."""
COMPARED, COMPARISON = ("frame-simulation", "chinese"), "comparison"
"""Two dossiers that are set against each other, and what the page of that is called here."""
BUILDS = {
    "diabetes": ("diabetes", ()),
    "frame-simulation": ("frame-simulation", ()),
    "chinese": ("frame-simulation", ("--set", "dossier.language=zh")),
}
"""By name, an example and how it is built."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def tools() -> tuple[str, str]:
    """Return the programs node and Chromium; skip, saying so, where one is not there.

    REPORTGEN_BROWSER=required makes that an error: so `make test-browser` never skips in silence.
    """
    node = shutil.which("node")
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    lacking = [
        name
        for name, there in (
            ("node", node),
            ("chromium", chromium),
            ("its packages (npm ci --prefix tests/browser)", (HERE / "node_modules").is_dir()),
        )
        if not there
    ]
    if lacking and os.environ.get("REPORTGEN_BROWSER") == "required":
        pytest.fail(f"not on this machine: {', '.join(lacking)}")
    if lacking or node is None or chromium is None:
        pytest.skip(f"not on this machine: {', '.join(lacking)}")
    return node, chromium


@pytest.fixture(scope="session")
def pages(tools: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the pages to look at, by name."""
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, (example, more) in BUILDS.items():
        manifest = EXAMPLES / example / "manifest.yaml"
        words = [sys.executable, "-m", "reportgen.cli", "build", str(manifest), "-o", name, *QUICK]
        done = subprocess.run(
            [*words, *more], cwd=folder, capture_output=True, text=True, timeout=900, check=False
        )
        assert done.returncode == 0, done.stderr
        found[name] = folder / done.stdout.splitlines()[-1] / "dossier.html"
    live = [sys.executable, "-m", "reportgen.cli", "render", str(found[LIVE].parent)]
    subprocess.run([*live, "--interactive", "-o", "live"], cwd=folder, timeout=900, check=True)
    (found[INTERACTIVE],) = (folder / "live").rglob("*.interactive.html")
    sides = [str(found[name].parent) for name in COMPARED]
    compare = [sys.executable, "-m", "reportgen.cli", "compare", *sides, "--format", "html"]
    subprocess.run([*compare, "-q", "-o", "compared"], cwd=folder, timeout=900, check=True)
    (found[COMPARISON],) = (folder / "compared").rglob("comparison.html")
    return found


@pytest.fixture(scope="session")
def seen(tools: tuple[str, str], pages: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """Return what Chromium, axe-core and html-validate say of each page."""
    node, chromium = tools
    words = [node, "check.mjs", chromium, *map(str, pages.values())]
    done = subprocess.run(
        words, cwd=HERE, capture_output=True, encoding="utf-8", timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [one["file"] for one in said] == [str(path) for path in pages.values()]
    return dict(zip(pages, said, strict=True))

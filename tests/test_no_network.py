"""Nothing is fetched: a dossier is built where there is no network to fetch from.

A network namespace of its own (Linux) holds a loopback interface that is down and nothing else: any
connection, to this machine too, fails there.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader

from reportgen.release.environment import missing_for_pdf
from tests.support.catalogue import Bench, columns, label, prevalence

ALONE = ("unshare", "--net", "--map-root-user")
CLI = (sys.executable, "-m", "reportgen.cli")
FLAGS = """\
import fcntl, socket, struct
SIOCGIFFLAGS = 0x8913
answer = fcntl.ioctl(socket.socket(), SIOCGIFFLAGS, struct.pack("16s16x", b"lo"))
print(struct.unpack("16xH", answer[:18])[0])
"""
REACHES = """\
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5).close()
except OSError as error:
    sys.exit(f"refused: {error.strerror}")
"""


def alone(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a namespace without a network."""
    return subprocess.run([*ALONE, *words], cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module", autouse=True)
def permitted() -> None:
    """Skip, saying so, where this machine makes no such namespace."""
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare on this machine (Linux has it)")
    tried = subprocess.run([*ALONE, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"this machine permits no network namespace: {tried.stderr.strip()}")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build a dossier in the namespace; the folder of the request, and that of the dossier."""
    if missing_for_pdf():
        pytest.skip("this machine lacks Pango, so there is no PDF to make")
    folder = tmp_path_factory.mktemp("alone")
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    with pytest.MonkeyPatch.context() as patch:
        Bench(folder, patch).table(
            columns(y=list(y), p=list((rng.random(60) * 0.5 + y * 0.4).round(3))),
            {"kind": "dca", "table": "t", "thresholds": {"from": 0.2, "to": 0.4, "step": 0.1}},
            prevalence(table="t", score="s", threshold=0.5),
            label=label(),
            scores={"s": "p"},
        )
    done = alone(*CLI, "build", "m.yaml", "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, folder / done.stdout.splitlines()[-1]


def test_the_namespace_has_a_loopback_that_is_down_and_nothing_else(tmp_path: Path) -> None:
    listed = alone("cat", "/proc/net/dev", cwd=tmp_path).stdout.splitlines()[2:]
    assert [line.split(":")[0].strip() for line in listed] == ["lo"]
    flags = alone(sys.executable, "-c", FLAGS, cwd=tmp_path)
    assert int(flags.stdout) & 1 == 0  # IFF_UP


@pytest.fixture
def listening() -> Iterator[int]:
    """Listen on a port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = threading.Thread(target=lambda: server.accept()[0].close(), daemon=True)
        taken.start()
        yield server.getsockname()[1]


def test_what_is_reached_outside_is_not_reached_inside(tmp_path: Path, listening: int) -> None:
    inside = alone(sys.executable, "-c", REACHES, str(listening), cwd=tmp_path)
    assert inside.returncode == 1
    assert "refused:" in inside.stderr
    outside = [sys.executable, "-c", REACHES, str(listening)]
    assert subprocess.run(outside, timeout=60).returncode == 0


def test_a_dossier_is_built_without_a_network(built: tuple[Path, Path]) -> None:
    _, dossier = built
    pages = PdfReader(dossier / "dossier.pdf").pages
    assert len(pages) > 3
    assert "Prevalence" in "".join(page.extract_text() for page in pages)
    data = json.loads((dossier / "results.json").read_bytes())
    assert [one["kind"] for one in data["sections"]] == ["dca", "prevalence"]
    assert (dossier / "dossier.html").stat().st_size > 10_000


def test_its_pages_are_made_again_without_a_network(built: tuple[Path, Path]) -> None:
    folder, dossier = built
    done = alone(*CLI, "render", str(dossier), "-o", "again", cwd=folder)
    assert done.returncode == 0, done.stderr
    for name in ("dossier.pdf", "dossier.html"):
        (again,) = (folder / "again").rglob(name)
        assert again.read_bytes() == (dossier / name).read_bytes()


def test_the_other_commands_need_no_network(built: tuple[Path, Path]) -> None:
    folder, dossier = built
    for words in (("check", "m.yaml"), ("verify", str(dossier))):
        done = alone(*CLI, *words, cwd=folder)
        assert done.returncode == 0, (words, done.stderr)

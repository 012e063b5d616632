"""The README's first commands, run as they stand there on a real file."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from tests.support.bare_pages import without_fonts

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_first_dossier_comes_from_the_three_commands(
    tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = README.read_text("utf-8").partition("## A first dossier of your own")[2]
    block = re.search(r"```sh\n(.*?)```", part, re.DOTALL)
    assert block is not None
    commands = [shlex.split(line, comments=True) for line in block[1].splitlines()]
    assert [words[:2] for words in commands] == [
        ["reportgen", "init"],
        ["reportgen", "check"],
        ["reportgen", "build"],
    ]
    shutil.copy(shared / "data" / "dca" / "df_binary.csv", tmp_path / "predictions.csv")
    monkeypatch.chdir(tmp_path)
    without_fonts(monkeypatch)
    monkeypatch.setattr("reportgen.drafting.missing_for_pdf", lambda: ["pango"])
    for words in commands:
        done = CliRunner().invoke(main, words[1:])
        assert done.exit_code == 0, done.output
        if words[1] == "init":
            assert "copied predictions.csv to audit/predictions.csv" in done.stderr
    assert (Path(done.stdout.strip().splitlines()[-1]) / "results.json").is_file()

"""The page with live charts: it fetches nothing, runs one script, and is no part of the record."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import vl_convert
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.render.interactive import interactive_page, live
from tests.render.conftest import read_sample
from tests.support.pages import Page

MANIFEST = """\
reportgen: 1
dossier: {title: Published, date: 2026-11-30}
model: {name: published, version: "1"}
sections:
  - {kind: prevalence, sensitivity: {k: 80, n: 100}, specificity: {k: 450, n: 500},
     prevalences: [0.5, 0.1]}
"""


@pytest.fixture(scope="module")
def html() -> str:
    return interactive_page(read_sample())


def scripts(html: str) -> list[tuple[str, str]]:
    return re.findall(r"<script([^>]*)>(.*?)</script>", html, re.DOTALL)


def test_policy_lets_one_script_run_and_no_other(html: str) -> None:
    (_, data), (attributes, script) = scripts(html)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = unescape(
        re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)[0]
    )
    allowed = {one.split()[0]: one.split()[1:] for one in policy.split(";") if one.strip()}
    assert attributes == ""
    assert allowed["default-src"] == ["'none'"]
    assert allowed["script-src"] == [f"'sha256-{digest}'"]
    assert len(json.loads(data)) > 3


def test_every_chart_is_live_and_the_static_page_stays(html: str) -> None:
    (_, data), _ = scripts(html)
    page = Page(html)
    charts = json.loads(data)
    assert {one["anchor"] for one in charts} <= set(page.ids)
    assert len(charts) == len(page.marks)
    assert page.duplicates() == page.dead() == []
    assert "It is not part of the record that is signed" in html
    for one in charts:
        assert vl_convert.vegalite_to_vega(one["specification"])["signals"]


def test_user_text_stays_data() -> None:
    results = read_sample()
    hostile = "</script><script>alert(1)</script>"
    results["sections"] = json.loads(json.dumps(results["sections"]).replace("logistic", hostile))
    assert len(scripts(interactive_page(results))) == 2


def test_zoom_goes_along_axes_of_numbers_alone() -> None:
    field: dict[str, Any] = {"field": "f0", "type": "quantitative"}
    bare = {"encoding": {"x": {"value": 3}}}
    pixels = {"encoding": {"x": field, "y": {**field, "scale": None}}}
    chart = live({"vconcat": [{"layer": [bare, pixels]}, {"layer": [bare]}]})
    first, second = chart["vconcat"]
    assert first["layer"][1]["params"][0]["select"]["encodings"] == ["x"]
    assert "params" not in first["layer"][0]
    assert "params" not in second["layer"][0]


def test_it_stands_beside_the_dossier_and_not_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.yaml").write_text(MANIFEST)
    words = ["build", "m.yaml", "--format", "html", "--interactive"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    folder = Path(done.stdout.splitlines()[-1])
    listed = (folder / "SHA256SUMS").read_text()
    assert "interactive" not in listed
    assert not list(folder.glob("*interactive*"))
    beside = folder.with_name("r1-interactive") / "dossier.interactive.html"
    again = CliRunner().invoke(main, ["render", str(folder), "--interactive", "-o", "mine"])
    assert again.exit_code == 0, again.output
    written = Path(again.stdout.splitlines()[-1])
    assert written == tmp_path / "mine" / "dossier.interactive.html"
    assert written.read_bytes() == beside.read_bytes()
    refused = CliRunner().invoke(main, ["render", str(folder), "--interactive", "-o", str(folder)])
    assert refused.exit_code == 2
    assert "holds the record alone" in refused.output
    assert (folder / "SHA256SUMS").read_text() == listed

"""`reportgen explain`: codes, sections, figures and terms in plain text, from one source."""

from __future__ import annotations

import re
from html import unescape

import pytest
from click.testing import CliRunner, Result

from reportgen import cli
from reportgen.assets import asset
from reportgen.codes import known_codes
from reportgen.explaining import explain, methods, names, severities
from reportgen.explaining.advice import ADVICE
from reportgen.explaining.plain_text import WIDTH, plain_text
from reportgen.sections import SECTIONS


def run(word: str) -> Result:
    return CliRunner().invoke(cli.main, ["explain", word])


@pytest.mark.parametrize("word", ["FRM-004", "frm-004", " FRM-004 "])
def test_a_code_says_what_it_means_and_what_to_do(word: str) -> None:
    done = run(word)
    assert (done.exit_code, done.stderr) == (0, "")
    text = " ".join(done.stdout.split())
    assert text.startswith("FRM-004: fail, warn or note; frame (Subgroup gaps)")
    assert known_codes()["FRM-004"].code.meaning in text
    assert "One is enough to put the release on hold" in text
    assert "What to do: " in text
    assert "reportgen explain frame" in text


def test_every_code_is_explained_and_every_advice_is_of_a_code() -> None:
    known = known_codes()
    assert set(ADVICE) <= set(known)
    lacking = [code for code in known if code not in ADVICE]
    assert lacking == [], "say in reportgen/explaining/advice.py what to do"
    for code in known:
        assert explain(code).startswith(f"{code}: ")


def test_severities_are_told_as_the_dossier_tells_them() -> None:
    page = (asset("templates") / "reading.html.j2").read_text("utf-8")
    told = severities()
    assert set(told) == {"fail", "warn", "note", "pass"}
    plain = re.sub("<[^>]+>", "", page)
    assert all(text in plain for text in told.values())


@pytest.mark.parametrize("section", SECTIONS, ids=lambda one: one.kind)
def test_a_section_prints_its_methods_whole(section: object) -> None:
    kind = str(getattr(section, "kind", ""))
    done = run(kind)
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= WIDTH
    assert not re.search(r"</?[a-z]", done.stdout)
    assert "{%" not in done.stdout
    assert not re.search(r"&[a-z]+;", done.stdout)
    for name in [kind, *(["integrity_evaluation"] if kind == "integrity" else [])]:
        template = (asset("templates") / "methods" / f"{name}.html.j2").read_text("utf-8")
        references = re.findall(r"<li>(.*?)</li>", template)
        text = " ".join(done.stdout.split())
        assert references or name == "integrity_evaluation"  # its references stand in the first
        missing = [
            one
            for one in references
            if " ".join(unescape(re.sub(r"<[^>]+>|\{%[^%]*%\}", "", one)).split()) not in text
        ]
        assert missing == []


def test_no_word_of_a_page_is_lost() -> None:
    page = (
        "<h4>Gain &amp; loss</h4><p>The <em>gain</em> of <var>x</var><sub><var>j</var></sub>\n"
        '  is</p><p class="formula">NB(<var>t</var>)<sup>2</sup> + <var>c</var><sub>s,b</sub></p>'
        "<p>so.</p><ol><li>First.</li><li>Second.</li></ol>"
        '<table><tr><th scope="row">hold</th><td>No.</td></tr></table>'
    )
    assert plain_text(page) == (
        "Gain & loss\n-----------\nThe gain of x_j is\n\n    NB(t)^2 + c_{s,b}\n\nso.\n"
        "  1. First.\n  2. Second.\n\n  hold\n    No.\n"
    )


def test_methods_are_the_ones_of_the_dossier() -> None:
    text = methods("dca")
    # Vickers and Elkin (2006) is where net benefit comes from; the formula is theirs.
    assert "1. Vickers AJ, Elkin EB. Decision curve analysis" in text
    assert "NB(t) = TP / n − w · FP / n − h, w = t / (1 − t)" in text


def test_figures_and_terms() -> None:
    auc = run("auc").stdout
    assert "a figure of frame, prevalence or integrity" in auc
    assert "Area under the ROC curve (AUC)" in auc
    assert run("Net benefit").stdout.startswith("net_benefit: a figure of dca")
    assert "criterion" in run("criteria").stdout.lower()
    assert "RUN-002" in run("run").stdout
    compared = run("comparison").stdout
    assert "CMP-003 (warn)" in compared
    assert "3. Newcombe RG." in compared


def test_an_unknown_word_exits_2_with_the_nearest_names() -> None:
    done = run("FRM-0004")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "did you mean FRM-004" in done.stderr
    assert "sensitivity" in run("sensitivty").stderr
    far = run("zzzz")
    assert far.exit_code == 2
    assert "did you mean" not in far.stderr
    assert "frame, robust" in far.stderr


def test_every_name_offered_is_explained() -> None:
    for name in names():
        assert explain(name)

"""What stands before and behind the sections: order, risk list, criteria, glossary, crosswalks."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from reportgen.assets import asset
from reportgen.render.crosswalks import crosswalks
from reportgen.render.evidence import Evidence
from reportgen.render.front import front
from reportgen.render.glossary import glossary
from reportgen.render.html import render_pages
from reportgen.render.parts import numbered_parts
from reportgen.render.risk_list import PRINTED, risk_list
from reportgen.schema import result_type
from reportgen.sections import SECTIONS

WALKS = sorted((asset("templates") / "crosswalks").glob("*.yaml"))
RESULTS: dict[str, Any] = {section.kind: result_type(section) for section in SECTIONS}


def read(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))


def evidence(results: dict[str, Any]) -> Evidence:
    return Evidence(results, tuple(numbered_parts(results, {})))


def bare(results: dict[str, Any]) -> dict[str, Any]:
    """The results of a run without sections, inputs, criteria and intended use."""
    results["dossier"].pop("intended_use")
    return {**results, "sections": [], "inputs": [], "findings": [], "criteria": []}


def words() -> list[str]:
    rows = [row for path in WALKS for row in read(path)["rows"]]
    found = [word for row in rows for word in row["evidence"]]
    return found + [
        word for one in read(asset("templates") / "glossary.yaml") for word in one["when"]
    ]


def test_the_order_of_a_busy_reviewer(results: dict[str, Any]) -> None:
    html = render_pages(results).print_html
    anchors = re.findall(r'<(?:section class="part|nav class="part)[^>]*id="([^"]+)"', html)
    before = ["decision", "risk-list", "contents", "intended-use", "data-received", "findings"]
    after = ["methods", "inputs", "environment", "glossary", "crosswalks", "sign-off"]
    assert anchors[: len(before)] == before
    assert anchors[-len(after) :] == after
    assert all(one.startswith("section-") for one in anchors[len(before) + 1 : -len(after)])


def test_the_first_page_names_model_data_date_digest_and_status(results: dict[str, Any]) -> None:
    html = render_pages(results).print_html
    first = html[html.index('id="top"') : html.index('id="risk-list"')]
    told = results["dossier"]
    for text in (told["title"], told["model"]["version"], told["date"], told["digest"]):
        assert text in first
    assert "Draft, not signed" in first
    assert results["inputs"][0]["name"] in first


def test_every_word_of_evidence_is_known(results: dict[str, Any]) -> None:
    here = evidence(results)
    for word in sorted(set(words())):
        here.find(word)
        what, _, name = word.partition(":")
        if what == "section":
            kind, _, key = name.partition(".")
            assert not key or key in {one.name.rstrip("_") for one in fields(RESULTS[kind])}
        if not word.startswith("part:"):
            assert here.lacking(word)
    with pytest.raises(ValueError, match="no evidence is called"):
        here.find("nonsense")


def test_nothing_is_pointed_to_that_is_not_there(results: dict[str, Any]) -> None:
    """In a dossier of no sections only the parts that every dossier has are pointed to."""
    here = evidence(bare(results))
    parts = {f"part:{part.anchor}" for part in here.parts}
    for path, walk in zip(WALKS, crosswalks(here), strict=True):
        for row, filled in zip(read(path)["rows"], walk.rows, strict=True):
            always = {word for word in row["evidence"] if word.startswith("part:")}
            assert always <= parts
            assert {f"part:{place.anchor}" for place in filled.places} == always
            assert bool(filled.lacking) == (always != set(row["evidence"]))


def test_a_row_says_what_is_not_provided_and_links_what_is(results: dict[str, Any]) -> None:
    html = render_pages(results).html
    walks = html[html.index('id="crosswalks"') : html.index('id="sign-off"')]
    assert "Not provided in this manifest." in walks
    assert "Not in scope of an audit dossier" in walks
    assert "text not checked" in walks
    anchors = set(re.findall(r'id="([^"]+)"', html))
    links = set(re.findall(r'<a href="#([^"]+)"', walks))
    assert links
    assert links <= anchors
    for claim in ("compl", "conform", "fulfil", "certif", "✓"):
        assert claim not in re.sub(r"declaration of conformity", "", walks).casefold()


@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_each_crosswalk_cites_its_document_and_says_what_was_checked(path: Path) -> None:
    data = read(path)
    assert data["document"]
    assert data["checked"] in ("text", "headings")
    assert data["checked_note"].endswith(".")
    clauses = [row["clause"] for row in data["rows"]]
    assert len(clauses) == len(set(clauses))
    assert all(row["asks"].endswith(".") and row["evidence"] for row in data["rows"])
    assert all(one["clauses"] and one["what"] for one in data["outside"])


def test_documents_whose_text_was_not_at_hand_say_so() -> None:
    by_id = {read(path)["id"]: read(path) for path in WALKS}
    for name in ("imdrf-n88", "claim-2024", "nmpa-2022-8"):
        assert by_id[name]["checked"] == "headings"


def test_the_glossary_holds_the_terms_of_what_is_there(results: dict[str, Any]) -> None:
    kinds = {section["kind"] for section in results["sections"]}
    terms = {one.term for one in glossary(evidence(results))}
    assert ("Net benefit" in terms) == bool(kinds & {"dca", "prevalence"})
    assert "Class map" not in terms
    assert [one.term for one in glossary(evidence(bare(results)))] == ["Confidence interval"]


def risk(section: str, at: int, finding: str | None) -> dict[str, Any]:
    return {
        "section": section,
        "kind": "dca",
        "figure": f"figure {at}",
        "static": None,
        "robust": 0.25,
        "robust_is": "at most",
        "direction": "",
        "finding": finding,
    }


def test_the_risk_list_prints_the_gravest_and_counts_the_rest(results: dict[str, Any]) -> None:
    name = results["sections"][0]["id"]
    one = {**results["findings"][0], "section": name, "limits": "The same limit."}
    results["findings"] = [
        {**one, "id": f"x/{level}", "severity": level} for level in ("note", "fail", "warn")
    ]
    results["decision"] = {"outcome": "hold", "reasons": []}
    results["risks"] = [
        risk(name, at, f"x/{level}") for at, level in enumerate(("note", "fail", "warn"))
    ]
    parts = tuple(numbered_parts(results, {}))
    shown = risk_list(results, parts, most=PRINTED)
    assert [line.figure for line in shown.lines] == ["figure 1", "figure 2"]
    assert [left for _, left in shown.more] == [1]
    assert shown.limits == (("a", "The same limit."),)
    assert len(risk_list(results, parts).lines) == 3
    pages = render_pages(results)
    assert "figure 0" in pages.html
    assert "figure 0" not in pages.print_html
    assert re.search(
        r'Not printed here: <a class="xref" href="#section-[\w-]+">1 more of section',
        pages.print_html,
    )


def test_the_first_page_holds_the_criteria(results: dict[str, Any]) -> None:
    one = {
        **results["findings"][0],
        "id": "criteria/CRI-003",
        "section": "criteria",
        "severity": "warn",
    }
    results["findings"].insert(0, one)
    results["criteria"] = [
        {
            "figure": "sensitivity, a",
            "required": "at least 0.8",
            "found": "0.80 (0.70 to 0.90)",
            "verdict": "undecided",
            "bound_on": "interval",
            "status": "exploratory",
            "source": "plan, 4.2",
            "finding": one["id"],
        }
    ]
    others = [finding["id"] for finding in results["findings"][1:]]
    results["decision"] = {"outcome": "conditional", "reasons": [one["id"], others[0]]}
    html = render_pages(results).print_html
    first = html[html.index('id="decision"') : html.index('id="risk-list"')]
    deciding = first[first.index("What decides") : first.index("Date, revision")]
    assert results["findings"][1]["title"] in deciding
    assert "CRI-003" not in deciding  # it stands in the table of criteria, once
    for text in ("at least 0.8", "0.80 (0.70 to 0.90)", "undecided", "plan, 4.2", "Exploratory"):
        assert text in first
    assert 'id="finding-criteria-CRI-003"' in html[html.index('id="findings"') :]


def test_the_decision_names_every_section_before_a_second_finding_of_one() -> None:
    places = [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1), ("c", 2), ("d", 1)]
    findings = [{"id": f"{section}/{at}", "section": section} for section, at in places]
    results = {
        "findings": findings,
        "decision": {"reasons": [one["id"] for one in findings]},
        "criteria": [{"finding": "none of these"}],
        "inputs": [],
    }
    named = front(results)
    assert [one["id"] for one in named["deciding"]] == ["a/1", "b/1", "c/1", "d/1"]
    assert named["more_deciding"] == 3
    five = front({**results, "criteria": []})["deciding"]
    assert [one["id"] for one in five] == ["a/1", "a/2", "b/1", "c/1", "d/1"]

"""Spaces around the values of a Chinese sentence, in Python and in templates."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from markupsafe import Markup

from reportgen import language, wording
from reportgen.language import _, use
from reportgen.render.chart_data import Axis
from reportgen.render.translation import install
from reportgen.spacing import Spaced, joined


@pytest.mark.parametrize(
    ("message", "values", "written"),
    [
        # Between Han and Latin or figures stands a space, between Han and Han none.
        ("按 {by} 的{metric}差距", {"by": "sex", "metric": "AUC"}, "按 sex 的 AUC 差距"),
        ("按 {by} 的{metric}差距", {"by": "性别", "metric": "灵敏度"}, "按性别的灵敏度差距"),
        ("{first} 和 {last}", {"first": "人口统计均等", "last": "AUC"}, "人口统计均等和 AUC"),
        ("在{name}中", {"name": "“test”"}, "在 “test” 中"),
        ("在 {name} 中", {"name": "“测试”"}, "在“测试”中"),
        ("与{n} 个，{n}。", {"n": 144}, "与 144 个，144。"),
        ("差距{gap}", {"gap": "−0.07"}, "差距 −0.07"),
        ("{figure}（{reason}）", {"figure": "0.5", "reason": "无"}, "0.5（无）"),
        ("{n:,} 个 {{k}}", {"n": 1234}, "1,234 个 {k}"),
        ("无{none}文", {"none": ""}, "无文"),
    ],
)
def test_spaces_suit_the_value(message: str, values: dict[str, Any], written: str) -> None:
    assert Spaced(message).format(**values) == written


@given(st.lists(st.text("中文，A1 “”<b>", max_size=6), min_size=3, max_size=9))
def test_nothing_but_a_space_of_the_message_changes(pieces: list[str]) -> None:
    pieces = pieces if len(pieces) % 2 else pieces[:-1]
    whole = joined(pieces)
    assert whole.replace(" ", "") == "".join(pieces).replace(" ", "")
    place = 0
    for value in pieces[1::2]:  # each stands there as it was given
        place = whole.index(value, place) + len(value)


def test_templates_space_alike_and_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    def translated(message: str) -> str:
        return Spaced("按%(by)s的 <em>%(metric)s</em> 差距，50%%")

    environment = Environment(autoescape=True)
    monkeypatch.setattr("reportgen.render.translation._", translated)
    install(environment)
    text = "{% trans %}{{ by }}{{ metric }}{% endtrans %}"
    made = environment.from_string(text)
    assert made.render(by="<sex>", metric="AUC") == "按&lt;sex&gt;的 <em>AUC</em> 差距，50%"
    assert made.render(by=Markup("<i>sex</i>"), metric="灵敏度") == (
        "按 <i>sex</i> 的<em>灵敏度</em>差距，50%"
    )


def test_lists_percentages_and_short_titles() -> None:
    with use("zh"):
        assert wording.listed(["灵敏度", "特异度"]) == "灵敏度和特异度"
        assert wording.listed(["a", "b", "c"]) == "a、b 和 c"
        assert wording.alternatives(["灵敏度", "AUC"]) == "灵敏度或 AUC"
        assert wording.percent(0.123) == wording.coverage(0.123) == "12.3%"
        assert _("yes") == "是"
    assert wording.alternatives(["a", "b", "c"]) == "a or b or c"
    assert wording.percent(0.123) == "12.3\N{NO-BREAK SPACE}%"
    assert Axis("净获益（每行净真阳性数）", 0, 1).short().title == "净获益"
    assert Axis("Net benefit (per row)", 0, 1).short().title == "Net benefit"


def test_a_third_language_writes_per_cent_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "languages", lambda: ("en", "de", "tr"))
    with use("de"):
        assert wording.per_cent() == "\N{NO-BREAK SPACE}%"

"""Templates choose, order and label; they never calculate."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import nodes
from markupsafe import Markup

from reportgen.assets import asset
from reportgen.render.html import environment

TEMPLATES = sorted(asset("templates").rglob("*.j2"))
ARITHMETIC = (
    nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.Neg,
    nodes.Pos,
)  # fmt: skip
# Filters that make a number of several, or a number of text.
CALCULATING = {"sum", "length", "count_of", "round", "abs", "int", "float", "max", "min", "random"}
# Filters that switch escaping off.
UNESCAPING = {"safe", "forceescape"}
# A choice asks whether a thing is this or that, or is among some; it does not measure.
CHOOSING = {"eq", "ne", "in", "notin"}


def tree(source: str) -> nodes.Template:
    return environment("screen").parse(source)


def faults(template: nodes.Template) -> list[str]:
    found = [type(node).__name__ for kind in ARITHMETIC for node in template.find_all(kind)]
    found += [
        f"|{node.name}"
        for node in template.find_all(nodes.Filter)
        if node.name in CALCULATING | UNESCAPING and not _colspan(node)
    ]
    found += [op.op for op in template.find_all(nodes.Operand) if op.op not in CHOOSING]
    found += ["random" for call in template.find_all(nodes.Call) if _name(call) == "range"]
    return found


def _colspan(node: nodes.Filter) -> bool:
    """Whether a length is that of the columns: an attribute of the markup, not a figure shown."""
    return (
        node.name == "length"
        and isinstance(node.node, nodes.Getattr)
        and node.node.attr == "columns"
    )


def _name(call: nodes.Call) -> str:
    return call.node.name if isinstance(call.node, nodes.Name) else ""


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_template_calculates_nothing(path: Path) -> None:
    assert faults(tree(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    ["{{ a + 1 }}", "{{ a - b }}", "{{ 2 * a }}", "{{ a / b }}", "{{ -a }}", "{{ a | sum }}",
     "{% if a < b %}{% endif %}", "{{ rows | length }}", "{{ a | safe }}", "{{ range(3) }}",
     "{{ a % 2 }}", "{{ a // 2 }}", "{{ a ** 2 }}", "{{ a | round(2) }}"],
)  # fmt: skip
def test_the_check_itself_finds_calculation(source: str) -> None:
    assert faults(tree(source))


def test_there_are_templates_to_check() -> None:
    names = {path.name for path in TEMPLATES}
    assert {"dossier.html.j2", "blocks.html.j2", "dca.html.j2", "prevalence.html.j2"} <= names


@pytest.mark.parametrize("medium", ["screen", "print"])
def test_everything_is_escaped_and_nothing_undefined(medium: str) -> None:
    made = environment("print" if medium == "print" else "screen")
    assert made.from_string("{{ x }}").render(x="<b>&\"'") == "&lt;b&gt;&amp;&#34;&#39;"
    assert made.from_string("{{ x }}").render(x="{{ 7*7 }}") == "{{ 7*7 }}"
    assert made.from_string("{{ x }}").render(x=Markup("<b>")) == "<b>"
    with pytest.raises(Exception, match="undefined"):
        made.from_string("{{ missing }}").render()

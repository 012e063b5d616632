"""The catalogues hold what the code says, and the code keeps the rules of reportgen/language.py."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Message
from jinja2 import Environment, nodes

from reportgen import language, wording
from reportgen.language import _, mark, n_, p_, use
from reportgen.result import Estimate
from tests.support.messages import ROOMS, ROOT, catalogue, extracted, languages, sources

ALL = [(one, room) for one in languages() for room in ROOMS]
TAG = re.compile(r"</?[a-z]+[^>]*>|&[a-z]+;")
NAMED = re.compile(r"%%|%\((\w+)\)s")


def strings(message: Message) -> tuple[str, ...]:
    found = message.string
    return (found,) if isinstance(found, str) else tuple(found or ("",))


def ids(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def in_template(message: Message) -> bool:
    return any(path.endswith(".j2") for path, _line in message.locations)


def placeholders(text: str, *, template: bool) -> set[str]:
    if template:
        return {name for name in NAMED.findall(text) if name}
    return {name for _text, name, _spec, _conversion in Formatter().parse(text) if name is not None}


def translated(one: str, room: str) -> list[Message]:
    return [message for message in catalogue(one, room) if message.id]


@pytest.mark.parametrize(("one", "room"), ALL)
def test_every_message_of_the_code_is_translated_and_no_other(one: str, room: str) -> None:
    stored = {(ids(m), m.context): m for m in translated(one, room)}
    wanted = {(ids(m), m.context) for m in extracted(room) if m.id}
    assert set(stored) == wanted, f"run: make messages ROOM={room}"
    assert [m.id for m in stored.values() if not all(strings(m))] == []
    assert [m.id for m in stored.values() if m.fuzzy] == []
    assert list(catalogue(one, room).obsolete) == []


@pytest.mark.parametrize(("one", "room"), ALL)
def test_translations_hold_the_placeholders_and_tags_of_their_source(one: str, room: str) -> None:
    for message in translated(one, room):
        template = in_template(message)
        wanted = set().union(*(placeholders(text, template=template) for text in ids(message)))
        for text in filter(None, strings(message)):  # the empty ones fail in the test above
            assert placeholders(text, template=template) == wanted, message.id
            assert Counter(TAG.findall(text)) == Counter(TAG.findall(ids(message)[-1])), message.id
            if template:
                assert "%" not in NAMED.sub("", text), f"a percent sign is doubled: {text}"


@pytest.mark.parametrize("one", languages())
def test_one_message_has_one_translation(one: str) -> None:
    found: dict[tuple[tuple[str, ...], str | None], set[tuple[str, ...]]] = {}
    for room in ROOMS:
        for message in translated(one, room):
            found.setdefault((ids(message), message.context), set()).add(strings(message))
    assert {key for key, ways in found.items() if len(ways) > 1} == set()


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if named and node.func.id in ("_", "n_", "p_", "mark"):  # type: ignore[attr-defined]
            yield node  # type: ignore[misc]


PYTHON = [path for path in sources() if path.suffix == ".py"]
TEMPLATES = [path for path in sources() if path.suffix == ".j2"]


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_keep_the_rules(path: Path) -> None:
    text = path.read_text("utf-8")
    if "reportgen.language import" not in text:
        return
    tree = ast.parse(text)
    stored = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Store)
    ]
    assert not stored, f"a variable called _ in lines {stored}"
    for call in calls(tree):
        name = call.func.id  # type: ignore[attr-defined]
        texts = call.args[: 2 if name in ("n_", "p_") else 1]
        if name == "_" and not isinstance(texts[0], ast.JoinedStr | ast.BinOp | ast.Call):
            continue  # a literal, or a constant that was marked where it stands
        plain = all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in texts)
        assert plain, f"line {call.lineno}: {name}() takes plain literals"
    for call in _at_import(tree):
        assert call.func.id == "mark", (  # type: ignore[attr-defined]
            f"line {call.lineno}: translated at import; mark() it and translate it where it is used"
        )


def _at_import(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls that run when a module is imported: outside functions, or their defaults."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += [one for one in (*node.args.defaults, *node.args.kw_defaults) if one]
            continue
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if named and node.func.id in ("_", "n_", "p_", "mark"):  # type: ignore[attr-defined]
            yield node  # type: ignore[misc]
        waiting += ast.iter_child_nodes(node)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_templates_translate_literals_only(path: Path) -> None:
    # What `_` of a template returns is taken for safe HTML: data must never go through it.
    tree = Environment(extensions=["jinja2.ext.i18n"], autoescape=True).parse(
        path.read_text("utf-8")
    )
    for call in tree.find_all(nodes.Call):
        name = call.node.name if isinstance(call.node, nodes.Name) else ""
        if name in ("_", "gettext", "ngettext", "pgettext"):
            first = call.args[: 2 if name in ("ngettext", "pgettext") else 1]
            assert all(isinstance(one, nodes.Const) for one in first), f"line {call.lineno}"


def test_english_needs_no_catalogue_and_no_babel() -> None:
    code = (
        "import sys; from reportgen.language import _, n_, p_;"
        "print(_('Rows'), n_('{n} row', '{n} rows', 1), p_('sign', 'positive'));"
        "assert 'babel' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Rows {n} row positive\n"


def fail_in(name: str) -> None:
    with use(name):
        raise KeyError


def test_the_language_holds_within_its_block_and_in_its_thread_alone() -> None:
    assert language.current() == "en"
    with use("zh"):
        assert _("yes") == "是"
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(_, "yes").result() == "yes"
        with use("en"):
            assert _("yes") == "yes"
    with pytest.raises(KeyError):
        fail_in("zh")
    assert _("yes") == "yes"
    with pytest.raises(ValueError, match="no catalogue"), use("tlh"):
        pass


def test_what_no_catalogue_holds_stays_english() -> None:
    with use("zh"):
        assert _(mark("A sentence that nobody wrote.")) == "A sentence that nobody wrote."
        assert n_("one that nobody wrote", "{n} that nobody wrote", 2) == "{n} that nobody wrote"
        assert p_("nowhere", "yes") == "yes"
        assert _("") == ""  # the header of a catalogue is no translation of nothing


def test_figures_lists_and_days_in_chinese() -> None:
    with use("zh"):
        assert wording.interval(0.1, 0.2) == "0.10 至 0.20"
        assert (
            wording.estimate(Estimate(0.064, 0.041, 0.088, 0.95, "x")) == "0.064 (0.041 至 0.088)"
        )
        assert wording.listed(["A", "B", "C"]) == "A、B 和 C"
        assert wording.day("2026-11-30") == "2026年11月30日"
        assert wording.fixed(1234.5, 1) == "1,234.5"
    assert wording.listed(["a", "b", "c"]) == "a, b and c"
    assert wording.day("2026-11-30") == "2026-11-30"


def test_a_third_language_writes_figures_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "languages", lambda: ("en", "de"))
    with use("de"):
        assert wording.fixed(-1234.5, 1) == "−1.234,5"


TERMS = {
    "average precision": "平均精度",
    "base rates?": "基础率",
    "certified": "认证",
    "control removals?": "对照去除",
    "counting heads?": "计数头",
    "critical radius": "临界半径",
    "demographic parity": "人口统计均等",
    "equal opportunity": "机会均等",
    "equali[sz]ed odds": "等化几率",
    "evaluators?": "评估程序",
    "false positive rate": "假阳性率",
    "label shift": "标签偏移",
    "near duplicates?": "近似重复",
    "net benefit": "净获益",
    "not assessable": "无法评估",
    "not estimable": "无法估计",
    "recalibrated": "重新校准",
    "sampling variation": "抽样变异",
    "simultaneous": "同时",
    "subgroups?": "亚组",
    "tolerances?": "容差",
    "treat all": "全部治疗",
    "treat none": "全部不治疗",
}
"""Terms, and how the Chinese dossier says them in every room."""


@pytest.mark.parametrize("term", TERMS)
def test_chinese_has_one_word_for_a_term(term: str) -> None:
    wanted = re.compile(rf"\b{term}\b", re.IGNORECASE)
    other = [
        (room, ids(message))
        for room in ROOMS
        for message in translated("zh", room)
        if any(map(wanted.search, ids(message)))
        and not all(TERMS[term] in text for text in strings(message))
    ]
    assert other == []

"""YAML text to plain data, the line of every key and every scalar as it was typed.

The text is composed into nodes only and turned into plain data here, so that no tag can make an
object, dates stay text, keys stay as typed and a key given twice is seen.
"""

from __future__ import annotations

import math
import re
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning, YAMLError
from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.tokens import AnchorToken, TagToken

from reportgen.errors import Fault, Key, KeyFault, ManifestError

MOST_BYTES = 4_000_000
MOST_NODES = 100_000
DEEPEST = 50
TOO_DEEP = f"this is nested deeper than {DEEPEST} levels"
WRITTEN_OUT = "write it out, without anchors and aliases"
CORE = "tag:yaml.org,2002:"


@dataclass
class Source:
    """What a YAML text says.

    Attributes
    ----------
    data : Any
        Mappings, lists, text, finite numbers, true, false and None.
    lines : dict of Key to int
        Line of every key and list entry, counted from 1.
    typed : dict of Key to text
        Every plain scalar as typed, such as "2.10".
    faults : list of KeyFault
        What is wrong with single keys and values; the rest of the text was still read.
    nodes : int
        Values so far.
    tags : dict of (int, int) to text
        The tags written out, by line and column of the value, both counted from 0.
    """

    data: Any = None
    lines: dict[Key, int] = field(default_factory=dict)
    typed: dict[Key, str] = field(default_factory=dict)
    faults: list[KeyFault] = field(default_factory=list)
    nodes: int = 0
    tags: dict[tuple[int, int], str] = field(default_factory=dict)

    def fault(self, key: Key, what: str, mend: str) -> None:
        """Note that something is wrong at `key`."""
        self.faults.append(KeyFault(key, what, mend))


class _TooMuchError(Exception):
    """The text expands beyond the budget.

    Parameters
    ----------
    what : str
    node : Node
        The value with which it does.
    """

    def __init__(self, what: str, node: Node) -> None:
        super().__init__(what)
        self.line = node.start_mark.line + 1


def read_text(path: Path) -> str:
    """Return the text of a manifest file.

    Raises
    ------
    ManifestError
        If it is not there, too big, or not UTF-8 text.
    """
    name = str(path)
    try:
        if path.is_dir():
            raise _error(name, "this is a folder", "name the manifest file in it")
        if path.exists() and not path.is_file():  # a pipe would be waited for without end
            raise _error(name, "this is no regular file", "copy the manifest into a file")
        if path.stat().st_size > MOST_BYTES:
            raise _error(name, f"the file exceeds {MOST_BYTES} bytes", "this is no manifest")
        raw = path.read_bytes()
    except FileNotFoundError:
        mend = "give the path of a manifest, or write one with `reportgen init DIR`"
        raise _error(name, "there is no such file", mend) from None
    except OSError as error:
        raise _error(name, f"cannot be read ({error.strerror})", "check its permissions") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _error(f"{name}:1", "the file is UTF-16", "save it as UTF-8")
    zero = raw.find(b"\0")
    if zero >= 0:
        raise _error(f"{name}:{_line_at(raw, zero)}", "this is no text file", "save it as UTF-8")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"{name}:{_line_at(raw, error.start)}"
        what = f"byte {error.start + 1} (0x{raw[error.start]:02x}) is not UTF-8"
        raise _error(where, what, "save the file as UTF-8") from None


def _error(where: str, what: str, mend: str) -> ManifestError:
    return ManifestError([Fault(where, what, mend)])


def _line_at(raw: bytes, position: int) -> int:
    return raw.count(b"\n", 0, position) + 1


def parse(text: str, name: str) -> Source:
    """Return what `text` says.

    Parameters
    ----------
    text : str
        One YAML 1.2 document.
    name : str
        The file, as the user gave it.

    Raises
    ------
    ManifestError
        If it cannot be read as one YAML document of plain data.
    """
    text = text.removeprefix("\ufeff")
    _refuse_directives(text, name)
    source = Source()
    try:
        with warnings.catch_warnings():  # an anchor defined anew is sound YAML
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            node = YAML(typ="safe", pure=True).compose(text)
            source.tags = _tagged(text)
        if node is not None:
            source.lines[()] = node.start_mark.line + 1
            source.data = _build(node, (), source)
    except MarkedYAMLError as error:
        raise ManifestError([_syntax_fault(error, name)]) from None
    except YAMLError as error:
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        first = str(error).strip().splitlines()[0]
        mend = "delete the character or escape it in double quotes"
        raise _error(f"{name}:{line}", f"this is not YAML: {first}", mend) from None
    except _TooMuchError as error:
        raise _error(f"{name}:{error.line}", str(error), WRITTEN_OUT) from None
    except RecursionError:
        raise _error(f"{name}:{_deep_line(text)}", TOO_DEEP, WRITTEN_OUT) from None
    return source


def _deep_line(text: str) -> int:
    """Return the line in which the text is nested deeper than it may be."""
    depth = 0
    for event in YAML(typ="safe", pure=True).parse(text):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > DEEPEST:
            return int(event.start_mark.line) + 1
    return 1


def _refuse_directives(text: str, name: str) -> None:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("%") and not re.match(r"%YAML\s+1\.2\s*$", line):
            what = f"the directive {line.strip()!r} is not taken"
            raise _error(f"{name}:{number}", what, "a manifest is YAML 1.2: delete this line")
        if line.strip() and not line.startswith(("#", "%")):
            return


def _syntax_fault(error: MarkedYAMLError, name: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    where = f"{name}:{mark.line + 1}" if mark else f"{name}:1"
    problem = str(error.problem or error.context or error)
    if "'\\t'" in problem:
        return Fault(where, "a tab stands where blanks must", "indent with blanks")
    if "single document" in str(error):
        what = "a second document starts here"
        return Fault(where, what, "a manifest is one document: delete the line '---'")
    if "undefined alias" in problem or "anchor" in problem:
        return Fault(where, problem, "write it out, without anchors and aliases")
    started = error.context_mark
    since = f", begun in line {started.line + 1}" if started and started is not mark else ""
    mend = 'check the indentation, colons and quotes here (text with ": " or " #" needs quotes)'
    return Fault(where, f"this is not YAML: {problem}{since}", mend)


def _build(node: Node, key: Key, source: Source) -> Any:
    source.nodes += 1
    if source.nodes > MOST_NODES:
        raise _TooMuchError(f"this holds more than {MOST_NODES} values", node)
    if len(key) > DEEPEST:
        raise _TooMuchError(TOO_DEEP, node)
    if isinstance(node, MappingNode):
        _refuse_tag(node, key, source)
        return dict(_pairs(node, key, source))
    if isinstance(node, SequenceNode):
        _refuse_tag(node, key, source)
        entries = []
        for position, entry in enumerate(node.value):
            source.lines[(*key, position)] = entry.start_mark.line + 1
            entries.append(_build(entry, (*key, position), source))
        return entries
    if not isinstance(node, ScalarNode):
        raise TypeError(f"no plain form for {type(node).__name__}")
    if _refuse_tag(node, key, source):
        return _clean(str(node.value), key, source)
    return _scalar(node, key, source)


def _tagged(text: str) -> dict[tuple[int, int], str]:
    """Return every tag that is written out, as typed, by where the value behind it starts.

    Nodes hold resolved tags alone: of "!!str 5" they do not tell that it was tagged.
    """
    found: dict[tuple[int, int], str] = {}
    before: list[tuple[int, int]] = []  # the value starts at its tag or its anchor
    tag: str | None = None
    for token in YAML(typ="safe", pure=True).scan(text):
        if isinstance(token, TagToken):
            tag = text[token.start_mark.index : token.end_mark.index]
        if isinstance(token, TagToken | AnchorToken):
            before.append((token.start_mark.line, token.start_mark.column))
            continue
        found |= {} if tag is None else dict.fromkeys(before, tag)
        before, tag = [], None
    return found


def _refuse_tag(node: Node, key: Key, source: Source) -> bool:
    """Note that a value is tagged; return whether it is."""
    start = (node.start_mark.line, node.start_mark.column)
    if isinstance(node, MappingNode) and node.value:
        first = node.value[0][0].start_mark
        if (first.line, first.column) == start:  # the tag is that of the first key
            return False
    if start in source.tags:
        mend = "a manifest is plain data: delete the tag"
        source.fault(key, f"the tag {source.tags[start]!r} is not taken", mend)
    return start in source.tags


def _pairs(node: MappingNode, key: Key, source: Source) -> Iterator[tuple[str, Any]]:
    seen: dict[str, int] = {}
    for name_node, value_node in node.value:
        line = name_node.start_mark.line + 1
        if not isinstance(name_node, ScalarNode) or str(name_node.tag) == CORE + "null":
            source.lines.setdefault((*key, "?"), line)
            source.fault((*key, "?"), "this key is not a name", "write a name, then a colon")
            continue
        name = _clean(name_node.value, key, source)
        below = (*key, name)
        source.lines.setdefault(below, line)
        _refuse_tag(name_node, below, source)
        if name in seen:
            lines = f"given twice, in lines {seen[name]} and {line}"
            source.fault(below, lines, "keep one of them")
            continue
        seen[name] = source.lines[below] = line
        yield name, _build(value_node, below, source)


def _clean(text: str, key: Key, source: Source) -> str:
    """Refuse what no page can show: control characters and halves of surrogate pairs."""
    for letter in text:
        if letter not in "\n\t" and unicodedata.category(letter) in ("Cc", "Cs"):
            what = f"there is a control character (U+{ord(letter):04X}) in the text"
            source.fault(key, what, "delete it")
            return "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cs"))
    return text


def _scalar(node: ScalarNode, key: Key, source: Source) -> Any:
    text, tag = str(node.value), str(node.tag).removeprefix(CORE)
    plain = not node.style
    if plain:
        source.typed[key] = text
    if tag in ("str", "timestamp"):
        return _clean(text, key, source)
    if tag == "null":
        return None
    if tag == "bool":
        return text.lower() == "true"
    if tag in ("int", "float"):
        return _number(text, tag, key, source)
    return _clean(text, key, source)


def _number(text: str, tag: str, key: Key, source: Source) -> Any:
    digits = text.replace("_", "")
    if tag == "int" and re.fullmatch(r"[+-]?0\d+", digits):
        mend = f'write {int(digits)} for a number, "{text}" in quotes for text'
        source.fault(key, f"{text} starts with a zero", mend)
        return int(digits)
    try:
        number: int | float = int(digits, 0) if tag == "int" else float(digits)
        finite = math.isfinite(number)
    except (ValueError, OverflowError):
        finite = False
    if not finite:
        if tag == "int":
            what = f"a number of {len(digits)} digits stands here"
            source.fault(key, what, "write a smaller one")
            return 0
        source.fault(key, f"{text} is not a finite number", "write a number, or quote the text")
        return 0
    return number

"""Laws of the manifest and of the inputs: nothing but faults, and what was written is read."""

from __future__ import annotations

import csv
import io
import math
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from reportgen.errors import Fault, InputError, ManifestError, key_text
from reportgen.inputs import Inputs, TableSettings, read_inputs
from reportgen.inputs.codes import canonical
from reportgen.manifest_file import load_manifest
from reportgen.manifest_file.source import parse

MANIFEST = """\
reportgen: 1
dossier: {title: Audit}
model: {name: m, version: "1"}
tables:
  test:
    path: test.csv
    label: {column: y, positive: 1}
    scores: {a: s}
    bins: {age: {edges: [0, 40, 60]}}
sections:
  - kind: dca
    table: test
    thresholds: {from: 0.1, to: 0.3, step: 0.1}
  - kind: prevalence
    sensitivity: {k: 8, n: 10}
    specificity: 0.9
    prevalences: [0.1, {positives: 1, negatives: 99}]
gate: {fail_on: warn}
"""
LINES = MANIFEST.splitlines()
text = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from("\n\r,;\"' \t")
)
line = text.map(lambda value: value.replace("\r", ""))


def read(content: bytes, folder: str, **declared: Any) -> Inputs:
    (Path(folder) / "t.csv").write_bytes(content)
    table = TableSettings.model_validate({"path": "t.csv", **declared})
    return read_inputs({"t": table}, folder=Path(folder), where=key_text)


def faults_of(deed: Callable[[], object]) -> tuple[Fault, ...]:
    """Return the faults that `deed` raises; anything else it raises fails the test."""
    try:
        deed()
    except (InputError, ManifestError) as error:
        return error.faults
    return ()


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """Give the manifest with lines lost, doubled, moved, indented or overwritten."""
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        deed = draw(st.sampled_from(["lose", "double", "indent", "value", "letter", "swap"]))
        if deed == "lose" and len(lines) > 1:
            del lines[at]
        elif deed == "double":
            lines.insert(at, lines[at])
        elif deed == "indent":
            lines[at] = " " * draw(st.integers(1, 4)) + lines[at]
        elif deed == "value":
            value = draw(
                st.sampled_from(["", "3", "[1]", "{a: 1}", "yes", "~", "x", "-1", "1e999"])
            )
            lines[at] = lines[at].split(":")[0] + ": " + value
        elif deed == "letter":
            spot = draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:spot] + draw(st.characters()) + lines[at][spot:]
        else:
            lines[at], lines[0] = lines[0], lines[at]
    return "\n".join(lines)


@settings(max_examples=150, deadline=None)
@given(spoilt())
def test_a_spoilt_manifest_makes_placed_faults_and_nothing_else(manifest: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.yaml"
        path.write_bytes(manifest.encode("utf-8", "surrogatepass"))
        (path.parent / "test.csv").write_text("y,s,age\n1,0.5,3\n0,.5,50\n")
        faults = faults_of(lambda: load_manifest(path))
    last = manifest.count("\n") + 1
    numbers = [int(fault.where.removeprefix(f"{path}:").split(":")[0]) for fault in faults]
    assert numbers == sorted(numbers)
    assert all(1 <= number <= last for number in numbers)
    assert all("\n" not in str(fault) for fault in faults)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | line,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z]{3,8}", fullmatch=True), plain, min_size=1, max_size=4))
def test_what_yaml_writes_is_read_and_every_key_has_its_line(data: dict[str, Any]) -> None:
    stream = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_unicode = False
    yaml.width = 10**6  # ruamel.yaml loses a blank where it wraps text beyond ASCII
    yaml.default_flow_style = False
    yaml.dump(data, stream)
    written = stream.getvalue()
    source = parse(written, "m.yaml")
    assert source.data == data
    assert not source.faults
    for key in data:
        assert key in written.split("\n")[source.lines[(key,)] - 1]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200) | text.map(lambda value: ("y,s\n" + value).encode()))
def test_any_bytes_make_a_table_or_faults(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        label = {"column": "y", "positive": 1}
        faults = faults_of(lambda: read(content, folder, label=label, scores={"m": "s"}))
    assert all(fault.where and "\n" not in str(fault) for fault in faults)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(text, text), min_size=1, max_size=20), st.sampled_from(["\n", "\r\n"]))
def test_text_is_read_as_written_and_rows_are_placed(rows: list[tuple[str, str]], end: str) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["g", "u", "s"])
    starts = []
    for group, unit in rows:
        starts.append(len(stream.getvalue()))
        writer.writerow([group, unit, "bad"])
    written = stream.getvalue()
    with tempfile.TemporaryDirectory() as folder:
        table = read(written.encode(), folder, groups=["g"], unit="u").tables["t"]
        expected = ["" if not group.strip() else group for group, _ in rows]
        assert table.groups["g"].tolist() == expected
        faults = faults_of(lambda: read(written.encode(), folder, scores={"m": "s"}))
    named = len(rows) if len(rows) <= 3 else 2
    assert len(faults) == min(len(rows), 3)
    for fault, start in zip(faults[:named], starts, strict=False):
        before = written[:start].replace("\r\n", "\n").replace("\r", "\n")
        assert fault.where == f"t.csv:{before.count(chr(10)) + 1}: column 's' (tables.t.scores.m)"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_numbers_are_read_to_the_last_bit(values: list[float]) -> None:
    content = "s\n" + "".join(f"{value!r}\n" for value in values)
    with tempfile.TemporaryDirectory() as folder:
        found = read(content.encode(), folder, scores={"m": "s"}, scale="score").tables["t"]
    assert found.scores["m"].tolist() == values


@settings(max_examples=60, deadline=None)
@given(st.lists(st.decimals(0, 100, places=3), min_size=1, max_size=30))
def test_percent_is_the_exact_hundredth(values: list[Decimal]) -> None:
    content = "s\n" + "".join(f"{value}\n" for value in values)
    with tempfile.TemporaryDirectory() as folder:
        found = read(content.encode(), folder, scores={"m": "s"}, scale="percent").tables["t"]
    assert found.scores["m"].tolist() == [float(value / 100) for value in values]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from("01"), min_size=2, max_size=30).filter(lambda v: len(set(v)) == 2),
    st.sampled_from(
        [("0", "1"), ("-1", "1"), ("2", "1"), ("0.0", "1.0"), ("FALSE", "TRUE"), ("b", "a")]
    ),
    st.randoms(use_true_random=False),
)
def test_coding_and_row_order_do_not_change_the_label(
    labels: list[str], coding: tuple[str, str], random: Any
) -> None:
    order = list(range(len(labels)))
    random.shuffle(order)
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for rows in (range(len(labels)), order):
            content = "y\n" + "".join(f"{coding[int(labels[row])]}\n" for row in rows)
            declared = {"column": "y", "positive": coding[1]}
            label = read(content.encode(), folder, label=declared).tables["t"].label
            assert label is not None
            found.append(label)
    assert found[0].tolist() == [float(value) for value in labels]
    assert np.array_equal(found[0][order], found[1])


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | text)
def test_the_form_of_a_code_is_stable(value: str | int | float | bool) -> None:
    form = canonical(value)
    assert canonical(form) == form
    assert canonical(f" {form} ") == form
    if isinstance(value, float) and value == math.floor(value) and abs(value) < 1e15:
        assert form == canonical(int(value))

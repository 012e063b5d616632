"""Manifest: catalogue D115–D120."""

from __future__ import annotations

import json
import resource
import time

from tests.support.catalogue import Bench, Case, Cases, columns

case = Cases()

HEAD = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30}
model: {name: m, version: "1"}
defaults: {resamples: 100}
"""
SECTIONS = """\
sections:
  - kind: prevalence
    sensitivity: {k: 8, n: 10}
    specificity: {k: 8, n: 10}
    prevalences: [0.1]
"""


@case("D115")
def yes_no_on_and_off_are_text(bench: Bench) -> None:
    bench.write(
        "t.csv", columns(y=["yes", "no"] * 10, on=[0.9, 0.2] * 10, off=["no", "no", "on", "on"] * 5)
    )
    bench.write(
        "m.yaml",
        HEAD
        + """\
tables:
  t:
    path: t.csv
    label: {column: y, positive: yes}
    scores: {on: on}
    groups: [off]
sections:
  - {kind: frame, table: t, score: on, margin: 0.05, reference: {off: no}}
""",
    )
    dossier = bench.build()
    groups = {row["group"] for row in dossier.result("frame")["groups"]}
    assert groups == {"all", "no", "on"}
    assert dossier.data["inputs"][0]["positives"] == 10
    assert dossier.result("frame")["gaps"][0]["reference"] == "no"


@case("D116")
def numbers_in_every_notation(bench: Bench) -> None:
    bench.write(
        "linear.json",
        json.dumps({"intercept": 0.0, "coefficients": {"x": 1.0}, "link": "identity"}),
    )
    x = [at / 100 for at in range(40)]
    bench.write("t.csv", columns(x=x, p=x, g=["a", "b"] * 20))
    bench.write(
        "m.yaml",
        HEAD.replace("resamples: 100", "resamples: 1_000")
        + """\
tables:
  t: {path: t.csv, scores: {s: p}, groups: [g], features: [x]}
sections:
  - kind: robust
    table: t
    model: {linear: linear.json}
    sensitive: g
    decisions: soft
    tolerance: 2E-1
    perturbation: {norm: l2, features: {x: {eps: 1e-5}}}
""",
    )
    data = bench.build().data
    assert data["defaults"]["resamples"] == 1000
    parameters = data["sections"][0]["parameters"]
    assert parameters["tolerance"] == 0.2
    assert parameters["perturbation"]["features"]["x"]["eps"] == 1e-5


@case("D117")
def values_that_would_change_when_read(bench: Bench) -> None:
    bench.write("m.yaml", HEAD.replace('"1"', "1.20") + SECTIONS)
    bench.refused("m.yaml:3: model.version", '"1.20"', most=1)
    bench.write("m.yaml", HEAD.replace("name: m", "name: 010") + SECTIONS)
    bench.refused("m.yaml:3: model.name", '"010"', most=1)
    bench.write(
        "m.yaml", HEAD.replace("title: T", "title: 2024-05-06, prepared_by: 1:30") + SECTIONS
    )
    dossier = bench.build()
    assert dossier.data["dossier"]["title"] == "2024-05-06"
    assert dossier.data["dossier"]["prepared_by"] == "1:30"
    dossier.shows("2024-05-06", "1:30")


@case("D118")
def a_key_given_twice(bench: Bench) -> None:
    bench.write("m.yaml", HEAD + SECTIONS + "    prevalences: [0.2]\n")
    bench.refused("m.yaml:9: sections[0].prevalences", "lines 9 and 10", most=1)


@case("D119")
def unknown_keys_and_a_lost_indent(bench: Bench) -> None:
    bench.write("m.yaml", HEAD + SECTIONS + "    treshold: 0.5\n")
    bench.refused("m.yaml:10: sections[0].treshold", "'threshold'", most=1)
    left = HEAD + "defualts: {seed: 1}\n" + SECTIONS
    bench.write("m.yaml", left)
    bench.refused("m.yaml:5: defualts", "'defaults'", most=1)
    # "confidence" belongs to defaults and stands one level too far left.
    bench.write("m.yaml", HEAD + "confidence: 0.9\n" + SECTIONS)
    bench.refused("m.yaml:5: confidence: unknown key", most=1)


@case("D120")
def what_is_no_manifest(bench: Bench) -> None:
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    touched = bench.folder / "touched"
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{name}: &{name} [{','.join('*' + last for _ in range(9))}]\n"
        for last, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    for text, said in (
        (HEAD + "\tx: 1\n" + SECTIONS, "m.yaml:5: a tab"),
        ("- a\n- b\n", "m.yaml:1: a list"),
        (HEAD + SECTIONS + "---\na: 1\n", "m.yaml:10: a second document"),
        ("", "m.yaml:1: the manifest is empty"),
        (
            HEAD.replace("title: T", f'title: !!python/object/apply:os.system ["touch {touched}"]')
            + SECTIONS,
            "m.yaml:2: dossier.title: the tag",
        ),
        (bomb, "m.yaml:1: this holds more than 100000 values"),
        (HEAD + SECTIONS + bomb, "m.yaml:10: this holds more than 100000 values"),
        (HEAD + SECTIONS + "plan:\n  a: &a [*a]\n", "m.yaml:11: this is nested deeper"),
        (HEAD + SECTIONS + f"plan:\n  {'{a: ' * 60}1{'}' * 60}\n", "m.yaml:11: this is nested"),
        (HEAD + SECTIONS + f"plan:\n  {'[' * 2000}{']' * 2000}\n", "m.yaml:11: this is nested"),
    ):
        bench.write("m.yaml", text)
        bench.refused(said, most=1)
    assert not touched.exists()
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert used < 500 * 1024, "kibibytes"
    assert time.monotonic() - started < 7 * 5


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)

"""Rendering: catalogue D129–D136."""

from __future__ import annotations

import datetime
import html
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pypdf import PdfReader

from reportgen.release.environment import missing_for_pdf
from tests.support.catalogue import (
    PUBLISHED,
    Bench,
    Case,
    Cases,
    Dossier,
    classifier,
    columns,
    dca,
    frame,
    label,
    prevalence,
)

case = Cases()


@case("D129")
def characters_without_a_font(bench: Bench) -> None:
    bench.manifest(prevalence(**PUBLISHED), dossier={"title": "Audit مرحبا 😀"})
    said = bench.refused(
        "“Audit مرحبا 😀", "U+0627", "U+1F600", "font_dirs", most=1, options=["-q"]
    )
    assert "near" in said
    bench.draws_charts()
    n = 20
    bench.table(
        columns(
            y=[at % 2 for at in range(n)], p=np.linspace(0.1, 0.9, n).round(3), g=["a", "😀"] * 10
        ),
        frame(score="s"),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    bench.refused("“😀”", "U+1F600", options=["-q"])
    style = bench_style(bench)
    rules = re.sub(r"@font-face\{[^}]*\}", "", style)
    chains = re.findall(r"(?:font-family|--font):([^;}]+)", rules)
    # A fall-back stands in every chain, that of code and of page margins too.
    assert len(chains) >= 4
    assert any("," in chain for chain in chains)
    assert all("," in chain or chain in ("inherit", "var(--font)") for chain in chains), chains
    assert "@page" in rules


def bench_style(bench: Bench) -> str:
    bench.manifest(prevalence(**PUBLISHED))
    page = bench.build().printed
    return page.partition("<style>")[2].partition("</style>")[0]


@case("D130")
def long_names_and_wide_tables(bench: Bench) -> None:
    if missing_for_pdf():
        pytest.skip("a PDF is measured, and this machine lacks a library for it (see doctor)")
    long = "a" * 300
    n = 40
    bench.table(
        columns(
            y=[at % 2 for at in range(n)],
            p=np.random.default_rng(1).random(n).round(3),
            g=[long, "b"] * (n // 2),
        ),
        frame(score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
    )
    status, out, err = bench.run("build", "m.yaml", "-o", "pdf", "--format", "pdf")
    assert status == 0, err
    reader = PdfReader(bench.folder / out.splitlines()[-1] / "dossier.pdf")
    seen = 0
    for sheet in reader.pages:
        right = float(sheet.mediabox.right)

        def look(text: str, cm: Any, tm: Any, _font: Any, _size: Any, right: float = right) -> None:
            nonlocal seen
            x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
            seen += text.count("a")
            assert not text.strip() or -1 <= x < right, text

        sheet.extract_text(visitor_text=look)
    assert seen > 300


@case("D131")
def a_table_of_two_thousand_rows(bench: Bench) -> None:
    rng = np.random.default_rng(3)
    p = rng.random(60).round(3)
    thresholds = {"from": 0.001, "to": 0.999, "step": 0.001}
    bench.table(
        columns(y=(rng.random(60) < p).astype(int), p=p),
        {**dca(), "thresholds": thresholds},
        label=label(),
        scores={"s": "p"},
    )
    dossier = bench.build()
    table = (dossier.folder / "tables" / "dca-curve.csv").read_text("utf-8")
    assert table.count("\n") == 3 * 999 + 1
    dossier.shows("Every row and column: tables/dca-curve.csv")
    # The print has a fraction of them and says which.
    assert dossier.printed.count("<tr>") < 400
    dossier.shows("The print shows", part="section-dca")


def marks(dossier: Dossier) -> dict[str, int]:
    """Return how many marks each chart has, by its file."""
    return {
        path.name: len(re.findall(r"<(?:path|rect|circle|line|use)\b", path.read_text("utf-8")))
        for path in sorted((dossier.folder / "figures").glob("*.svg"))
    }


@case("D132")
def names_that_a_chart_would_take_for_code(bench: Bench) -> None:
    bench.draws_charts()
    rng = np.random.default_rng(1)
    n = 60
    y, p = [at % 2 for at in range(n)], rng.random(n).round(3)
    q, g = rng.random(n).round(3), ["u", "v", "w"] * 20

    def built(names: Sequence[str]) -> Dossier:
        first, second, group, level = names
        table: dict[str, Any] = {
            "y": y,
            "p": p,
            "q": q,
            group: [level if one == "u" else one for one in g],
        }
        bench.table(
            columns(**table),
            dca(0.3, 0.5),
            frame(score=first, threshold=0.5),
            label=label(),
            scores={first: "p", second: "q"},
            groups=[group],
        )
        return bench.build()

    plain = marks(built(["one", "two", "site", "u"]))
    assert min(plain.values()) > 5
    for names in (
        ["auc:Q", "it's", "site.name", "age[y]"],
        ["site.name", "x\\y", "auc:Q", '"it\'s"'],
    ):
        dossier = built(names)
        assert marks(dossier) == plain, names
        dossier.shows(*names)
        svg = "".join(
            path.read_text("utf-8") for path in (dossier.folder / "figures").glob("dca-*.svg")
        )
        assert names[0] in html.unescape(svg)


@case("D133")
def what_is_not_a_number_is_null_with_a_reason(bench: Bench) -> None:
    bench.table(
        columns(y="1 1 1", p=".9 .9 .9"),
        classifier(),
        prevalence(table="t", score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
    )
    dossier = bench.build()
    text = (dossier.folder / "results.json").read_text("utf-8")
    for word in ("NaN", "Infinity"):
        assert word not in text

    def estimates(value: Any) -> Any:
        if isinstance(value, Mapping):
            if "estimate" in value:
                yield value
            for one in value.values():
                yield from estimates(one)
        elif isinstance(value, list):
            for one in value:
                yield from estimates(one)

    missing = [one for one in estimates(dossier.data["sections"]) if one["estimate"] is None]
    assert len(missing) > 5
    assert all(one["reason"] for one in missing)
    assert not re.search(r"\b(nan|inf)\b", dossier.text, re.IGNORECASE)


@case("D134")
def typed_values_reach_the_results(bench: Bench) -> None:
    table = pa.table(
        {
            "y": pa.array([True, False, None, True, False]),
            "p": pa.array(
                [Decimal("0.9"), Decimal("0.1"), Decimal("0.5"), Decimal("0.3"), Decimal("0.6")]
            ),
            "g": pa.array(np.array([1, 2, 1, 2, 1], dtype=np.int64)),
            "when": pa.array([datetime.date(2024, 5, day) for day in range(1, 6)]),
        }
    )
    pq.write_table(table, bench.folder / "t.parquet")
    bench.manifest(
        classifier(split="g"),
        tables={
            "t": {
                "path": "t.parquet",
                "label": label(positive=True),
                "scores": {"s": "p"},
                "groups": ["g"],
            }
        },
    )
    dossier = bench.build()
    rows = dossier.result("integrity")["classifier"]["rows"]
    assert [row["split"] for row in rows] == ["all", "1", "2"]
    # Of .9 .3 against .1 .6: three of four pairs.
    assert rows[0]["auc"]["estimate"] == 0.75
    assert json.loads((dossier.folder / "results.json").read_text("utf-8"))


@case("D135")
def a_page_without_a_network(bench: Bench) -> None:
    bench.draws_charts()
    bench.table(
        columns(y=[0, 1] * 10, p=np.linspace(0.1, 0.9, 20).round(3)),
        dca(0.3),
        label=label(),
        scores={"s": "p"},
    )
    dossier = bench.build()
    status, _out, err = bench.run("render", str(dossier.folder), "--interactive", "-o", "live")
    assert status == 0, err
    pages = [dossier.html, *(one.read_text("utf-8") for one in bench.folder.glob("live/**/*.html"))]
    assert len(pages) == 2
    for page in pages:
        loaded = re.findall(r"""(?:src|srcset|data)\s*=\s*["']?(https?:[^"'\s>]+)""", page)
        loaded += re.findall(r"""<link[^>]+href=["']?(https?:[^"'\s>]+)""", page)
        loaded += re.findall(r"""(?:url\(|@import\s+)["']?(https?:[^"')]+)""", page)
        assert not loaded
        assert "jsdelivr.net" not in re.sub(r"(?s)<script.*?</script>", "", page)
    assert "default-src 'none'" in dossier.html


@case("D136")
def six_thousand_points(bench: Bench) -> None:
    bench.draws_charts()
    rng = np.random.default_rng(2)
    n = 6000
    bench.table(
        columns(
            y=[at % 2 for at in range(n)],
            p=rng.random(n).round(3),
            g=["a", "b"] * (n // 2),
            x=rng.normal(size=n).round(4),
            z=rng.normal(size=n).round(4),
        ),
        frame(score="s", threshold=0.5),
        label=label(),
        scores={"s": "p"},
        groups=["g"],
        features=["x", "z"],
    )
    dossier = bench.build()
    points = dossier.result("frame")["map"]
    assert 100 < len(points) < n
    assert sum(row["n_rows"] for row in points) >= len(points)
    assert [path for path in (dossier.folder / "figures").glob("*.svg") if "map" in path.name]


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)

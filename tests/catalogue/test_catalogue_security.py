"""Security: catalogue D121–D128."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from reportgen.render.pdf import write_pdf
from tests.support.catalogue import (
    DECLARED,
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


def named(
    bench: Bench, groups: Sequence[str], *, title: str = "T", charts: bool = False
) -> Dossier:
    """Return a dossier whose groups, score and title bear the names."""
    if charts:
        bench.draws_charts()
    n = 20
    bench.table(
        columns(
            y=[at % 2 for at in range(n * len(groups))],
            p=np.random.default_rng(1).random(n * len(groups)).round(3),
            g=[name for name in groups for _row in range(n)],
        ),
        frame(score=groups[0]),
        dca(0.3, 0.5, scores=[groups[0]]),
        label=label(),
        scores={groups[0]: "p"},
        groups=["g"],
        blocks={"dossier": {"title": title}},
    )
    return bench.build()


@case("D121")
def user_text_is_no_template(bench: Bench) -> None:
    dossier = named(bench, ["{% raw %}", "{{ 7*7 }}"], title="{{ 7*7 }} {# gone #}")
    dossier.shows("{{ 7*7 }} {# gone #}", "{% raw %}")
    assert dossier.data["dossier"]["title"] == "{{ 7*7 }} {# gone #}"
    assert "49 " not in dossier.html.partition("<title>")[2][:200]


@case("D122")
def user_text_is_no_markup(bench: Bench) -> None:
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "R&D"]
    dossier = named(bench, names, title="R&D <b>", charts=True)
    for raw in ("<script>alert", "<img src=x", "onerror=alert(1)>&", "R&D "):
        assert raw not in dossier.html
    assert "R&amp;D" in dossier.html
    assert "R&amp;amp;D" not in dossier.html
    dossier.shows(*names, "R&D <b>")
    for path in (dossier.folder / "figures").glob("*.svg"):
        svg = path.read_text("utf-8")
        assert "<script" not in svg
        assert "<img" not in svg
    stored = {row["group"] for row in dossier.result("frame")["groups"]}
    assert {*names} <= stored


@case("D123")
def a_closing_tag_in_chart_data(bench: Bench) -> None:
    dossier = named(bench, ["</script>", "</svg>"], charts=True)
    assert "</script>" not in re.sub(r"</script>\s*</body>", "", dossier.html)
    assert dossier.html.count("<svg") == dossier.html.count("</svg>")
    status, out, err = bench.run("render", str(dossier.folder), "--interactive", "-o", "live")
    assert status == 0, err
    live = (
        next(Path(out.strip()).glob("*.html")) if Path(out.strip()).is_dir() else Path(out.strip())
    )
    page = live.read_text("utf-8")
    assert page.count("<script") == len(re.findall(r"</script", page))
    assert "\\u003c/script" in page or "<\\/script" in page or "&lt;/script&gt;" in page


@case("D124")
def nothing_is_fetched_into_a_pdf(bench: Bench) -> None:
    hostile = "<link rel=attachment href=file:///etc/hostname>"
    dossier = named(bench, [hostile, "<img src=http://localhost:9/x.png>"])
    dossier.shows(hostile)
    assert "<link rel=attachment" not in dossier.printed
    assert "<img src=http" not in dossier.printed
    # And where such a tag did reach the layout, nothing is read and nothing written.
    for url in ("file:///etc/hostname", "http://localhost:9/x.png", "x.png"):
        page = (
            f'<!DOCTYPE html><html lang="en"><title>t</title>'
            f'<link rel="attachment" href="{url}"><img alt="a" src="{url}">'
        )
        with pytest.raises(Exception, match=r"fetch|Relative URI|warned"):
            write_pdf(page, bench.folder / "d.pdf", identifier="i", date="2026-11-30")
        assert not (bench.folder / "d.pdf").exists()


@case("D125")
def text_that_a_spreadsheet_would_run(bench: Bench) -> None:
    dossier = named(bench, ["=1+1", "@x", "-2+3"])
    for path in (dossier.folder / "tables").glob("*.csv"):
        for cell in re.split(r"[,\n]", path.read_text("utf-8")):
            assert not cell.startswith(("=", "@", "-2+"))
    text = (dossier.folder / "tables" / "frame-groups.csv").read_text("utf-8")
    assert "'=1+1" in text
    curve = (dossier.folder / "tables" / "dca-curve.csv").read_text("utf-8")
    assert re.search(r",-\d\.?\d*,", curve)  # numbers below 0 stay numbers
    dossier.shows("=1+1", "-2+3")


@case("D126")
def paths_that_lead_out_of_the_folder(bench: Bench) -> None:
    inside = bench.folder / "run"
    inside.mkdir()
    bench.monkeypatch.chdir(inside)
    outside = Bench(inside, bench.monkeypatch)
    content = "y,p\n1,.9\n0,.1\n"
    bench.write("x.csv", content)
    (inside / "link.csv").symlink_to(bench.folder / "x.csv")
    for path, said in (
        ("../x.csv", "leads out"),
        (str(bench.folder / "x.csv"), "absolute path"),
        ("link.csv", "leads out"),
    ):
        outside.manifest(classifier(), tables={"t": {"path": path, **DECLARED}})
        outside.refused("m.yaml:", "tables.t.path", said, "--allow-outside", most=1)
    dossier = outside.build("--allow-outside")
    (record,) = dossier.data["inputs"]
    assert record["sha256"] == hashlib.sha256(content.encode()).hexdigest()
    outside.manifest(prevalence(**PUBLISHED), model={"name": "../v1", "version": "../../x"})
    folder = outside.build().folder.resolve()
    assert folder.is_relative_to((inside / f"out{outside.built}").resolve())
    assert sorted(path.name for path in bench.folder.iterdir()) == ["run", "x.csv"]


class Trap:
    """A pickle that makes a file when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def fitted(bench: Bench, model: Any, name: str, *, pin: bool = True) -> None:
    """Write a table scored by a model that is given as a pickle."""
    raw = model if isinstance(model, bytes) else pickle.dumps(model)
    bench.write(name, raw)
    x = np.linspace(-1, 1, 40)
    p = ["0.5"] * 40
    if not isinstance(model, bytes | Trap):
        p = [repr(float(one)) for one in model.predict_proba(x[:, None])[:, 1]]
    pinned = {"sha256": hashlib.sha256(raw).hexdigest()} if pin else {}
    bench.table(
        columns(x=[repr(float(one)) for one in x], p=p, g=["a", "b"] * 20),
        {
            "kind": "robust",
            "table": "t",
            "model": {"pickle": name, "features": ["x"], **pinned},
            "sensitive": "g",
            "decisions": "soft",
            "tolerance": 0.2,
            "perturbation": {"norm": "l2", "features": {"x": {"eps": 0.1}}},
        },
        scores={"s": "p"},
        groups=["g"],
        features=["x"],
    )


@case("D127")
def a_pickle_is_not_opened(bench: Bench) -> None:
    sprung = bench.folder / "sprung"
    trap = Trap(sprung)
    fitted(bench, trap, "m.pkl")
    bench.refused("m.yaml:", "m.pkl is a pickle", "--allow-pickle", most=1)
    fitted(bench, trap, "m.pkl", pin=False)
    bench.refused("m.yaml:", "sha256", most=1, options=["--allow-pickle"])
    # No other format falls back to it, whatever the file is called.
    bench.write("linear.json", (bench.folder / "m.pkl").read_bytes())
    manifest = json.loads((bench.folder / "m.yaml").read_text())
    manifest["sections"][0]["model"] = {"linear": "linear.json"}
    bench.write("m.yaml", json.dumps(manifest, indent=1))
    bench.refused("linear.json", most=1, options=["--allow-pickle"])
    assert not sprung.exists()
    x = np.linspace(-1, 1, 40)[:, None]
    model = LogisticRegression().fit(x, np.arange(40) % 2)
    fitted(bench, model, "m.pkl")
    dossier = bench.build("--allow-pickle")
    digest = hashlib.sha256((bench.folder / "m.pkl").read_bytes()).hexdigest()
    assert digest in {one["sha256"] for one in dossier.data["inputs"]}
    dossier.warns("ROB-014")
    dossier.shows(digest)


@case("D128")
def a_model_of_another_scikit_learn(bench: Bench) -> None:
    x = np.linspace(-1, 1, 40)[:, None]
    model = LogisticRegression().fit(x, np.arange(40) % 2)
    whole = pickle.dumps(model)
    from sklearn import __version__ as here

    version = here.encode()
    assert whole.count(version) == 1
    other = b"1" + b"." + b"0" * (len(version) - 2)
    fitted(bench, model, "m.pkl")
    raw = whole.replace(version, other)
    bench.write("m.pkl", raw)
    manifest = json.loads((bench.folder / "m.yaml").read_text())
    manifest["sections"][0]["model"]["sha256"] = hashlib.sha256(raw).hexdigest()
    bench.write("m.yaml", json.dumps(manifest, indent=1))
    dossier = bench.build("--allow-pickle")
    assert dossier.data["environment"]["packages"]["scikit-learn"] == here
    notes = " ".join(note for one in dossier.data["inputs"] for note in one["notes"])
    assert other.decode() in notes
    assert here in notes
    dossier.shows(other.decode())
    dossier.warns("ROB-014", other.decode())
    # Impossible probabilities are refused before they are used.
    broken = LogisticRegression().fit(x, np.arange(40) % 2)
    broken.coef_ = np.array([[np.nan]])
    fitted(bench, pickle.dumps(broken), "m.pkl")
    bench.refused("m.yaml:", "model", most=1, options=["--allow-pickle"])


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)

"""A bench for the catalogue of input faults: small files in, the command line run, answers read.

Each case of the catalogue is a function that takes a `Bench`; `Cases` gives it its number.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.render.drawing import draw
from reportgen.render.html import render_pages

Case = Callable[["Bench"], None]
SHOWN = ("fail", "warn", "note")
"""Severities that a reader is to see; a pass is no warning."""
TAGS = re.compile(r"(?s)<(style|script|svg)\b.*?</\1>|<[^>]+>")


class Cases:
    """The cases of one heading of the catalogue, by number."""

    def __init__(self) -> None:
        self.by_id: dict[str, Case] = {}

    def __call__(self, number: str) -> Callable[[Case], Case]:
        """Return a decorator that files a function under a number, ``D01``."""

        def filed(case: Case) -> Case:
            assert number not in self.by_id, number
            self.by_id[number] = case
            return case

        return filed

    def parametrize(self) -> Any:
        """Return the mark that makes a test of each case, named by its number."""
        params = [pytest.param(case, id=number) for number, case in sorted(self.by_id.items())]
        return pytest.mark.parametrize("case", params)


@dataclass(frozen=True)
class Dossier:
    """What a build wrote, read back."""

    folder: Path
    out: str
    err: str

    @cached_property
    def data(self) -> dict[str, Any]:
        """Everything in results.json."""
        data: dict[str, Any] = json.loads(
            (self.folder / "results.json").read_text("utf-8"), parse_constant=_no_constant
        )
        return data

    @cached_property
    def html(self) -> str:
        """The page as it is written."""
        return (self.folder / "dossier.html").read_text("utf-8")

    @cached_property
    def text(self) -> str:
        """The words of the page, blanks made single; no styles, no charts."""
        return words(self.html)

    @cached_property
    def printed(self) -> str:
        """The page that the PDF is laid out from."""
        return render_pages(self.data).print_html

    def part(self, anchor: str) -> str:
        """Return the words of one part of the page, up to the next part."""
        _, start, rest = self.html.partition(f'id="{anchor}"')
        assert start, anchor
        return words("<" + rest.partition('<section class="part ')[0])

    def result(self, section: str) -> dict[str, Any]:
        """Return the result of a section, named by its id."""
        (found,) = [one for one in self.data["sections"] if one["id"] == section]
        result: dict[str, Any] = found["result"]
        return result

    def row(self, section: str, rows: str, **keys: Any) -> dict[str, Any]:
        """Return the only row of a section's list that has these values."""
        at: Any = self.result(section)
        for name in rows.split("."):
            at = at[name]
        found = [one for one in at if all(one[key] == value for key, value in keys.items())]
        assert len(found) == 1, (keys, at)
        row: dict[str, Any] = found[0]
        return row

    def codes(self) -> set[str]:
        """Return the codes of all findings."""
        return {one["code"] for one in self.data["findings"]}

    def warns(self, code: str, *said: str, section: str | None = None) -> dict[str, Any]:
        """Assert that a warning is there for machine and reader, and return its finding.

        It stands in results.json, in the list of all findings at the front and in its section.
        """
        found = [
            one
            for one in self.data["findings"]
            if one["code"] == code
            and one["severity"] in SHOWN
            and section in (None, one["section"])
            and all(some in one["statement"] for some in said)
        ]
        told = [(one["code"], one["severity"], one["statement"]) for one in self.data["findings"]]
        assert found, (code, said, told)
        finding: dict[str, Any] = found[0]
        front = self.part("findings")
        assert plain(finding["title"]) in front
        assert code in front
        anchor = f"section-{finding['section']}"
        where = self.part(anchor) if f'id="{anchor}"' in self.html else front
        assert code in where
        assert plain(finding["statement"]) in where or plain(finding["summary"]) in where
        return finding

    def shows(self, *said: str, part: str | None = None) -> None:
        """Assert that the page, or a part of it, says all this."""
        text = self.text if part is None else self.part(part)
        for some in said:
            assert plain(some) in text, some


@dataclass
class Bench:
    """A folder with a manifest and its files, and the command line to try on it."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    built: int = 0

    def draws_charts(self) -> None:
        """Have charts drawn, which takes a third of a second each."""
        self.monkeypatch.setattr("reportgen.render.placing.draw", draw)

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the folder and return its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def manifest(self, *sections: Mapping[str, Any], **blocks: Any) -> None:
        """Write a manifest whose every key has a line of its own."""
        defaults = {"resamples": 100, **blocks.pop("defaults", {})}
        data = {
            "reportgen": 1,
            "dossier": {"title": "T", "date": "2026-11-30", **blocks.pop("dossier", {})},
            "model": {"name": "m", "version": "1", **blocks.pop("model", {})},
            "defaults": defaults,
            **blocks,
            "sections": list(sections),
        }
        self.write("m.yaml", json.dumps(data, indent=1, ensure_ascii=False))

    def table(self, content: str | bytes, *sections: Mapping[str, Any], **keys: Any) -> None:
        """Write the table ``t`` (t.csv unless `path` says so) and a manifest around it."""
        blocks = keys.pop("blocks", {})
        path = keys.pop("path", "t.csv")
        self.write(path, content)
        self.manifest(*sections, tables={"t": {"path": path, **keys}}, **blocks)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run the command line in this process; exit status, standard output and error."""
        done = CliRunner().invoke(main, list(arguments))
        return done.exit_code, done.stdout, done.stderr

    def build(self, *options: str) -> Dossier:
        """Build the dossier, pages in HTML alone, and return it; a refusal fails the test."""
        # A folder a build: beside an earlier revision that one is rendered again, to compare.
        self.built += 1
        out = f"out{self.built}"
        status, out, err = self.run("build", "m.yaml", "-o", out, "--format", "html", *options)
        assert status == 0, err
        return Dossier(self.folder / out.splitlines()[-1], out, err)

    def refused(self, *said: str, most: int = 3, options: Iterable[str] = ()) -> str:
        """Assert that a build stops as it should, and return what it says.

        Exit 2, one line a fault, at most `most`, which say all of `said`; no traceback; nothing
        written.
        """
        before = tree(self.folder)
        status, out, err = self.run("build", "m.yaml", "-o", "out", "--format", "html", *options)
        assert (status, out) == (2, ""), (status, out, err)
        lines = err.splitlines()
        assert re.fullmatch(r"\d+ faults?; nothing was written", lines[-1])
        assert 1 <= len(lines[:-1]) <= most, err
        assert "Traceback" not in err
        assert tree(self.folder) == before
        for some in said:
            assert some in err, (some, err)
        return err


def words(page: str) -> str:
    """Return the words of a page: no tags, blanks made single."""
    return plain(html.unescape(TAGS.sub(" ", page)))


def plain(text: str) -> str:
    """Return text with all blanks made single ones, none before a stop, as a page may break it."""
    return re.sub(r"\s+", " ", text).strip()


def columns(**cells: Iterable[Any]) -> str:
    """Return a CSV file of columns; text stands for a column of words."""
    made = {name: one.split() if isinstance(one, str) else [*one] for name, one in cells.items()}
    handle = io.StringIO()
    writer = csv.writer(handle, lineterminator="\n")
    writer.writerow(made)
    writer.writerows(zip(*made.values(), strict=True))
    return handle.getvalue()


def label(**keys: Any) -> dict[str, Any]:
    """Return the declaration of the label ``y``, positive 1 unless said otherwise."""
    return {"column": "y", "positive": 1, **keys}


DECLARED = {"label": label(), "scores": {"s": "p"}}
"""Of the table ``t``: its label, and the score ``s`` from column ``p``."""
PUBLISHED = {"sensitivity": {"k": 8, "n": 10}, "specificity": {"k": 8, "n": 10}}
"""Of a section on the class mix that needs no table."""


def classifier(threshold: float = 0.5, **keys: Any) -> dict[str, Any]:
    """Return the section that gives accuracy, AUC and their like for a table of any size."""
    return {
        "kind": "integrity",
        "classifier": {"table": "t", "threshold": threshold, **keys},
    }


def dca(*thresholds: float, **keys: Any) -> dict[str, Any]:
    """Return a decision curve section."""
    return {"kind": "dca", "table": "t", "thresholds": list(thresholds) or [0.5], **keys}


def frame(**keys: Any) -> dict[str, Any]:
    """Return a section on gaps between groups."""
    return {"kind": "frame", "table": "t", "margin": 0.05, **keys}


def prevalence(**keys: Any) -> dict[str, Any]:
    """Return a section on the class mix, at prevalence 0.1 unless said otherwise."""
    return {"kind": "prevalence", "prevalences": [0.1], **keys}


def _no_constant(name: str) -> Any:
    raise AssertionError(f"{name} in results.json")


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Return every path below a folder with its size and time."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    } | {str(path.relative_to(folder)): (0, 0) for path in folder.rglob("*") if path.is_dir()}

"""The two kinds of PDF, judged by a validator, by qpdf and by poppler."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ET
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import page
import pikepdf
import pytest
from PIL import Image

from reportgen.render.html import render_pages
from reportgen.render.pdf_attachment import Attachment, attachments_of
from reportgen.render.pdf_finish import finish, measurable
from reportgen.render.pdf_metadata import NAMESPACES, packet
from reportgen.render.pdf_profile import PROFILES
from tests.support.pdf_files import failed_rules, margins, text_sizes, tool, unfinished

try:
    import weasyprint  # noqa: F401
except OSError:
    pytest.skip("Pango is not on this machine", allow_module_level=True)

DATE = "2026-11-30"
RUN = {"model": "R&D <1>", "modelVersion": "2.1.0", "revision": "3", "resultsSha256": "ab" * 32}
FILES = {
    "tables/dca-curve.csv": b"a,b\n1,2\n",
    "results.json": b"{}\n",
    "manifest.yaml": b"reportgen: 1\n",
    "dossier.html": b"<p>",
}
STANDARDS = [("archive", "3a"), ("archive", "ua1"), ("submission", "2a"), ("submission", "ua1")]


def finished(raw: bytes, profile: str) -> bytes:
    chosen = PROFILES[profile]
    return finish(raw, chosen, date=DATE, run=RUN, attachments=attachments_of(FILES))


@pytest.fixture(scope="module")
def made(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of both profiles, by its name."""
    folder = tmp_path_factory.mktemp("profiles")
    files = {name: folder / f"{name}.pdf" for name in PROFILES}
    for name, file in files.items():
        file.write_bytes(finished(raw, name))
    return files


@pytest.mark.parametrize(("profile", "standard"), STANDARDS)
def test_profiles_keep_both_their_standards(
    made: dict[str, Path], profile: str, standard: str
) -> None:
    assert failed_rules(made[profile], standard) == []


def test_without_the_last_pass_the_rules_fail(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "raw.pdf").write_bytes(raw)
    assert "PDFA3A-METADATA-FILTER-001" in failed_rules(tmp_path / "raw.pdf", "3a")
    assert "PDFUA1-ID-SCHEMA-001" in failed_rules(tmp_path / "raw.pdf", "ua1")


def test_an_archive_is_no_submission(made: dict[str, Path]) -> None:
    assert failed_rules(made["archive"], "2a") != []
    assert failed_rules(made["submission"], "3a") != []


@pytest.mark.parametrize("profile", PROFILES)
def test_qpdf_finds_nothing_wrong(made: dict[str, Path], profile: str) -> None:
    said = tool("qpdf", "--check", str(made[profile]))
    assert "No syntax or stream encoding errors" in said
    assert ("File is linearized" in said) == (profile == "submission")


@pytest.mark.parametrize("profile", PROFILES)
def test_fonts_are_embedded_cut_and_readable(made: dict[str, Path], profile: str) -> None:
    _, _, *rows = tool("pdffonts", str(made[profile])).splitlines()
    assert rows
    for row in rows:
        assert re.search(r" yes +yes +yes +\d+ +\d+$", row), row


@pytest.mark.parametrize("profile", PROFILES)
def test_poppler_sees_a_tagged_file_without_forms(made: dict[str, Path], profile: str) -> None:
    lines = tool("pdfinfo", str(made[profile])).splitlines()
    told = dict(re.split(r":\s+", line, maxsplit=1) for line in lines if ": " in line)
    wanted = {"Tagged": "yes", "Form": "none", "JavaScript": "no", "Encrypted": "no"}
    assert {key: told[key] for key in wanted} == wanted
    assert told["PDF version"] == "1.7"
    assert told["Optimized"] == ("yes" if profile == "submission" else "no")


def test_running_lines_are_not_read_aloud(results: dict[str, Any], tmp_path: Path) -> None:
    results["sections"] = []  # poppler takes minutes for the tags of a whole dossier
    before = unfinished(render_pages(results).print_html)
    for name, content in (("before", before), ("after", finished(before, "archive"))):
        (tmp_path / name).write_bytes(content)
    # What stands in the tag tree is what a screen reader says.
    said = " ".join(tool("pdfinfo", "-struct-text", str(tmp_path / "after")).split())
    assert "All findings" in said
    assert not re.search(r"Page \d+ of \d+", said)
    shown = [tool("pdftotext", str(tmp_path / name), "-") for name in ("before", "after")]
    assert shown[0] == shown[1]
    with pikepdf.open(tmp_path / "after") as file:
        assert len(re.findall(r"Page \d+ of \d+", shown[1])) == len(file.pages)
        for sheet in file.pages:
            assert sheet.Contents.read_bytes().count(b"/Artifact <</Type /Pagination>> BDC") >= 2


def test_what_the_archive_carries(made: dict[str, Path]) -> None:
    with pikepdf.open(made["archive"]) as file:
        names = [str(name) for name in file.Root.Names.EmbeddedFiles.Names][::2]
        assert names == ["dca-curve.csv", "manifest.yaml", "results.json"]
        relations = {}
        for spec in file.Root.AF:
            stream = spec.EF.F
            relations[str(spec.UF)] = str(spec.AFRelationship)
            content = next(c for n, c in FILES.items() if n.split("/")[-1] == spec.UF)
            assert stream.read_bytes() == content
            assert int(stream.Params.Size) == len(content)
            assert str(stream.Params.ModDate) == str(stream.Params.CreationDate)
            assert str(stream.Params.ModDate) == "D:20261130000000Z"
    assert relations == {
        "dca-curve.csv": "/Data", "manifest.yaml": "/Source", "results.json": "/Data",
    }  # fmt: skip


def test_a_submission_carries_nothing(made: dict[str, Path]) -> None:
    with pikepdf.open(made["submission"]) as file:
        assert file.is_linearized
        assert file.pdf_version == "1.7"
        assert not {"/AcroForm", "/AF", "/OpenAction", "/AA"} & set(file.Root.keys())
        assert not {"/EmbeddedFiles", "/JavaScript"} & set(file.Root.Names.keys())
        kinds = {str(note.Subtype) for sheet in file.pages for note in sheet.get("/Annots", [])}
    assert kinds == {"/Link"}
    assert b"/EmbeddedFile" not in made["submission"].read_bytes()


@pytest.mark.parametrize("profile", PROFILES)
def test_bookmarks_are_open_and_whole(made: dict[str, Path], raw: bytes, profile: str) -> None:
    with pikepdf.open(made[profile]) as file, pikepdf.open(io.BytesIO(raw)) as before:
        assert file.Root.PageMode == "/UseOutlines"
        assert titles(file.Root.Outlines) == titles(before.Root.Outlines)
        assert len(titles(file.Root.Outlines)) > 20


def titles(above: Any, level: int = 1) -> list[tuple[int, str]]:
    found, one = [], above.get("/First")
    while one is not None:
        found += [(level, str(one.Title)), *titles(one, level + 1)]
        one = one.get("/Next")
    return found


def elements(above: Any) -> list[Any]:
    kids = above.get("/K")
    listed = list(kids) if isinstance(kids, pikepdf.Array) else [kids]
    below = [kid for kid in listed if isinstance(kid, pikepdf.Dictionary) and "/S" in kid]
    return [*below, *(one for kid in below for one in elements(kid))]


class Scopes(HTMLParser):
    """Counts the header cells of a page by their scope."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found = {"col": 0, "row": 0}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "th":
            self.found[dict(attrs)["scope"] or ""] += 1


def test_header_cells_say_what_they_head(tmp_path: Path) -> None:
    head = '<thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>'
    row = '<tr><th scope="row">r</th><td>1</td></tr>'
    html = page_of(f"<table>{head}<tbody>{row}{row}{row}</tbody></table><table>{row}</table>")
    with pikepdf.open(io.BytesIO(finished(unfinished(html), "archive"))) as file:
        cells = [one for one in elements(file.Root.StructTreeRoot) if one.S == "/TH"]
        scopes = [str(cell.A.Scope) for cell in cells]
    expected = Scopes(html).found
    assert expected == {"col": 2, "row": 4}
    assert scopes.count("/Column") == expected["col"]
    assert scopes.count("/Row") == expected["row"]


def page_of(body: str) -> str:
    return f'<!DOCTYPE html><html lang="en"><head><title>T</title></head><body>{body}</body></html>'


def test_every_header_cell_of_the_sample_says_it(made: dict[str, Path]) -> None:
    with pikepdf.open(made["archive"]) as file:
        cells = [one for one in elements(file.Root.StructTreeRoot) if one.S == "/TH"]
        assert len(cells) > 100
        assert {str(cell.A.Scope) for cell in cells} == {"/Column", "/Row"}


def test_a_link_with_a_span_in_it_is_one_link() -> None:
    html = page_of('<p id="b"><a href="#b">b <span style="color: red">c <b>d</b></span></a>')
    before = unfinished(html)
    assert any("LINK-LINK-TAG" in one.rule_id for one in validated(before, "ua1"))
    after = finished(before, "archive")
    assert validated(after, "ua1") == []
    with pikepdf.open(io.BytesIO(after)) as file:
        notes = file.pages[0].Annots
        objects = [
            kid.Obj.objgen
            for one in elements(file.Root.StructTreeRoot)
            if one.S == "/Link"
            for kid in one.K
            if isinstance(kid, pikepdf.Dictionary) and kid.get("/Type") == "/OBJR"
        ]
        assert sorted(objects) == sorted(note.objgen for note in notes)


def test_pictures_keep_their_pixels(tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode()
    html = page_of(f'<img alt="red" src="data:image/png;base64,{data}">')
    before = unfinished(html)
    assert any("INTERPOLATE" in one.rule_id for one in validated(before))
    assert validated(finished(before, "archive")) == []


def validated(content: bytes, standard: str = "3a") -> list[Any]:
    return list(page.validate_pdf_bytes(content, profile=standard).failures)


@pytest.mark.parametrize("profile", PROFILES)
def test_no_text_is_below_nine_points(made: dict[str, Path], profile: str) -> None:
    smallest = min(text_sizes(made[profile]))
    assert smallest[0] >= 8.995, f"page {smallest[1]}"


def test_margins_of_the_whole_sample(made: dict[str, Path]) -> None:
    assert_margins(made["submission"], (595, 842))


def test_margins_of_letter_paper(results: dict[str, Any], tmp_path: Path) -> None:
    results["dossier"]["paper"] = "letter"
    results["sections"] = results["sections"][:1]
    file = tmp_path / "d.pdf"
    file.write_bytes(finished(unfinished(render_pages(results).print_html), "archive"))
    assert_margins(file, (612, 792))


def assert_margins(file: Path, paper: tuple[int, int]) -> None:
    """FDA: at least 3/4 inch on the left and 3/8 inch elsewhere, running lines included."""
    with pikepdf.open(file) as opened:
        sizes = {
            tuple(sorted(round(float(x)) for x in sheet.mediabox[2:])) for sheet in opened.pages
        }
    assert sizes == {paper}
    least = margins(file)
    assert least["left"] >= 19.05
    assert min(least.values()) >= 9.525


def test_one_packet_says_it_all(made: dict[str, Path]) -> None:
    for name, profile in PROFILES.items():
        with pikepdf.open(made[name]) as file:
            assert "/Filter" not in file.Root.Metadata
            content = file.Root.Metadata.read_bytes()
            title = str(file.docinfo["/Title"])
        root = ET.fromstring(content)
        said = {one.tag: one.text for one in root.iter() if one.text and one.text.strip()}
        assert len(root) == 1
        assert said[f"{{{NAMESPACES['pdfaid']}}}part"] == str(profile.part)
        assert said[f"{{{NAMESPACES['pdfuaid']}}}part"] == "1"
        assert said[f"{{{NAMESPACES['rg']}}}resultsSha256"] == "ab" * 32
        assert said[f"{{{NAMESPACES['rg']}}}model"] == "R&D <1>"
        assert said[f"{{{NAMESPACES['rg']}}}profile"] == name
        assert title in content.decode()


def test_packet_without_author_or_run() -> None:
    made = packet(
        part=3, title="a < b & c", author=None, description=None, creator="c", producer="p",
        date=DATE, run={},
    )  # fmt: skip
    texts = [one.text for one in ET.fromstring(made).iter()]
    assert "a < b & c" in texts
    assert b"resultsSha256>" not in made.replace(b"<pdfaProperty:name>resultsSha256", b"")


def ending_in(last: bytes, *, between: bytes = b"\n") -> bytes:
    """Return a valid file with a stream whose stored data end in `last`, `between` after them."""
    with pikepdf.open(io.BytesIO(unfinished(page_of("<p>endstream")))) as file:
        number = 0
        while not (data := zlib.compress(b"q Q %d" % number)).endswith(last):
            number += 1
        file.pages[0].Contents.write(
            data, filter=pikepdf.Name.FlateDecode, decode_parms=pikepdf.Dictionary()
        )
        target = io.BytesIO()
        file.save(target, static_id=True)
    assert target.getvalue().count(data + b"\nendstream") == 1
    # What is cut here is put after the object, so that every other one stays in its place.
    cut, moved = data + b"\nendstream\nendobj\n", b"\n" * (1 - len(between))
    return target.getvalue().replace(cut, data + between + b"endstream\nendobj\n" + moved)


@pytest.mark.parametrize(("last", "between"), [(b"\r", b"\n"), (b"\n", b"")])
def test_a_stream_that_ends_like_a_line_is_measured_right(last: bytes, between: bytes) -> None:
    before = ending_in(last, between=between)
    assert any("STREAM-LENGTH" in one.rule_id for one in validated(before))
    after = measurable(before)
    assert len(after) == len(before)
    assert not any("STREAM-LENGTH" in one.rule_id for one in validated(after))
    with pikepdf.open(io.BytesIO(before)) as old, pikepdf.open(io.BytesIO(after)) as new:
        assert new.check_pdf_syntax() == []
        old_bytes = old.pages[0].Contents.read_raw_bytes()
        assert new.pages[0].Contents.read_raw_bytes() == old_bytes
        assert old_bytes.endswith(last)


@pytest.mark.parametrize("last", [b"\n", b"a"])
def test_a_stream_that_ends_otherwise_is_left_alone(last: bytes) -> None:
    before = ending_in(last)
    assert not any("STREAM-LENGTH" in one.rule_id for one in validated(before))
    assert measurable(before) == before


def test_a_file_that_is_not_ours_is_refused() -> None:
    with pytest.raises(ValueError, match="not as long as it says"):
        measurable(b"1 0 obj\n<< /Length 9 >>\nstream\nabc\nendstream\nendobj\n12345678endstream")
    with pytest.raises(ValueError, match="does not say"):
        measurable(b"1 0 obj\n<< /L 9 >>\nstream\nabc\nendstream\nendobj\n")


def test_exactly_what_the_validator_objects_to_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of linearised files unlike in one word, some 1 in 200 has a stream that must be mended."""
    raw = unfinished(page_of('<h1>a</h1><p style="break-after: page">b</p>' * 4))
    monkeypatch.setattr("reportgen.render.pdf_finish.measurable", lambda content: content)
    for number in range(60):
        with pikepdf.open(io.BytesIO(raw)) as file:
            file.docinfo["/Title"] = "T" * (number + 1)
            target = io.BytesIO()
            file.save(target, static_id=True)
        before = finished(target.getvalue(), "submission")
        after = measurable(before)
        assert (after != before) == wrong_length(before)
        assert not wrong_length(after)


def wrong_length(content: bytes) -> bool:
    return any("STREAM-LENGTH" in one.rule_id for one in validated(content, "2a"))


def test_which_files_are_attached() -> None:
    found = list(attachments_of({**FILES, "figures/a.svg": b"<svg/>", "pictures/a.png": b""}))
    assert [one.name for one in found] == ["manifest.yaml", "results.json", "dca-curve.csv"]
    assert all(isinstance(one, Attachment) and one.description for one in found)


def test_the_page_says_what_is_attached(results: dict[str, Any]) -> None:
    archive = render_pages(results)
    plain = re.sub(r"<[^>]*>|\s+", " ", archive.print_html)
    count = len(archive.tables)
    assert "declares PDF/A-3a and PDF/UA-1" in plain
    assert re.search(rf"manifest.yaml +and {count} tables are attached", plain)
    submission = render_pages(results, profile=PROFILES["submission"]).print_html
    assert "declares PDF/A-2a and PDF/UA-1" in submission
    assert "Nothing is attached" in submission
    assert not re.search(r"certified|checked with", plain)
    assert "declares PDF/A" not in archive.html

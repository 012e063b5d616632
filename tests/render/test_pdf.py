"""The PDF: text, tags, contents, fonts, and what happens when something is missing."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pypdf
import pytest

from reportgen.errors import MissingSoftwareError, ReportgenError
from reportgen.render import pdf
from reportgen.render.html import Pages, render_pages
from reportgen.render.pdf_finish import finish
from reportgen.render.pdf_profile import PROFILES
from tests.render.conftest import DIGEST

try:
    import weasyprint  # noqa: F401
except OSError:
    pytest.skip("Pango is not on this machine", allow_module_level=True)

MM = 72 / 25.4


def page_of(body: str) -> str:
    return f'<!DOCTYPE html><html lang="en"><head><title>T</title></head><body>{body}</body></html>'


@pytest.fixture(scope="module")
def file(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's PDF, as `write_pdf` makes it too: test_same_bytes_from_another_process."""
    path = tmp_path_factory.mktemp("pdf") / "dossier.pdf"
    path.write_bytes(finish(raw, PROFILES["archive"], date="2026-11-30", run={}))
    return path


@pytest.fixture(scope="module")
def reader(file: Path) -> pypdf.PdfReader:
    return pypdf.PdfReader(file)


@pytest.fixture(scope="module")
def texts(reader: pypdf.PdfReader) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in reader.pages]


def test_pages_are_a4_and_numbered(reader: pypdf.PdfReader, texts: list[str]) -> None:
    sizes = {tuple(sorted(map(round, page.mediabox[2:]))) for page in reader.pages}
    assert sizes == {(round(210 * MM), round(297 * MM))}
    for number, text in enumerate(texts, 1):
        assert f"Page {number} of {len(texts)}" in text


def test_running_header_and_digest(texts: list[str]) -> None:
    assert "draft, not signed" not in texts[0]
    for text in texts[1:]:
        assert "Progression model, release audit · diabetes-progression 2.1.0" in text
        assert "revision 1 · draft, not signed" in text
    assert all("Results 3f1c9b0e6f0d" in text for text in texts)


def test_contents_name_the_right_pages(texts: list[str]) -> None:
    contents = next(text for text in texts if "Contents" in text)
    for title in ("Decision curves", "Prevalence tables", "Methods and references", "Sign-off"):
        after = contents.split(title, 1)[1].lstrip(" .")
        number = int(after.split()[0])
        assert title in texts[number - 1]


def test_bookmarks_run_to_the_third_level(reader: pypdf.PdfReader) -> None:
    def titles(items: list[Any], level: int = 1) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        for item in items:
            found += titles(item, level + 1) if isinstance(item, list) else [(level, item.title)]
        return found

    outline = titles(reader.outline)
    assert (1, "Progression model, release audit") in outline
    assert any(level == 2 and "Decision curves" in title for level, title in outline)
    assert {level for level, _ in outline} == {1, 2, 3}


def test_tagged_with_language_and_title(reader: pypdf.PdfReader) -> None:
    root: Any = reader.trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert reader.metadata is not None
    assert "Progression model" in (reader.metadata.title or "")


def test_every_figure_has_its_finding_as_alternative_text(
    file: Path, pages: Pages, reader: pypdf.PdfReader
) -> None:
    alternatives = [
        element["/Alt"] for element in structure(reader) if element.get("/S") == "/Figure"
    ]
    assert len(alternatives) == len(pages.figures)
    assert all(len(text) > 40 for text in alternatives)


def structure(reader: pypdf.PdfReader) -> list[Any]:
    root: Any = reader.trailer["/Root"]
    todo: list[Any] = [root["/StructTreeRoot"]]
    found: list[Any] = []
    while todo:
        element = todo.pop().get_object()
        if isinstance(element, pypdf.generic.ArrayObject):
            todo += element
        elif isinstance(element, pypdf.generic.DictionaryObject):
            found.append(element)
            todo += [element["/K"]] if "/K" in element else []
    return found


def test_only_the_dossiers_font_is_in_it(reader: pypdf.PdfReader) -> None:
    resources: list[Any] = [page["/Resources"] for page in reader.pages]
    names = {
        font.get_object()["/BaseFont"]
        for resource in resources
        for font in resource.get("/Font", {}).values()
    }
    assert names
    assert all("IBM-Plex-Sans" in name for name in names)


def test_no_script_file_or_form(reader: pypdf.PdfReader) -> None:
    root: Any = reader.trailer["/Root"]
    assert not {"/AcroForm", "/OpenAction", "/AA"} & set(root)
    assert not {"/JavaScript", "/EmbeddedFiles"} & set(root.get("/Names", {}))


def test_user_text_appears_as_typed(texts: list[str]) -> None:
    text = "".join(texts).replace(" ", "")
    assert "<script>alert(1)</script>" in text
    assert "{{7*7}}" in text


def test_missing_figure_is_explained(texts: list[str]) -> None:
    assert any("Not estimable: no patient is treated" in text for text in texts) or any(
        "Not estimable: the gain is not above zero" in text for text in texts
    )


def test_sign_off_page(texts: list[str]) -> None:
    last = texts[-1]
    for word in ("Biostatistician", "A. Example", "Clinical lead", "Name", "Signature", "Date"):
        assert word in last


def test_same_bytes_from_another_process(file: Path, pages: Pages, tmp_path: Path) -> None:
    other, page = tmp_path / "other.pdf", tmp_path / "page.html"
    page.write_text(pages.print_html, "utf-8")
    code = (
        "import sys; from pathlib import Path; from reportgen.render.pdf import write_pdf; "
        "write_pdf(Path(sys.argv[1]).read_text('utf-8'), Path(sys.argv[2]), "
        f"identifier='{DIGEST}', date='2026-11-30')"
    )
    environment = {**os.environ, "TZ": "Pacific/Auckland", "PYTHONHASHSEED": "11"}
    subprocess.run(
        [sys.executable, "-P", "-c", code, str(page), str(other)],
        env=environment, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert other.read_bytes() == file.read_bytes()


def test_character_the_font_lacks_is_named_with_its_place(
    results: dict[str, Any], tmp_path: Path
) -> None:
    results["dossier"]["intended_use"] = "Screening of \U0001f642 by hand"
    results["sections"] = []
    with pytest.raises(ReportgenError, match="U\\+1F642") as caught:
        pdf.write_pdf(
            render_pages(results).print_html, tmp_path / "d.pdf", identifier="i", date="2026-11-30"
        )
    assert "Intended use”, near “Screening of \U0001f642 by hand”" in str(caught.value)
    assert len(caught.value.faults) == 1
    assert not (tmp_path / "d.pdf").exists()


def test_character_in_a_chart_is_found_too(tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>框</text></svg>'
    data = base64.b64encode(svg.encode()).decode()
    page = page_of(f'<img alt="a" src="data:image/svg+xml;base64,{data}">')
    with pytest.raises(ReportgenError, match="U\\+6846"):
        pdf.write_pdf(page, tmp_path / "d.pdf", identifier="i", date="2026-11-30")


def test_glyph_warning_names_its_character() -> None:
    fault = pdf._fault_of(
        '.notdef glyph rendered for Unicode string unsupported by fonts: "框" (U+6846)'
    )
    assert '"框" (U+6846)' in fault.what


def test_any_warning_is_an_error(tmp_path: Path) -> None:
    page = page_of('<p style="no-such-property: 1">a</p>')
    with pytest.raises(ReportgenError, match="WeasyPrint warned"):
        pdf.write_pdf(page, tmp_path / "d.pdf", identifier="i", date="2026-11-30")
    assert not (tmp_path / "d.pdf").exists()


@pytest.mark.parametrize("url", ["file:///etc/hostname", "http://localhost:9/x.png", "x.png"])
def test_nothing_outside_is_fetched(url: str, tmp_path: Path) -> None:
    page = page_of(f'<link rel="attachment" href="{url}"><img alt="a" src="{url}">')
    with pytest.raises(Exception, match=r"fetch|Relative URI|warned"):
        pdf.write_pdf(page, tmp_path / "d.pdf", identifier="i", date="2026-11-30")
    assert not (tmp_path / "d.pdf").exists()


def test_missing_library_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A stand-in for WeasyPrint fails as it does without Pango; the child must not find ours."""
    (tmp_path / "weasyprint.py").write_text(
        "print('-----')\nraise OSError(\"cannot load library 'libpango-1.0-0'\\nmore\")\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(MissingSoftwareError) as caught:
        pdf.write_pdf(page_of("<p>a"), tmp_path / "d.pdf", identifier="i", date="2026-11-30")
    (fault,) = caught.value.faults
    assert "libpango-1.0-0" in fault.what
    assert "apt-get install" in fault.mend
    assert "brew install pango" in fault.mend
    assert "\n" not in str(fault)


def test_users_own_file_is_not_taken_for_the_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "weasyprint.py").write_text("raise SystemExit('taken')")
    monkeypatch.chdir(tmp_path)
    pdf.write_pdf(page_of("<p>a"), tmp_path / "d.pdf", identifier="i", date="2026-11-30")
    assert (tmp_path / "d.pdf").read_bytes().startswith(b"%PDF-1.7")


def test_date_is_the_only_date(tmp_path: Path) -> None:
    target = tmp_path / "d.pdf"
    page = page_of("<p>a").replace(
        "<title>", '<meta name="dcterms.created" content="2026-11-30"><title>'
    )
    pdf.write_pdf(page, target, identifier="i", date="2026-11-30")
    metadata = pypdf.PdfReader(target).metadata
    assert metadata is not None
    assert str(metadata.creation_date).startswith("2026-11-30")


def test_job_is_plain_json() -> None:
    assert json.loads(json.dumps({"html": "<p>框", "path": "x", "identifier": "i"}))

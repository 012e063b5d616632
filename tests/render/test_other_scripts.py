"""Characters that the dossier's font lacks: drawn by another font, bold where bold, or refused."""

from __future__ import annotations

import base64
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import pypdf
import pytest
from fontTools.pens.areaPen import AreaPen
from fontTools.ttLib import TTFont

from reportgen.errors import ReportgenError
from reportgen.render import lettering, other_scripts
from reportgen.render.drawing import draw
from reportgen.render.font_cutting import cut, cut_for_web
from reportgen.render.fonts import linked_faces
from reportgen.render.html import render_pages
from reportgen.render.other_scripts import families, offering, package_font, stack, undrawable
from tests.support.fonts import save_font

FACE = "\U0001f642"
needs_package = pytest.mark.skipif(
    package_font() is None, reason="the fonts of the extra zh are not installed"
)


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    other_scripts._families.cache_clear()
    monkeypatch.setattr(other_scripts, "package_font", lambda: None)
    monkeypatch.setattr(lettering, "package_font", lambda: None)


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    yield
    other_scripts._families.cache_clear()


@pytest.fixture
def make_font(tmp_path: Path) -> Callable[..., Path]:
    """A maker of fonts in which every character is a box of half an em."""

    def make(name: str, text: str, *, weight: int = 400, kind: int = 0) -> Path:
        path = tmp_path / f"{name.lower().replace(' ', '-')}-{weight}.ttf"
        save_font(path, name, text, weight=weight, kind=kind)
        return path

    return make


def short(results: dict[str, Any], text: str) -> dict[str, Any]:
    results["dossier"]["intended_use"] = text
    results["sections"] = results["findings"] = []
    return results


def chart(text: str) -> Any:
    rows: Any = {"values": [{"x": 1, "y": text}]}
    return alt.Chart(rows).mark_bar().encode(x="x:Q", y="y:N")


@needs_package
def test_bold_chinese_is_bold_and_as_wide() -> None:
    """A full-width character is one em wide in every weight, and a heavier one holds more ink."""
    (family,) = families("男性")
    assert family.bold is not None
    for character in "男性":
        ink = []
        for face, weight in ((family.regular, 400), (family.bold, 600)):
            with TTFont(io.BytesIO(cut(face, weight, frozenset("男性")))) as font:
                glyphs, name = font.getGlyphSet(), font.getBestCmap()[ord(character)]
                assert glyphs[name].width == font["head"].unitsPerEm
                pen = AreaPen(glyphs)
                glyphs[name].draw(pen)
                ink.append(abs(pen.value))
        assert ink[1] > 1.15 * ink[0]


@needs_package
def test_a_cut_holds_its_characters_and_spaces_alone() -> None:
    (family,) = families("男性")
    with TTFont(io.BytesIO(cut(family.regular, 400, frozenset("男性")))) as font:
        drawn = {character for character in map(chr, font.getBestCmap()) if character.isprintable()}
    assert drawn == {"男", "性", " "}


@needs_package
def test_chinese_in_a_pdf_is_text_in_fonts_of_its_own(tmp_path: Path) -> None:
    pdf = pytest.importorskip("reportgen.render.pdf")
    try:
        import weasyprint  # noqa: F401
    except OSError:
        pytest.skip("Pango is not on this machine")
    body = "<h1>进展模型审计 audit</h1><p>用于 screening 的男性 patients"
    rules = f"{linked_faces()} body {{ font-family: {lettering.CSS_FAMILIES}; }}"
    page = f'<html lang="en"><head><style>{rules}</style><title>T</title></head><body>{body}'
    page = lettering.with_other_scripts(page, body, "print")
    pdf.write_pdf(page, tmp_path / "d.pdf", identifier="a" * 64, date="2026-11-30")
    reader: Any = pypdf.PdfReader(tmp_path / "d.pdf")
    text = "".join(page.extract_text() for page in reader.pages)
    assert "进展模型审计" in text
    assert "的男性 patients" in " ".join(text.split())
    fonts = {
        str(font.get_object()["/BaseFont"]).partition("+")[2]
        for page in reader.pages
        for font in page["/Resources"]["/Font"].values()
    }
    regular, bold = sorted(name for name in fonts if name.startswith("Dossier-Noto-Sans-CJK-SC"))
    assert regular == "Dossier-Noto-Sans-CJK-SC"
    assert bold.endswith("Bold")


@needs_package
def test_chinese_text_in_an_english_dossier(results: dict[str, Any]) -> None:
    pages = render_pages(short(results, "用于 screening 的男性 patients"))
    assert '"IBM Plex Sans", "Dossier Noto Sans CJK SC", sans-serif' in pages.html
    assert len(re.findall(r"@font-face{[^}]*Dossier Noto[^}]*woff2", pages.html)) == 2


@needs_package
def test_a_chart_names_the_font_and_makes_room_for_it() -> None:
    chinese = draw(chart("男性男性"), key="k", title="t", description="d")
    assert 'font-family="IBM Plex Sans, Dossier Noto Sans CJK SC"' in chinese
    latin = draw(chart("i"), key="k", title="t", description="d")
    assert "Noto" not in latin
    widths = [float(re.findall(r'viewBox="0 0 ([\d.]+)', svg)[0]) for svg in (chinese, latin)]
    # Four full-width characters are 40 px of the ten that a label is high, an "i" is a few.
    assert widths[0] - widths[1] > 32


@needs_package
def test_same_bytes_in_another_process() -> None:
    code = (
        "import sys; from reportgen.render.font_cutting import cut_for_web; "
        "from reportgen.render.other_scripts import families; (f,) = families('男性'); "
        "sys.stdout.buffer.write(cut_for_web(f.bold, 600, frozenset('男性')))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "11", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    other = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, check=True
    )
    (family,) = families("男性")
    assert family.bold is not None
    assert other.stdout == cut_for_web(family.bold, 600, frozenset("男性"))


def test_english_needs_no_other_font(
    results: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither opened nor looked for, so that what is installed cannot move a byte."""
    before = render_pages(short(results, "Screening"))

    def never(*_: object) -> Any:
        raise AssertionError("another font was looked for")

    for name in ("package_font", "opened", "faces_of"):
        monkeypatch.setattr(other_scripts, name, never)
    other_scripts._families.cache_clear()
    assert render_pages(short(results, "Screening")) == before


@pytest.mark.usefixtures("without_package")
def test_without_the_extra_one_line_says_what_to_install(results: dict[str, Any]) -> None:
    with pytest.raises(ReportgenError) as caught:
        render_pages(short(results, "男性，女性"))
    (fault,) = caught.value.faults
    assert 'pip install "reportgen[zh]"' in fault.mend
    assert "font_dirs" in fault.mend
    assert "U+7537" in fault.what
    assert "男性，女性" in fault.where
    assert "\n" not in str(fault)


def test_every_character_without_a_font_is_named_with_its_place(results: dict[str, Any]) -> None:
    results["dossier"]["title"] = f"A {FACE} audit"
    with pytest.raises(ReportgenError) as caught:
        render_pages(short(results, "Use \ue000 with care"))
    faults = {fault.what[-60:]: fault.where for fault in caught.value.faults}
    assert len(faults) == 2
    named = "\n".join(f"{fault.what} @ {fault.where}" for fault in caught.value.faults)
    assert re.search(r"U\+1F642, slightly smiling face\).* @ .*A .* audit", named)
    assert re.search(r"U\+E000\).* @ .*Intended use”, near “Use . with care”", named)


def test_a_character_in_a_chart_is_named_with_its_chart() -> None:
    svg = draw(chart(f"group {FACE}"), key="k", title="Net benefit", description="d")
    page = base64.b64encode(svg.encode()).decode()
    with pytest.raises(ReportgenError, match=r"in the chart “Net benefit”, near “group"):
        lettering.refuse_missing_fonts(
            [f'<img alt="" src="data:image/svg+xml;base64,{page}">'], file="dossier"
        )


@pytest.mark.usefixtures("without_package")
def test_the_first_font_that_has_a_character_draws_it(make_font: Callable[..., Path]) -> None:
    first, second = make_font("First", "男"), make_font("Second", "男性")
    with offering([first, second]):
        assert {family.name: drawn for family, drawn in families("a男性").items()} == {
            "First": {"男"},
            "Second": {"性"},
        }
        assert stack("男性") == "IBM Plex Sans, Dossier First, Dossier Second"
        assert undrawable("男性框") == ["框"]
    with offering([second, first]):
        assert [family.name for family in families("男性")] == ["Second"]


@pytest.mark.usefixtures("without_package")
def test_a_bold_is_taken_from_its_own_file(make_font: Callable[..., Path]) -> None:
    regular = make_font("Boxes", "男")
    with offering([regular]):
        (family,) = families("男")
        assert family.bold is None
    with offering([regular, make_font("Boxes", "男", weight=700)]):
        (family,) = families("男")
        assert family.bold is not None
        assert family.bold.path.name == "boxes-700.ttf"


@pytest.mark.usefixtures("without_package")
@pytest.mark.parametrize("kind", [0x0002, 0x0100])
def test_a_font_that_must_not_be_embedded_is_not_used(
    make_font: Callable[..., Path], kind: int
) -> None:
    with offering([make_font("Closed", "男", kind=kind)]):
        assert undrawable("男") == ["男"]


def test_what_is_no_font_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"not a font")
    with pytest.raises(ValueError, match="Not a TrueType or OpenType font"):
        other_scripts.faces_of(broken)

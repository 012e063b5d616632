"""Words of the style sheets in Chinese, and reasons for images in the dossier's language."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
import tinycss2  # type: ignore[import-untyped]
from PIL import Image

from reportgen.inputs.images.cache import Cache
from reportgen.inputs.images.describing import Place, describe_all
from reportgen.inputs.images.refusals import Oversized, Unreadable, refuse_oversized
from reportgen.inputs.images.steps import step_told
from reportgen.language import mark, use
from reportgen.render.page_words import page_words


def test_english_pages_keep_the_words_of_the_sheets() -> None:
    assert page_words("print") == page_words("screen") == ""


def test_running_lines_are_css_with_chinese_words() -> None:
    with use("zh"):
        css, screen = page_words("print"), page_words("screen")
    rules = tinycss2.parse_stylesheet(css, skip_whitespace=True)
    assert [one for one in rules if one.type == "error"] == []
    assert 'content: "第 " counter(page) " 页，共 " counter(pages) " 页";' in css
    assert 'content: "（第 " target-counter(attr(href), page) " 页）";' in css
    assert "@page" not in screen
    assert "em { font-style: normal" in screen


def trouble(folder: Path, language: str) -> list[str]:
    """Return why two images tell nothing: one is cut off, one is of one grey."""
    content = BytesIO()
    Image.new("L", (40, 40), 7).save(content, "PNG")
    (folder / "blank.png").write_bytes(content.getvalue())
    (folder / "cut.png").write_bytes(content.getvalue()[:50])
    places = [Place(name, folder / name) for name in ("blank.png", "cut.png")]
    with use(language):
        seen = describe_all(places, max_pixels=10_000, cache=Cache(None, ""))
    return [one.trouble.reason for one in seen if one.trouble is not None]


def test_reasons_for_images_are_told_in_the_language_of_the_dossier(tmp_path: Path) -> None:
    blank, cut = trouble(tmp_path, "zh")
    assert blank == "缩略图几乎没有变化：标准差 0.0 灰度级"
    assert cut.startswith("文件已损坏或不完整（")
    assert trouble(tmp_path, "en")[0].startswith("its thumbnail hardly varies")


def test_a_refusal_is_english_until_it_is_told() -> None:
    refused = Unreadable(mark("the file cannot be read ({reason})"), reason="{braces}")
    assert str(refused) == "the file cannot be read ({braces})"
    with pytest.raises(Oversized, match=r"300 × 200 = 60,000 pixels") as caught:
        refuse_oversized((300, 200), 50_000)
    with use("zh"):
        assert refused.told() == "文件无法读取（{braces}）"
        assert caught.value.told() == "300 × 200 = 60,000 个像素，超过上限 50,000（max_pixels）"


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("14-bit grey scaled linearly, 0…16383 to 0…255", "14 位灰度线性缩放，0…16383 至 0…255"),
        ("HSV converted to RGB", "HSV 已转换为 RGB"),
        ("EXIF orientation applied", "已应用 EXIF 方向"),
    ],
)
def test_steps_of_reading_in_chinese(step: str, told: str) -> None:
    assert step_told(step) == step
    with use("zh"):
        assert step_told(step) == told

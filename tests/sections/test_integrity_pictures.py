"""Pictures of pairs: what each panel holds, its size, and that the bytes are always the same."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from reportgen.sections.integrity.pictures import (
    GAP,
    OWN_COLOUR,
    PANEL,
    TWIN_COLOUR,
    Pixels,
    pair_picture,
)


def flat(value: int, width: int = PANEL, height: int = PANEL) -> Pixels:
    return np.full((height, width, 3), value, dtype=np.uint8)


def panels(png: bytes) -> list[Pixels]:
    sheet = np.asarray(Image.open(BytesIO(png)))
    wide = (sheet.shape[1] - 2 * GAP) // 3
    return [sheet[:, at * (wide + GAP) : at * (wide + GAP) + wide] for at in range(3)]


def test_the_difference_is_four_times_as_large_and_clipped() -> None:
    first, second, third = panels(pair_picture(flat(100), flat(90)))
    assert (first == 100).all()
    assert (second == 90).all()
    assert (third == 40).all()
    assert (panels(pair_picture(flat(255), flat(0)))[2] == 255).all()
    assert (panels(pair_picture(flat(7), flat(7)))[2] == 0).all()


@pytest.mark.parametrize("size", [(8, 8), (160, 160), (296, 296), (4000, 1000), (300, 5000)])
def test_a_picture_is_at_most_900_wide_and_keeps_its_shape(size: tuple[int, int]) -> None:
    png = pair_picture(flat(10, *size), flat(20, *size))
    sheet = Image.open(BytesIO(png))
    assert sheet.width <= 900
    assert sheet.height <= PANEL
    wide, high = (sheet.width - 2 * GAP) / 3, sheet.height
    assert wide / high == pytest.approx(size[0] / size[1], rel=0.05)


def test_boxes_of_both_are_drawn_in_two_colours() -> None:
    own, other = np.array([[0.1, 0.1, 0.2, 0.2]]), np.array([[0.5, 0.5, 0.3, 0.3]])
    drawn = panels(pair_picture(flat(0), flat(0), own_boxes=own, twin_boxes=other))
    found = [
        [bool((panel == colour).all(axis=2).any()) for colour in (OWN_COLOUR, TWIN_COLOUR)]
        for panel in drawn
    ]
    assert found == [[True, False], [False, True], [True, True]]
    ys, xs = np.nonzero((drawn[0] == OWN_COLOUR).all(axis=2))
    edges = np.array([xs.min(), xs.max(), ys.min(), ys.max()]) / PANEL
    assert edges == pytest.approx([0.1, 0.3, 0.1, 0.3], abs=0.01)


def test_boxes_beyond_the_picture_and_of_negative_size_do_no_harm() -> None:
    strange = np.array([[-5.0, -5, 20, 20], [0.5, 0.5, -0.2, 0.1], [0.2, 0.2, 0, 0]])
    assert pair_picture(flat(0), flat(0), own_boxes=strange).startswith(b"\x89PNG")


def test_bytes_are_the_same_each_time_and_name_nothing() -> None:
    rng = np.random.default_rng(1)
    picture = rng.integers(0, 256, (90, 120, 3), dtype=np.uint8)
    once, again = (pair_picture(picture, picture[:, ::-1]) for _ in range(2))
    assert once == again
    assert Image.open(BytesIO(once)).info == {}
    other = rng.integers(0, 256, (45, 60, 3), dtype=np.uint8)
    assert panels(pair_picture(picture, other))[1].shape == panels(once)[0].shape

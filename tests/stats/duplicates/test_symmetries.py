"""The eight symmetries are Pillow's, form a group, and carry boxes along."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from reportgen.stats.duplicates import (
    SYMMETRIES,
    apply_symmetry,
    apply_to_boxes,
    compose_symmetries,
    inverse_symmetry,
    turned_size,
)

PICTURE: NDArray[np.uint8] = np.random.default_rng(3).integers(0, 256, (5, 8, 3), dtype=np.uint8)


def test_names_are_all_of_pillow_and_the_identity() -> None:
    assert {*SYMMETRIES} == {"identity", *(member.name.lower() for member in Image.Transpose)}


@pytest.mark.parametrize("name", SYMMETRIES[1:])
@pytest.mark.parametrize("picture", [PICTURE, PICTURE[:, :, 0]], ids=["colour", "grey"])
def test_each_does_what_pillow_does(name: str, picture: NDArray[np.uint8]) -> None:
    k = SYMMETRIES.index(name)
    expected = Image.fromarray(picture).transpose(Image.Transpose[name.upper()])
    np.testing.assert_array_equal(apply_symmetry(picture, k), np.asarray(expected))
    assert turned_size((8, 5), k) == expected.size


def test_composition_and_inverse_are_those_of_the_pictures() -> None:
    for after, before in product(range(8), repeat=2):
        both = apply_symmetry(apply_symmetry(PICTURE, before), after)
        once = apply_symmetry(PICTURE, compose_symmetries(after, before))
        np.testing.assert_array_equal(once, both)
    for k in range(8):
        undone = apply_symmetry(apply_symmetry(PICTURE, k), inverse_symmetry(k))
        np.testing.assert_array_equal(undone, PICTURE)


@pytest.mark.parametrize("k", range(8), ids=SYMMETRIES)
def test_boxes_stay_on_what_they_enclose(k: int) -> None:
    boxes = [(0, 0, 3, 2), (5, 1, 2, 4), (7, 4, 1, 1), (0, 0, 8, 5)]
    for x, y, w, h in boxes:
        marked = np.zeros((5, 8))
        marked[y : y + h, x : x + w] = 1
        ((left, top, width, height),) = apply_to_boxes(np.array([[x, y, w, h]]), k, size=(8, 5))
        expected = np.zeros(marked.T.shape if turned_size((8, 5), k) == (5, 8) else (5, 8))
        expected[int(top) : int(top + height), int(left) : int(left + width)] = 1
        np.testing.assert_array_equal(apply_symmetry(marked, k), expected)


def test_boxes_are_not_changed_in_place_and_may_be_none() -> None:
    boxes = np.array([[1.5, 2.0, 3.25, 1.0]])
    there = apply_to_boxes(boxes, 1, size=(8, 5))
    np.testing.assert_array_equal(boxes, [[1.5, 2.0, 3.25, 1.0]])
    np.testing.assert_array_equal(apply_to_boxes(there, 3, size=(5, 8)), boxes)
    assert apply_to_boxes(np.empty((0, 4)), 5, size=(8, 5)).shape == (0, 4)

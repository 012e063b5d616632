"""JSON that stays JSON while it is fuzzed: one value of it is put for another.

A fuzzer of bytes breaks the brackets long before it meets what the readers look at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    -1e-308,
    float("nan"),
    float("inf"),
    2**63,
    10**400,
    "",
    "1",
    "\ud800",
    "a\x00b",
    "<b>{{ 7*7 }}</b>",
    [],
    {},
    [[]],
    [1, [2]],
    {"": None},
)
"""What a value is put for."""


def mutated(data: bytes, seed: int) -> bytes | None:
    """Return `data` with one value changed, dropped, doubled or moved; None if it is no JSON."""
    whole = None
    with suppress(ValueError, RecursionError):
        whole = [json.loads(data)]
    if whole is None:
        return None
    rng = np.random.default_rng(seed)
    places = list(_places(whole))
    for _ in range(int(rng.integers(1, 4))):
        holder, key = places[rng.integers(len(places))]
        with suppress(KeyError, IndexError, OverflowError):
            _change(holder, key, rng)
    text = json.dumps(whole[0]) if whole else ""
    return text.encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every list or object of plain data with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield value, key
        if isinstance(item, dict | list):
            yield from _places(item)


def _change(holder: Any, key: Any, rng: np.random.Generator) -> None:
    deed = rng.integers(5)
    if deed == 0:
        del holder[key]
    elif deed == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif deed == 2 and isinstance(holder, dict):
        holder[str(key) + "x"] = holder.pop(key)
    elif deed == 3 and isinstance(holder[key], int | float):
        holder[key] = holder[key] * float(rng.choice([-1, 0, 0.5, 1e9])) + int(rng.integers(-1, 2))
    else:
        holder[key] = ODD[rng.integers(len(ODD))]

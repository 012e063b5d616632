"""Paths of SVG in fewer characters: steps instead of places, whole to a hundredth of a pixel."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"([A-DF-Za-df-z])([^A-DF-Za-df-z]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+(?:e[-+]?\d+)?")
_CIRCLE = re.compile(
    r"M(?P<r>[\d.]+),0A(?P=r),(?P=r),0,1,1,-(?P=r),0A(?P=r),(?P=r),0,1,1,(?P=r),0Z?"
)
HUNDREDTHS = 100


def circle_of(d: str) -> str | None:
    """Return the radius if a path is a circle about its origin, else None."""
    match = _CIRCLE.fullmatch(d)
    return match["r"] if match else None


def shortened(d: str) -> str:
    """Return a path of ``M``, ``L``, ``H``, ``V``, ``h``, ``v`` and ``Z`` written in steps.

    Each place is rounded to a hundredth first and the steps are between rounded places, so no error
    adds up along the path. A path with other commands is returned as it is.

    Parameters
    ----------
    d : str
        As in the attribute of that name.

    Returns
    -------
    str
        Never longer than `d`.
    """
    steps = moved(d, (0.0, 0.0))
    return d if steps is None or len(steps) >= len(d) else steps


def moved(d: str, shift: tuple[float, float]) -> str | None:
    """Return a path in steps, moved across and down; None if it has curves.

    Parameters
    ----------
    d : str
        As in the attribute of that name.
    shift : (float, float)
        In pixels.
    """
    written = ""
    right, down = (round(HUNDREDTHS * length) for length in shift)
    x = y = start_x = start_y = 0
    last = ""
    for command, text in _COMMAND.findall(d):
        values = [round(HUNDREDTHS * float(one)) for one in _NUMBER.findall(text)]
        if command in "Zz":
            written, last, (x, y) = written + "z", "z", (start_x, start_y)
            continue
        places = _places(command, _shifted(command, values, right, down), x, y)
        if places is None:
            return None
        for to_x, to_y in places:
            if command == "M":
                piece, now = f"M{_text(to_x)}{_after(_text(to_y))}", "M"
                start_x, start_y = to_x, to_y
            else:
                piece, now = _step(to_x - x, to_y - y, last)
            written, last, (x, y) = written + piece, now, (to_x, to_y)
            command = "L" if command == "M" else command
    return written


def _shifted(command: str, values: list[int], right: int, down: int) -> list[int]:
    """Return the values of a command, places moved and steps as they are."""
    by = {"H": (right, right), "V": (down, down)}.get(command, (right, down))
    return [value + by[at % 2] if command in "MLHV" else value for at, value in enumerate(values)]


def _places(command: str, values: list[int], x: int, y: int) -> list[tuple[int, int]] | None:
    """Return the places that a command goes to, in hundredths; None if it does more than that."""
    if command in "ML" and values and len(values) % 2 == 0:
        return list(zip(values[::2], values[1::2], strict=True))
    if len(values) == 1 and command in "HVhv":
        (value,) = values
        return {
            "H": [(value, y)],
            "V": [(x, value)],
            "h": [(x + value, y)],
            "v": [(x, y + value)],
        }[command]
    return None


def _step(across: int, down: int, last: str) -> tuple[str, str]:
    """Return a step and the letter it stands under; a letter is not said twice running."""
    letter = "h" if not down else "v" if not across else "l"
    text = _text(across) if letter == "h" else _text(down) if letter == "v" else ""
    if letter == "l":
        text = _text(across) + _after(_text(down))
    return (_after(text) if letter == last else letter + text), letter


def _after(text: str) -> str:
    """Return a number as it stands after another one: a sign divides them already."""
    return text if text.startswith("-") else " " + text


def _text(hundredths: int) -> str:
    text = f"{hundredths / HUNDREDTHS:.2f}".rstrip("0").rstrip(".")
    text = text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
    return text or "0"

"""Derived columns: expressions of a few safe parts, on values and on intervals.

An expression is read as Python reads it and only numbers, names, ``+ - * / **`` and the functions
log, exp, sqrt, min and max are let through; nothing is ever evaluated as code.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
RISING: dict[str, Callable[[FloatArray], FloatArray]] = {
    "log": np.log,
    "exp": np.exp,
    "sqrt": np.sqrt,
}
CHOOSING: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "min": np.minimum,
    "max": np.maximum,
}
FUNCTIONS = (*RISING, *CHOOSING)
LONGEST = 500


@dataclass(frozen=True)
class Expression:
    """A derived column.

    Attributes
    ----------
    text : str
        As written.
    names : tuple of str
        The columns it rests on, sorted.
    """

    text: str
    names: tuple[str, ...]
    tree: ast.expr

    def value(self, columns: Mapping[str, FloatArray]) -> FloatArray:
        """Return the column, given those it rests on; NaN or infinite where it is not defined."""
        with np.errstate(all="ignore"):
            return np.asarray(_value(self.tree, columns), dtype=np.float64)

    def range(
        self, low: Mapping[str, FloatArray], high: Mapping[str, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return bounds of the column while those it rests on stay within theirs.

        Interval arithmetic: sound, and wider than needed where a column occurs twice. Infinite
        where a division by 0 or a logarithm below 0 is within reach.
        """
        with np.errstate(all="ignore"):
            ends = _range(self.tree, low, high)
            down, up = (np.asarray(end, dtype=np.float64) for end in ends)
        unknown = np.isnan(down) | np.isnan(up)
        return np.where(unknown, -np.inf, down), np.where(unknown, np.inf, up)


def parse_expression(text: str) -> Expression:
    """Return an expression, checked.

    Raises
    ------
    ValueError
        If it is no expression, or one of more than the parts allowed; the message says which.
    """
    if len(text) > LONGEST:
        raise ValueError(f"the expression is longer than {LONGEST} characters")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is no expression") from None
    names: set[str] = set()
    _check(tree, names)
    if not names:
        raise ValueError(f"{text!r} names no column")
    return Expression(text, tuple(sorted(names)), tree)


def _check(node: ast.expr, names: set[str]) -> None:
    if isinstance(node, ast.Name):
        names.add(node.id)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        pass
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        _check(node.operand, names)
    elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        if isinstance(node.op, ast.Pow) and not _is_number(node.right):
            raise ValueError("the exponent after ** must be a number")
        _check(node.left, names)
        _check(node.right, names)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name, n = node.func.id, len(node.args)
        if name not in FUNCTIONS or (name in RISING and n != 1) or (name in CHOOSING and n < 2):
            raise ValueError(f"{ast.unparse(node)[:60]!r} cannot be used here")
        for argument in node.args:
            _check(argument, names)
    else:
        raise ValueError(f"{ast.unparse(node)[:60]!r} cannot be used here")


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _number(node: ast.expr) -> float:
    if isinstance(node, ast.UnaryOp):
        return -_number(node.operand) if isinstance(node.op, ast.USub) else _number(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    raise ValueError("not a number")


def _value(node: ast.expr, columns: Mapping[str, FloatArray]) -> Any:
    if isinstance(node, ast.Name):
        return columns[node.id]
    if isinstance(node, ast.UnaryOp) and not _is_number(node):
        inner = _value(node.operand, columns)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, columns), _value(node.right, columns)
        return BINARY[type(node.op)](np.asarray(left, dtype=np.float64), right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        arguments = [_value(one, columns) for one in node.args]
        if node.func.id in RISING:
            return RISING[node.func.id](arguments[0])
        return reduce(CHOOSING[node.func.id], arguments)
    return np.float64(_number(node))


Ends = tuple[Any, Any]


def _range(node: ast.expr, low: Mapping[str, FloatArray], high: Mapping[str, FloatArray]) -> Ends:
    if isinstance(node, ast.Name):
        return low[node.id], high[node.id]
    if isinstance(node, ast.UnaryOp) and not _is_number(node):
        down, up = _range(node.operand, low, high)
        return (-up, -down) if isinstance(node.op, ast.USub) else (down, up)
    if isinstance(node, ast.BinOp):
        left = _range(node.left, low, high)
        if isinstance(node.op, ast.Pow):
            return _power(left, _number(node.right))
        return _combined(node.op, left, _range(node.right, low, high))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        parts = [_range(one, low, high) for one in node.args]
        if node.func.id in RISING:
            rising = RISING[node.func.id]
            return rising(parts[0][0]), rising(parts[0][1])
        choose = CHOOSING[node.func.id]
        return reduce(choose, [p[0] for p in parts]), reduce(choose, [p[1] for p in parts])
    return np.float64(_number(node)), np.float64(_number(node))


def _combined(op: ast.operator, left: Ends, right: Ends) -> Ends:
    if isinstance(op, ast.Add):
        return left[0] + right[0], left[1] + right[1]
    if isinstance(op, ast.Sub):
        return left[0] - right[1], left[1] - right[0]
    act = BINARY[type(op)]
    corners = np.stack(np.broadcast_arrays(*(act(a, b) for a in left for b in right)))
    down, up = corners.min(axis=0), corners.max(axis=0)
    if isinstance(op, ast.Div):
        through = (np.asarray(right[0]) <= 0) & (np.asarray(right[1]) >= 0)
        down, up = np.where(through, -np.inf, down), np.where(through, np.inf, up)
    return down, up


def _power(base: Ends, exponent: float) -> Ends:
    """Return the range of a power; its extremes are at the ends, or at 0 if that lies between."""
    corners = np.stack(np.broadcast_arrays(base[0] ** exponent, base[1] ** exponent))
    down, up = corners.min(axis=0), corners.max(axis=0)
    through = (np.asarray(base[0]) <= 0) & (np.asarray(base[1]) >= 0)
    if exponent < 0:
        return np.where(through, -np.inf, down), np.where(through, np.inf, up)
    return np.where(through, np.minimum(down, np.float64(0.0**exponent)), down), up

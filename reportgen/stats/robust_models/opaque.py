"""A model that can be asked for scores and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from reportgen.stats.robust.intervals import ScoreIntervals
from reportgen.stats.robust.moves import MoveSet, check_features
from reportgen.stats.robust.search import dual_start
from reportgen.stats.robust_models.ascent import climb
from reportgen.stats.robust_models.links import BEYOND, NoProbability, check_matrix

FloatArray: TypeAlias = NDArray[np.float64]
SEED = 20261130
SATURATED = 1e-12
"""Probabilities nearer to 0 or 1 have no log-odds worth comparing."""
TWO_COLUMNS = (
    "it answers two columns, and nothing says which is the positive class; say positive: 0 or"
    " positive: 1 beside it"
)
SUM_TO_ONE = 1e-5
"""Rows of probabilities may miss 1 by this much: float32 models sum to no better."""


@dataclass(frozen=True)
class OpaqueModel:
    """A model behind a function: attained scores can be shown, certified ones cannot.

    Attributes
    ----------
    features : tuple of str
        Names of the d inputs, in the order in which the function takes them.
    predict : callable
        (n, d) records to (n,) or (n, 2) probabilities.
    kind : str
        "onnx", "skops", "pickle" or "callable".
    positive : int or None
        Column of the positive class where two are returned; None where that is not said.
    """

    features: tuple[str, ...]
    predict: Callable[[FloatArray], Any]
    kind: str
    positive: int | None = None
    certifiable: ClassVar[bool] = False

    def score(self, x: FloatArray) -> FloatArray:
        """Return the probability of each record, (n,), from (n, d).

        Raises
        ------
        ValueError
            If `x` does not fit.
        NoProbability
            If the function fails, or what comes back are no probabilities of two classes.
        """
        x = check_matrix(x, self.features)
        if not len(x):  # many models refuse to score nothing
            return np.zeros(0)
        try:
            with redirect_stdout(sys.stderr):  # standard output is ours
                # A copy: what the function does to its argument must not move the audited records.
                answer = self.predict(x.copy())
        except (Exception, SystemExit) as error:  # the user's code may raise anything
            first = next(iter(str(error).splitlines()), "")
            raise NoProbability(f"it raised {type(error).__name__}: {first}") from None
        return probabilities(answer, len(x), positive=self.positive)

    def intervals(
        self,
        x: FloatArray,
        moves: MoveSet,
        *,
        budget: int = 0,  # noqa: ARG002 (the search takes a fixed number of steps)
        rng: np.random.Generator | None = None,
    ) -> ScoreIntervals:
        """Return the scores that a search found; nothing is certified but 0 and 1.

        The search begins from the records and from where the gains of single features point.

        Parameters
        ----------
        x : (n, d) float array
        moves : MoveSet
        budget : int
            Not used.
        rng : numpy.random.Generator, optional
            Draws the points inside that the search tries; absent: from a fixed seed.
        """
        x = check_matrix(x, self.features)
        check_features(x, moves)
        rng = np.random.default_rng(SEED) if rng is None else rng
        low, high = (
            climb(
                self.score,
                x,
                moves,
                sign=sign,
                rng=rng,
                starts=[dual_start(self._log_odds, x, moves, sign=sign)],
            )
            for sign in (-1.0, 1.0)
        )
        n = len(x)
        return ScoreIntervals(self.score(low), self.score(high), np.zeros(n), np.ones(n), low, high)

    def _log_odds(self, x: FloatArray) -> FloatArray:
        """Return what is nearest to linear in a score: a start for the search, nothing reported."""
        return np.asarray(logit(np.clip(self.score(x), SATURATED, 1 - SATURATED)))


def probabilities(answer: Any, n: int, *, positive: int | None) -> FloatArray:
    """Return the probability of the positive class from what a model answered, checked.

    Parameters
    ----------
    answer : array_like
        (n,) or (n, 2); rows of two must sum to 1.
    n : int
        Records asked.
    positive : int or None
        Column of the positive class; without it two columns are refused.

    Raises
    ------
    NoProbability
        If the shape is another, or a figure is missing, beyond 0 and 1, or a row does not sum to 1;
        log-odds are refused, and so is an old model that answers impossible values.
    """
    array = np.asarray(answer)
    if array.dtype.kind not in "fiub" or array.shape not in ((n,), (n, 1), (n, 2)):
        shape = f"{array.dtype} of shape {array.shape}"
        raise NoProbability(f"the model answers {shape}, not ({n},) or ({n}, 2) probabilities")
    array = array.astype(np.float64)
    wrong = ~((array >= -BEYOND) & (array <= 1 + BEYOND))
    if wrong.any():
        value = array[tuple(np.argwhere(wrong)[0])]
        raise NoProbability(f"the model answers {value:g}, which is no probability")
    if array.ndim == 1 or array.shape[1] == 1:
        return np.asarray(np.clip(array.reshape(n), 0.0, 1.0))
    if positive is None:
        raise NoProbability(TWO_COLUMNS)
    if np.abs(array.sum(axis=1) - 1).max(initial=0.0) > SUM_TO_ONE:
        row = int(np.argmax(np.abs(array.sum(axis=1) - 1)))
        raise NoProbability(f"the probabilities of record {row} sum to {array[row].sum():g}, not 1")
    return np.asarray(np.clip(array[:, positive], 0.0, 1.0))


def opaque_model(
    features: Sequence[str],
    predict: Callable[[FloatArray], Any],
    *,
    kind: str,
    positive: int | None = None,
) -> OpaqueModel:
    """Return a model behind a function."""
    return OpaqueModel(tuple(features), predict, kind, positive)

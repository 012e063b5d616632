"""Which class of a model is the positive one: said, or as the label has it, never by position."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.inputs.codes import canonical
from reportgen.inputs.settings import BinaryLabel, Scalar
from reportgen.inputs.trouble import FileFaults, few

PLAIN = {frozenset({"0", "1"}): "1", frozenset({"false", "true"}): "true"}
"""Classes that say of themselves which is the positive one."""


def positive_class(classes: Sequence[str], label: BinaryLabel | None = None) -> int | None:
    """Return the position of the positive one of two classes, None where nothing names it.

    Parameters
    ----------
    classes : sequence of str
        As the model has them.
    label : BinaryLabel, optional
        Outcome of the table that the model is to score: it counts where it has the same classes.
    """
    forms = [canonical(name) for name in classes]
    if label is not None and canonical(label.positive) in forms:
        place = forms.index(canonical(label.positive))
        if label.negative is None or canonical(label.negative) == forms[1 - place]:
            return place
    named = PLAIN.get(frozenset(forms))
    return None if named is None else forms.index(named)


def place_of(
    classes: Sequence[str], stated: Scalar | None, label: BinaryLabel | None = None
) -> int:
    """Return the position of the positive class, as stated or else as `positive_class` finds it.

    Raises
    ------
    FileFaults
        If the model has not the one that is stated, or none is stated and nothing names it.
    """
    choice = " or ".join(f"positive: {name}" for name in classes)
    if stated is None:
        found = positive_class(classes, label)
        if found is None:
            what = f"it tells {few(classes)} apart, and nothing says which is the positive class"
            raise FileFaults.one("", what, f"say {choice} beside the file")
        return found
    forms = [canonical(name) for name in classes]
    if canonical(stated) not in forms:
        raise FileFaults.one("", f"the model has no class {str(stated)!r}", f"say {choice}")
    return forms.index(canonical(stated))


def column_of(stated: Scalar | None, what: str) -> int | None:
    """Return the column of the positive class of a model that does not name its classes.

    Parameters
    ----------
    stated : scalar or None
        None is left open: then one column of probabilities is taken and two are refused.
    what : str
        What the model is, for the words: "an ONNX graph".

    Raises
    ------
    FileFaults
        If it is neither 0 nor 1.
    """
    if stated is None or (stated in (0, 1) and not isinstance(stated, bool)):
        return None if stated is None else int(stated)
    said = f"{what} does not name classes; {stated!r} is none of its columns"
    raise FileFaults.one("", said, "write positive: 0 or positive: 1, the column")

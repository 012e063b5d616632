"""The conventions of average precision in words, in the language of the dossier."""

from __future__ import annotations

from reportgen.language import _, mark
from reportgen.stats.detection import CONVENTIONS
from reportgen.wording import quoted

TITLES = (
    mark("COCO, 101 points"),
    mark("VOC 2007, 11 points"),
    mark("VOC 2007, 11 points, inclusive pixels"),
    mark("all points, with envelope"),
    mark("Ultralytics until 8.4.36"),
    mark("Ultralytics from 8.4.37"),
    mark("steps, no envelope"),
)
TOOLS = (mark("PASCAL VOC development kit"),)
VERSIONS = (mark("2010 and later"), mark("up to 8.4.36"), mark("8.4.37 and later"))
"""What of tools and versions is no plain name or number."""
RULES = (
    mark(
        "mean, over the recalls 0, 0.01, …, 1, of the highest precision at that recall or beyond; 0"
        " beyond the highest recall reached"
    ),
    mark(
        "mean, over the recalls 0, 0.1, …, 1, of the highest precision at that recall or beyond; 0"
        " beyond the highest recall reached; recalls compared as whole numbers"
    ),
    mark(
        "as VOC 2007, with VOC's own matching: widths and heights of boxes are one pixel larger,"
        " and a detection counts only against the box it overlaps most"
    ),
    mark(
        "sum, over the true positives, of the rise in recall times the highest precision there or"
        " beyond; 0 beyond the highest recall reached"
    ),
    mark(
        "trapezoids over the recalls 0, 0.01, …, 1 under the enveloped curve from (0, 1); beyond"
        " the highest recall reached a straight line down to (1, 0) is counted in; at most 0.995"
    ),
    mark(
        "trapezoids over the recalls 0, 0.01, …, 1 under the enveloped curve from (0, 1); 0 from"
        " the highest recall reached on (pull request #24175); at most 0.995"
    ),
    mark(
        "sum, over the true positives, of the rise in recall times the precision there; each"
        " detection is a step of its own, ties in score included"
    ),
)


def title_told(convention: str) -> str:
    """Return the title of a convention in quotation marks."""
    title = CONVENTIONS[convention].title
    return quoted(_(title))


def rule_told(convention: str) -> str:
    """Return the sum of a convention in words."""
    rule = CONVENTIONS[convention].rule
    return _(rule)


def tool_told(convention: str) -> str:
    """Return the tool of a convention with its version."""
    one = CONVENTIONS[convention]
    return _("{tool} {version}").format(tool=_(one.tool), version=_(one.version))

"""Images that no figure about splits rests on: without a split, or in one that is not compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.inputs.images import ImageSet
from reportgen.inputs.spelling import variants
from reportgen.language import _, mark, n_
from reportgen.section import Code
from reportgen.sections.integrity.near_names import MOST_NAMED
from reportgen.sections.integrity.records import Facts, sentence, written_share
from reportgen.sections.integrity.splits import Between, in_order
from reportgen.wording import clauses, fixed, listed_first, quoted

CODES: tuple[Code, ...] = (
    Code(
        "INT-007",
        ("warn", "note"),
        mark(
            "Images are compared with nothing: they have no split, or one that no pair names. A"
            " warning where images lack the split or names of splits may be spellings of one."
        ),
    ),
)


@dataclass(frozen=True)
class Uncompared:
    """Images of a set by why they are compared with nothing.

    Attributes
    ----------
    images : int
        All of the set.
    without : int
        Without a split.
    others : tuple of (text, int)
        Splits that no pair names, with their images.
    alike : tuple of tuples of text
        Names of splits that may be spellings of one.
    """

    images: int
    without: int
    others: tuple[tuple[str, int], ...]
    alike: tuple[tuple[str, ...], ...]

    @property
    def left_out(self) -> int:
        """The images that are compared with nothing."""
        return self.without + sum(n for _split, n in self.others)


def uncompared(images: ImageSet, between: Between) -> Uncompared:
    """Return which images the pairs of splits leave out; none where there are no splits."""
    if images.split is None:
        return Uncompared(images.n_images, 0, (), ())
    split = images.split.tolist()
    met = in_order(images)
    named = set(met) if between == "all" else {name for pair in between for name in pair}
    others = tuple((name, split.count(name)) for name in met if name not in named)
    return Uncompared(len(split), split.count(""), others, tuple(sorted(variants(met))))


def left_out_told(found: Uncompared) -> str:
    """Return how many images a comparison of splits leaves out, "" where it leaves out none."""
    n = found.left_out
    if not n:
        return ""
    text = n_(
        "{n} image without a split, or of one that no pair names, left out",
        "{n} images without a split, or of one that no pair names, left out",
        n,
    )
    if not found.others:
        text = n_("{n} image without a split left out", "{n} images without a split left out", n)
    return text.format(n=fixed(n, 0))


def uncompared_facts(found: Uncompared, check: str) -> Iterator[Facts]:
    """Yield what is compared with nothing, and which splits may be one."""
    if not found.left_out and not found.alike:
        return
    yield Facts(
        "INT-007",
        check,
        "partition",
        _("Images compared with nothing"),
        sentence(clauses(_parts(found))),
        "found",
        "minor" if found.without or found.alike else "info",
        found.left_out,
        found.images,
        interval=False,
        affected_claim=_("Every count of what splits share"),
        remedy=_("Give each image its split, and write each split in one way."),
        summary=_("{share} images are compared with nothing").format(
            share=written_share(found.left_out, found.images)
        ),
    )


def _parts(found: Uncompared) -> Iterator[str]:
    if found.without:
        share = written_share(found.without, found.images)
        yield _("{share} images have no split").format(share=share)
    if found.others:
        share = written_share(found.left_out - found.without, found.images)
        names = listed_first([quoted(name) for name, _n in found.others], MOST_NAMED)
        text = _("{share} images are of splits that no pair names: {names}")
        yield text.format(share=share, names=names)
    if found.alike:
        spelt = clauses(" / ".join(map(quoted, one)) for one in found.alike)
        yield _("names that may be spellings of one split, kept apart: {spelt}").format(spelt=spelt)

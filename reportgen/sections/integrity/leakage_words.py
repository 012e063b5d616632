"""What is said of values that two splits share: one set of facts a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, mark, p_
from reportgen.sections.integrity.joined import NO_LABEL
from reportgen.sections.integrity.leakage_table import TRAINING_ROWS
from reportgen.sections.integrity.records import (
    Facts,
    counted,
    independence_grade,
    sentence,
    stated,
    together,
    written_share,
)
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_partition import LeakRow
from reportgen.wording import fixed, quoted, sentences, separated

CODE_OF = {
    "source": "INT-015",
    "unit": "INT-016",
    "site": "INT-017",
    "content": "INT-018",
    "date": "INT-019",
    "augmented copies": "INT-020",
}
TITLE_OF = {
    "source": mark("Sources in both splits"),
    "unit": mark("Units in both splits"),
    "site": mark("Sites in both splits"),
    "content": mark("The same pixels in both splits"),
    "date": mark("Evaluation not later than training"),
    "augmented copies": mark("Copies split after augmentation"),
}
HAVE = {
    "source": mark("{share} images of {second} have their source in {first} too"),
    "unit": mark("{share} images of {second} have their unit (patient) in {first} too"),
    "site": mark("{share} images of {second} have their site in {first} too"),
    "content": mark("{share} images of {second} have exactly their pixels in {first} too"),
    "augmented copies": mark(
        "{share} images of {second} from a source with several images have another of these in"
        " {first} too"
    ),
}
ROWS_HAVE = {
    "source": mark("{share} rows of {second} have their source in {first} too"),
    "unit": mark("{share} rows of {second} have their unit (patient) in {first} too"),
    "site": mark("{share} rows of {second} have their site in {first} too"),
}
REMEDY_OF = {
    "source": mark(
        "Split by source, then augment the training part alone; train and evaluate again."
    ),
    "unit": mark("Split by unit (patient); train and evaluate again."),
    "site": mark("Hold a site out, or say that performance at a new site is not shown."),
    "content": mark("Take the copies out of training or evaluation; train and evaluate again."),
    "date": mark(
        "Evaluate on images taken after the last of training, or claim nothing of later use."
    ),
    "augmented copies": mark("Make the copies after the split, and of training images alone."),
}
LIMITS_OF = {
    "source": mark(
        "A source is what the column says. Different sources can show the same patient."
    ),
    "unit": mark("Identifiers are compared as text; a patient under two of them is not seen."),
    "site": mark("A site is what the column says."),
    "content": mark("Pixels must agree exactly; copies that were saved anew are near duplicates."),
    "date": mark("Days are compared, not hours; when an image was labelled is not known."),
    "augmented copies": mark(
        "That several images of a source are augmented copies is an inference."
    ),
}


def untestable_facts(by: str, reason: str) -> Facts:
    """Return that something could not be looked at."""
    return Facts(CODE_OF[by], "leakage", "partition", _(TITLE_OF[by]), reason, "not testable")


def _split(name: str) -> str:
    """Return the name of a split as texts print it; "training rows" is no name of a user's."""
    return _(name) if name == TRAINING_ROWS else name


def shared_facts(rows: Sequence[LeakRow]) -> Facts:
    """Return what was found of one `by` and two splits; the first row is over all classes."""
    row = rows[0]
    first, second = _split(row.split), row.twin_split
    names = {"first": quoted(first), "second": quoted(second)}
    note = sentence(row.note) if row.note else ""
    claim = _("Every figure on {second} that takes it to be independent of {first}")
    summary = _("{first} → {second}: {share} by {by}")
    return Facts(
        CODE_OF[row.by],
        "leakage",
        "partition",
        _("{title} ({first}, {second})").format(title=_(TITLE_OF[row.by]), **names),
        sentences([_of_dates(rows) if row.by == "date" else _of_values(rows), note]),
        "found" if row.k else "not found",
        _grade(row) if row.k else None,
        row.k,
        row.n,
        affected_claim=claim.format(**names),
        remedy=_(REMEDY_OF[row.by]) if row.k else "",
        evidence=row.named,
        limits=_(LIMITS_OF[row.by]),
        summary=summary.format(
            first=first, second=second, share=written_share(row.k, row.n), by=_(row.by)
        ),
    )


_COUNTED = ("source", "unit", "site")
MOST_CLASSES = 6


def _of_values(rows: Sequence[LeakRow]) -> str:
    """Return how many images or rows have a value of the other split."""
    row = rows[0]
    have = ROWS_HAVE if row.split == TRAINING_ROWS else HAVE
    told = _(have[row.by]).format(
        share=written_share(row.k, row.n, row.share),
        first=quoted(_split(row.split)),
        second=quoted(row.twin_split),
    )
    if row.k and row.by in _COUNTED:
        told = _("{statement} ({values})").format(
            statement=told, values=counted(row.values, row.by)
        )
    return stated([told, together(_by_class(rows[1:]))])


def _by_class(rows: Sequence[LeakRow]) -> Iterator[str]:
    """Yield the shares by class, where there are few classes."""
    text = _("of class {class_} {k} of {n}")
    if len(rows) <= MOST_CLASSES:
        for row in rows:
            name = _(NO_LABEL) if row.of == NO_LABEL else row.of
            yield text.format(class_=quoted(name), k=fixed(row.k, 0), n=fixed(row.n, 0))


def _of_dates(rows: Sequence[LeakRow]) -> str:
    row = rows[0]
    parts = separated(
        p_("images", "{k} {reason}").format(k=fixed(part.k, 0), reason=_(part.of))
        for part in rows[1:]
    )
    text = _("{share} images of {second} were taken before the last day of {first}: {parts}.")
    return text.format(
        share=written_share(row.k, row.n, row.share),
        second=quoted(row.twin_split),
        first=quoted(row.split),
        parts=parts,
    )


def _grade(row: LeakRow) -> Grade:
    if row.by in ("site", "augmented copies"):
        return "info"
    if row.by == "date":
        return "minor"
    return independence_grade(row.k, row.n, same_patient=row.by == "unit")

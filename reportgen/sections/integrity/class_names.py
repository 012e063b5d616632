"""Whether every artefact calls the classes by the same names in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.language import _, mark
from reportgen.section import Code
from reportgen.sections.integrity.audits import Audited, Job
from reportgen.sections.integrity.joined import detections_of, images_of
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.plain_names import plain_name
from reportgen.sections.integrity.records import (
    Facts,
    counted,
    overall,
    recorded,
    split_up,
    together,
)
from reportgen.sections.integrity.result_labels import ClassNames, NamesRow
from reportgen.wording import clauses, fixed, named, quoted, separated

CODES: tuple[Code, ...] = (
    Code(
        "INT-040",
        ("fail", "pass", "note"),
        mark(
            "Two artefacts do not know the same classes; capitals, spaces, hyphens and underscores "
            "aside."
        ),
    ),
    Code(
        "INT-041",
        ("fail", "pass", "note"),
        mark("Two artefacts have the same classes in another order: an index means another class."),
    ),
)


@dataclass(frozen=True)
class _Question:
    """What is asked of the names and the sentences that answer it, marked.

    `alike` and `differing` take the first artefact as ``{against}`` and ``{artefacts}`` compared,
    `differing` also how many ``{k}`` and which, ``{listed}``; `summary` takes ``{k}``, ``{lists}``.
    """

    code: str
    what: str
    alike: str
    differing: str
    summary: str
    affected_claim: str
    remedy: str
    limits: str = ""


OTHER_NAMES = _Question(
    "INT-040",
    what=mark("Class names across artefacts"),
    alike=mark("All {artefacts} compared know the classes of {against}."),
    differing=mark("Other classes than {against} in {k} of {artefacts} compared: {listed}."),
    summary=mark("{k} of {lists} of names with other classes"),
    affected_claim=mark("Every figure by class, and every name that is displayed"),
    remedy=mark("Settle one list of names and generate the others from it."),
    limits=mark(
        "Names are compared, not what they stand for: capitals, spaces, hyphens and"
        " underscores aside."
    ),
)
OTHER_ORDER = _Question(
    "INT-041",
    what=mark("Order of the classes across artefacts"),
    alike=mark("No class stands at another index than in {against}."),
    differing=mark("Another order than {against} in {k} of {artefacts} compared: {listed}."),
    summary=mark("{k} of {lists} of names in another order"),
    affected_claim=mark("Every name that is looked up by index"),
    remedy=mark("Look classes up by name, not by index; or put all lists in one order."),
)


@dataclass(frozen=True)
class _Named:
    """Names that one artefact gives the classes.

    `ordered` says whether their order counts, `displayed` whether they are written for readers, so
    that a near spelling or what the manifest declares under ``same_names`` is no other class.
    """

    artefact: str
    names: tuple[str, ...]
    digest: str | None = None
    ordered: bool = True
    displayed: bool = False


def audit(job: Job) -> Audited:
    """Compare the class names of all artefacts with those of the first.

    Returns
    -------
    Audited
        With a `ClassNames`. Without result where neither detections nor a class map are named, or
        detections alone, for then there is nothing to compare.
    """
    named = _one_vocabulary(list(_artefacts(job)))
    if len(named) < 2:
        if job.settings.class_map is None:
            return Audited()
        reason, title = _("fewer than two artefacts name the classes"), _("Class names")
        facts = Facts("INT-040", "class_names", "label", title, reason, "not testable")
        return Audited(ClassNames("not testable", reason), *split_up([recorded(job, facts)]))
    reference, *others = named
    book = NameBook(job.settings.same_names, reference.names)
    rows = tuple(_compared(reference, other, book) for other in others)
    made = [recorded(job, facts) for facts in _facts(reference, rows)]
    return Audited(ClassNames(*overall(made), reference.artefact, rows), *split_up(made))


def _artefacts(job: Job) -> Iterator[_Named]:
    """Yield what names the classes: model, ground truth, further files, application, images."""
    class_map = job.inputs.class_maps.get(job.settings.class_map or "")
    detections = detections_of(job)
    images = images_of(job)
    if class_map is None and detections is None:
        return
    if class_map is not None and class_map.model is not None:
        yield _Named(_("model, as in the class map"), class_map.model)
    if detections is not None:
        yield _Named(_("ground truth of the boxes"), detections.categories)
    if class_map is not None:
        for artefact in class_map.artefacts:
            yield _Named(artefact.name, artefact.classes, artefact.digest)
        for title, one in (
            (_("application, as displayed"), class_map.app),
            *(
                (_("copy {name}, as displayed").format(name=copy.name), copy)
                for copy in class_map.copies
            ),
        ):
            yield _Named(title, one.shown, one.digest, displayed=True)
    if images is not None and images.labels is not None:
        names = tuple(sorted({name for one in images.labels for name in one}))
        if names:
            yield _Named(_("labels of the images"), names, ordered=False)


def _one_vocabulary(named: list[_Named]) -> list[_Named]:
    """Return the artefacts without labels of images that share no name with the first one.

    Such labels (0 and 1, say) are about something else than the classes of boxes.
    """
    known = {plain_name(name) for name in named[0].names} if named else set()
    return [one for one in named if one.ordered or not known.isdisjoint(map(plain_name, one.names))]


def _compared(reference: _Named, other: _Named, book: NameBook) -> NamesRow:
    """Return how another artefact's names differ from the reference's.

    Labels of images name the classes that occur and have no order: lacking one is no difference.
    """

    def means(name: str, word: str) -> bool:
        if other.displayed:
            return book.means(name, word)
        return plain_name(name) == plain_name(word)

    missing = tuple(
        name for name in reference.names if not any(means(name, word) for word in other.names)
    )
    extra = tuple(
        word for word in other.names if not any(means(name, word) for name in reference.names)
    )
    moved = sum(
        word not in extra and not (at < len(reference.names) and means(reference.names[at], word))
        for at, word in enumerate(other.names)
    )
    if not other.ordered:
        missing, moved = (), 0
    return NamesRow(
        other.artefact,
        len(other.names),
        not missing and not extra,
        not moved,
        missing,
        extra,
        moved,
        other.digest,
    )


def _facts(reference: _Named, rows: Sequence[NamesRow]) -> Iterator[Facts]:
    against = _("{artefact} ({classes})").format(
        artefact=quoted(reference.artefact), classes=counted(len(reference.names), "class")
    )
    others = [(row.artefact, _difference(row)) for row in rows if not row.same_set]
    yield _answered(OTHER_NAMES, against, others, len(rows))
    moved = [(row.artefact, _moves(row)) for row in rows if row.moved]
    yield _answered(OTHER_ORDER, against, moved, len(rows))


def _answered(asked: _Question, against: str, found: Sequence[tuple[str, str]], n: int) -> Facts:
    """Return what came of one question.

    `against` is the first artefact in words, `found` those of the `n` others that differ from it,
    each with how it does.
    """
    k = len(found)
    return Facts(
        asked.code,
        "class_names",
        "label",
        _(asked.what),
        _(asked.differing if found else asked.alike).format(
            against=against,
            k=fixed(k, 0),
            artefacts=counted(n, "artefact"),
            listed=clauses(named(quoted(artefact), how) for artefact, how in found),
        ),
        "found" if found else "not found",
        "major" if found else None,
        k,
        n,
        interval=False,
        affected_claim=_(asked.affected_claim),
        remedy=_(asked.remedy) if found else "",
        evidence=[named(artefact, how) for artefact, how in found],
        limits=_(asked.limits),
        summary=_(asked.summary).format(k=k, lists=counted(n, "list")),
    )


def _difference(row: NamesRow) -> str:
    parts = [
        text.format(names=separated(map(quoted, names)))
        for text, names in ((_("without {names}"), row.missing), (_("with {names}"), row.extra))
        if names
    ]
    return together(parts)


def _moves(row: NamesRow) -> str:
    return _("{k} of {n} names stand at another index").format(k=row.moved, n=row.classes)

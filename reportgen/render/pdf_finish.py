"""The last pass over a PDF: what its profile promises and WeasyPrint leaves undone.

WeasyPrint writes a tagged file of one standard. Here it is opened again as what it is, a PDF, and
gets one metadata packet for PDF/A and PDF/UA at once, the direction of each header cell, running
headers and footers that are not read aloud, attachments, and streams that every reader measures
alike. Nothing of WeasyPrint's inside is used, only what ISO 32000-1 says of a file.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pikepdf
from pikepdf import Array, AttachedFileSpec, Dictionary, Name, Stream

from reportgen.render.pdf_attachment import Attachment
from reportgen.render.pdf_metadata import packet
from reportgen.render.pdf_profile import Profile
from reportgen.render.pdf_seal_field import add_seal_field

_TAGGED = re.compile(rb"/\w+\s*<<\s*/MCID (\d+)\s*>>\s*BDC")
_PAGINATION = b"/Artifact <</Type /Pagination>> BDC"
_LENGTH = re.compile(rb"/Length (\d+)\b")


def finish(
    raw: bytes,
    profile: Profile,
    *,
    date: str,
    run: Mapping[str, str],
    attachments: Iterable[Attachment] = (),
    seal_field: str | None = None,
) -> bytes:
    """Return the PDF as its profile wants it.

    Parameters
    ----------
    raw : bytes
        The tagged PDF as WeasyPrint wrote it.
    profile : Profile
        What it is to become.
    date : str
        ``YYYY-MM-DD``, of the file and of all that is attached.
    run : mapping
        What the metadata say of the run, by the names of ``pdf_metadata.RUN``.
    attachments : iterable of Attachment
        Put in if the profile has attachments at all.
    seal_field : str, optional
        What the field for a seal is, in words; without it there is none.

    Raises
    ------
    ValueError
        If the file is not built as a tagged PDF must be.
    """
    with pikepdf.open(io.BytesIO(raw)) as pdf:
        pdf.Root.PageMode = Name.UseOutlines
        tree = _elements(pdf)
        _direct_headers(tree)
        _lift_links(pdf, tree)
        _silence_margins(pdf, tree)
        _keep_pixels(pdf)
        if profile.attached:
            _attach(pdf, attachments, date)
        if seal_field:
            add_seal_field(pdf, seal_field)
        _describe(pdf, profile, date=date, run=run)
        _free_bookmarks(pdf)
        target = io.BytesIO()
        pdf.save(
            target,
            linearize=profile.linearised,
            object_stream_mode=pikepdf.ObjectStreamMode.preserve,
            deterministic_id=True,
            fix_metadata_version=False,
        )
    return measurable(target.getvalue())


Element = tuple[Dictionary, str, str]
"""A structure element, its type and that of what it stands in."""


def _elements(pdf: pikepdf.Pdf) -> list[Element]:
    """Return the elements of the tag tree, each below the root."""
    todo: list[tuple[Any, str]] = [(pdf.Root.StructTreeRoot.K, "")]
    found: list[Element] = []
    while todo:
        kid, above = todo.pop()
        if isinstance(kid, Array):
            todo += [(one, above) for one in kid]
        elif isinstance(kid, Dictionary) and "/S" in kid:
            kind = str(kid.S)
            found.append((kid, kind, above))
            todo += [(kid.K, kind)] if "/K" in kid else []
    return found


def _direct_headers(tree: list[Element]) -> None:
    """Say of each header cell whether it heads a column or a row (ISO 14289-1, 7.5).

    Ours head a column exactly where they stand in the table's head.
    """
    rows = {row.objgen: above for row, kind, above in tree if kind == "/TR"}
    for cell, kind, _ in tree:
        if kind == "/TH":
            column = rows.get(cell.P.objgen) == "/THead"
            cell.A.Scope = Name.Column if column else Name.Row


def _lift_links(pdf: pikepdf.Pdf, tree: list[Element]) -> None:
    """Put each link's annotation into its link element (ISO 14289-1, 7.18.5).

    Of a link with words in a span of their own, WeasyPrint leaves it in the span.
    """
    numbers = pdf.Root.StructTreeRoot.ParentTree.Nums
    places = {int(numbers[at]): at + 1 for at in range(0, len(numbers), 2)}
    for element, kind, _ in tree:
        kids = element.get("/K")
        for kid in list(kids) if isinstance(kids, Array) and kind != "/Link" else []:
            link = _link_around(element) if _is_annotation(kid) else None
            if link is not None:
                link.K.append(kid)
                element.K = Array([one for one in element.K if not _is_annotation(one)])
                numbers[places[int(kid.Obj.StructParent)]] = link


def _is_annotation(kid: Any) -> bool:
    return isinstance(kid, Dictionary) and kid.get("/Type") == Name.OBJR


def _link_around(element: Any) -> Any:
    """Return the link element that an element stands in, None if it stands in none."""
    while "/P" in element:
        element = element.P
        if element.get("/S") == Name.Link:
            return element
    return None


def _silence_margins(pdf: pikepdf.Pdf, tree: list[Element]) -> None:
    """Turn what is tagged outside the tree, the running headers and footers, into artifacts."""
    known = {element.objgen for element, _, _ in tree}
    numbers = pdf.Root.StructTreeRoot.ParentTree.Nums
    parents = {int(numbers[at]): numbers[at + 1] for at in range(0, len(numbers), 2)}
    for page in pdf.pages:
        owners = parents[int(page.StructParents)]
        strays = {at for at, owner in enumerate(owners) if owner.objgen not in known}
        page.Contents.write(_as_artifacts(page.Contents.read_bytes(), strays))
        for at in strays:
            owners[at] = None


def _as_artifacts(content: bytes, strays: set[int]) -> bytes:
    """Return a page's content with the marked sequences `strays` as artifacts of pagination."""
    met: set[int] = set()

    def swap(match: re.Match[bytes]) -> bytes:
        number = int(match[1])
        met.add(number)
        return _PAGINATION if number in strays else match[0]

    changed = _TAGGED.sub(swap, content)
    if not strays <= met:
        raise ValueError("the content of a page lacks a sequence that its tags name")
    return changed


def _keep_pixels(pdf: pikepdf.Pdf) -> None:
    """Have pictures shown as they are: PDF/A lets no viewer guess between their pixels."""
    for one in pdf.objects:
        if isinstance(one, Stream) and one.get("/Subtype") == Name.Image:
            one.Interpolate = False


def _attach(pdf: pikepdf.Pdf, attachments: Iterable[Attachment], date: str) -> None:
    """Embed files, each with what it is to the pages; the name tree is sorted by qpdf."""
    stamp = f"D:{date.replace('-', '')}000000Z"
    for one in sorted(attachments, key=lambda attachment: attachment.name):
        pdf.attachments[one.name] = AttachedFileSpec(
            pdf,
            one.content,
            description=one.description,
            filename=one.name,
            mime_type=one.mime,
            creation_date=stamp,
            mod_date=stamp,
            relationship=Name(f"/{one.relationship}"),
        )
    pdf.Root.AF = Array([pdf.attachments[name].obj for name in sorted(pdf.attachments)])


def _describe(pdf: pikepdf.Pdf, profile: Profile, *, date: str, run: Mapping[str, str]) -> None:
    """Put in one plain metadata packet that says what the document information says."""
    info = {name: str(value) for name, value in pdf.docinfo.items()}
    content = packet(
        part=profile.part,
        title=info["/Title"],
        author=info.get("/Author"),
        description=info.get("/Subject"),
        creator=info.get("/Creator", ""),
        producer=info["/Producer"],
        date=date,
        run={**run, "profile": profile.name},
    )
    stream = pdf.make_stream(content, Type=Name.Metadata, Subtype=Name.XML)
    pdf.Root.Metadata = stream


def _free_bookmarks(pdf: pikepdf.Pdf) -> None:
    """Take the bookmarks out of WeasyPrint's compressed object stream.

    What is new stays out of it. In it, they would make the hint tables of a linearised file wrong:
    those tell where the bookmarks begin, and qpdf takes the place of the whole stream for it.
    """
    if "/Outlines" not in pdf.Root:
        return
    old = _bookmarks(pdf.Root.Outlines)
    new = {one.objgen: pdf.make_indirect(Dictionary(dict(one.items()))) for one in old}
    for one in new.values():
        for link in {"/First", "/Last", "/Next", "/Prev", "/Parent"} & set(one.keys()):
            one[link] = new[one[link].objgen]
    pdf.Root.Outlines = new[pdf.Root.Outlines.objgen]


def _bookmarks(top: Any) -> list[Any]:
    """Return the root of the bookmarks and all of them, in reading order."""
    todo, found = [top], []
    while todo:
        one = todo.pop()
        found.append(one)
        todo += [one[link] for link in ("/Next", "/First") if link in one]
    return found


def measurable(pdf: bytes) -> bytes:
    r"""Return a file of qpdf's in which every stream can be seen to be as long as it says.

    A line end must stand between the data and ``endstream`` (ISO 19005-2, 6.1.7.1). Where the last
    byte is a carriage return, qpdf's line feed makes it look like a line end of two bytes; where
    the data of a linearised file's hints end in a line feed, qpdf sets none. Each is about one
    stream in 256. Such a stream gets a line end that cannot be mistaken; the byte is gained in
    front of its dictionary, so that nothing else in the file moves.
    """
    for start, end in list(_streams(pdf)):
        between = pdf[end : pdf.index(b"endstream", end)]
        if between not in (b"", b"\n"):
            raise ValueError("a stream is not as long as it says")
        missing = b"" if between else b"\n"
        if between and pdf[end - 1 : end] == b"\r":
            missing = b"\r"
        if missing:
            pdf = pdf[:start] + pdf[start + 1 : end] + missing + pdf[end:]
    return pdf


def _streams(pdf: bytes) -> Iterator[tuple[int, int]]:
    """Yield of each stream the place of the blank before its dictionary's keys and its data's end.

    That blank is qpdf's, and a dictionary needs none.
    """
    at = 0
    while (head := pdf.find(b"\nstream\n", at)) >= 0:
        start = pdf.rindex(b" obj\n<< ", at, head) + len(b" obj\n<<")
        length = _LENGTH.search(pdf, start, head)
        if length is None:
            raise ValueError("a stream does not say how long it is")
        at = head + len(b"\nstream\n") + int(length[1])
        yield start, at

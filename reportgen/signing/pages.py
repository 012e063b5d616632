"""The pages of a signed copy: those of the record, with the approvals on them.

A pure function of the stored results and the ledger, whatever closed it: a page cannot vouch for a
seal, so it does not speak of one. What the sealed PDF carries is the ledger as it was before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reportgen.language import SOURCE, _, use
from reportgen.release.record import LEDGER
from reportgen.signing.ledger import Ledger, ledger_bytes, unsealed


def signed_pages(
    data: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    ledger: Ledger,
    fonts: Sequence[Path] = (),
) -> Any:
    """Return the pages (:class:`reportgen.render.html.Pages`) of a signed copy.

    Parameters
    ----------
    data : mapping
        results.json as read back.
    pictures : mapping of text to bytes
        The PNG images that the results name, by their SHA-256.
    ledger : Ledger
        With at least one approval.
    fonts : sequence of Path
        Font files of the manifest's ``font_dirs``, in order.

    Raises
    ------
    ReportgenError
        If no font can draw a character of a name, role or meaning.
    """
    from reportgen.render.html import render_pages

    if not ledger.approvals:
        raise ValueError("a signed copy has at least one approval")
    approvals = [asdict(one) for one in ledger.approvals]
    return render_pages(data, pictures, fonts=fonts, approvals=approvals)


def signed_html(
    data: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    ledger: Ledger,
    fonts: Sequence[Path] = (),
) -> bytes:
    """Return what ``dossier-signed.html`` is, byte for byte, sealed or not.

    Parameters and errors are those of :func:`signed_pages`.
    """
    html: str = signed_pages(data, pictures, ledger, fonts).html
    return html.encode()


def signed_pdf(
    data: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    ledger: Ledger,
    fonts: Sequence[Path] = (),
    *,
    source: Mapping[str, bytes],
    pages: Any = None,
) -> bytes:
    """Return what ``dossier-signed.pdf`` is before it is sealed; a sealed one begins with it.

    Always of the archive profile: results, manifest, tables and the ledger travel in it, and it has
    one empty field for a seal.

    Parameters
    ----------
    data, pictures, ledger, fonts
        As for :func:`signed_pages`.
    source : mapping of text to bytes
        results.json and manifest.yaml as they stand in the dossier.
    pages : Pages, optional
        The signed pages, where they were made already.

    Raises
    ------
    ReportgenError
        If no font can draw a character, or the pages could not be laid out.
    MissingSoftwareError
        If this machine cannot make a PDF.
    """
    from reportgen.drafting import page_files, pdf_bytes, require_pdf_software

    require_pdf_software()
    made = pages or signed_pages(data, pictures, ledger, fonts)
    files = {**source, **page_files(made, html=False), LEDGER: ledger_bytes(unsealed(ledger))}
    with use(data["dossier"].get("language", SOURCE)):
        field = _("Seal: a digital signature over the whole file, without a mark on the page")
    return pdf_bytes(made, data["dossier"], files, seal_field=field)

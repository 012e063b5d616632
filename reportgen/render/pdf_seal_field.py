"""The one signature field of a signed copy, made before there is a signature to put into it.

A field that a signing program adds is not part of the tag tree, and PDF/UA wants every form field
in it. So the field is made here: without an appearance, since the page prints who signed, but
tagged and described. Signing then fills in its value and changes nothing else.
"""

from __future__ import annotations

from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name

SEAL = "Seal"
"""Name of the field."""
_PRINTED_AND_LOCKED = 4 | 128
"""Flags of its annotation: PDF/A wants "print" set, and nothing is to be moved."""


def add_seal_field(pdf: pikepdf.Pdf, description: str) -> None:
    """Put an empty, invisible, tagged signature field on the last page of a tagged PDF.

    Parameters
    ----------
    pdf : Pdf
        Without a form so far.
    description : str
        What the field is, for those who have the page read aloud.
    """
    sheet = pdf.pages[-1].obj
    numbers = pdf.Root.StructTreeRoot.ParentTree.Nums
    key = max((int(number) for number in list(numbers)[::2]), default=-1) + 1
    field = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            FT=Name.Sig,
            T=pikepdf.String(SEAL),
            TU=pikepdf.String(description),
            Contents=pikepdf.String(description),
            F=_PRINTED_AND_LOCKED,
            Rect=Array([0, 0, 0, 0]),
            P=sheet,
            StructParent=key,
        )
    )
    top = _document(pdf)
    reference = Dictionary(Type=Name.OBJR, Obj=field, Pg=sheet)
    element = pdf.make_indirect(
        Dictionary(
            Type=Name.StructElem,
            S=Name.Form,
            P=top,
            Pg=sheet,
            Alt=pikepdf.String(description),
            K=Array([reference]),
        )
    )
    top.K = Array([*_kids(top), element])
    numbers.append(key)
    numbers.append(element)
    sheet.Annots = Array([*sheet.get("/Annots", []), field])
    sheet.Tabs = Name.S
    pdf.Root.AcroForm = pdf.make_indirect(Dictionary(Fields=Array([field])))


def _document(pdf: pikepdf.Pdf) -> Any:
    """Return the element that all others stand in."""
    kids = pdf.Root.StructTreeRoot.K
    return kids[0] if isinstance(kids, Array) else kids


def _kids(element: Any) -> list[Any]:
    kids = element.get("/K", [])
    return list(kids) if isinstance(kids, Array) else [kids]

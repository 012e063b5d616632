"""The metadata packet of a PDF (XMP, ISO 16684-1): one RDF block that says all of it.

WeasyPrint knows one standard a file and compresses the packet; a file that keeps PDF/A and PDF/UA
at once needs both identifications, plain, and a description of every schema that PDF/A does not
know by itself (ISO 19005-2, 6.6.2.3.2).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET  # writes alone
from collections.abc import Mapping
from dataclasses import dataclass

DOSSIER = "urn:reportgen:dossier:1#"
NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "pdf": "http://ns.adobe.com/pdf/1.3/",
    "pdfaExtension": "http://www.aiim.org/pdfa/ns/extension/",
    "pdfaProperty": "http://www.aiim.org/pdfa/ns/property#",
    "pdfaSchema": "http://www.aiim.org/pdfa/ns/schema#",
    "pdfaid": "http://www.aiim.org/pdfa/ns/id/",
    "pdfuaid": "http://www.aiim.org/pdfua/ns/id/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rg": DOSSIER,
    "xmp": "http://ns.adobe.com/xap/1.0/",
}
HEAD = '<?xpacket begin="\N{ZERO WIDTH NO-BREAK SPACE}" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
TAIL = '\n<?xpacket end="r"?>'


@dataclass(frozen=True)
class Property:
    """A property of a schema that PDF/A does not know: its name, type and meaning."""

    name: str
    type: str
    meaning: str


UA = (Property("part", "Integer", "Part of ISO 14289 to which the file conforms"),)
RUN = (
    Property("model", "Text", "Name of the model that the dossier audits"),
    Property("modelVersion", "Text", "Version of that model"),
    Property("revision", "Integer", "Revision of the dossier"),
    Property("profile", "Text", "Kind of PDF: archive or submission"),
    Property("resultsSha256", "Text", "SHA-256 of the results, as printed in the dossier"),
)


def packet(
    *,
    part: int,
    title: str,
    author: str | None,
    description: str | None,
    creator: str,
    producer: str,
    date: str,
    run: Mapping[str, str],
) -> bytes:
    """Return the metadata packet of a file that declares PDF/A-`part`a and PDF/UA-1.

    Parameters
    ----------
    part : int
        Of ISO 19005: 2 or 3.
    title, author, description, creator, producer : str
        As in the file's document information, which must say the same.
    date : str
        ``YYYY-MM-DD``, of creation and change.
    run : mapping
        Values of the properties of `RUN`, by name; what is not there is not said.
    """
    root = ET.Element(_name("rdf:RDF"))
    _put(root, {"pdfaid:part": str(part), "pdfaid:conformance": "A", "pdfuaid:part": "1"})
    about = _put(root, {"pdf:Producer": producer, "xmp:CreatorTool": creator})
    _put(root, {"xmp:CreateDate": date, "xmp:ModifyDate": date, "xmp:MetadataDate": date})
    _language(about, "dc:title", title)
    if description:
        _language(about, "dc:description", description)
    if author:
        ET.SubElement(_list(about, "dc:creator", "Seq"), _name("rdf:li")).text = author
    _put(root, {f"rg:{one.name}": run[one.name] for one in RUN if one.name in run})
    schemas = _list(_put(root, {}), "pdfaExtension:schemas", "Bag")
    _schema(schemas, "PDF/UA identification", "pdfuaid", UA)
    _schema(schemas, "The run that the dossier reports", "rg", RUN)
    for prefix, address in NAMESPACES.items():
        ET.register_namespace(prefix, address)
    text = ET.tostring(root, encoding="unicode")
    meta = f'<x:xmpmeta xmlns:x="adobe:ns:meta/">\n{text}\n</x:xmpmeta>'
    return (HEAD + meta + TAIL).encode()


def _name(short: str) -> str:
    prefix, _, name = short.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{name}"


def _put(root: ET.Element, values: Mapping[str, str]) -> ET.Element:
    """Add a description of the document with simple values, and return it."""
    description = ET.SubElement(root, _name("rdf:Description"), {_name("rdf:about"): ""})
    for name, value in values.items():
        ET.SubElement(description, _name(name)).text = value
    return description


def _list(parent: ET.Element, name: str, kind: str) -> ET.Element:
    return ET.SubElement(ET.SubElement(parent, _name(name)), _name(f"rdf:{kind}"))


def _language(parent: ET.Element, name: str, text: str) -> None:
    default = {"{http://www.w3.org/XML/1998/namespace}lang": "x-default"}
    ET.SubElement(_list(parent, name, "Alt"), _name("rdf:li"), default).text = text


def _schema(schemas: ET.Element, title: str, prefix: str, properties: tuple[Property, ...]) -> None:
    schema = _resource(schemas, "rdf:li")
    told = {"schema": title, "namespaceURI": NAMESPACES[prefix], "prefix": prefix}
    for name, value in told.items():
        ET.SubElement(schema, _name(f"pdfaSchema:{name}")).text = value
    listed = _list(schema, "pdfaSchema:property", "Seq")
    for one in properties:
        entry = _resource(listed, "rdf:li")
        category = "internal" if prefix == "pdfuaid" else "external"
        values = {"name": one.name, "valueType": one.type, "category": category}
        for name, value in {**values, "description": one.meaning}.items():
            ET.SubElement(entry, _name(f"pdfaProperty:{name}")).text = value


def _resource(parent: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(parent, _name(name), {_name("rdf:parseType"): "Resource"})

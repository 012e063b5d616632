"""What is cut off at the edge of a plot, said once for all marks of the plot."""

from __future__ import annotations

import xml.etree.ElementTree as ET  # elements that svg_compact.py hands over

CLIPPED = ("clip-path", "transform")


def share_clips(root: ET.Element) -> None:
    """Keep one of equal clip paths, and put marks that follow each other under it together.

    Parameters
    ----------
    root : Element
        An ``svg`` element without namespaces; it is changed.
    """
    _keep_one_of_each(root)
    _put_together(root)


def _keep_one_of_each(root: ET.Element) -> None:
    first: dict[str, str] = {}
    instead: dict[str, str] = {}
    for parent in list(root.iter()):
        for clip in [child for child in parent if child.tag == "clipPath"]:
            drawn = "".join(ET.tostring(child, encoding="unicode") for child in clip)
            name = clip.get("id", "")
            kept = first.setdefault(drawn, name)
            if kept != name:
                instead[f"url(#{name})"] = f"url(#{kept})"
                parent.remove(clip)
    for element in root.iter():
        reference = element.get("clip-path")
        if reference in instead:
            element.set("clip-path", instead[reference])


def _put_together(parent: ET.Element) -> None:
    """Make one group of neighbours that are cut off and moved alike."""
    made: list[ET.Element] = []
    for child in parent:
        _put_together(child)
        looks = {name: child.attrib[name] for name in CLIPPED if name in child.attrib}
        if "clip-path" not in looks:
            made.append(child)
            continue
        if not (made and made[-1].tag == "g" and made[-1].attrib == looks):
            made.append(ET.Element("g", looks))
        for name in looks:
            del child.attrib[name]
        made[-1].append(child)
    parent[:] = made

"""The page once more with charts that answer the pointer: a convenience, never the record.

The static page stays as it is, and so does every chart until its live one is drawn. The file
fetches nothing: Vega stands in it once, and its expressions are interpreted, not evaluated, so that
the page's policy can allow this one script by its digest and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import vl_convert
from markupsafe import Markup

from reportgen.language import _
from reportgen.render.fonts import FAMILY
from reportgen.render.html import printable, render_pages
from reportgen.render.pages import pages_of
from reportgen.render.parts import shown_sections
from reportgen.render.placing import figure_name
from reportgen.render.translation import in_its_language
from reportgen.render.view import Plain

# Drawn one after the other; where one cannot be drawn, its static picture stays.
SNIPPET = """
const charts = JSON.parse(document.getElementById("charts").textContent);
(async () => {
  for (const { anchor, label, specification } of charts) {
    const place = document.getElementById(anchor).querySelector(".chart");
    const live = document.createElement("div");
    live.setAttribute("role", "img");
    live.setAttribute("aria-label", label);
    const inside = live.appendChild(document.createElement("div"));
    inside.setAttribute("aria-hidden", "true");
    try {
      await vegaEmbed(inside, specification, { ast: true, actions: false, renderer: "svg" });
      place.replaceChildren(live);
    } catch (error) {
      console.error(anchor, error);
    }
  }
})();
"""
POLICY = "default-src 'none';"
MAIN = '<main id="main">'


@in_its_language
def interactive_page(results: Plain, pictures: Mapping[str, bytes] | None = None) -> str:
    """Return the page for the screen with live charts.

    Parameters
    ----------
    results : mapping
        results.json as read back.
    pictures : mapping of text to bytes, optional
        The PNG images that the results name, by their SHA-256.

    Returns
    -------
    str
        One file of HTML; equal results give equal text.
    """
    html = render_pages(results, pictures).html
    script = vl_convert.javascript_bundle(SNIPPET)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    told = _("Interactive copy. It is not part of the record that is signed; dossier.html is.")
    note = Markup('<p class="partial">{}</p>').format(told)
    charts = json.dumps(list(_charts(printable(results))), ensure_ascii=False)
    data = charts.replace("<", "\\u003c")
    tail = f'<script type="application/json" id="charts">{data}</script><script>{script}</script>'
    for old, new in (
        (POLICY, f"{POLICY} script-src 'sha256-{digest}';"),
        (MAIN, f"{MAIN}\n{note}"),
        ("</body>", f"{tail}\n</body>"),
    ):
        before, found, after = html.rpartition(old) if old == "</body>" else html.partition(old)
        if not found:
            raise ValueError(f"the page has no {old}")
        html = before + new + after
    return html


def _charts(results: Plain) -> Iterator[dict[str, Any]]:
    """Yield the charts of every section that was assessed, with the anchors of their figures."""
    for section in shown_sections(results):
        if section["result"].get("not_applicable"):
            continue
        pages = pages_of(section["kind"])
        for view in pages.figures(section):
            if view.chart is not None:
                anchor = f"figure-{figure_name(section['id'], view.key)}"
                specification = live(view.chart.to_dict())
                yield {"anchor": anchor, "label": view.alt, "specification": specification}


def live(specification: dict[str, Any]) -> dict[str, Any]:
    """Return a chart of Vega-Lite with tooltips, and with zoom where axes have numbers.

    Parameters
    ----------
    specification : dict
        As Altair writes it; it is changed.
    """
    config = specification.setdefault("config", {})
    config.setdefault("font", FAMILY)
    config["mark"] = {**config.get("mark", {}), "tooltip": True}
    for number, plot in enumerate(_plots(specification)):
        layer, axes = next(filter(lambda pair: pair[1], _with_axes(plot)), ({}, []))
        if axes:
            select = {"type": "interval", "encodings": axes}
            zoom = {"name": f"zoom_{number}", "select": select, "bind": "scales"}
            layer["params"] = [*layer.get("params", []), zoom]
    return specification


def _plots(specification: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "layer" in specification:
        yield specification
    for way in ("concat", "hconcat", "vconcat"):
        for part in specification.get(way, []):
            yield from _plots(part)


def _with_axes(plot: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the layers of a plot with their axes of numbers: x, y."""
    for layer in plot["layer"]:
        channels = layer.get("encoding", {})
        yield layer, [name for name in ("x", "y") if _numbers(channels.get(name, {}))]


def _numbers(channel: Plain) -> bool:
    """Whether a channel has a scale of numbers of its own; pixels have none."""
    quantitative = channel.get("type") == "quantitative" and "field" in channel
    return bool(quantitative and channel.get("scale", {}) is not None)

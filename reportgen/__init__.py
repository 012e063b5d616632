"""reportgen: a run manifest goes in, a versioned audit dossier of a model comes out.

Three functions are the whole of the Python interface: :func:`load_manifest`, :func:`run` and
:func:`render`. The statistics are plain functions on arrays under :mod:`reportgen.stats` and in
each section's module; they need no manifest and no rendering.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["__version__", "load_manifest", "render", "run"]

if TYPE_CHECKING:
    from reportgen.build import render, run
    from reportgen.manifest_file import load_manifest

_HOME = {
    "load_manifest": "reportgen.manifest_file",
    "run": "reportgen.build",
    "render": "reportgen.build",
}


def __getattr__(name: str) -> Any:
    """Import on first use: ``import reportgen`` alone loads none of the heavy libraries."""
    if name not in _HOME:
        raise AttributeError(f"module 'reportgen' has no attribute {name!r}")
    import importlib

    home = importlib.import_module(_HOME[name])
    # Importing it may have set the name here: ``render`` is a package that can be called.
    return globals().get(name, getattr(home, name))

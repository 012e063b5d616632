"""Where templates, styles and examples are: in the installed wheel, or in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def asset(name: str) -> Path:
    """Return the folder `name` ("templates", "styles" or "examples").

    Raises
    ------
    FileNotFoundError
        If neither the wheel nor the checkout has it.
    """
    for folder in (_PACKAGE / "_assets" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"reportgen was installed without its {name}/ folder")

"""The software that can move a figure or a page: every version, asked of what is really loaded."""

from __future__ import annotations

import ctypes
import platform
import re
import zlib
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import reportgen


@dataclass(frozen=True)
class NativeLibrary:
    """A library of the machine that pages depend on.

    Attributes
    ----------
    name : str
        As people call it.
    files : tuple of str
        Names to try, as the page engine tries them: Linux, macOS, Windows.
    version : callable
        Asks the loaded library for its version.
    required : bool
        Whether there is no PDF without it.
    """

    name: str
    files: tuple[str, ...]
    version: Callable[[ctypes.CDLL], str]
    required: bool = True

    def found(self) -> str | None:
        """Return the version of the library on this machine; None where it cannot be loaded."""
        for file in self.files:
            with suppress(OSError):
                return self.version(ctypes.CDLL(file))
        return None


def _text_version(function: str) -> Callable[[ctypes.CDLL], str]:
    def ask(library: ctypes.CDLL) -> str:
        call = getattr(library, function)
        call.restype = ctypes.c_char_p
        return bytes(call()).decode("ascii", "replace")

    return ask


def _fontconfig_version(library: ctypes.CDLL) -> str:
    number = int(library.FcGetVersion())
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _freetype_version(library: ctypes.CDLL) -> str:
    handle = ctypes.c_void_p()
    parts = [ctypes.c_int() for _ in range(3)]
    if library.FT_Init_FreeType(ctypes.byref(handle)):
        return "present"
    library.FT_Library_Version(handle, *map(ctypes.byref, parts))
    library.FT_Done_FreeType(handle)
    return ".".join(str(part.value) for part in parts)


def _present(_: ctypes.CDLL) -> str:
    return "present"


def _files(linux: str, mac: str, windows: str) -> tuple[str, ...]:
    return (f"lib{linux}", f"lib{mac}.dylib", f"lib{windows}.dll")


NATIVE: tuple[NativeLibrary, ...] = (
    NativeLibrary(
        "pango",
        _files("pango-1.0.so.0", "pango-1.0", "pango-1.0-0"),
        _text_version("pango_version_string"),
    ),
    NativeLibrary(
        "pangoft2", _files("pangoft2-1.0.so.0", "pangoft2-1.0", "pangoft2-1.0-0"), _present
    ),
    NativeLibrary(
        "harfbuzz",
        _files("harfbuzz.so.0", "harfbuzz.0", "harfbuzz-0"),
        _text_version("hb_version_string"),
    ),
    # Without it the fonts are cut by fontTools: slower, and other bytes in the PDF.
    NativeLibrary(
        "harfbuzz-subset",
        _files("harfbuzz-subset.so.0", "harfbuzz-subset.0", "harfbuzz-subset-0"),
        _present,
        required=False,
    ),
    NativeLibrary(
        "fontconfig",
        _files("fontconfig.so.1", "fontconfig.1", "fontconfig-1"),
        _fontconfig_version,
    ),
    NativeLibrary(
        "freetype",
        _files("freetype.so.6", "freetype.6", "freetype-6"),
        _freetype_version,
        required=False,
    ),
)

INSTALL_LINES = {
    "Linux": "apt-get install -y --no-install-recommends "
    "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0",
    "Darwin": "brew install pango",
    "Windows": "pacman -S mingw-w64-ucrt-x86_64-pango (in MSYS2)",
}


def install_line() -> str:
    """Return the command that installs the PDF libraries on this kind of machine."""
    return INSTALL_LINES.get(platform.system(), INSTALL_LINES["Linux"])


def native_versions() -> dict[str, str | None]:
    """Return the version of each native library, None where it is missing."""
    return {library.name: library.found() for library in NATIVE}


def missing_for_pdf() -> list[str]:
    """Return the names of the libraries that must be there for a PDF and are not."""
    return [library.name for library in NATIVE if library.required and library.found() is None]


def _needed_by(distribution: str, extras: frozenset[str]) -> list[str]:
    """Return the requirements of an installed distribution, those of other extras left aside."""
    needs = []
    for need in metadata.requires(distribution) or []:
        extra = re.search(r"""\bextra\s*==\s*["']([^"']+)""", need)
        if extra is None or extra.group(1) in extras:
            needs.append(need)
    return needs


def package_versions(root: str = "reportgen", *, extras: Collection[str] = ()) -> dict[str, str]:
    """Return every installed package that `root` brings with it, with its version, by name.

    The whole tree is followed, not the direct dependencies alone: a figure or a page can move with
    any of them. What is installed and not needed is not listed; of the root's extras, those named.
    """
    versions: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    queue = [f"{root}[{','.join(sorted(extras))}]"]
    while queue:
        parts = re.match(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?", queue.pop())
        if parts is None:
            continue
        name = re.sub(r"[-_.]+", "-", parts[1]).lower()
        wanted = frozenset(re.findall(r"[A-Za-z0-9._-]+", parts[2] or ""))
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
            queue += _needed_by(name, wanted)
    versions.pop(root, None)
    return dict(sorted(versions.items()))


def environment(extras: Collection[str] = ()) -> dict[str, Any]:
    """Return the ``environment`` of results.json: versions alone, nothing of the machine's name.

    Parameters
    ----------
    extras : collection of text
        The extras of reportgen that the run used: their packages can move its figures. Those of
        others are not named, so that results do not depend on whether they are installed.
    """
    system = {name: version or "not installed" for name, version in native_versions().items()}
    return {
        "reportgen": reportgen.__version__,
        "python": platform.python_version(),
        "packages": package_versions(extras=extras),
        "system": {**system, "zlib": zlib.ZLIB_RUNTIME_VERSION},
        "platform": f"{platform.system()} {platform.machine()}",
    }

"""An archive opened without trust: names confined, sizes bounded, nothing but plain files."""

from __future__ import annotations

import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from reportgen.errors import Fault, RequestError
from reportgen.release.record import is_of_inputs

MOST_FILES = 100_000
MOST_BYTES = 16 << 30
MOST_GROWTH = 100
"""How many times its own size an archive may unpack to, above `FREE_BYTES`."""
FREE_BYTES = 1 << 30
CHUNK = 1 << 20
INPUTS_BESIDE = "with-inputs"
MEND = "get the archive again from where it came, or name the dossier's folder"
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@contextmanager
def opened(path: Path | str) -> Iterator[Path]:
    """Unpack an archive into a temporary folder and yield the dossier's folder in it.

    Its name is that of the archive's top folder. Copies of inputs do not lie in it: they and
    ``SHA256SUMS.inputs`` stand in ``with-inputs`` beside it, so that what is yielded is the record
    and its approvals alone. All of it is gone afterwards.

    Parameters
    ----------
    path : path
        A zip as :func:`pack` writes it, or one of the same content packed by others.

    Raises
    ------
    RequestError
        If it is no such zip: damaged, locked by a password, of several top folders or none, with a
        name that leads out of the folder or stands there twice, a link, more than 100,000 files, or
        more than 16 GiB, or than a hundredfold of its own size above 1 GiB.
    """
    path = Path(path)
    with tempfile.TemporaryDirectory(prefix="reportgen-") as folder:
        root = Path(folder)
        try:
            with zipfile.ZipFile(path) as archive:
                members = [one for one in archive.infolist() if not one.is_dir()]
                top = _top_of(path, members)
                _require_bounds(path, members)
                for member in members:
                    _extract(archive, member, root)
        except OSError as error:
            raise _fault(path, f"cannot be read or unpacked ({error.strerror or error})") from None
        except DAMAGE as error:
            raise _fault(path, f"is no whole zip archive ({error})") from None
        yield root / top


def _top_of(path: Path, members: list[zipfile.ZipInfo]) -> str:
    """Return the one top folder of an archive, having checked every name in it."""
    seen: set[str] = set()
    for member in members:
        name = member.filename
        if not _is_confined(name):
            raise _fault(path, f"holds a name that leads out of its folder: {name!r}")
        if name.casefold() in seen:
            raise _fault(path, f"holds {name!r} twice")
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            raise _fault(path, f"holds {name!r}, which is no plain file")
        if member.flag_bits & 1:
            raise _fault(path, "is locked by a password")
        seen.add(name.casefold())
    tops = {PurePosixPath(member.filename).parts[0] for member in members}
    if len(tops) != 1 or any("/" not in member.filename for member in members):
        raise _fault(path, "is no archive of a dossier: it holds not one folder alone")
    return tops.pop()


def _is_confined(name: str) -> bool:
    parts = name.split("/")
    plain = name.isprintable() and not set(name) & set('\\:"<>|?*')
    return plain and all(part.strip(". ") for part in parts)


def _require_bounds(path: Path, members: list[zipfile.ZipInfo]) -> None:
    total = sum(member.file_size for member in members)
    most = min(MOST_BYTES, max(FREE_BYTES, MOST_GROWTH * path.stat().st_size))
    if len(members) > MOST_FILES:
        raise _fault(path, f"holds {len(members)} files, more than {MOST_FILES}")
    if total > most:
        raise _fault(path, f"would unpack to {total} bytes, more than {most}")


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, root: Path) -> None:
    """Write one file; one that is longer than the archive says is damage."""
    top, _, name = member.filename.partition("/")
    target = root / (INPUTS_BESIDE if is_of_inputs(name) else top) / name
    target.parent.mkdir(parents=True, exist_ok=True)
    left = member.file_size
    with archive.open(member) as source, target.open("xb") as file:
        while content := source.read(CHUNK):
            left -= len(content)
            if left < 0:
                raise zipfile.BadZipFile(f"{member.filename} is longer than it says")
            file.write(content)
    if left:
        raise zipfile.BadZipFile(f"{member.filename} is shorter than it says")


def _fault(path: Path, what: str) -> RequestError:
    return RequestError([Fault(str(path), what, MEND)])

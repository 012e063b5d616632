"""The PDF, laid out by WeasyPrint in a process of its own.

A child process gives its memory back, can be stopped, and meets no state of the caller: its only
inputs are the page, the profile, what is attached, the identifier and the date. Nothing is fetched
but what the page carries in itself and the dossier's fonts. Every warning is an error: a page that
WeasyPrint had to guess at is not one to sign.
"""

from __future__ import annotations

import base64
import gc
import json
import logging
import os
import subprocess
import sys
from calendar import timegm
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from reportgen.errors import Fault, MissingSoftwareError, ReportgenError
from reportgen.render.fonts import SCHEME, STYLES, font_file
from reportgen.render.lettering import refuse_undrawable
from reportgen.render.pdf_attachment import Attachment
from reportgen.render.pdf_profile import PROFILES, Profile

TIMEOUT_SECONDS = 600
DEBIAN = (
    "apt-get install -y --no-install-recommends "
    "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
)
INSTALL = f"Debian or Ubuntu: {DEBIAN}; macOS: brew install pango"

_MISSING_SOFTWARE, _FAULT = 3, 4


def write_pdf(
    print_html: str,
    path: Path,
    *,
    identifier: str,
    date: str,
    profile: Profile = PROFILES["archive"],
    run: Mapping[str, str] | None = None,
    attachments: Iterable[Attachment] = (),
    seal_field: str | None = None,
) -> None:
    """Write the PDF of a page.

    Parameters
    ----------
    print_html : str
        ``Pages.print_html``.
    path : Path
        The file to write.
    identifier : str
        Of the content, such as its digest; becomes the PDF's own identifier.
    date : str
        ``YYYY-MM-DD``: the only date that the file may hold.
    profile : Profile
        The kind of PDF.
    run : mapping, optional
        What the metadata say of the run, by the names of ``pdf_metadata.RUN``.
    attachments : iterable of Attachment
        Files to embed, if the profile has attachments.
    seal_field : str, optional
        What the empty field for a seal is, in words; without it the file has none.

    Raises
    ------
    MissingSoftwareError
        If Pango or another library of the machine cannot be loaded; its one fault installs it.
    ReportgenError
        If the fonts of the page cannot draw a character, or WeasyPrint warned of anything.
    """
    refuse_undrawable(print_html, file=path.name)
    job = {
        "html": print_html,
        "path": str(path),
        "identifier": identifier,
        "date": date,
        "profile": profile.name,
        "run": dict(run or {}),
        "attachments": [_packed(one) for one in attachments if profile.attached],
        "seal_field": seal_field,
    }
    epoch = timegm(datetime.fromisoformat(date).timetuple())
    # -P: a file of the user's called weasyprint.py must not be taken for the library.
    command = [sys.executable, "-P", "-m", "reportgen.render.pdf"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PYTHONIOENCODING": "utf-8"}
    try:
        child = subprocess.run(  # noqa: S603
            command,
            input=json.dumps(job),
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ReportgenError([_too_slow(path)]) from None
    if child.returncode:
        raise _error(child, path)


def _packed(attachment: Attachment) -> dict[str, str]:
    """Return an attachment as JSON can hold it."""
    content = base64.b64encode(attachment.content).decode()
    return {**asdict(attachment), "content": content}


def _unpacked(packed: Mapping[str, Any]) -> Attachment:
    return Attachment(**{**packed, "content": base64.b64decode(packed["content"])})


def _too_slow(path: Path) -> Fault:
    return Fault(
        path.name,
        f"laying out the pages took more than {TIMEOUT_SECONDS} s",
        "build with --format html, or leave out sections with --only",
    )


def _killed(path: Path, number: int) -> Fault:
    return Fault(
        path.name,
        f"the process that lays out the pages was stopped from outside (signal {number}), as a "
        "system does that runs out of memory",
        "build with --format html, or where more memory is free",
    )


def _error(child: subprocess.CompletedProcess[str], path: Path) -> Exception:
    """Return what the child's last words mean."""
    if child.returncode not in (_MISSING_SOFTWARE, _FAULT):
        if child.returncode < 0:
            return ReportgenError([_killed(path, -child.returncode)])
        last = (child.stderr.strip().splitlines() or ["no message"])[-1]
        return RuntimeError(f"the process that lays out {path.name} died: {last}")
    faults = [Fault(*fault) for fault in json.loads(child.stdout.splitlines()[-1])]
    return (MissingSoftwareError if child.returncode == _MISSING_SOFTWARE else ReportgenError)(
        faults
    )


def _undrawable(characters: str, where: str) -> Fault:
    return Fault(
        f"dossier.pdf, {where}",
        f"the dossier's fonts cannot draw {characters}",
        "write it in other letters (levels: and scores: of the manifest rename groups and models)",
    )


# What follows runs in the child process.


def render(html: str, *, identifier: str, profile: Profile = PROFILES["archive"]) -> bytes:
    """Return the PDF of a page, laid out in this process; ``pdf_finish`` has to finish it.

    Parameters
    ----------
    html : str
        The page.
    identifier : str
        The PDF's identifier.
    profile : Profile
        The kind of PDF.

    Raises
    ------
    ReportgenError
        If WeasyPrint warned of anything.
    """
    import weasyprint

    # This process ends with its one document: looking for garbage in it costs a tenth of the time.
    gc.disable()
    warnings = _Collector()
    logger = logging.getLogger("weasyprint")
    logger.handlers[:] = [warnings]
    logger.propagate = False

    pdf = weasyprint.HTML(string=html, url_fetcher=_fetcher()).write_pdf(
        pdf_variant=profile.variant, pdf_identifier=identifier.encode()
    )
    if warnings.messages:
        raise ReportgenError(_fault_of(message) for message in dict.fromkeys(warnings.messages))
    if not isinstance(pdf, bytes):
        raise TypeError("WeasyPrint returned no bytes")
    return pdf


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def _fault_of(message: str) -> Fault:
    if ".notdef glyph" in message:
        return _undrawable(message.split("unsupported by fonts: ")[-1], "somewhere in the text")
    return Fault("dossier.pdf", f"WeasyPrint warned: {message}", "please report this as a bug")


def _fetcher() -> Any:
    """Return a fetcher of ``data:`` and of the dossier's two font files, and of nothing else."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    fonts = {f"{SCHEME}:{style}": font_file(style) for style in STYLES}

    class OwnFilesOnly(URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: Any = None) -> Any:
            if url in fonts:
                return URLFetcherResponse(
                    url, fonts[url].read_bytes(), {"Content-Type": "font/ttf"}
                )
            if url.startswith("data:"):
                return super().fetch(url, headers)
            raise FatalURLFetchingError(f"a page may not fetch {url}")

    return OwnFilesOnly(allowed_protocols=["data"], allow_redirects=False)


def _child() -> int:
    """Read a job from standard input, write its PDF; say what went wrong on standard output."""
    job = json.load(sys.stdin)
    try:
        import weasyprint  # noqa: F401
    except OSError as error:
        return _say(_MISSING_SOFTWARE, [_missing_software(error)])
    from reportgen.render.pdf_finish import finish

    profile = PROFILES[job["profile"]]
    try:
        raw = render(job["html"], identifier=job["identifier"], profile=profile)
    except ReportgenError as error:
        return _say(_FAULT, error.faults)
    attachments = map(_unpacked, job["attachments"])
    done = finish(
        raw,
        profile,
        date=job["date"],
        run=job["run"],
        attachments=attachments,
        seal_field=job["seal_field"],
    )
    try:
        Path(job["path"]).write_bytes(done)
    except OSError as error:
        return _say(_FAULT, [_no_room(error)])
    return 0


def _no_room(error: OSError) -> Fault:
    """Return the fault of a folder for temporary files that takes no PDF."""
    what = f"it cannot be written into the folder for temporary files ({error.strerror or error})"
    return Fault("dossier.pdf", what, "free some space there, or name another folder in TMPDIR")


def _missing_software(error: OSError) -> Fault:
    library = str(error).splitlines()[0]
    return Fault("dossier.pdf", f"a library for the PDF cannot be loaded ({library})", INSTALL)


def _say(status: int, faults: Iterable[Fault]) -> int:
    sys.stdout.write("\n" + json.dumps([[f.where, f.what, f.mend] for f in faults]) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(_child())

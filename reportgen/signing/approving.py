"""An approval from request to folder, top to bottom.

The request, the record and the ledger are checked, and everything that is wrong is told at once;
the ledger grows by one entry; the pages are rendered with it; a signature and a seal are made if
they are asked for; all of it is put into the folder. The record itself is never touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from reportgen.drafting import require_pdf_software
from reportgen.errors import Fault, ReportgenError, RequestError, choose_from
from reportgen.inputs.fonts import FONT_DIRS
from reportgen.release.environment import environment
from reportgen.release.fingerprint import moment
from reportgen.release.record import LEDGER, RESULTS, SIGNATURES, SIGNED_HTML, SIGNED_PDF, SUMS
from reportgen.render.approvals import SignOff, same, sign_off
from reportgen.signing.identity import Identity, stated
from reportgen.signing.ledger import Ledger, Sealed, approved, ledger_bytes
from reportgen.signing.request import (
    LONGEST,
    Request,
    faults_of_request,
    identity_of,
    trusted_by,
)
from reportgen.signing.storing import (
    faults_of_record,
    finish_what_was_cut_off,
    one_signer,
    standing_ledger,
    store,
)
from reportgen.stored import Stored, folder_of, read_file, read_stored, stored_fonts

Got = TypeVar("Got")


@dataclass(frozen=True)
class Signed:
    """What came of it.

    Attributes
    ----------
    folder : Path
        The dossier.
    ledger : Ledger
        As it stands now.
    sign_off : SignOff
        Who signed and which roles are open.
    level : str or None
        As what the PDF was sealed; None if it was not.
    notes : tuple of str
        What the user should know.
    """

    folder: Path
    ledger: Ledger
    sign_off: SignOff
    level: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Sound:
    """A request that can be granted, with all that it takes."""

    stored: Stored
    ledger: Ledger
    fonts: Sequence[Path]
    identity: Identity | None
    trusted: Sequence[Any]


def sign(dossier: Path, request: Request) -> Signed:
    """Append an approval to a dossier's ledger, seal its PDF, or both.

    Parameters
    ----------
    dossier : Path
        The dossier's folder, or the results.json in it.
    request : Request
        What is asked for.

    Raises
    ------
    RequestError
        With everything that stands against it; nothing has been written then.
    ReportgenError
        If no font can draw a character of the texts; nothing has been written.
    MissingSoftwareError
        If pyHanko or a library for the PDF is missing.
    """
    folder = folder_of(dossier)
    read_file(folder / RESULTS)  # what is no dossier gets no lock beside it
    with one_signer(folder) as hidden:
        late = finish_what_was_cut_off(folder, hidden)
        now = moment()
        sound = _sound(folder, request, now)
        ledger = sound.ledger
        if request.texts:
            ledger = approved(ledger, **request.texts, time=str(stated(now)))
        made, ledger, level, notes = _files(sound, ledger, request, now)
        store(folder, hidden, made)
    if late:
        notes = ("an earlier approval that was cut off has been completed", *notes)
    return Signed(folder, ledger, _sign_off(sound.stored, ledger), level, tuple(notes))


def _files(
    sound: _Sound, ledger: Ledger, request: Request, now: datetime
) -> tuple[dict[str, bytes], Ledger, str | None, tuple[str, ...]]:
    """Return the files of an approval, the ledger in them, the seal's level and notes."""
    from reportgen.signing.pages import signed_pages, signed_pdf

    stored, identity = sound.stored, sound.identity
    pages = signed_pages(stored.data, stored.pictures, ledger, sound.fonts)
    pdf = signed_pdf(
        stored.data, stored.pictures, ledger, sound.fonts, source=stored.source, pages=pages
    )
    files = {SIGNED_HTML: pages.html.encode()}
    level, notes = None, _notes(stored, request)
    if request.detached and identity is not None:
        from reportgen.signing.detached import detached

        sums = (stored.folder / SUMS).read_bytes()
        signature = detached(sums, identity, moment=now, tsa=request.tsa)
        files[f"{SIGNATURES}/{len(ledger.approvals)}.p7s"] = signature
    if request.seal and identity is not None:
        from reportgen.signing.seal import seal_with

        done = seal_with(pdf, identity, tsa=request.tsa, moment=now, trusted=sound.trusted)
        pdf, level, notes = done.pdf, done.level, (*notes, *done.notes)
        closed = Sealed(str(stated(now)), identity.subject, identity.certificate)
        ledger = replace(ledger, sealed=closed)
    return {**files, SIGNED_PDF: pdf, LEDGER: ledger_bytes(ledger)}, ledger, level, notes


def _sign_off(stored: Stored, ledger: Ledger) -> SignOff:
    return sign_off(stored.data["dossier"], [asdict(one) for one in ledger.approvals])


def _notes(stored: Stored, request: Request) -> tuple[str, ...]:
    """Return what is no fault and yet may not be meant."""
    notes = []
    roles = [line["role"] for line in stored.data["dossier"].get("sign_off") or []]
    role = request.texts.get("role")
    if role and roles and not any(same(role, one) for one in roles):
        known = choose_from(roles, role)
        notes.append(f"the role {role!r} is none of those that the manifest wants; {known}")
    if _other_software(stored.data["environment"]):
        what = "the signed pages are made by other software than those of the record"
        notes.append(f"{what}: read them before you pass them on")
    return tuple(notes)


def _other_software(theirs: Mapping[str, Any]) -> bool:
    """Return whether a version in the record's environment is another one here."""
    ours = environment()
    packages = {**theirs["packages"], **ours["packages"]}
    return bool({**theirs, "packages": packages} != {**ours, "packages": theirs["packages"]})


def _sound(folder: Path, request: Request, now: datetime) -> _Sound:
    """Return what a request takes, having checked all of it.

    Raises
    ------
    RequestError
        With everything that is wrong.
    """
    gathered = _Gathering()
    gathered.faults += [*faults_of_request(request), *faults_of_record(folder)]
    stored = gathered.take(lambda: read_stored(folder))
    identity = gathered.take(lambda: identity_of(request, now))
    trusted = gathered.take(lambda: trusted_by(request))
    ledger, fonts = None, None
    if stored is not None:
        gathered.take(require_pdf_software)
        gathered.take(stored.require_manifest)
        fonts = gathered.take(lambda: _fonts(stored, request))
        if (folder / SUMS).is_file():  # that it is not, is told already
            ledger = gathered.take(lambda: standing_ledger(stored))
    if stored is not None and ledger is not None:
        gathered.faults += _faults_of_ledger(stored, ledger, request, now)
    if gathered.faults or stored is None or ledger is None:
        raise RequestError(dict.fromkeys(gathered.faults))
    return _Sound(stored, ledger, fonts or (), identity, trusted or ())


@dataclass
class _Gathering:
    """Faults of several steps, so that all can be told at once."""

    faults: list[Fault] = field(default_factory=list)

    def take(self, step: Callable[[], Got]) -> Got | None:
        """Return what a step returns; None if it raised, and then its faults are kept."""
        try:
            return step()
        except ReportgenError as error:
            self.faults += error.faults
            return None


def _fonts(stored: Stored, request: Request) -> list[Path]:
    """Return the fonts that the record was made with."""
    own = [one["path"] for one in stored.data["inputs"] if one["name"].startswith(FONT_DIRS)]
    if own and request.fonts is None:
        what = f"the dossier was made with fonts of its own ({', '.join(own)})"
        raise RequestError([Fault("--fonts", what, "name the folder that holds them")])
    return stored_fonts(request.fonts, stored.data)


def _faults_of_ledger(
    stored: Stored, ledger: Ledger, request: Request, now: datetime
) -> Iterator[Fault]:
    where = str(stored.folder / LEDGER)
    if ledger.sealed is not None:
        what = f"was sealed at {ledger.sealed.time} by {ledger.sealed.subject}"
        yield Fault(where, what, "a sealed dossier takes no approval; another is a new revision")
        return
    time, texts = str(stated(now)), request.texts
    if ledger.approvals and time < ledger.approvals[-1].time:
        what = f"the clock says {time}, and the last approval is of {ledger.approvals[-1].time}"
        yield Fault(where, what, "set the clock of this machine, or unset SOURCE_DATE_EPOCH")
    for one in ledger.approvals:
        if len(texts) == len(LONGEST) and all(same(getattr(one, k), texts[k]) for k in texts):
            what = f"approval {one.number} of {one.time} says the same already"
            yield Fault(where, what, "say with --meaning what another one is to mean")
    if request.seal:
        yield from _faults_of_sealing(stored, ledger, request)


def _faults_of_sealing(stored: Stored, ledger: Ledger, request: Request) -> Iterator[Fault]:
    """Yield what stands against closing a ledger for good."""
    approvals = [asdict(one) for one in ledger.approvals]
    if request.texts:
        approvals.append({**dict.fromkeys(LONGEST, ""), **request.texts, "record": ledger.record})
    if not approvals:
        yield Fault("--seal", "there is no approval yet", "add --name, --role and --meaning")
        return
    missing = sign_off(stored.data["dossier"], approvals).open_roles
    if missing and not request.incomplete:
        what = f"no one can sign after it, and these roles have not: {', '.join(missing)}"
        yield Fault("--seal", what, "let them sign first, or say --incomplete")

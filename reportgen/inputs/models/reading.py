"""One model read: its door checked first, then its name, its digest, its content.

A format is never tried in place of another, and a file that carries code is not opened before the
door is open and its digest is the pinned one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs.beside import Finder
from reportgen.inputs.columned import told
from reportgen.inputs.models.carriers import Opened, open_callable, open_pickle
from reportgen.inputs.models.content import ModelContent, model_of
from reportgen.inputs.models.csv_file import read_coefficients
from reportgen.inputs.models.json_file import MOST_BYTES, read_json
from reportgen.inputs.models.onnx_file import open_onnx
from reportgen.inputs.models.settings import ModelSettings
from reportgen.inputs.models.skops_file import open_skops
from reportgen.inputs.opening import Digest
from reportgen.inputs.settings import BinaryLabel
from reportgen.inputs.table import InputRecord
from reportgen.inputs.trouble import FileFaults

SUFFIXES = {
    "linear": (".json", ".csv"),
    "trees": (".json",),
    "mlp": (".json",),
    "onnx": (".onnx",),
    "skops": (".skops",),
    "pickle": (".pkl", ".pickle", ".joblib"),
}
HEADS = (
    (b"\x80", "a pickle, which carries code"),
    (b"PK\x03\x04", "a zip archive, as skops and numpy write them"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x08", "a binary file, as ONNX writes it"),
    (b"version https://git-lfs", "a Git LFS pointer, not the model"),
)
OPENERS: Mapping[str, Callable[[bytes, ModelSettings, BinaryLabel | None], Opened]] = {
    "onnx": open_onnx,
    "skops": open_skops,
    "pickle": open_pickle,
}


@dataclass(frozen=True)
class Doors:
    """What the command line allows beside plain data.

    Attributes
    ----------
    pickle : bool
        ``--allow-pickle``: files that run code when they are opened.
    code : bool
        ``--allow-code``: functions of the user's own modules.
    """

    pickle: bool = False
    code: bool = False


@dataclass(frozen=True)
class ReadModel:
    """A model as it was read.

    Attributes
    ----------
    kind, path : str
        As the manifest names them.
    features : tuple of str or None
        Names of the inputs, in order; None where neither file nor manifest says: the table's
        features then, in their order.
    content : mapping
        What `reportgen.stats.robust_models.build_model` takes beside kind and features.
    source : mapping of text to text
        What made it: estimator, versions, positive class; empty where unknown.
    sha256 : str
    runs_code : bool
        Whether a door was opened for it: the dossier carries a banner.
    """

    kind: str
    path: str
    features: tuple[str, ...] | None
    content: Mapping[str, Any]
    source: Mapping[str, str]
    sha256: str
    runs_code: bool = False
    notes: tuple[str, ...] = field(default=())

    def fault(self, error: ValueError) -> Fault:
        """Return what `build_model` refused as a fault in this file: ``tree 3: node 5: …``."""
        place, found, what = str(error).rpartition(": ")
        where = f"{self.path}: {place}" if found else self.path
        return Fault(where, what, "export the model anew; the file is not what an exporter writes")


def read_model(
    settings: ModelSettings,
    *,
    key: Key,
    finder: Finder,
    doors: Doors,
    label: BinaryLabel | None = None,
) -> tuple[ReadModel, InputRecord]:
    """Read the model of one section.

    Parameters
    ----------
    settings : ModelSettings
    key : Key
        The manifest's key of `settings`, such as ``("sections", 1, "model")``.
    finder : Finder
    doors : Doors
    label : BinaryLabel, optional
        Outcome of the table that it is to score: says which of the model's classes is positive.

    Returns
    -------
    ReadModel, InputRecord
        The record's name is the key, dotted.

    Raises
    ------
    InputError
        If a door is shut, the file is not there, is not the pinned one, or is not what it is said
        to be. A file that carries code has not been opened then.
    """
    kind, where = settings.kind, finder.where((*key, settings.kind))
    shut = _shut(settings, doors, where)
    if shut is not None:
        raise InputError([shut])
    if kind == "callable":
        return _called(settings, key, where)
    path = finder.find(settings.path, (*key, kind))
    try:
        _check_name(settings)
        size = path.stat().st_size
        if kind in ("linear", "trees", "mlp") and size > MOST_BYTES:
            what = f"the file holds {size} bytes; at most {MOST_BYTES} are read"
            raise FileFaults.one("", what, "export a smaller model")
        raw = path.read_bytes()
        # The digest is of the very bytes that are opened below.
        digest = Digest(hashlib.sha256(raw).hexdigest(), len(raw))
        _check_pin(settings, digest, finder.where((*key, "sha256")))
        content, opened = _content(raw, settings, label)
    except FileFaults as found:
        raise InputError(told(found, settings.path, (*key, kind), finder)) from None
    except OSError as error:
        what = f"the file cannot be read ({error.strerror})"
        fault = Fault(settings.path, what, "check its permissions", (*key, kind))
        raise InputError([fault]) from None
    features = _features(content.features, settings, finder.where((*key, "features")))
    read = ReadModel(
        kind,
        settings.path,
        features,
        content.content,
        content.source,
        digest.sha256,
        kind == "pickle",
        opened.notes if opened else (),
    )
    return read, _record(key, read, digest)


def _shut(settings: ModelSettings, doors: Doors, where: str) -> Fault | None:
    """Return the fault of a door that is shut."""
    plain = "export it as plain data with reportgen export-model"
    if settings.kind == "pickle" and not doors.pickle:
        what = (
            f"{settings.path} is a pickle: opening it runs the code it carries; it was not opened"
        )
        return Fault(where, what, f"{plain}, or allow it with --allow-pickle and its sha256")
    if settings.kind == "pickle" and settings.sha256 is None:
        what = f"{settings.path} is a pickle without its sha256; it was not opened"
        return Fault(where, what, f"{plain}, or add sha256 beside pickle")
    if settings.kind == "callable" and not doors.code:
        what = f"{settings.path} is code, and was not imported"
        return Fault(where, what, f"{plain}, or allow it with --allow-code")
    return None


def _called(settings: ModelSettings, key: Key, where: str) -> tuple[ReadModel, InputRecord]:
    try:
        opened, digest = open_callable(settings)
    except FileFaults as found:
        raise InputError([Fault(where, spot.what, spot.mend) for spot in found.spots]) from None
    features = None if settings.features is None else tuple(settings.features)
    read = ReadModel(
        "callable", settings.path, features, opened.content, opened.source, digest.sha256, True
    )
    return read, _record(key, read, digest)


def _check_name(settings: ModelSettings) -> None:
    suffix = PurePath(settings.path.lower()).suffix
    wanted = SUFFIXES[settings.kind]
    if suffix not in wanted:
        others = [kind for kind, endings in SUFFIXES.items() if suffix in endings]
        met = f"is named {suffix}" if suffix else "has no ending"
        mend = f"name it {' or '.join(wanted)}"
        if others:
            mend += f", or say model: {{{others[0]}: …}}"
        article = "an" if settings.kind == "onnx" else "a"
        raise FileFaults.one("", f"{article} {settings.kind} model that {met}", mend)


def _check_pin(settings: ModelSettings, digest: Digest, where: str) -> None:
    if settings.sha256 is not None and settings.sha256 != digest.sha256:
        what = f"{settings.path} has the SHA-256 {digest.sha256}; it was not opened"
        mend = "the file is not the pinned one: restore it, or pin it anew"
        raise InputError([Fault(where, what, mend)])


def _content(
    raw: bytes, settings: ModelSettings, label: BinaryLabel | None
) -> tuple[ModelContent, Opened | None]:
    kind = settings.kind
    if kind in OPENERS:
        opened = OPENERS[kind](raw, settings, label)
        return ModelContent(kind, opened.features, opened.content, opened.source), opened
    for head, what in HEADS:
        if raw.startswith(head):
            mend = "give the file that the manifest means; no other format is tried in its place"
            raise FileFaults.one("", f"this is {what}, not a {kind} model as text", mend)
    if settings.path.lower().endswith(".csv"):
        return read_coefficients(raw, link=settings.link or "logit"), None
    data = read_json(raw)
    _check_format(data, kind)
    content = model_of(kind, data)
    if kind == "linear" and settings.link not in (None, content.content["link"]):
        what = f"the file has the link {content.content['link']}, the manifest {settings.link}"
        raise FileFaults.one(": link", what, "take link out of the manifest")
    return content, None


def _check_format(data: Any, kind: str) -> None:
    if not isinstance(data, dict):
        what = "the document is no mapping"
        raise FileFaults.one("", what, f"write the keys of a {kind} model in {{…}}")
    named = data.get("format")
    for other in SUFFIXES:
        if isinstance(named, str) and named.startswith(f"reportgen/{other}/") and other != kind:
            what = f"the file says {named}: it is a {other} model"
            raise FileFaults.one(": format", what, f"say model: {{{other}: …}}")


def _features(
    own: tuple[str, ...] | None, settings: ModelSettings, where: str
) -> tuple[str, ...] | None:
    if settings.features is None:
        return own
    named = tuple(settings.features)
    if own is not None and own != named:
        at = next((k for k, (a, b) in enumerate(zip(own, named, strict=False)) if a != b), None)
        if at is None:
            what = f"{len(named)} features are named, the model has {len(own)}"
        else:
            what = f"feature {at + 1} is {named[at]!r} here and {own[at]!r} in the model"
        raise InputError([Fault(where, what, "take features out: the model names its own")])
    return named


def _record(key: Key, read: ReadModel, digest: Digest) -> InputRecord:
    made_by = tuple(f"{name}: {value}" for name, value in sorted(read.source.items()))
    return InputRecord(
        name=".".join(map(str, key)),
        path=read.path,
        sha256=digest.sha256,
        bytes=digest.size,
        columns=read.features or (),
        notes=(*made_by, *read.notes),
    )

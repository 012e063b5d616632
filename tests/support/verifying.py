"""A small dossier to damage, and a verification that renders equal results once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen import build, verifying
from reportgen.release.fingerprint import sha256_of
from reportgen.release.folder import checksums
from reportgen.release.record import SUMS, is_of_approvals
from reportgen.rerender import rendered
from reportgen.signing.ledger import ledger_bytes, unsealed
from reportgen.signing.pages import signed_pages, signed_pdf
from reportgen.verifying import pages
from reportgen.verifying import signed_pages as signed
from tests.support.bare_pages import without_fonts

TABLE = "id,y,p\n" + "".join(f"{i},{int(i % 3 == 0)},{i % 7 / 10 + 0.1}\n" for i in range(60))
MANIFEST = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30, sign_off: [{role: Statistician}, {role: Clinical lead}]}
model: {name: m, version: "1"}
defaults: {resamples: 100}
tables:
  t: {path: t.csv, label: {column: y, positive: 1}, scores: {model: p}}
sections:
  - {kind: prevalence, table: t, score: model, threshold: 0.4, prevalences: [0.1]}
"""


def write_inputs(place: Path) -> Path:
    """Write table and manifest; return the manifest."""
    (place / "t.csv").write_text(TABLE)
    (place / "m.yaml").write_text(MANIFEST)
    return place / "m.yaml"


def built(place: Path, **options: Any) -> Path:
    """Build the small dossier below `place`; return its folder."""
    return build.build(write_inputs(place), place / "out", **options).folder


@contextmanager
def quick() -> Iterator[pytest.MonkeyPatch]:
    """Within the block leave out fonts, and render equal results once; yield the patch."""
    with pytest.MonkeyPatch.context() as patch:
        without_fonts(patch)
        remembered(patch)
        yield patch


def remembered(patch: pytest.MonkeyPatch) -> None:
    """Render equal results once a test: each render is equal, as other tests show."""
    known: dict[Any, Any] = {}

    def once(name: str, real: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **options: Any) -> Any:
            told = (name, key(*words, **options))
            if told not in known:
                known[told] = real(*words, **options)
            return known[told]

        return call

    def of_stored(stored: Any, profile: str, **options: Any) -> Any:
        told = [(key, str(value)) for key, value in sorted(options.items())]
        return stored.results_bytes, stored.manifest, tuple(stored.pictures), profile, *told

    def of_ledger(data: Any, pictures: Any, ledger: Any, fonts: Any, **_: Any) -> Any:
        return data["dossier"]["digest"], ledger_bytes(unsealed(ledger))

    patch.setattr(pages, "rendered", once("rendered", rendered, of_stored))
    patch.setattr(signed, "signed_pages", once("pages", signed_pages, of_ledger))
    patch.setattr(signed, "signed_pdf", once("pdf", signed_pdf, of_ledger))


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def restore(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put every file back as it was, and take away what was added."""
    for path in sorted(folder.rglob("*"), reverse=True):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or (not path.is_dir() and name not in files):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)


def flips(content: bytes, count: int, source: np.random.Generator) -> Iterator[bytes]:
    """Yield `content` with one bit of one byte changed, at random places."""
    for at, bit in zip(
        source.integers(len(content), size=count), source.integers(8, size=count), strict=True
    ):
        yield content[:at] + bytes([content[at] ^ (1 << int(bit))]) + content[at + 1 :]


def listed_anew(folder: Path) -> None:
    """Write SHA256SUMS anew, as a forger would."""
    files = {
        name: content
        for name, content in snapshot(folder).items()
        if name != SUMS and not is_of_approvals(name)
    }
    (folder / SUMS).write_bytes(checksums(files))


def bad_files(folder: Path, **options: Any) -> list[str]:
    """Return the files that a verification names as bad."""
    return verifying.verify(folder, **options).bad_files


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256_of(path.read_bytes())


def pkcs12(name: str, passphrase: bytes = b"secret") -> tuple[bytes, bytes]:
    """Return a new key with its own certificate as PKCS#12, and that certificate as PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import pkcs12 as pfx
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=True,
        **dict.fromkeys(
            (
                "key_encipherment",
                "data_encipherment",
                "key_agreement",
                "key_cert_sign",
                "crl_sign",
                "encipher_only",
                "decipher_only",
            ),
            False,
        ),
    )
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2060, 1, 1, tzinfo=UTC))
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    how = serialization.BestAvailableEncryption(passphrase)
    packed = pfx.serialize_key_and_certificates(b"test", key, made, None, how)
    return packed, made.public_bytes(serialization.Encoding.PEM)

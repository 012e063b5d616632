"""The archive: one dossier, one digest; whole or refused; unpacked without trust."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reportgen import cli
from reportgen.archiving import archive, opened, pack, unpacking
from reportgen.errors import RequestError
from reportgen.release.folder import Draft, checksums, damaged, publish, read_checksums

TABLE = b"id,y\n1,0\n"
PLAN = b"plan"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def results(revision: int, model: str, inputs: list[dict[str, object]]) -> bytes:
    dossier = {
        "date": "2026-11-30",
        "model": {"name": model, "version": "1.0"},
        "revision": revision,
    }
    return json.dumps({"dossier": dossier, "inputs": inputs}).encode()


def make(
    out: Path, *, model: str = "a model", inputs: list[dict[str, object]] | None = None
) -> Path:
    """Publish a small dossier, as the archive reads it."""

    def files(revision: int) -> dict[str, bytes]:
        return {
            "results.json": results(revision, model, inputs or []),
            "dossier.html": b"<p>page</p>",
            "tables/a.csv": b"x\n1\n",
            "pictures/empty.png": b"",
        }

    return publish(out, model, "1.0", Draft(files)).folder


def approve(dossier: Path) -> None:
    """Put beside a record what approvals add, listed as they are listed."""
    added = {
        "approvals.json": b"{}",
        "dossier-signed.html": b"<p>signed</p>",
        "signatures/1.p7s": b"\x30",
    }
    for name, content in added.items():
        (dossier / name).parent.mkdir(exist_ok=True)
        (dossier / name).write_bytes(content)
    record = (dossier / "SHA256SUMS").read_bytes()
    (dossier / "SHA256SUMS.signed").write_bytes(checksums({**added, "SHA256SUMS": record}))


@pytest.fixture
def dossier(tmp_path: Path) -> Path:
    return make(tmp_path / "out")


def test_a_zip_of_one_folder_beside_the_dossier(dossier: Path) -> None:
    path = archive(dossier)
    assert path == dossier.parent / "a-model-1.0-r1.zip"
    with zipfile.ZipFile(path) as made:
        assert made.testzip() is None
        assert made.namelist() == [
            f"a-model-1.0-r1/{name}"
            for name in (
                "SHA256SUMS",
                "dossier.html",
                "pictures/empty.png",
                "results.json",
                "tables/a.csv",
            )
        ]
        for one in made.infolist():
            assert one.date_time == (2026, 11, 30, 0, 0, 0)
            assert one.external_attr >> 16 == stat.S_IFREG | 0o644
            assert one.compress_type == zipfile.ZIP_STORED


@pytest.mark.skipif(shutil.which("unzip") is None, reason="unzip is not here")
def test_coreutils_accepts_what_unzip_writes(dossier: Path, tmp_path: Path) -> None:
    approve(dossier)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "t.csv").write_bytes(TABLE)
    where = tmp_path / "elsewhere"
    path = pack(dossier, tmp_path / "a.zip", inputs=tmp_path / "in").path
    subprocess.run(["unzip", "-q", path, "-d", where], check=True)
    for name in ("SHA256SUMS", "SHA256SUMS.signed"):
        check = ["sha256sum", "--strict", "--quiet", "-c", name]
        subprocess.run(check, cwd=where / "a-model-1.0-r1", check=True)


def test_what_was_approved_goes_in_too(dossier: Path) -> None:
    approve(dossier)
    with opened(archive(dossier)) as folder:
        there = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        assert there == {path.relative_to(dossier) for path in dossier.rglob("*") if path.is_file()}
        assert all((folder / name).read_bytes() == (dossier / name).read_bytes() for name in there)
        assert folder.name == "a-model-1.0-r1"
        place = folder
    assert not place.exists()


def test_the_same_archive_is_unchanged_and_another_is_not_overwritten(dossier: Path) -> None:
    first = pack(dossier)
    before = first.path.stat().st_mtime_ns
    second = pack(dossier)
    assert (first.unchanged, second.unchanged) == (False, True)
    assert first.path.stat().st_mtime_ns == before
    approve(dossier)
    kept = first.path.read_bytes()
    with pytest.raises(RequestError, match="is there with other content"):
        pack(dossier)
    assert first.path.read_bytes() == kept
    assert sorted(path.name for path in dossier.parent.iterdir()) == [first.path.name, "r1"]


def break_record(dossier: Path) -> None:
    (dossier / "tables/a.csv").write_bytes(b"x\n2\n")


def lose(dossier: Path) -> None:
    (dossier / "dossier.html").unlink()


def add(dossier: Path) -> None:
    (dossier / "notes.txt").write_bytes(b"")


def break_approval(dossier: Path) -> None:
    approve(dossier)
    (dossier / "dossier-signed.html").write_bytes(b"<p>other</p>")


def lose_approval(dossier: Path) -> None:
    approve(dossier)
    (dossier / "approvals.json").unlink()


def lose_list(dossier: Path) -> None:
    approve(dossier)
    (dossier / "SHA256SUMS.signed").unlink()


def add_approval(dossier: Path) -> None:
    approve(dossier)
    (dossier / "signatures/2.p7s").write_bytes(b"")


def lose_sums(dossier: Path) -> None:
    (dossier / "SHA256SUMS").unlink()


def break_sums_after_approval(dossier: Path) -> None:
    approve(dossier)
    lines = (dossier / "SHA256SUMS").read_text().splitlines(keepends=True)
    (dossier / "SHA256SUMS").write_text("".join(reversed(lines)))


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        (break_record, "tables/a.csv: is not the file that SHA256SUMS lists"),
        (lose, "dossier.html: is missing"),
        (add, "notes.txt: is not in SHA256SUMS"),
        (break_approval, "dossier-signed.html: is not the file that SHA256SUMS.signed lists"),
        (lose_approval, "approvals.json: is missing"),
        (lose_list, "SHA256SUMS.signed: is missing or cannot be read"),
        (add_approval, "signatures/2.p7s: is not in SHA256SUMS.signed"),
        (lose_sums, "is no dossier: its SHA256SUMS is missing"),
        (break_sums_after_approval, "SHA256SUMS: is not the file that SHA256SUMS.signed lists"),
    ],
)
def test_a_damaged_dossier_is_refused(
    dossier: Path, harm: Callable[[Path], None], named: str
) -> None:
    harm(dossier)
    done = run("archive", dossier)
    assert done.exit_code == 2
    assert named in done.stderr
    assert done.stdout == ""
    assert [path.name for path in dossier.parent.iterdir()] == ["r1"]


def run(*words: object) -> Result:
    return CliRunner().invoke(cli.main, [str(word) for word in words])


def test_the_command_says_where_it_is_and_what_came_of_it(dossier: Path) -> None:
    first, second = run("archive", dossier / "results.json"), run("archive", dossier, "-v")
    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout == f"{dossier.parent / 'a-model-1.0-r1.zip'}\n"
    assert first.stderr == "archived\n"
    assert second.stderr.startswith("unchanged")
    assert run("archive", dossier, "-q", "-o", dossier.parent / "b.zip").stderr == ""


def given() -> list[dict[str, object]]:
    return [
        {"name": "tables.t", "path": "data/t é.csv", "sha256": sha(TABLE), "bytes": len(TABLE)},
        {"name": "plan", "path": "../plan.txt", "sha256": sha(PLAN), "bytes": len(PLAN)},
        {"name": "images.x", "path": "pictures", "sha256": "0" * 64, "bytes": 1},
        {"name": "tables.u", "path": "data/t é.csv", "sha256": sha(TABLE), "bytes": len(TABLE)},
    ]


def inputs_in(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    (folder / "pictures").mkdir()
    (folder / "data/t é.csv").write_bytes(TABLE)
    (folder / "plan.txt").write_bytes(PLAN)
    return folder


def test_copies_of_the_inputs_on_request(tmp_path: Path) -> None:
    dossier = make(tmp_path / "out", inputs=given())
    done = run("archive", dossier, "--inputs", inputs_in(tmp_path / "in"))
    assert done.exit_code == 0, done.output
    assert "it holds 2 input files: patient data" in done.stderr
    assert "images.x: its pictures are not in the archive" in done.stderr
    path = Path(done.stdout.strip())
    with zipfile.ZipFile(path) as made:
        assert made.read("a-model-1.0-r1/inputs/data/t é.csv") == TABLE
        assert made.read("a-model-1.0-r1/inputs/plan.txt") == PLAN
        assert made.read("a-model-1.0-r1/SHA256SUMS.inputs").decode() == (
            f"{sha(TABLE)}  inputs/data/t é.csv\n{sha(PLAN)}  inputs/plan.txt\n"
        )
        made.extractall(tmp_path / "by hand")
    with opened(path) as folder:
        assert {one.name for one in folder.iterdir()} == {one.name for one in dossier.iterdir()}
        beside = folder.parent / unpacking.INPUTS_BESIDE
        assert (beside / "inputs/data/t é.csv").read_bytes() == TABLE
        assert (beside / "SHA256SUMS.inputs").is_file()
    # Unpacked by hand they lie in the folder, and are no damage to the record.
    whole = tmp_path / "by hand" / "a-model-1.0-r1"
    assert damaged(whole, read_checksums(whole) or {}) == []
    again = pack(whole, tmp_path / "again.zip")
    assert again.path.read_bytes() == archive(dossier, tmp_path / "first.zip").read_bytes()
    (whole / "SHA256SUMS.inputs").unlink()
    assert damaged(whole, read_checksums(whole) or {}) == ["inputs/data/t é.csv", "inputs/plan.txt"]


def test_an_input_that_is_missing_or_another_is_a_fault(tmp_path: Path) -> None:
    dossier = make(tmp_path / "out", inputs=given())
    folder = inputs_in(tmp_path / "in")
    (folder / "plan.txt").unlink()
    (folder / "data/t é.csv").write_bytes(TABLE + b"2,1\n")
    done = run("archive", dossier, "--inputs", folder)
    assert done.exit_code == 2
    assert "plan.txt: plan is not there" in done.stderr
    assert "t é.csv: is not the file that was read as tables.t" in done.stderr
    assert [path.name for path in dossier.parent.iterdir()] == ["r1"]


def test_a_file_that_changes_under_the_hand_is_a_fault(
    dossier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reportgen.archiving import packing

    write = packing.write_zip

    def late(*given: object) -> None:
        (dossier / "dossier.html").write_bytes(b"<p>PAGE</p>")
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(packing, "write_zip", late)
    with pytest.raises(RequestError, match="changed while it was being archived"):
        archive(dossier)
    assert [path.name for path in dossier.parent.iterdir()] == ["r1"]


@pytest.mark.parametrize(
    ("date", "stamp"), [("1970-01-01", (1980, 1, 1)), ("9999-12-31", (2107, 12, 31))]
)
def test_a_date_that_no_zip_can_hold_is_the_nearest_it_can(
    tmp_path: Path, date: str, stamp: tuple[int, ...]
) -> None:
    whole = results(1, "m", []).replace(b"2026-11-30", date.encode())
    dossier = publish(tmp_path, "m", "1", Draft(lambda _: {"results.json": whole})).folder
    with zipfile.ZipFile(archive(dossier)) as made:
        assert made.infolist()[0].date_time[:3] == stamp


ELSEWHERE = """
import sys, locale
from pathlib import Path
from reportgen.archiving import pack
print(pack(Path(sys.argv[1]), Path(sys.argv[2])).path)
"""


def test_two_archives_of_one_dossier_have_one_digest(dossier: Path, tmp_path: Path) -> None:
    approve(dossier)
    digests = set()
    for place, environ in enumerate(
        (
            {"TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "1", "LANG": "C"},
            {"TZ": "America/St_Johns", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"},
            {"TZ": "UTC", "PYTHONHASHSEED": "3", "SOURCE_DATE_EPOCH": "1"},
        )
    ):
        folder = tmp_path / f"place {place}" / "deep"
        shutil.copytree(dossier, folder / "renamed")
        for path in folder.rglob("*"):
            os.utime(path, (place * 1e8, place * 1e8))
            path.chmod(0o777 if place else 0o700)
        out = folder / "a.zip"
        command = [sys.executable, "-c", ELSEWHERE, str(folder / "renamed"), str(out)]
        mask = os.umask(0o077 if place else 0o000)
        try:
            subprocess.run(command, env={**os.environ, **environ}, check=True, cwd=folder)
        finally:
            os.umask(mask)
        digests.add(sha(out.read_bytes()))
    assert len(digests) == 1


def zipped(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members:
            made.writestr(name, content)
    return path


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ([("/abs/x", b"")], "leads out of its folder"),
        ([("top/../../x", b"")], "leads out of its folder"),
        ([("..", b"")], "leads out of its folder"),
        ([("top/..\\x", b"")], "leads out of its folder"),
        ([("c:/x", b"")], "leads out of its folder"),
        ([("top/a\nb", b"")], "leads out of its folder"),
        ([("top//x", b"")], "leads out of its folder"),
        ([(link("top/x"), b"/etc/passwd")], "is no plain file"),
        ([("top/x", b""), ("top/X", b"")], "twice"),
        ([("one/x", b""), ("two/x", b"")], "not one folder alone"),
        ([("x", b"")], "not one folder alone"),
        ([], "not one folder alone"),
    ],
)
def test_a_zip_that_would_reach_out_is_refused(
    tmp_path: Path, members: list[tuple[str | zipfile.ZipInfo, bytes]], why: str
) -> None:
    path = zipped(tmp_path / "a.zip", *members)
    with pytest.raises(RequestError, match=why), opened(path):
        pass


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "FREE_BYTES", 10_000)
    path = zipped(tmp_path / "a.zip", ("top/zeros", bytes(10_000_000)))
    with pytest.raises(RequestError, match="would unpack to 10000000 bytes"), opened(path):
        pass
    monkeypatch.setattr(unpacking, "MOST_FILES", 2)
    many = zipped(tmp_path / "b.zip", *((f"top/{n}", b"") for n in range(3)))
    with pytest.raises(RequestError, match="holds 3 files, more than 2"), opened(many):
        pass


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ("top/x", bytes(1000)))
    raw = path.read_bytes()
    lying = raw.replace(struct.pack("<I", 1000), struct.pack("<I", 10))
    assert raw.count(struct.pack("<I", 1000)) == 2
    path.write_bytes(lying)
    with pytest.raises(RequestError, match="is no whole zip archive"), opened(path):
        pass


def test_any_flipped_byte_of_a_file_s_content_is_seen(dossier: Path) -> None:
    path = archive(dossier)
    raw = bytearray(path.read_bytes())
    at = raw.index(b"<p>page</p>")
    raw[at] ^= 1
    path.write_bytes(raw)
    with pytest.raises(RequestError, match="is no whole zip archive"), opened(path):
        pass


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"no zip at all"])
def test_what_is_no_zip_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(RequestError, match="is no whole zip archive"), opened(tmp_path / "a.zip"):
        pass
    with pytest.raises(RequestError, match="cannot be read"), opened(tmp_path / "none.zip"):
        pass

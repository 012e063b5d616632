"""The dossier's folder: all or nothing, and nothing twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from filelock import FileLock

from reportgen.errors import RequestError
from reportgen.release import folder as folders
from reportgen.release import staging
from reportgen.release.folder import Described, Draft, publish, require_writable
from reportgen.release.naming import NAME_LENGTH, folder_name, home_of, latest_revision


def draft(text: str = "figures", *, pdf: str | None = "%PDF", model: str = "m") -> Draft:
    """Return a draft whose pages carry their revision, as real ones do."""

    def files(revision: int) -> dict[str, bytes]:
        results = (
            f'{{"dossier": {{"model": {{"name": "{model}", "version": "1"}}}}, "r": {revision}}}'
        )
        return {
            "results.json": results.encode(),
            "dossier.html": f"{text} r{revision}".encode(),
            "tables/a.csv": b"x\n1\n",
        }

    def make_pdf(revision: int) -> dict[str, bytes]:
        return {"dossier.pdf": f"{pdf} r{revision}".encode()}

    return Draft(files, make_pdf if pdf else None)


def visible(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_dossier_lands_whole(tmp_path: Path) -> None:
    done = publish(tmp_path, "m", "1", draft())
    assert done.folder == tmp_path / "m" / "1" / "r1"
    assert not done.unchanged
    assert visible(done.folder) == [
        "SHA256SUMS",
        "dossier.html",
        "dossier.pdf",
        "results.json",
        "tables",
        "tables/a.csv",
    ]
    assert visible(tmp_path / "m" / "1")[0] == "r1"


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="coreutils are not here")
def test_coreutils_accepts_the_checksums(tmp_path: Path) -> None:
    place = publish(tmp_path, "m", "1", draft()).folder
    check = ["sha256sum", "--strict", "-c", "SHA256SUMS"]
    assert subprocess.run(check, cwd=place, capture_output=True, check=False).returncode == 0
    (place / "dossier.html").write_bytes(b"other")
    assert subprocess.run(check, cwd=place, capture_output=True, check=False).returncode == 1


def test_checksums_are_sorted() -> None:
    names = [
        line.split("  ")[1]
        for line in folders.checksums({"b": b"", "a": b""}).decode().split("\n")[:-1]
    ]
    assert names == ["a", "b"]


def test_same_content_is_the_same_revision(tmp_path: Path) -> None:
    first = publish(tmp_path, "m", "1", draft())
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")}
    second = publish(tmp_path, "m", "1", draft())
    assert second.folder == first.folder
    assert second.unchanged
    assert before == {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")}


@pytest.mark.parametrize("other", [draft("other"), draft(pdf=None)], ids=["pages", "no PDF"])
def test_other_content_is_the_next_revision(tmp_path: Path, other: Draft) -> None:
    first = publish(tmp_path, "m", "1", draft()).folder
    kept = (first / "dossier.html").read_bytes()
    second = publish(tmp_path, "m", "1", other)
    assert second.folder.name == "r2"
    assert (second.folder / "dossier.html").read_text().endswith(" r2")
    assert (first / "dossier.html").read_bytes() == kept


def test_a_damaged_revision_is_not_given_back(tmp_path: Path) -> None:
    first = publish(tmp_path, "m", "1", draft()).folder
    (first / "dossier.pdf").write_bytes(b"flipped")
    assert publish(tmp_path, "m", "1", draft()).folder.name == "r2"


def test_revisions_count_on_past_nine_and_past_strangers(tmp_path: Path) -> None:
    home = tmp_path / "m" / "1"
    for name in ("r9", "r10", "r01", "rx", "r11-rendered", ".staging-r99"):
        (home / name).mkdir(parents=True)
    assert latest_revision(home) == 10
    assert publish(tmp_path, "m", "1", draft()).folder.name == "r11"


def test_a_run_that_dies_before_the_rename_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(folders, "_rename", die)
    with pytest.raises(KeyboardInterrupt):
        publish(tmp_path, "m", "1", draft())
    assert list(tmp_path.iterdir()) == []


def test_pages_that_fail_write_nothing_at_all(tmp_path: Path) -> None:
    def fail(_: int) -> dict[str, bytes]:
        raise ValueError("no glyph")

    with pytest.raises(ValueError, match="no glyph"):
        publish(tmp_path, "m", "1", Draft(draft().files, fail))
    assert list(tmp_path.iterdir()) == []


LEFT = """
import sys, time
from pathlib import Path
from reportgen.release.staging import staged

with staged(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("half")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def neighbour(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start another run that is putting files together, and name its hidden folder."""
    home = tmp_path / "m" / "1"
    home.mkdir(parents=True)
    run = subprocess.Popen([sys.executable, "-c", LEFT, home], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    yield run, Path(run.stdout.readline().strip()).parent
    run.kill()
    run.communicate()


def test_what_a_running_neighbour_puts_together_is_left_alone(
    tmp_path: Path, neighbour: tuple[subprocess.Popen[str], Path]
) -> None:
    hidden = neighbour[1]
    publish(tmp_path, "m", "1", draft())
    publish(tmp_path, "m", "1", draft())
    publish(tmp_path, "m", "1", draft("other"))
    assert (hidden / "dossier" / "half").read_text() == "half"


@pytest.mark.parametrize("standing", [False, True], ids=["a new revision", "unchanged"])
def test_what_a_killed_run_left_is_removed_by_the_next_run(
    tmp_path: Path, neighbour: tuple[subprocess.Popen[str], Path], standing: bool
) -> None:
    run, hidden = neighbour
    if standing:
        publish(tmp_path, "m", "1", draft())
    assert hidden.is_dir()
    run.kill()
    run.wait()
    assert publish(tmp_path, "m", "1", draft()).unchanged is standing
    assert [path.name for path in hidden.parent.iterdir()] == ["r1"]


def test_only_our_hidden_folders_are_cleared(tmp_path: Path) -> None:
    home = tmp_path / "m" / "1"
    theirs, link, elsewhere = home / ".hidden", home / ".staging-link", tmp_path / "elsewhere"
    for path in (theirs, elsewhere, home / ".staging-unlocked"):
        path.mkdir(parents=True)
    (elsewhere / "kept").write_text("")
    link.symlink_to(elsewhere)
    publish(tmp_path, "m", "1", draft())
    assert sorted(path.name for path in home.iterdir()) == [".hidden", ".staging-link", "r1"]
    assert (elsewhere / "kept").exists()


def test_a_folder_swept_away_before_its_run_locked_it_costs_that_run_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tempfile.mkdtemp

    def swept(prefix: str, dir: Path) -> str:  # noqa: A002
        folder = make(prefix=prefix, dir=dir)
        staging.clear_stale(dir)
        assert not Path(folder).exists()
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", swept)
    with staging.staged(tmp_path) as folder:
        staging.clear_stale(tmp_path)
        (folder / "whole").write_text("")
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_a_neighbour_took_first_means_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    make = tempfile.mkdtemp
    neighbours: list[FileLock] = []

    def taken(prefix: str, dir: Path) -> str:  # noqa: A002
        made.append(Path(make(prefix=prefix, dir=dir)))
        if len(made) == 1:
            neighbours.append(FileLock(made[0] / staging.LOCK))
            neighbours[0].acquire()
        return str(made[-1])

    monkeypatch.setattr(tempfile, "mkdtemp", taken)
    with staging.staged(tmp_path) as folder:
        assert folder.parent == made[1]


def test_two_runs_at_once_get_two_revisions(tmp_path: Path) -> None:
    together = threading.Barrier(2)

    def slow(name: str) -> Draft:
        inner = draft(name)
        asked: list[int] = []

        def files(revision: int) -> dict[str, bytes]:
            if not asked:
                together.wait(timeout=10)
            asked.append(revision)
            return dict(inner.files(revision))

        return Draft(files, inner.pdf)

    places: list[Path] = []
    threads = [
        threading.Thread(
            target=lambda n=n: places.append(publish(tmp_path, "m", "1", slow(n)).folder)
        )
        for n in ("one", "two")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(place.name for place in places) == ["r1", "r2"]
    pages = {place.name: (place / "dossier.html").read_text() for place in places}
    assert {page.split()[0] for page in pages.values()} == {"one", "two"}
    assert all(page.endswith(name) for name, page in pages.items())


@pytest.mark.parametrize(
    ("number", "why", "hint"),
    [
        (28, "No space left on device", "; free some space or choose another folder with -o"),
        (13, "Permission denied", "; ask for the right to write there or choose another folder"),
        (2, "No such file or directory", "; choose another folder with -o"),
    ],
)
def test_what_cannot_be_written_is_one_line_with_a_hint_that_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, why: str, hint: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, why)

    monkeypatch.setattr(folders, "write_through", fail)
    with pytest.raises(RequestError, match=f"cannot be written here: {why}{hint}"):
        publish(tmp_path, "m", "1", draft())
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_seen_before_computing(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(RequestError, match="is a file"):
        require_writable(tmp_path / "out" / "deeper")
    require_writable(tmp_path / "new" / "deeper")
    assert not (tmp_path / "new").exists()


def test_a_read_only_folder_is_seen_before_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The superuser may write everywhere, so the answer of the system is given here.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RequestError, match="may not be written"):
        require_writable(tmp_path / "out")


@pytest.mark.parametrize("name", ["../up", "/root", "a/../../b", "a b", "", "a//b"])
def test_no_file_name_leaves_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a safe file name"):
        folders.write(tmp_path / "r1", {name: b""})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("diabetes-progression", "diabetes-progression"),
        ("2.1.0", "2.1.0"),
        ("My Model (final)", "My-Model-final"),
        ("../v1", "v1"),
        ("a/b\\c", "a-b-c"),
        ("模型", "模型"),
    ],
)
def test_names_that_people_can_read(name: str, expected: str) -> None:
    assert folder_name(name) == expected


@pytest.mark.parametrize(
    "name", ["", ".", "..", "...", "/", "  ", "\0", "NUL", "con.txt", "x" * 300, "\ud800"]
)
def test_no_name_escapes(name: str) -> None:
    safe = folder_name(name)
    assert safe not in ("", ".", "..")
    assert not set(safe) & set('/\\\0 :*?"<>|')
    assert len(safe) <= NAME_LENGTH
    assert safe[0] != "."


def test_names_that_look_alike_do_not_share_a_folder(tmp_path: Path) -> None:
    first = publish(tmp_path, "a b", "1", draft(model="a b")).folder
    second = publish(tmp_path, "a/b", "1", draft(model="a/b")).folder
    assert first == tmp_path / "a-b" / "1" / "r1"
    assert second.parent.parent.name.startswith("a-b-")
    assert second.name == "r1"
    assert home_of(tmp_path, "a b", "1") == first.parent
    assert home_of(tmp_path, "a/b", "1") == second.parent


def approve(folder: Path) -> None:
    """Put beside a record what approvals add to it."""
    (folder / "signatures").mkdir()
    for name in (
        "approvals.json",
        "dossier-signed.html",
        "dossier-signed.pdf",
        "signatures/1.p7s",
        "SHA256SUMS.signed",
    ):
        (folder / name).write_bytes(b"approved")


def test_a_signed_dossier_is_unchanged(tmp_path: Path) -> None:
    first = publish(tmp_path, "m", "1", draft()).folder
    approve(first)
    again = publish(tmp_path, "m", "1", draft())
    assert again.unchanged
    assert again.folder == first


@pytest.mark.parametrize(
    "name",
    ["approvals.json.bak", "x/approvals.json", "signatures/1.txt", "signatures/a/1.p7s", "notes"],
)
def test_a_file_that_looks_like_an_approval_is_damage(tmp_path: Path, name: str) -> None:
    first = publish(tmp_path, "m", "1", draft()).folder
    approve(first)
    (first / name).parent.mkdir(parents=True, exist_ok=True)
    (first / name).write_bytes(b"")
    assert folders.damaged(first, folders.read_checksums(first) or {}) == [name]
    assert publish(tmp_path, "m", "1", draft()).folder.name == "r2"


def test_files_about_the_others_name_the_pdf_that_stands_there(tmp_path: Path) -> None:
    made: list[int] = []

    def make_pdf(revision: int) -> dict[str, bytes]:
        made.append(revision)
        return {"dossier.pdf": b"%PDF"}

    def about(revision: int, others: Mapping[str, Described]) -> dict[str, bytes]:
        lines = [f"{name} {one.sha256} {one.size}" for name, one in sorted(others.items())]
        return {"about.txt": "\n".join(lines).encode()}

    whole = Draft(draft().files, make_pdf, about=about)
    first = publish(tmp_path, "m", "1", whole).folder
    told = (first / "about.txt").read_text().splitlines()
    assert [line.split()[0] for line in told] == [
        "dossier.html",
        "dossier.pdf",
        "results.json",
        "tables/a.csv",
    ]
    assert told[1].endswith(" 4")
    assert publish(tmp_path, "m", "1", whole).unchanged
    assert made == [1]

    def other(revision: int, others: Mapping[str, Described]) -> dict[str, bytes]:
        return {"about.txt": b"another word"}

    assert not publish(tmp_path, "m", "1", Draft(draft().files, make_pdf, about=other)).unchanged


def test_runs_take_turns_so_that_each_makes_its_pages_once(tmp_path: Path) -> None:
    publish(tmp_path, "m", "1", draft("first"))
    made: list[int] = []

    def counted(name: str) -> Draft:
        inner = draft(name)

        def make_pdf(revision: int) -> Mapping[str, bytes]:
            made.append(revision)
            assert inner.pdf is not None
            return inner.pdf(revision)

        return Draft(inner.files, make_pdf)

    threads = [
        threading.Thread(target=publish, args=(tmp_path, "m", "1", counted(str(number))))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == list(range(2, 10))
    assert latest_revision(tmp_path / "m" / "1") == 9
    assert list((tmp_path / "m" / "1").glob(".*")) == []


def test_a_run_that_gets_no_turn_publishes_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = publish(tmp_path, "m", "1", draft("first")).folder.parent
    monkeypatch.setattr(staging, "PATIENCE", 0.1)
    with FileLock(home / staging.TURN):
        assert publish(tmp_path, "m", "1", draft("second")).folder.name == "r2"


def test_a_home_that_a_like_named_model_took_while_we_waited_is_not_ours(tmp_path: Path) -> None:
    home = tmp_path / "a-b" / "1"
    home.mkdir(parents=True)
    ours: list[Path] = []
    with staging.in_turn(home):
        thread = threading.Thread(
            target=lambda: ours.append(publish(tmp_path, "a b", "1", draft(model="a b")).folder)
        )
        thread.start()
        thread.join(timeout=0.5)
        folders.write(home / "r1", draft(model="a/b").whole(1))
    thread.join()
    assert ours[0].name == "r1"
    assert ours[0].parent.parent.name.startswith("a-b-")

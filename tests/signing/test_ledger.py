"""The ledger of approvals: its form, its chain, and that nothing of it changes unseen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from reportgen.errors import RequestError
from reportgen.signing.ledger import (
    Ledger,
    Sealed,
    approved,
    ledger_bytes,
    new_ledger,
    problems,
    read_ledger,
    unsealed,
)

DIGEST, RECORD = "d" * 64, "e" * 64
DOSSIER = {
    "title": "An audit",
    "model": {"name": "screening", "version": "1.0"},
    "revision": 3,
    "digest": DIGEST,
}
PEOPLE = (
    ("Ada Lovelace", "Biostatistician", "review", "2026-11-30T12:00:00Z"),
    ("王芳", "Clinical lead", "approval", "2026-11-30T12:00:00Z"),
    ("B. O'Hara <b@x>", "Quality", "responsibility", "2026-12-01T00:00:01Z"),
)


def of_three() -> Ledger:
    ledger = new_ledger(DOSSIER, RECORD)
    for name, role, meaning, time in PEOPLE:
        ledger = approved(ledger, name=name, role=role, meaning=meaning, time=time)
    return ledger


def test_a_ledger_is_the_documented_file_and_comes_back_from_it() -> None:
    ledger = of_three()
    content = ledger_bytes(ledger)
    data = json.loads(content)
    assert list(data) == ["schema", "dossier", "approvals", "sealed"]
    assert data["schema"] == "reportgen/approvals/1"
    assert data["dossier"] == {
        "model": {"name": "screening", "version": "1.0"},
        "revision": 3,
        "digest": DIGEST,
        "record": RECORD,
    }
    assert data["sealed"] is None
    assert [one["name"] for one in data["approvals"]] == [person[0] for person in PEOPLE]
    assert read_ledger(content) == ledger
    assert problems(ledger) == []


def test_the_chain_can_be_followed_with_nothing_but_json_and_sha256() -> None:
    data = json.loads(ledger_bytes(of_three()))

    def digest(value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        return hashlib.sha256(text.encode()).hexdigest()

    before = digest(data["dossier"])
    for number, entry in enumerate(data["approvals"], start=1):
        assert entry["number"] == number
        assert entry["previous"] == before
        before = entry.pop("sha256")
        assert before == digest(entry)


CHANGES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "dropped first": lambda entries: entries[1:],
    "dropped from between": lambda entries: [entries[0], entries[2]],
    "reordered": lambda entries: [entries[1], entries[0], entries[2]],
    "twice": lambda entries: [*entries, entries[2]],
    "name": lambda entries: [entries[0] | {"name": "Someone Else"}, *entries[1:]],
    "role": lambda entries: [*entries[:2], entries[2] | {"role": "Owner"}],
    "meaning": lambda entries: [*entries[:2], entries[2] | {"meaning": "review"}],
    "time": lambda entries: [*entries[:2], entries[2] | {"time": "2026-12-01T00:00:02Z"}],
    "digest": lambda entries: [*entries[:2], entries[2] | {"digest": "a" * 64}],
    "record": lambda entries: [*entries[:2], entries[2] | {"record": "a" * 64}],
    "previous": lambda entries: [*entries[:2], entries[2] | {"previous": "a" * 64}],
    "hash": lambda entries: [*entries[:2], entries[2] | {"sha256": "a" * 64}],
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_done_to_an_entry_is_a_problem(change: str) -> None:
    data = json.loads(ledger_bytes(of_three()))
    data["approvals"] = CHANGES[change](data["approvals"])
    content = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
    assert problems(read_ledger(content))


@pytest.mark.parametrize("key", ["digest", "record", "revision"])
def test_a_ledger_of_another_dossier_is_a_problem(key: str) -> None:
    other: dict[str, Any] = {"digest": "a" * 64, "record": "a" * 64, "revision": 4}
    ledger = replace(of_three(), **{key: other[key]})
    assert problems(ledger)


def test_an_approval_in_the_past_and_a_seal_before_it_are_problems() -> None:
    early = approved(of_three(), name="A", role="B", meaning="C", time="2026-11-30T12:00:00Z")
    assert any("dated before" in problem for problem in problems(early))
    seal = Sealed("2026-11-29T12:00:00Z", "CN=Seal", "f" * 64)
    assert any("seal" in problem for problem in problems(replace(of_three(), sealed=seal)))
    assert problems(replace(new_ledger(DOSSIER, RECORD), sealed=seal))


def test_a_sealed_ledger_takes_no_approval_and_is_as_before_without_the_seal() -> None:
    seal = Sealed("2026-12-02T12:00:00Z", "CN=Seal", "f" * 64)
    sealed = replace(of_three(), sealed=seal)
    assert problems(sealed) == []
    assert read_ledger(ledger_bytes(sealed)) == sealed
    assert ledger_bytes(unsealed(sealed)) == ledger_bytes(of_three())
    with pytest.raises(ValueError, match="sealed"):
        approved(sealed, name="A", role="B", meaning="C", time="2026-12-03T12:00:00Z")


def test_no_byte_of_the_file_changes_unseen() -> None:
    content = ledger_bytes(of_three())
    for place in range(0, len(content), 3):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        try:
            found = problems(read_ledger(changed))
        except RequestError:
            continue
        assert found, place


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b'{"schema": "reportgen/approvals/2"}',
        b'{"schema": "reportgen/approvals/1", "dossier": {"model": 7}}',
        ledger_bytes(of_three()).replace(b'"review"', b'"\\ud800"'),
        b"[" * 100_000,
        ledger_bytes(of_three()) + b"\n",
        ledger_bytes(of_three()).replace(b"\n", b"\r\n"),
        ledger_bytes(of_three()).replace(b'"number": 1', b'"number": true'),
        ledger_bytes(of_three()).replace(b'"revision": 3', b'"revision": 3.0'),
        ledger_bytes(of_three()).replace(b"2026-11-30T12", b"2026-11-31T12"),
        ledger_bytes(of_three()).replace(b'"review"', b"null"),
        ledger_bytes(of_three()).replace(b'"meaning"', b'"means"'),
        ledger_bytes(of_three()).replace(b'"name": "screening"', b'"name": ["screening"]'),
    ],
)
def test_what_is_no_ledger_is_refused_with_the_file_and_the_way_out(content: bytes) -> None:
    with pytest.raises(RequestError) as error:
        read_ledger(content)
    (fault,) = error.value.faults
    assert fault.where == "approvals.json"
    assert "restore" in fault.mend

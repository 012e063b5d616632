"""Who signed for which role: laws of the sign-off table."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.language import use
from reportgen.render.approvals import SignOff, sign_off


def approval(name: str, role: str, number: int = 1) -> dict[str, Any]:
    return {
        "number": number,
        "name": name,
        "role": role,
        "meaning": "review",
        "time": "2026-11-30T23:59:59Z",
        "sha256": "a" * 64,
        "record": "b" * 64,
    }


def signed(wanted: list[dict[str, str]], *given: tuple[str, str]) -> SignOff:
    dossier = {"sign_off": wanted, "revision": 2, "date": "2026-11-30"}
    return sign_off(dossier, [approval(*one, number=k) for k, one in enumerate(given, start=1)])


BOTH = [{"role": "Biostatistician"}, {"role": "Clinical lead"}]


def test_open_roles_are_counted_and_named() -> None:
    found = signed(BOTH, ("Ada", "Biostatistician"))
    assert (found.status, found.open_roles) == ("Signed by 1 of 2 roles", ("Clinical lead",))
    assert found.running == "revision 2 · signed by 1 of 2 roles"
    assert [line.time for line in found.lines] == ["2026-11-30 23:59:59", ""]
    assert signed(BOTH[:1], ("A", "Biostatistician")).status == "Signed by 1 of 1 role"


def test_every_approval_stands_in_the_table_once() -> None:
    given = [("Ada", "Clinical lead"), ("Bo", "Quality"), ("Ada", "Clinical lead"), ("Cy", "QA")]
    for wanted in ([], BOTH, [*BOTH, {"role": "Clinical lead", "name": "Bo"}]):
        lines = signed(wanted, *given).lines
        numbers = sorted(line.approval["number"] for line in lines if line.approval)
        assert numbers == [1, 2, 3, 4]


def test_without_roles_in_the_manifest_approvals_are_counted() -> None:
    assert signed([], ("Ada", "Owner")).status == "Signed, 1 approval"
    assert signed([], ("Ada", "Owner"), ("Bo", "QA")).status == "Signed, 2 approvals"


@pytest.mark.parametrize("role", ["biostatistician", " Biostatistician ", "BIOSTATISTICIAN"])
def test_a_role_is_known_whatever_its_case_and_blanks(role: str) -> None:
    assert signed(BOTH, ("Ada", role)).open_roles == ("Clinical lead",)


def test_an_approval_in_another_role_opens_and_closes_nothing() -> None:
    found = signed(BOTH, ("Ada", "Quality"))
    assert found.status == "Signed by 0 of 2 roles"
    assert [line.role for line in found.lines] == ["Biostatistician", "Clinical lead", "Quality"]


def test_a_role_named_twice_wants_two_persons() -> None:
    wanted = [{"role": "Reader"}, {"role": "Reader"}]
    assert signed(wanted, ("Ada", "Reader"), ("ada", "Reader")).open_roles == ("Reader",)
    assert signed(wanted, ("Ada", "Reader"), ("Bo", "Reader")).open_roles == ()


def test_whom_the_manifest_names_comes_first_and_another_is_told() -> None:
    wanted = [{"role": "Reader", "name": "Bo"}, {"role": "Reader", "name": "Ada"}]
    lines = signed(wanted, ("Ada", "Reader"), ("Cy", "Reader")).lines
    assert [(line.name, line.expected) for line in lines] == [("Cy", "Bo"), ("Ada", "")]
    (line, *_rest) = signed(wanted, ("Dora", "Quality")).lines
    assert (line.name, line.approval) == ("Bo", None)


def test_the_words_are_those_of_the_language() -> None:
    with use("zh"):
        found = signed(BOTH, ("王芳", "Biostatistician"))
    assert found.status == "2 个职责中已有 1 个签署"
    assert "Signed" not in found.eyebrow + found.standing + found.running

"""Approvals as the pages show them: who signed for which role of the manifest, and what is open."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.language import _, n_
from reportgen.render.view import Plain
from reportgen.wording import day


@dataclass(frozen=True)
class SignOffLine:
    """A line of the sign-off table.

    Attributes
    ----------
    role : str
        The role, as in the approval or, while it is open, in the manifest.
    name : str
        The printed name; of an open line, that which the manifest names, or nothing.
    expected : str
        The name in the manifest, where another person signed for the role; else nothing.
    approval : mapping or None
        The approval; None while the role is open.
    """

    role: str
    name: str
    expected: str = ""
    approval: Plain | None = None

    @property
    def time(self) -> str:
        """Date and time in UTC, as they are printed: ``2026-11-30 12:00:00``."""
        return self.approval["time"].rstrip("Z").replace("T", " ") if self.approval else ""


@dataclass(frozen=True)
class SignOff:
    """What the pages of a signed copy say of its approvals.

    Attributes
    ----------
    status : str
        In a few words: "Signed by 2 of 3 roles".
    eyebrow, standing, running : str
        The same above the title; revision and day; both in small letters, for the head of a page.
    lines : tuple of SignOffLine
        Those of the manifest in its order, then approvals in other roles.
    open_roles : tuple of str
        Roles of the manifest without an approval.
    record : str
        SHA-256 of the file SHA256SUMS.
    """

    status: str
    eyebrow: str
    standing: str
    running: str
    lines: tuple[SignOffLine, ...]
    open_roles: tuple[str, ...]
    record: str


def sign_off(dossier: Plain, approvals: Sequence[Plain]) -> SignOff:
    """Return what the pages say of the approvals of a dossier.

    A role counts as signed once somebody approved in it, whatever the meaning; a role that the
    manifest names twice wants two persons.

    Parameters
    ----------
    dossier : mapping
        ``dossier`` of results.json.
    approvals : sequence of mapping
        Those of approvals.json, at least one.
    """
    wanted = dossier.get("sign_off") or []
    lines, rest = _matched(wanted, approvals)
    open_roles = tuple(line.role for line in lines if line.approval is None)
    n, signed = len(wanted), len(wanted) - len(open_roles)
    revision, count = dossier["revision"], len(approvals)
    if wanted:
        status = n_("Signed by {signed} of {n} role", "Signed by {signed} of {n} roles", n)
        running = n_(
            "revision {revision} · signed by {signed} of {n} role",
            "revision {revision} · signed by {signed} of {n} roles",
            n,
        )
    else:
        status = n_("Signed, {count} approval", "Signed, {count} approvals", count)
        running = n_(
            "revision {revision} · signed, {count} approval",
            "revision {revision} · signed, {count} approvals",
            count,
        )
    status = status.format(signed=signed, n=n, count=count)
    return SignOff(
        status,
        _("Audit dossier · {status}").format(status=status),
        _("Revision {revision} · {day}").format(revision=revision, day=day(dossier["date"])),
        running.format(revision=revision, signed=signed, n=n, count=count),
        (*lines, *(SignOffLine(one["role"], one["name"], approval=one) for one in rest)),
        open_roles,
        approvals[0]["record"],
    )


def _matched(
    wanted: Sequence[Plain], approvals: Sequence[Plain]
) -> tuple[list[SignOffLine], list[Plain]]:
    """Return the lines of the manifest with their approvals, and the approvals that are left."""
    rest = list(approvals)
    signed: list[list[Plain]] = [[] for _line in wanted]
    for named in (True, False):  # first whom the manifest names, then whoever signed for the role
        for place, line in enumerate(wanted):
            if signed[place] or (named and not line.get("name")):
                continue
            mine = [one for one in rest if same(one["role"], line["role"])]
            who = line["name"] if named else mine[0]["name"] if mine else ""
            signed[place] = [one for one in mine if same(one["name"], who)]
            rest = [one for one in rest if one not in signed[place]]
    lines = [
        line
        for asked, given in zip(wanted, signed, strict=True)
        for line in _lines(asked["role"], asked.get("name") or "", given)
    ]
    return lines, rest


def _lines(role: str, expected: str, given: Sequence[Plain]) -> list[SignOffLine]:
    if not given:
        return [SignOffLine(role, expected)]
    return [
        SignOffLine(one["role"], one["name"], "" if same(one["name"], expected) else expected, one)
        for one in given
    ]


def same(one: str, other: str) -> bool:
    """Return whether two names are one, whatever their case, width and blanks."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())

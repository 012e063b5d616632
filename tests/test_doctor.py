"""What the doctor says of this machine and of one that lacks something."""

from __future__ import annotations

from importlib import metadata

import pytest

from reportgen.doctor import Check, examine
from reportgen.release.environment import NativeLibrary


def by_name(**environ: str) -> dict[str, Check]:
    return {check.name: check for check in examine(environ)}


def test_it_names_what_is_installed() -> None:
    found = by_name()
    assert found["numpy"].found == metadata.version("numpy")
    assert found["weasyprint"].found == metadata.version("weasyprint")
    assert {"pango", "harfbuzz", "harfbuzz-subset", "fontconfig", "reportgen"} <= set(found)
    assert any(name.startswith("font,") and found[name].found for name in found)


def test_a_missing_library_comes_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(NativeLibrary, "found", lambda _: None)
    found = by_name()
    assert found["pango"].needed
    assert "install" in found["pango"].line()
    assert not found["harfbuzz-subset"].needed


def test_a_missing_package_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.doctor.package_versions", dict)
    check = by_name()["numpy"]
    assert check.found is None
    assert check.needed
    assert "pip install 'numpy" in check.mend


def test_seals_are_possible_or_not_and_never_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = by_name()["pyhanko, for seals"]
    assert (found.found, found.needed, found.detail) == (metadata.version("pyhanko"), False, True)

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("reportgen.doctor.package_versions", dict)
    monkeypatch.setattr("reportgen.doctor.metadata.version", missing)
    assert 'pip install "reportgen[sign]"' in by_name()["pyhanko, for seals"].line()


def test_the_epoch() -> None:
    assert by_name()["SOURCE_DATE_EPOCH"].found == "not set"
    assert "1970-01-02" in (by_name(SOURCE_DATE_EPOCH="86400")["SOURCE_DATE_EPOCH"].found or "")
    assert by_name(SOURCE_DATE_EPOCH="soon")["SOURCE_DATE_EPOCH"].found is None

"""What the fuzzer once found is met by every run of the suite, without the fuzzer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS, meet

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_each_seed_is_met_and_a_sound_one_is_read(name: str, tmp_path: Path) -> None:
    # A fuzzer whose every input is refused at the door tests the door alone.
    read = [meet(TARGETS[name], seed, tmp_path) for seed in TARGETS[name].seeds]
    assert any(read)


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_is_read_or_refused(name: str, tmp_path: Path) -> None:
    kept = sorted((CORPUS / name).iterdir())
    assert kept, "the corpus of this target is empty: run make fuzz and keep what it found"
    for path in kept:
        try:
            meet(TARGETS[name], path.read_bytes(), tmp_path)
        except Exception as error:
            raise AssertionError(f"{name}/{path.name}: {error!r}") from error

"""A table of a million rows: catalogue D27, D60."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROWS = 1_000_000
PROGRAM = """
import resource, sys, time
from pathlib import Path
from reportgen.errors import key_text
from reportgen.inputs import TableSettings, read_inputs

table = TableSettings.model_validate({
    "path": "big.csv", "label": {"column": "y", "positive": 1}, "scores": {"a": "s"},
    "unit": "u", "groups": ["g"],
})
start = time.process_time()
inputs = read_inputs({"t": table}, folder=Path(sys.argv[1]), where=key_text)
seconds = time.process_time() - start
record = inputs.records[0]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(record.read, record.units, record.positives, sorted(set(inputs.tables["t"].groups["g"])))
print(seconds, peak)
"""


@pytest.mark.slow
def test_a_million_rows(tmp_path: Path) -> None:
    with (tmp_path / "big.csv").open("w") as file:
        file.write("u,y,s,g,note\n")
        for row in range(ROWS):
            group = "a" if row == ROWS - 1 else "1"
            file.write(f"P{row // 4:06d},{row % 10 == 0:d},{row / ROWS:.6f},{group},n{row}\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True
    )
    figures, costs = done.stdout.splitlines()
    assert figures == f"{ROWS} {ROWS // 4} {ROWS // 10} ['1', 'a']"
    seconds, kilobytes = map(float, costs.split())
    assert seconds < 60
    assert kilobytes < 1_000_000

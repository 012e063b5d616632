"""``python -m tests.fuzz``: fuzz each target for its share of the time and count what was tried.

The fuzzer (atheris, which brings libFuzzer) never comes back from a run, so each target has a
process of its own. What reaches new code is kept in ``.fuzz/<target>``, from which the next run
goes on; ``--keep`` copies it into ``tests/fuzz/corpus``. An input that breaks a target is put
beside it, ``.fuzz/<target>-broken-…``, and belongs into the corpus once the fault is mended.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.mutating import mutated

if TYPE_CHECKING:
    from tests.fuzz.targets import Target  # the readers must not be there before they are counted

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
"""What every run of the suite meets: small files that once reached new code, or broke it."""
FOUND = HERE.parents[1] / ".fuzz"
READERS = ["reportgen.inputs", "reportgen.manifest_file", "reportgen.manifest", "reportgen.build"]
"""What is counted branch by branch, so that an input that goes a new way is kept."""
LONGEST_INPUT, LONGEST_RUN, MOST_MEMORY = 4096, 20, 2048
"""Bytes; seconds of one input; MiB of the process."""


def main() -> int:
    """Fuzz the targets one after another and return 1 if any was broken."""
    if "--one" in sys.argv:
        return _fuzz(sys.argv[-2], int(sys.argv[-1]))
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all if none is named")
    parser.add_argument("--seconds", type=int, default=600, help="for all targets together")
    parser.add_argument("--keep", action="store_true", help="fuzz nothing, keep what was found")
    asked = parser.parse_args()
    unknown = sorted(set(asked.targets) - set(TARGETS))
    if unknown:
        parser.error(f"no target is called {', '.join(unknown)}; known: {', '.join(TARGETS)}")
    names = asked.targets or list(TARGETS)
    if asked.keep:
        for name in names:
            shutil.copytree(FOUND / name, CORPUS / name, dirs_exist_ok=True)
        return 0
    done = {name: _in_a_process(name, max(1, asked.seconds // len(names))) for name in names}
    for name, (tried, broken) in done.items():
        print(f"{name}: {tried} inputs tried{', BROKEN: see above' if broken else ''}")  # noqa: T201
    print(f"{sum(tried for tried, _ in done.values())} inputs tried")  # noqa: T201
    return int(any(broken for _, broken in done.values()))


def _in_a_process(name: str, seconds: int) -> tuple[int, bool]:
    """Fuzz one target; return how many inputs were tried and whether one broke it."""
    command = [sys.executable, "-m", "tests.fuzz", "--one", name, str(seconds)]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    counted = re.search(r"stat::number_of_executed_units:\s*(\d+)", run.stderr)
    if run.returncode:
        print(run.stderr[-6000:])  # noqa: T201
    return int(counted[1]) if counted else 0, run.returncode != 0


def _fuzz(name: str, seconds: int) -> int:
    import atheris

    with atheris.instrument_imports(include=READERS):
        from tests.fuzz import targets

    target = targets.TARGETS[name]
    found = FOUND / name
    found.mkdir(parents=True, exist_ok=True)
    kept = CORPUS / name
    kept.mkdir(parents=True, exist_ok=True)

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        changed = mutated(data, seed) if target.is_json and seed % 4 else None
        return atheris.Mutate(data, longest) if changed is None else changed[:longest]

    folder = Path(tempfile.mkdtemp(prefix="reportgen-fuzz-"))
    warnings.simplefilter("error")
    atheris.Setup(
        [
            sys.argv[0],
            str(found),
            str(kept),
            f"-max_total_time={seconds}",
            f"-max_len={LONGEST_INPUT}",
            f"-timeout={LONGEST_RUN}",
            f"-rss_limit_mb={MOST_MEMORY}",
            f"-dict={_words(target, found)}",
            f"-artifact_prefix={found}-broken-",
            "-print_final_stats=1",
        ],
        lambda data: targets.meet(target, bytes(data), folder),
        custom_mutator=mutate,
    )
    atheris.Fuzz()
    return 0


def _words(target: Target, found: Path) -> Path:
    """Write the seeds into the folder of finds and the words as libFuzzer reads them."""
    for number, seed in enumerate(target.seeds):
        (found / f"seed-{number}").write_bytes(seed)
    path = found.with_suffix(".words")
    lines = ("".join(f"\\x{byte:02x}" for byte in word) for word in target.words)
    path.write_text("".join(f'"{line}"\n' for line in lines), "ascii")
    return path


if __name__ == "__main__":
    sys.exit(main())

"""Copies of the inputs, which an archive may carry: each as listed, and as the results name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.archiving.inputs import inside
from reportgen.release.record import INPUTS, INPUTS_SUMS, is_of_inputs
from reportgen.verifying.check import Check, bad, good
from reportgen.verifying.contents import Contents

COPIES = "copies of inputs"


def check_copies(contents: Contents, data: Mapping[str, Any]) -> Iterator[Check]:
    """Yield what is wrong with copies of inputs, by their list and by the digests of the results.

    Where the results know a copy under the digest that it has, its list is what was changed.

    Parameters
    ----------
    contents : Contents
        Of the folder that holds ``inputs/`` and ``SHA256SUMS.inputs``.
    data : mapping
        Sound results.
    """
    files = {name: digest for name, digest in contents.digests.items() if is_of_inputs(name)}
    if not files:
        return
    known = {f"{INPUTS}/{inside(one['path'])}": one["sha256"] for one in data["inputs"]}
    listed, sound = _listed(contents.read(INPUTS_SUMS))
    files.pop(INPUTS_SUMS, None)
    wrong = [] if sound else [bad(COPIES, INPUTS_SUMS, "is missing or no list of digests")]
    for name in sorted({*files, *listed}):
        found = files.get(name)
        if found is None and name in known:
            wrong.append(bad(COPIES, name, f"is missing, and {INPUTS_SUMS} lists it"))
        elif found != known.get(name):
            what = (
                "is not the file that was read" if name in known else "is no input of the results"
            )
            wrong.append(bad(COPIES, name if found else INPUTS_SUMS, what))
        elif found != listed.get(name) and sound:
            wrong.append(bad(COPIES, INPUTS_SUMS, f"does not list {name} as it stands there"))
    yield from wrong
    if not wrong:
        yield good(COPIES, f"{len(files)} files are as {INPUTS_SUMS} and the results name them")


def _listed(content: bytes | None) -> tuple[dict[str, str], bool]:
    """Return name to digest as a list of inputs has it, and whether it has the form of one."""
    text = (content or b"-").decode("utf-8", "surrogateescape")
    pairs = [line.partition("  ") for line in text.split("\n")[:-1]]
    listed = {name: digest for digest, _, name in pairs}
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(listed.items()))
    return listed, lines == text

"""Width and height as the image list declares them against the pictures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark
from reportgen.section import Code
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.joined import images_of
from reportgen.sections.integrity.records import MOST_ROWS, Facts, stated, written_share
from reportgen.wording import fixed

CODES: tuple[Code, ...] = (
    Code(
        "INT-008",
        ("warn", "pass"),
        mark(
            "Pictures have another width or height, upright, than the image list declares: boxes"
            " in the declared frame may not fit them."
        ),
    ),
)


def size_facts(job: Job, check: str) -> Iterator[Facts]:
    """Yield how many pictures have another size than declared, in the first audit about images."""
    images = images_of(job)
    if images is None or check != _first_about_images(job):
        return
    compared, other, turned = images.declared_apart()
    k, n = int(np.count_nonzero(other)), int(np.count_nonzero(compared))
    if not n:
        return
    said = [
        _("{share} pictures have another width or height than the image list declares").format(
            share=written_share(k, n)
        )
    ]
    if turned.any():
        swapped = fixed(int(np.count_nonzero(turned)), 0)
        said.append(_("{n} of them with width and height swapped").format(n=swapped))
    yield Facts(
        "INT-008",
        check,
        "label",
        _("Declared sizes of images"),
        stated(said),
        "found" if k else "not found",
        "minor" if k else None,
        k,
        n,
        interval=False,
        affected_claim=_("Every figure of boxes on these images"),
        remedy=_("Correct the list, or name the pictures that it is about.") if k else "",
        evidence=_named(images, np.flatnonzero(other)[:MOST_ROWS].tolist()),
    )


def _first_about_images(job: Job) -> str | None:
    """Return the first sub-audit of the section that looks at its images."""
    asked = {
        "near_duplicates": job.settings.near_duplicates is not None,
        "leakage": job.settings.leakage is not None,
        "label_geometry": job.settings.label_geometry and job.settings.detections is not None,
    }
    return next((check for check, wanted in asked.items() if wanted), None)


def _named(images: ImageSet, rows: list[int]) -> list[str]:
    text = _("{image}: declared {declared}, picture {picture}")
    declared = images.declared_size
    assert declared is not None  # noqa: S101 - some are apart
    return [
        text.format(
            image=images.ids[row],
            declared=_by(declared[row].tolist()),
            picture=_by(images.size[row].tolist()),
        )
        for row in rows
    ]


def _by(size: list[int]) -> str:
    return " × ".join(str(side) if side else "?" for side in size)

"""Sections are computed, each with a generator of its own, here or in processes of their own."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import numpy as np

from reportgen.errors import Fault, ReportgenError
from reportgen.inputs import Inputs
from reportgen.language import current, use
from reportgen.reporting import Computed
from reportgen.result import Outcome
from reportgen.section import Context
from reportgen.sections import SECTIONS
from reportgen.settings import Defaults, SectionSettings

Progress = Callable[[str, float], None]
"""Told the id of a section and the share of it that is done: 0 when it starts, 1 at its end."""

KINDS = {section.kind: section for section in SECTIONS}


def silent(section: str, done: float) -> None:
    """Ignore progress."""


def compute(
    sections: Sequence[SectionSettings],
    inputs: Inputs,
    defaults: Defaults,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> list[Computed]:
    """Compute sections, in the order given whatever the number of processes.

    Raises
    ------
    ReportgenError
        If a process was killed.
    """
    if jobs == 1 or len(sections) < 2:
        outcomes = [_compute_one(one, inputs, defaults, progress) for one in sections]
    else:
        outcomes = _compute_apart(sections, inputs, defaults, jobs=jobs, progress=progress)
    return [
        Computed(KINDS[settings.kind], settings, outcome)
        for settings, outcome in zip(sections, outcomes, strict=True)
    ]


def _compute_apart(
    sections: Sequence[SectionSettings],
    inputs: Inputs,
    defaults: Defaults,
    *,
    jobs: int,
    progress: Progress,
) -> list[Outcome]:
    # Forked processes can hang on the locks of the libraries' threads; spawned ones cannot.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(sections)), mp_context=spawn) as pool:
        tasks = {
            pool.submit(_compute_in, current(), one, inputs, defaults): one for one in sections
        }
        try:
            for task in as_completed(tasks):
                task.result()
                progress(tasks[task].name, 1.0)
        except BrokenProcessPool:
            raise ReportgenError([_killed(jobs)]) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [task.result() for task in tasks]


def _killed(jobs: int) -> Fault:
    return Fault(
        f"--jobs {jobs}",
        "a process that computes sections was stopped from outside, as a system does that runs "
        "out of memory",
        "build again with --jobs 1, or where more memory is free",
    )


def _compute_in(
    language: str, settings: SectionSettings, inputs: Inputs, defaults: Defaults
) -> Outcome:
    """Compute a section in a process that does not know the language of the build yet."""
    with use(language):
        return _compute_one(settings, inputs, defaults)


def _compute_one(
    settings: SectionSettings, inputs: Inputs, defaults: Defaults, progress: Progress = silent
) -> Outcome:
    name = settings.name
    progress(name, 0.0)
    context = Context(
        rng=section_generator(defaults.seed, name),
        resamples=defaults.resamples,
        confidence=defaults.confidence,
        progress=lambda done: progress(name, min(done, 0.999)),
    )
    outcome = KINDS[settings.kind].compute(inputs, settings, context)
    progress(name, 1.0)
    return outcome


def section_generator(seed: int, section: str) -> np.random.Generator:
    """Return a section's own generator, from the manifest's seed and the section's id alone.

    So a figure depends neither on the order of the sections, nor on the other ones, nor on the
    number of processes.
    """
    words = np.frombuffer(hashlib.sha256(section.encode()).digest(), dtype=">u4")
    return np.random.default_rng([seed, *(int(word) for word in words)])

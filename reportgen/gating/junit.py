"""A gate as JUnit XML, which build servers show as tests: one case a finding."""

from __future__ import annotations

import io
from itertools import groupby

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from reportgen.gating.cases import Case, Report


def junit(report: Report) -> bytes:
    """Return a report as JUnit XML: a suite a section, a case a finding.

    A finding that reaches the gate is a ``failure``. One that says that something could not be
    assessed, and does not reach it, is ``skipped``. Any other is passed, and says what it found on
    its ``system-out``. No time is given: the bytes follow from the report alone.

    Parameters
    ----------
    report : Report
        Its texts hold no character that XML cannot.
    """
    whole = JUnitXml(f"{report.name}: {report.properties['model']} {report.properties['version']}")
    for suite, cases in groupby(report.cases, key=lambda case: case.suite):
        made = TestSuite(suite)
        for name, value in report.properties.items():
            made.add_property(name, value)
        for case in cases:
            made.add_testcase(_case(case))
        whole.add_testsuite(made)
    whole.update_statistics()  # type: ignore[no-untyped-call]
    target = io.BytesIO()
    whole.write(target, pretty=True)
    return target.getvalue()


def _case(case: Case) -> TestCase:
    made = TestCase(case.name, f"reportgen.{case.suite}")
    if case.state == "failure":
        failure = Failure(case.title, case.severity)
        failure.text = _told(case)
        made.result = [failure]
    elif case.state == "skipped":
        made.result = [Skipped(case.statement)]
    else:
        made.system_out = f"{case.severity}: {_told(case)}"
    return made


def _told(case: Case) -> str:
    return "\n".join(part for part in (case.statement, case.limits) if part)

"""What a pipeline reads of a gate: JUnit XML and SARIF, of a dossier or of a comparison.

Pure functions from data to bytes, and the writing of the file that was asked for. A gate's answer
is the exit status of the command; these files say which finding gave it.
"""

from __future__ import annotations

from reportgen.gating.cases import Case, Report, report_of_build
from reportgen.gating.compared import report_of_comparison
from reportgen.gating.files import require_writable_files, write_file
from reportgen.gating.junit import junit
from reportgen.gating.sarif import sarif

__all__ = [
    "Case",
    "Report",
    "junit",
    "report_of_build",
    "report_of_comparison",
    "require_writable_files",
    "sarif",
    "write_file",
]

"""The command line: the only place that prints or exits.

Faults go to standard error, one a line; standard output carries what a script would want. Exit
status: 0 done; 1 done, and the answer is "no"; 2 the request or its inputs are wrong; 70 a fault of
ours. Whatever is heavy is imported inside the command that needs it.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from reportgen import __version__
from reportgen.cli import archive, compare, explain, helping, making, sign, verifying
from reportgen.cli.telling import (
    INTERRUPTED,
    OURS,
    WRONG,
    hold_streams,
    output_lost,
    report_faults,
    report_ours,
    say,
)
from reportgen.errors import Fault, ReportgenError


class Commands(click.Group):
    """The group of commands; here every error becomes lines and an exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and turn what it raises into an exit status."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except ReportgenError as error:
            ctx.exit(report_faults(error, written=ctx.invoked_subcommand == "demo"))
        except MemoryError:
            what = "the inputs need more memory than there is"
            fault = Fault("memory", what, "give fewer rows or images, or a machine with more")
            ctx.exit(report_faults(ReportgenError([fault]), written=False))
        except KeyboardInterrupt:
            say("interrupted; nothing was written")
            ctx.exit(INTERRUPTED)
        except Exception as error:
            if isinstance(error, OSError) and output_lost(error):
                ctx.exit(WRONG)
            report_ours(error)
            ctx.exit(OURS)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="reportgen")
def main() -> None:
    """Make an audit dossier of a medical AI model from a run manifest."""
    hold_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter gets its escape, not a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


for _command in (
    making.demo,
    helping.init,
    making.check,
    making.build,
    making.render,
    compare.compare,
    sign.sign,
    verifying.verify,
    archive.archive,
    helping.schema,
    helping.export_model,
    helping.doctor,
    explain.explain,
):
    main.add_command(_command)

"""The command that says what a code, a section or a figure is."""

from __future__ import annotations

import click


@click.command()
@click.argument("word", metavar="CODE|SECTION")
def explain(word: str) -> None:
    """Say what a finding code means, or what a section computes and assumes.

    A code (FRM-004) gives its meaning, its severities and what to do; a section (frame, robust,
    dca, prevalence, integrity; also comparison, criteria, run) its question, methods and
    references; the name of a figure (auc) or a term of the glossary what it is.
    """
    from reportgen.explaining import explain as explained

    click.echo(explained(word), nl=False)

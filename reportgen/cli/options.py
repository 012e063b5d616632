"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def options(*several: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that puts several options on a command, in this order."""

    def put_on(command: Command) -> Command:
        for option in reversed(several):
            command = option(command)
        return command

    return put_on


def _pairs(
    ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> list[tuple[str, str]]:
    pairs = [value.partition("=") for value in values]
    for key, sign, _ in pairs:
        if not sign or not key.strip():
            raise click.BadParameter("write KEY=VALUE, such as defaults.seed=7", ctx, param)
    return [(key.strip(), value) for key, _, value in pairs]


A_PATH = click.Path(path_type=Path)
manifest_argument = click.argument("manifest", type=A_PATH)
loudness = options(
    click.option("-q", "--quiet", is_flag=True, help="Print faults and the result alone."),
    click.option("-v", "--verbose", is_flag=True, help="Say what was read and found."),
)
doors = options(
    click.option(
        "--allow-outside", is_flag=True, help="Let inputs lie outside the manifest's folder."
    ),
    click.option("--allow-pickle", is_flag=True, help="Open pinned models that run code."),
    click.option("--allow-code", is_flag=True, help="Import functions that the manifest names."),
)
reading = options(
    click.option(
        "--set",
        "overrides",
        metavar="KEY=VALUE",
        multiple=True,
        callback=_pairs,
        help="Put a value over the manifest's, e.g. --set sections[0].threshold=0.3.",
    ),
    doors,
)
pages = click.option(
    "--format",
    type=click.Choice(["html", "pdf", "both"]),
    default="both",
    show_default=True,
    help="Which pages to make.",
)
PROFILES = click.Choice(["archive", "submission"])
profile_option = click.option(
    "--profile",
    type=PROFILES,
    default="archive",
    show_default=True,
    help="Kind of PDF: archive carries results, manifest and tables; submission has none of "
    "them, is linearised and named for an authority.",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes to compute sections in; no figure depends on it.",
)
interactive_option = click.option(
    "--interactive",
    is_flag=True,
    help="Write a page with live charts too, beside the dossier; it is no part of the record.",
)

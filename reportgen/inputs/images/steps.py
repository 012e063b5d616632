"""What was done to an image when it was read, put into the language of the dossier.

Steps are kept with the descriptions of images, so they are English until they are told.
"""

from __future__ import annotations

import re

from reportgen.language import _, mark

STEPS = (
    mark("16-bit signed grey scaled linearly, −32768…32767 to 0…255"),
    mark("float grey scaled linearly, the image's own lowest and highest value to 0 and 255"),
    mark("32-bit grey scaled linearly, the image's own lowest and highest value to 0 and 255"),
)
"""Steps that no constant names where they are taken."""
FORMS = (
    (
        re.compile(r"(?P<bits>\d+)-bit grey scaled linearly, 0…(?P<most>\d+) to 0…255"),
        mark("{bits}-bit grey scaled linearly, 0…{most} to 0…255"),
    ),
    (re.compile(r"(?P<mode>\w+) converted to RGB"), mark("{mode} converted to RGB")),
)
"""Steps with a figure or a mode in them, and their messages."""


def step_told(step: str) -> str:
    """Return a step in the current language."""
    for form, message in FORMS:
        found = form.fullmatch(step)
        if found:
            return _(message).format(**found.groupdict())
    return _(step)

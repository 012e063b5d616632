"""JSON Schema of what users write (the manifest) and of what they read (results.json).

The manifest's comes from its settings; that of a section's result from the dataclasses that the
section returns, so neither can fall behind the code. The schema of results names every key that
this version writes, and no other; a later version may write more within one schema number.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from reportgen.comparison import Comparison
from reportgen.errors import Fault, RequestError
from reportgen.inputs import InputRecord
from reportgen.language import languages
from reportgen.manifest import ManifestSettings
from reportgen.reporting import SCHEMA
from reportgen.result import SEVERITIES, Estimate
from reportgen.section import Section
from reportgen.sections import SECTIONS

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MOST_FAULTS = 20
"""Places that are named where results do not fit their schema."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
DIGEST: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
ESTIMATE: Schema = {
    "description": "a figure with its interval, or null with the reason why there is none",
    "type": "object",
    "required": ["estimate"],
    "if": {"properties": {"estimate": {"type": "null"}}},
    "properties": {
        "estimate": {"type": ["number", "null"]},
        "low": {"type": ["number", "null"]},
        "high": {"type": ["number", "null"]},
        "confidence": {"type": ["number", "null"], "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "method": {"type": ["string", "null"]},
        "reason": {"type": "string", "minLength": 1},
    },
    "additionalProperties": False,
    "then": {
        "properties": {"low": {"type": "null"}, "high": {"type": "null"}},
        "required": ["reason"],
    },
    "else": {
        "required": ["low", "high", "confidence", "method"],
        "if": {"properties": {"low": NUMBER, "high": NUMBER}},
        "else": {"required": ["reason"]},
    },
}


def manifest_schema() -> Schema:
    """Return the JSON Schema of a run manifest, for editors."""
    made = ManifestSettings.model_json_schema(by_alias=True, mode="validation")
    return {"$schema": DIALECT, **made, "title": "reportgen run manifest, schema 1"}


def results_schema() -> Schema:
    """Return the JSON Schema of results.json."""
    shapes = _Shapes()
    section = _section(shapes)
    record = shapes.of(InputRecord)
    return {
        "$schema": DIALECT,
        "title": f"{SCHEMA}: the results of a dossier",
        **_object(
            {
                "schema": {"const": SCHEMA},
                "dossier": _dossier(),
                "decision": _object(
                    {
                        "outcome": {"enum": ["release", "conditional", "hold"]},
                        "reasons": _list(TEXT),
                    }
                ),
                "defaults": _object(
                    {
                        "seed": {"type": "integer"},
                        "resamples": {"type": "integer"},
                        "confidence": NUMBER,
                    }
                ),
                "findings": _list(_finding()),
                "criteria": _list(_criterion()),
                "risks": _list(_risk()),
                "comparison": shapes.of(Comparison),
                "sections": _list(section),
                "inputs": _list(record),
                "environment": _environment(),
            },
            optional=["criteria", "risks", "comparison"],  # not in every dossier of this schema
        ),
        "$defs": {"Estimate": ESTIMATE, **shapes.found},
    }


def _object(properties: Mapping[str, Schema], *, optional: Sequence[str] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _mapping(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _dossier() -> Schema:
    return _object(
        {
            "title": TEXT,
            "language": {"enum": [*languages()]},
            "date": {"type": "string", "format": "date", "pattern": r"^\d{4}-\d\d-\d\d$"},
            "paper": {"enum": ["A4", "letter"]},
            "model": _object({"name": TEXT, "version": TEXT}),
            "revision": {"type": "integer", "minimum": 1},
            "digest": DIGEST,
            "intended_use": _nullable(TEXT),
            "prepared_by": _nullable(TEXT),
            "sign_off": _list(_object({"role": TEXT, "name": _nullable(TEXT)})),
            "overrides": _list(_object({"key": TEXT, "value": TEXT})),
            "sections_left_out": _list(TEXT),
        },
        optional=["paper"],
    )


def _finding() -> Schema:
    evidence = {"anyOf": [NUMBER, TEXT, {"$ref": "#/$defs/Estimate"}]}
    return _object(
        {
            "id": TEXT,
            "code": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{3}$"},
            "section": TEXT,
            "severity": {"enum": list(SEVERITIES)},
            "title": TEXT,
            "statement": TEXT,
            "evidence": _mapping(evidence),
            "limits": TEXT,
            "summary": TEXT,
        },
        optional=["summary"],
    )


FIGURE: Schema = {"anyOf": [{"$ref": "#/$defs/Estimate"}, NUMBER, {"type": "null"}]}


def _criterion() -> Schema:
    return _object(
        {
            "id": TEXT,
            "metric": TEXT,
            "section": _nullable(TEXT),
            "selectors": _mapping({"anyOf": [TEXT, NUMBER]}),
            "direction": {"enum": ["at least", "at most"]},
            "bound": NUMBER,
            "bound_on": {"enum": ["interval", "estimate"]},
            "value": FIGURE,
            "verdict": {"enum": ["pass", "fail", "undecided", "not assessable"]},
            "reason": TEXT,
            "status": {"enum": ["pre-specified", "exploratory"]},
            "source": _nullable(TEXT),
            "why": _nullable(TEXT),
            "figure": TEXT,
            "required": TEXT,
            "found": TEXT,
            "finding": TEXT,
        }
    )


def _risk() -> Schema:
    return _object(
        {
            "section": TEXT,
            "kind": TEXT,
            "figure": TEXT,
            "static": FIGURE,
            "robust": FIGURE,
            "robust_is": TEXT,
            "direction": TEXT,
            "finding": _nullable(TEXT),
        }
    )


def _environment() -> Schema:
    return _object(
        {
            "reportgen": TEXT,
            "python": TEXT,
            "packages": _mapping(TEXT),
            "system": _mapping(TEXT),
            "platform": TEXT,
        }
    )


def _section(shapes: _Shapes) -> Schema:
    """Return the schema of a section; by its kind it is known what its result must be."""
    any_section = _object(
        {
            "id": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
            "kind": {"enum": [section.kind for section in SECTIONS]},
            "title": TEXT,
            "question": TEXT,
            "parameters": {"type": "object"},
            "result": {"type": "object"},
        }
    )
    # Not oneOf: where nothing fits, a validator could only name the wrong alternative.
    choices = [_when_of_kind(section.kind, shapes.of(result_type(section))) for section in SECTIONS]
    return {**any_section, "allOf": choices}


def _when_of_kind(kind: str, result: Schema) -> Schema:
    reason = {"not_applicable": {"type": "string", "minLength": 1}}
    return {
        "if": {"properties": {"kind": {"const": kind}}},
        "then": {
            "properties": {
                "result": {"if": {"required": [*reason]}, "then": _object(reason), "else": result}
            }
        },
    }


def result_type(section: Section) -> type:
    """Return the dataclass that a section's ``compute`` puts into its outcome.

    The section's module names it after its kind: ``dca`` has ``DcaResult``.
    """
    module = import_module(f"reportgen.sections.{section.kind}")
    found: type = getattr(module, f"{section.kind.title()}Result")
    return found


class _Shapes:
    """Turns types into schemas; each dataclass is written once, under ``$defs``."""

    def __init__(self) -> None:
        self.found: dict[str, Schema] = {}

    def of(self, hint: Any) -> Schema:
        """Return the schema of the plain form of a type."""
        simple = {str: TEXT, float: NUMBER, int: {"type": "integer"}, bool: {"type": "boolean"}}
        if hint in simple:
            return simple[hint]
        if hint is type(None):
            return {"type": "null"}
        if hint is Estimate:
            return {"$ref": "#/$defs/Estimate"}
        if is_dataclass(hint) and isinstance(hint, type):
            return self._dataclass(hint)
        return self._generic(hint, get_origin(hint), get_args(hint))

    def _generic(self, hint: Any, origin: Any, args: tuple[Any, ...]) -> Schema:
        if origin is Literal:
            return {"enum": list(args)}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.of(arg) for arg in args]}
        if origin is tuple:
            return _list(self.of(args[0]))
        if origin is not None and issubclass(origin, Mapping):
            return _mapping(self.of(args[1]))
        raise TypeError(f"no schema for {hint!r}")

    def _dataclass(self, shape: type) -> Schema:
        name = f"{shape.__module__.removeprefix('reportgen.')}.{shape.__name__}"
        if name not in self.found:
            self.found[name] = {}
            hints = get_type_hints(shape)
            made = _object({f.name.rstrip("_"): self.of(hints[f.name]) for f in fields(shape)})
            words = (shape.__doc__ or "").strip().splitlines()
            self.found[name] = {**({"description": words[0]} if words else {}), **made}
        return {"$ref": f"#/$defs/{name}"}


def check_results(data: Any, where: str) -> None:
    """Refuse results that do not have the shape of this version's schema.

    Parameters
    ----------
    data : Any
        results.json as read.
    where : str
        The file, for the fault.

    Raises
    ------
    RequestError
        With every place where it differs, at most twenty.
    """
    from jsonschema import Draft202012Validator

    found = Draft202012Validator(results_schema()).iter_errors(data)
    faults = [
        Fault(
            f"{where}: {place}" if place else where,
            f"these are no results of schema {SCHEMA}: {message}",
            "restore the file from the dossier's archive, or build the dossier again",
        )
        for place, message in sorted({_told(error) for error in found})
    ]
    if faults:
        raise RequestError(faults[:MOST_FAULTS])


def _told(error: ValidationError) -> tuple[str, str]:
    """Return place and words of an error; of alternatives, the one that fits best."""
    from jsonschema.exceptions import best_match

    error = best_match([error]) or error
    message = error.message if len(error.message) <= 200 else error.message[:200] + "…"
    return error.json_path.removeprefix("$").removeprefix("."), message

"""Events without what may identify a person, by the marks of the published schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from .events import Event

_here = Path(__file__).parent
# In a wheel the schemas are beside this file, in a clone where they are published.
_schemas = next(place for place in (_here / "schemas", _here.parents[2] / "published" / "schemas") if place.is_dir())


@lru_cache
def _schema(type: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.loads((_schemas / f"{type}.v1.json").read_text("utf-8"))
    return schema


def _parts(schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A schema and the schemas that it is made of."""
    inner = [part for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word, [])]
    if "$ref" in schema:
        inner.append(root["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    return [schema, *(part for each in inner for part in _parts(each, root))]


_NOTHING = object()


def _without(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    parts = _parts(schema, root)
    if any(part.get("x-personal") for part in parts):
        return _NOTHING
    if isinstance(value, list):
        items: Mapping[str, Any] = next((part["items"] for part in parts if "items" in part), {})
        return [kept for item in value if (kept := _without(item, items, root)) is not _NOTHING]
    if not isinstance(value, dict):
        return value
    fields = {name: field for part in parts for name, field in part.get("properties", {}).items()}
    required = {name for part in parts for name in part.get("required", [])}
    kept = {name: _without(each, fields[name], root) for name, each in value.items() if name in fields}
    return {
        name: "" if each is _NOTHING else each
        for name, each in kept.items()
        if each is not _NOTHING or name in required
    }


def without_personal_data(event: Event) -> Event:
    """The event without what may identify a person: words, names, addresses and fields that the contract does not know.
    Ids, times and kinds stay. For logs, prompts and models that are somebody else's. A required text is empty then."""
    schema = _schema(event.type)
    return replace(event, data=_without(event.data, schema, schema))

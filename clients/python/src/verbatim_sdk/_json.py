"""Reads payloads from JSON into dataclasses, and writes them back.

A field of the dataclass is the field of the same name in JSON. Unknown fields are kept in `other`.
"""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any, Dict, Mapping, Type, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

OMIT_EMPTY = {"omit_empty": True}
"""Metadata of a field that isn't written while it is empty."""

_NAMES = {str: "a string", int: "an integer", float: "a number", bool: "a boolean", dict: "an object", list: "an array"}


class Mismatch(ValueError):
    """A value doesn't fit its type."""

    def __init__(self, pointer: str, expected: str) -> None:
        super().__init__(f"`{pointer}` should be {expected}")
        self.pointer = pointer
        """JSON pointer to the value."""
        self.expected = expected
        """What should be there."""


@lru_cache(maxsize=None)  # noqa: UP033
def _fields(cls: Any) -> Dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: (field, hints[field.name]) for field in dataclasses.fields(cls) if field.name != "other"}


def read(cls: Type[T], value: Any, pointer: str = "", lenient: bool = False) -> T:
    """Reads a dataclass. A null field counts as absent.

    With `lenient`, a field of the wrong type is treated as unknown if it has a default. Raises `Mismatch`.
    """
    if not isinstance(value, Mapping):
        raise Mismatch(pointer, "an object")
    known: Dict[str, Any] = {}
    other = dict(value)
    for name, (field, hint) in _fields(cast(Any, cls)).items():
        has_default = not (field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING)
        if value.get(name) is None:
            if not has_default:
                raise Mismatch(f"{pointer}/{name}", "a value")
            other.pop(name, None)
            continue
        try:
            known[name] = _convert(hint, value[name], f"{pointer}/{name}", lenient)
            del other[name]
        except Mismatch:
            if not (lenient and has_default):
                raise
    make: Any = cls
    result: T = make(**known, other=other)
    return result


def _convert(hint: Any, value: Any, pointer: str, lenient: bool) -> Any:
    if hint is Any:
        return value
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Union:
        inner = next(argument for argument in arguments if argument is not type(None))
        return _convert(inner, value, pointer, lenient)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return read(hint, value, pointer, lenient)
    plain = origin or hint
    fits = isinstance(value, (int, float) if plain is float else plain)
    if not fits or (isinstance(value, bool) and plain is not bool):
        raise Mismatch(pointer, _NAMES[plain])
    if plain is list:
        return [_convert(arguments[0], item, f"{pointer}/{index}", lenient) for index, item in enumerate(value)]
    return value


def write(value: Any) -> Any:
    """Returns the JSON of a dataclass, a list of them, or of anything that is JSON already. Absent fields are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        written: Dict[str, Any] = {}
        for name, (field, _) in _fields(type(value)).items():
            content = getattr(value, name)
            if content is None or (not content and field.metadata.get("omit_empty")):
                continue
            written[name] = write(content)
        written.update(getattr(value, "other", {}))
        return written
    if isinstance(value, (list, tuple)):
        return [write(item) for item in value]
    if isinstance(value, Mapping):
        return {key: write(item) for key, item in value.items()}
    return value

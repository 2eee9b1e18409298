"""The envelope of a structured message: `{message_type, version, payload, ...extras}`."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from ._json import write
from .errors import EnvelopeError

VERSION = 1
"""The version of a payload's format, unless stated otherwise."""

_MAX_TYPE_CHARS = 200
_RESERVED = ("message_type", "version", "payload")


def build(message_type: str, payload: Any, extras: Optional[Mapping[str, Any]] = None, version: int = VERSION) -> Dict[str, Any]:
    """Builds an envelope from its parts. Null fields at the top of the payload and null extras are left out.

    `payload` is a dataclass of `payloads`, a mapping, or None. The server checks what is in it. Raises `EnvelopeError`.
    """
    if not isinstance(message_type, str) or not message_type:
        raise EnvelopeError("message_type_invalid", "/message_type", "a non-empty string")
    if len(message_type) > _MAX_TYPE_CHARS:
        raise EnvelopeError("message_type_invalid", "/message_type", f"at most {_MAX_TYPE_CHARS} characters")
    extras = extras or {}
    for key in _RESERVED:
        if key in extras:
            raise EnvelopeError("extra_reserved", f"/{key}", "no extra of this name: it belongs to the envelope")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise EnvelopeError("version_invalid", "/version", "an integer of at least 1")
    fields = {} if payload is None else write(payload)
    if not isinstance(fields, dict):
        raise EnvelopeError("payload_not_an_object", "/payload", "an object")
    present = {key: value for key, value in fields.items() if value is not None}
    others = {key: write(value) for key, value in extras.items() if value is not None}
    return {"message_type": message_type, "version": version, "payload": present, **others}


def with_extras(metadata: Optional[Mapping[str, Any]], extras: Mapping[str, Any]) -> Dict[str, Any]:
    """Adds extras to a message's metadata; without any, to the envelope of a TEXT. Raises `EnvelopeError` for a reserved name."""
    text = build("TEXT", None, extras)
    if not metadata:
        return text
    return {**metadata, **{key: value for key, value in text.items() if key not in _RESERVED}}

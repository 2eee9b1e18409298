"""The optional fields that calls take by name."""

from __future__ import annotations

from datetime import datetime
from typing import Any, List, Mapping, TypedDict, Union


class _CommonFields(TypedDict, total=False):
    id: str
    """1 to 128 characters, unique in the session for ever. Made if absent. With one of your own, a program that starts again can
    send the same message again: it is stored once."""
    role: str
    """`assistant` if absent; `tool` for a result; `user` for what a person typed elsewhere, with the scope `mirror`."""
    sender: str
    sender_name: str
    requires_user_input: bool
    """The session waits for a person's answer."""
    call_id: str
    """The agent's own id of a tool call."""
    reply_to: str
    """Id of the message that this one answers."""
    run_id: str
    """The agent's own id of the turn that it belongs to."""
    status: str
    """`final` if absent, `streaming` or `error`."""
    context: str
    """`turn`, `ephemeral` or `none`: less than the usual, never more."""
    memory: str
    """`never`: it isn't remembered beyond its session."""
    deliver: bool
    """Of a person's message: whether the agent receives it."""
    created_at: Union[str, int, datetime]
    """When it was said: RFC 3339, or microseconds since 1970. Shown, never used for order."""


class MessageFields(_CommonFields, total=False):
    """Fields of every message."""

    message_metadata: Mapping[str, Any]
    """An envelope, or any object."""
    extras: Mapping[str, Any]
    """Extra keys of the envelope beside the payload. Without `message_metadata`, the envelope is that of a TEXT."""


class StructuredFields(_CommonFields, total=False):
    """Fields of a structured message beside its type and payload."""

    content: str
    """Markdown. The server makes it from the payload if absent."""


class TypedFields(StructuredFields, total=False):
    """Fields of a message of a built-in type."""

    extras: Mapping[str, Any]
    """Extra keys of the envelope beside the payload, such as `edit_info`."""
    version: int
    """Version of the payload's format. 1 if absent."""


class SessionFields(TypedDict, total=False):
    """What a new session states."""

    id: str
    """Ours; made if absent."""
    agent_session_id: str
    """The agent's own id. A program that starts again goes on with the session of the same one."""
    title: str
    project: str
    cwd: str
    """The working folder."""
    branch: str
    model: str
    version: str
    """The agent's version."""
    parent: str
    """Id of the session that started this one."""
    call_id: str
    """The parent's tool call that started it."""


class SessionChanges(TypedDict, total=False):
    """What changes in a session. Absent fields stay."""

    title: str
    project: str
    cwd: str
    branch: str
    model: str
    version: str


class SessionQuery(TypedDict, total=False):
    """Filters, order and page of the sessions list. A list means any of these."""

    q: str
    project: Union[str, List[str]]
    agent: Union[str, List[str]]
    show: str
    since: str
    until: str
    zone: str
    sort: str
    order: str
    after: str
    limit: int


class MessageChanges(TypedDict, total=False):
    """What changes in a message. Absent fields stay."""

    content: str
    """The whole new text. Not together with `append`."""
    append: str
    """Text that goes on at the end of the content."""
    message_metadata: Union[Mapping[str, Any], None]
    """Replaces the metadata as a whole; None clears it."""
    status: str
    """The next status: `final` or `error` after `streaming`."""
    requires_user_input: bool
    if_match: int
    """The revision that the change is based on. Another one raises `ChangedError`."""

"""Messages, sessions and pages as an agent's program handles them. Unknown fields and words are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import cached_property
from typing import Any, Dict, List, Optional, Type, TypeVar

from ._json import Mismatch, read
from .payloads import (
    BUILT_IN,
    Action,
    Approval,
    Body,
    Chart,
    CodeEdit,
    CodeReview,
    Decision,
    ErrorReport,
    File,
    Invalid,
    Progress,
    Todo,
    ToolCall,
    Unknown,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

B = TypeVar("B")
V = TypeVar("V")


class Message:
    """A stored message with its typed payload."""

    def __init__(self, raw: Dict[str, Any]) -> None:
        self.raw = raw
        """The message as the API sends it."""

    def _get(self, name: str, kind: Type[V], default: V) -> V:
        value = self.raw.get(name)
        return value if isinstance(value, kind) else default

    def _maybe(self, name: str) -> Optional[str]:
        value = self.raw.get(name)
        return value if isinstance(value, str) else None

    @property
    def id(self) -> str:
        """Its id, unique in its session."""
        return self._get("id", str, "")

    @property
    def session_id(self) -> str:
        """Id of its session."""
        return self._get("session_id", str, "")

    @property
    def seq(self) -> int:
        """Its position in the session, from 1, without gaps. It is the only order."""
        return self._get("seq", int, 0)

    @property
    def revision(self) -> int:
        """1 when it was posted, one more with each accepted change. `if_match` of `update` takes it."""
        return self._get("revision", int, 0)

    @property
    def role(self) -> str:
        """`user`, `assistant`, `model`, `tool`, `system` or `host`."""
        return self._get("role", str, "")

    @property
    def sender(self) -> str:
        """Who exactly: `bot`."""
        return self._get("sender", str, "")

    @property
    def sender_name(self) -> Optional[str]:
        """The sender's name, for people."""
        return self._maybe("sender_name")

    @property
    def status(self) -> str:
        """`streaming`, `final`, `error` or `retracted`."""
        return self._get("status", str, "")

    @property
    def requires_user_input(self) -> bool:
        """Whether the session waits for a person's answer to it."""
        return self._get("requires_user_input", bool, False)

    @property
    def content(self) -> str:
        """Its markdown, as it was written or as the server made it from the payload. Never cut."""
        return self._get("content", str, "")

    @property
    def summary(self) -> str:
        """One line."""
        return self._get("summary", str, "")

    @property
    def call_id(self) -> Optional[str]:
        """The agent's own id of a tool call."""
        return self._maybe("call_id")

    @property
    def reply_to(self) -> Optional[str]:
        """Id of the message that it answers."""
        return self._maybe("reply_to")

    @property
    def run_id(self) -> Optional[str]:
        """The agent's own id of the turn that it belongs to."""
        return self._maybe("run_id")

    @property
    def created_at(self) -> datetime:
        """When its writer says that it was written, in UTC. Never used for order."""
        try:
            return _EPOCH + timedelta(microseconds=self._get("created_at", int, 0))
        except OverflowError:
            return datetime.max.replace(tzinfo=timezone.utc)

    @property
    def message_metadata(self) -> Optional[Dict[str, Any]]:
        """Its envelope, any other object, or None."""
        metadata = self.raw.get("metadata")
        return metadata if isinstance(metadata, dict) else None

    @property
    def message_type(self) -> str:
        """The tag of its type: `TEXT` where the metadata names none."""
        tag = (self.message_metadata or {}).get("message_type")
        return tag if isinstance(tag, str) else "TEXT"

    @property
    def version(self) -> int:
        """Version of the payload's format."""
        version = (self.message_metadata or {}).get("version")
        return version if isinstance(version, int) else 1

    @property
    def payload(self) -> Dict[str, Any]:
        """Its payload as JSON, empty if there is none. `body` is the same, typed."""
        metadata = self.message_metadata or {}
        payload = metadata.get("payload") if "message_type" in metadata else None
        return payload if isinstance(payload, dict) else {}

    @cached_property
    def body(self) -> Body:
        """Its typed payload. A type that isn't built in is `Unknown`, a payload that doesn't fit its type `Invalid`."""
        return _body_of(self.message_type, self.payload)

    def _as(self, kind: Type[B]) -> Optional[B]:
        return self.body if isinstance(self.body, kind) else None

    @property
    def code_edit(self) -> Optional[CodeEdit]:
        """The payload of a CODE_EDIT, else None."""
        return self._as(CodeEdit)

    @property
    def todo(self) -> Optional[Todo]:
        """The payload of a TODO, else None. From a person: the boxes that were ticked."""
        return self._as(Todo)

    @property
    def tool_call(self) -> Optional[ToolCall]:
        """The payload of a TOOL_CALL, else None."""
        return self._as(ToolCall)

    @property
    def approval(self) -> Optional[Approval]:
        """The payload of an APPROVAL, else None."""
        return self._as(Approval)

    @property
    def action(self) -> Optional[Action]:
        """The payload of an ACTION, else None: the buttons that a person pressed."""
        return self._as(Action)

    @property
    def file(self) -> Optional[File]:
        """The payload of a FILE, else None."""
        return self._as(File)

    @property
    def error(self) -> Optional[ErrorReport]:
        """The payload of an ERROR, else None."""
        return self._as(ErrorReport)

    @property
    def chart(self) -> Optional[Chart]:
        """The payload of a CHART, else None."""
        return self._as(Chart)

    @property
    def code_review(self) -> Optional[CodeReview]:
        """The payload of a CODE_REVIEW, else None."""
        return self._as(CodeReview)

    @property
    def progress(self) -> Optional[Progress]:
        """The payload of a PROGRESS, else None."""
        return self._as(Progress)

    @property
    def text(self) -> str:
        """What a model should read: what was typed, chosen or ticked. Empty for what the host says, which none may."""
        if self.role == "host":
            return ""
        if self.action is not None:
            return self.action.answer()
        if self.todo is not None:
            return self.todo.ticked()
        return self.content

    def answers(self, question: str) -> bool:
        """Returns whether a person answers this question with it. Their words answer it unless they are about another message."""
        action = self.action
        if self.role != "user" or self.raw.get("part", "whole") != "whole" or self.message_type == "TODO":
            return False
        if action is not None and action.approval_id is not None:
            return False
        about = (action.reply_to if action is not None else None) or self.reply_to
        return about is None or about == question

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self.raw == other.raw

    def __repr__(self) -> str:
        about = f"seq={self.seq}, id={self.id!r}, role={self.role!r}, message_type={self.message_type!r}"
        return f"Message({about}, content={self.content!r})"


def _body_of(message_type: str, payload: Dict[str, Any]) -> Body:
    built_in = BUILT_IN.get(message_type)
    if built_in is None:
        return Unknown(message_type, payload)
    try:
        body: Body = read(built_in, payload)
        return body
    except Mismatch as mismatch:
        return Invalid(message_type, payload, str(mismatch))


@dataclass
class Sent:
    """A message that was stored, and what people wrote before it."""

    message: Message
    """As it is stored."""
    pos: int
    """Position in the workspace's feed: an event with this `pos` or a higher one comes after it."""
    replayed: bool
    """It was stored already: the same id was sent before, with the same content."""
    queued_user_messages: List[Message]
    """What people wrote to the agent since its last call, oldest first. Given once."""

    @property
    def id(self) -> str:
        """Id of the stored message."""
        return self.message.id


@dataclass
class Answer:
    """What a person answered to a question."""

    message: Message
    """The person's message: a TEXT, or an ACTION if a button was pressed."""
    queued_user_messages: List[Message]
    """What else people wrote, before the question and while it was open. Given once."""

    @property
    def text(self) -> str:
        """What was typed or chosen, as a model should read it."""
        return self.message.text


@dataclass
class Decided:
    """What became of an APPROVAL."""

    state: str
    """How it ended: `allowed_once`, `denied`, `expired`. Never `open`."""
    decision: Optional[Decision]
    """Who decided what. None if nobody did, as when it expired."""
    action: Optional[Action]
    """The person's ACTION: labels of what was chosen, a form's values, a text. None if nobody decided it in Verbatim."""
    queued_user_messages: List[Message]
    """What else people wrote, before it was asked and while it was open. Given once."""

    @property
    def allowed(self) -> bool:
        """Whether a person allowed it. Any other outcome is no permission."""
        return self.state in ("allowed_once", "allowed_always")

    @property
    def text(self) -> str:
        """What was chosen, typed or filled in; empty if nobody answered."""
        return "" if self.action is None else self.action.answer()


def _other() -> Any:
    return field(default_factory=dict, repr=False)


@dataclass
class SessionInfo:
    """A session as it is. Times are microseconds since 1970."""

    id: str
    agent: str = ""
    agent_session_id: Optional[str] = None
    parent: Optional[str] = None
    title: str = ""
    project: str = ""
    cwd: Optional[str] = None
    branch: Optional[str] = None
    model: Optional[str] = None
    version: Optional[str] = None
    state: str = ""
    """`needs_you`, `working`, `lost`, `quiet`, `failed`, `done` or `idle`."""
    created_at: int = 0
    last_activity_at: int = 0
    archived_at: Optional[int] = None
    ended_at: Optional[int] = None
    heartbeat_at: Optional[int] = None
    delivered_seq: int = 0
    """What people wrote up to this `seq` was given to the agent."""
    last_seq: int = 0
    message_count: int = 0
    todos_open: int = 0
    todos_done: int = 0
    todos_cancelled: int = 0
    other: Dict[str, Any] = _other()


@dataclass
class SessionPage:
    """A page of sessions."""

    sessions: List[SessionInfo]
    total: int = 0
    """Sessions that match, on all pages."""
    all: int = 0
    """Sessions without any filter."""
    next: Optional[str] = None
    """The next page begins `after` this cursor. None at the end."""
    cursor: str = ""
    """Where the event stream is at the time of this answer."""
    other: Dict[str, Any] = _other()


@dataclass
class MessagePage:
    """Messages of a session, in their order."""

    messages: List[Message]
    hidden: List[Dict[str, Any]]
    """What the dev toggle hides between `from_seq` and `to_seq`, without content."""
    from_seq: int
    """The first `seq` that the page covers."""
    to_seq: int
    """The last one: the rest comes `after` it, until it is `last_seq`."""
    last_seq: int
    """Highest `seq` of the session."""
    cursor: str
    """Where the event stream is at the time of this answer."""


@dataclass
class Me:
    """Who the server takes us for."""

    kind: str
    name: str = ""
    workspace: str = ""
    other: Dict[str, Any] = _other()


@dataclass
class Blob:
    """Bytes that are stored. The fields go into a `FileItem` as they are."""

    blob: str
    """`sha256:` and the digest in hex."""
    mime: str = "application/octet-stream"
    size: int = 0
    """In bytes."""
    other: Dict[str, Any] = _other()


@dataclass
class FeedCounts:
    """Figures of a session when an event was sent, which may be later than the change."""

    last_seq: int = 0
    messages: int = 0
    todos_open: int = 0
    todos_done: int = 0
    todos_cancelled: int = 0
    approvals_open: int = 0
    other: Dict[str, Any] = _other()


@dataclass
class Change:
    """What changed: read it with `messages(from_seq=..., to_seq=...)`."""

    pos: int
    """Position in the workspace's feed: strictly increasing, with holes."""
    kind: str = ""
    """`message`, `range` or `session`."""
    session: str = ""
    from_seq: int = 0
    to_seq: int = 0
    revision: int = 0
    """Of a changed message its revision after the change, else 0."""
    counts: Optional[FeedCounts] = None
    other: Dict[str, Any] = _other()


@dataclass
class Event:
    """One change, and the cursor after it."""

    cursor: str
    """Keep it to go on from here later."""
    change: Change

"""The payload of each message type, as a dataclass.

Words such as states and kinds are strings, so that a word of a newer server survives. Fields that this version doesn't know
are in `other`. Times are microseconds since 1970. Wherever a function takes such a dataclass, a plain `dict` works too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from ._json import OMIT_EMPTY, Mismatch, read

__all__ = [
    "Action",
    "Approval",
    "ApprovalAnswer",
    "ApprovalQuestion",
    "Body",
    "Chart",
    "Choice",
    "CodeEdit",
    "CodeReview",
    "Decision",
    "Edit",
    "ErrorReport",
    "Field",
    "File",
    "FileAction",
    "FileItem",
    "Frame",
    "Invalid",
    "Progress",
    "ReviewComment",
    "Series",
    "Text",
    "Todo",
    "TodoItem",
    "ToolCall",
    "Unknown",
]


def _other() -> Any:
    return field(default_factory=dict, repr=False)


@dataclass
class Text:
    """TEXT: markdown in the message's `content`, no payload."""

    other: Dict[str, Any] = _other()


@dataclass
class Edit:
    """A change of one file. Without old content it creates the file, without new content it deletes it."""

    file_path: str
    old_content: Optional[str] = None
    new_content: Optional[str] = None
    language: Optional[str] = None
    """For highlighting; else it follows from the path."""
    other: Dict[str, Any] = _other()


@dataclass
class CodeEdit:
    """CODE_EDIT: changes of files, shown as diffs."""

    edits: List[Edit]
    other: Dict[str, Any] = _other()


@dataclass
class TodoItem:
    """An item of a to-do list."""

    id: str
    content: str
    status: str = "pending"
    """`pending`, `in_progress` or `completed`."""
    other: Dict[str, Any] = _other()


@dataclass
class Todo:
    """TODO: the whole list as it is now. From a person: the boxes that were ticked."""

    todos: List[TodoItem]
    other: Dict[str, Any] = _other()

    def ticked(self) -> str:
        """Returns a tick as a model should read it, one line for each item: `Ticked: item`, `Unticked: item`."""
        return "\n".join(f"{'Ticked' if item.status == 'completed' else 'Unticked'}: {item.content}" for item in self.todos)


@dataclass
class ToolCall:
    """TOOL_CALL: one use of a tool, with its result once there is one."""

    tool_name: str
    input: Dict[str, Any] = field(default_factory=dict)
    output: Optional[Any] = None
    """Any JSON."""
    error: Optional[str] = None
    other: Dict[str, Any] = _other()
    """Any other keys: `exit_code`, `duration_ms`, `title`, `background`, ..."""


@dataclass
class Choice:
    """An option of an approval: a button."""

    id: str
    label: str
    description: Optional[str] = None
    kind: Optional[str] = None
    """`allow_once`, `allow_always`, `reject_once` or `reject_always`; None for a plain choice."""
    other: Dict[str, Any] = _other()


@dataclass
class ApprovalQuestion:
    """A question of an approval, with its options."""

    question: str
    header: Optional[str] = None
    options: List[Choice] = field(default_factory=list)
    multi_select: Optional[bool] = None
    allow_text: Optional[bool] = None
    """A person may answer in their own words."""
    other: Dict[str, Any] = _other()


@dataclass
class Field:
    """A field of a form."""

    id: str
    label: str
    type: str = "text"
    """`text`, `number`, `date`, `select` or `checkbox`."""
    required: Optional[bool] = None
    options: Optional[List[str]] = None
    """Of a `select`."""
    other: Dict[str, Any] = _other()


@dataclass
class ApprovalAnswer:
    """The answer to one question of an approval."""

    question: Optional[str] = None
    selected: List[str] = field(default_factory=list, metadata=OMIT_EMPTY)
    text: Optional[str] = None
    note: Optional[str] = None
    other: Dict[str, Any] = _other()


@dataclass
class Decision:
    """What a person decided, by ids; the ACTION has the labels."""

    state: str
    selected: List[str] = field(default_factory=list)
    """Ids of the chosen options."""
    text: Optional[str] = None
    answers: List[ApprovalAnswer] = field(default_factory=list, metadata=OMIT_EMPTY)
    edited_input: Optional[Any] = None
    rule: Optional[str] = None
    by: Optional[str] = None
    at: Optional[int] = None
    via: Optional[str] = None
    reported_by: Optional[str] = None
    shown_sha256: Optional[str] = None
    other: Dict[str, Any] = _other()


@dataclass
class Approval:
    """APPROVAL: a permission, a choice, a plan or a form that waits for a person. The module `approval` makes the usual ones."""

    kind: str
    """`permission`, `question`, `plan` or `form`."""
    title: str
    body: Optional[str] = None
    """Markdown."""
    questions: List[ApprovalQuestion] = field(default_factory=list)
    fields: List[Field] = field(default_factory=list, metadata=OMIT_EMPTY)
    risk: Optional[str] = None
    state: str = "open"
    """`open`, or how it ended: `allowed_once`, `allowed_always`, `denied`, `answered`, `expired`, `cancelled`, `superseded`,
    `decided_elsewhere`."""
    decision: Optional[Decision] = None
    other: Dict[str, Any] = _other()


@dataclass
class Action:
    """ACTION: a person's answer to buttons or inputs. Only people send it."""

    approval_id: Optional[str] = None
    """Id of the APPROVAL that it decides."""
    reply_to: Optional[str] = None
    """Id of any other message that it answers."""
    selected: List[str] = field(default_factory=list)
    """Labels of what was chosen."""
    values: Optional[Dict[str, Any]] = None
    """Values of a form by field id."""
    text: Optional[str] = None
    other: Dict[str, Any] = _other()

    def answer(self) -> str:
        """Returns what was chosen, filled in and typed, as one line."""
        parts = list(self.selected)
        for name, value in (self.values or {}).items():
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            parts.append(f"{name}: {said}")
        return ", ".join(parts if self.text is None else [*parts, self.text])


@dataclass
class FileAction:
    """A button of a file. A person's press arrives as an ACTION."""

    id: str
    label: str
    other: Dict[str, Any] = _other()


@dataclass
class FileItem:
    """A file by name and content. `upload` stores the bytes and returns what `blob`, `mime` and `size` take."""

    name: str
    mime: str
    size: int
    """In bytes."""
    blob: Optional[str] = None
    """`sha256:` and the digest in hex."""
    state: str = "ready"
    """`processing`, `ready` or `error`."""
    error: Optional[str] = None
    actions: List[FileAction] = field(default_factory=list, metadata=OMIT_EMPTY)
    other: Dict[str, Any] = _other()


@dataclass
class File:
    """FILE: files, shown with previews and buttons."""

    files: List[FileItem]
    other: Dict[str, Any] = _other()


@dataclass
class Frame:
    """A line of a stack trace."""

    file: Optional[str] = None
    line: Optional[int] = None
    function: Optional[str] = None
    code: Optional[str] = None
    other: Dict[str, Any] = _other()


@dataclass
class ErrorReport:
    """ERROR: something went wrong."""

    error_type: str
    message: str
    frames: List[Frame] = field(default_factory=list)
    retryable: Optional[bool] = None
    retry_at: Optional[int] = None
    other: Dict[str, Any] = _other()


@dataclass
class Series:
    """A line, a row of bars, an area, a cloud or a pie of a chart."""

    name: str
    points: List[Any]
    """Numbers, or pairs `[x, y]`; None is a gap."""
    other: Dict[str, Any] = _other()


@dataclass
class Chart:
    """CHART: series of numbers."""

    chart: str
    """`line`, `bar`, `area`, `scatter` or `pie`."""
    title: str
    x: Union[None, str, List[Union[str, float]]] = None
    """The values that the points are of; or the name of the axis, where points are pairs."""
    series: List[Series] = field(default_factory=list)
    unit: Optional[str] = None
    other: Dict[str, Any] = _other()


@dataclass
class ReviewComment:
    """A comment on lines of a file."""

    body: str
    side: str = "new"
    """`new` or `old`."""
    start_line: Optional[int] = None
    """From 1. A comment that is sent has one."""
    end_line: Optional[int] = None
    """`start_line` if None."""
    severity: Optional[str] = None
    """`blocker`, `major`, `minor` or `nit`. A comment that is sent has one."""
    suggestion: Optional[str] = None
    """What should stand there instead."""
    other: Dict[str, Any] = _other()


@dataclass
class CodeReview:
    """CODE_REVIEW: comments on the lines of a file."""

    file_path: str
    comments: List[ReviewComment] = field(default_factory=list)
    summary: Optional[str] = None
    other: Dict[str, Any] = _other()


@dataclass
class Progress:
    """PROGRESS: how far something has got. It is updated in place."""

    label: str
    current: Optional[float] = None
    total: Optional[float] = None
    unit: Optional[str] = None
    state: str = "running"
    """`running`, `done` or `failed`. What runs without an update for 30 seconds is shown as stalled."""
    eta_seconds: Optional[float] = None
    other: Dict[str, Any] = _other()


@dataclass
class Unknown:
    """A type that isn't built in."""

    message_type: str
    payload: Dict[str, Any]


@dataclass
class Invalid:
    """A payload that doesn't fit its type, unchanged."""

    message_type: str
    payload: Dict[str, Any]
    problem: str
    """Which field doesn't fit, and what it should be."""


Body = Union[Text, CodeEdit, Todo, ToolCall, Approval, Action, File, ErrorReport, Chart, CodeReview, Progress, Unknown, Invalid]

BUILT_IN: Mapping[str, Type[Any]] = {
    "TEXT": Text,
    "CODE_EDIT": CodeEdit,
    "TODO": Todo,
    "TOOL_CALL": ToolCall,
    "APPROVAL": Approval,
    "ACTION": Action,
    "FILE": File,
    "ERROR": ErrorReport,
    "CHART": Chart,
    "CODE_REVIEW": CodeReview,
    "PROGRESS": Progress,
}
"""The dataclass of each built-in type."""


def body_of(message_type: str, payload: Dict[str, Any]) -> Body:
    """Reads a payload. Never fails: what doesn't fit is `Invalid`, a type that isn't built in `Unknown`."""
    built_in = BUILT_IN.get(message_type)
    if built_in is None:
        return Unknown(message_type, payload)
    try:
        body: Body = read(built_in, payload)
        return body
    except Mismatch as mismatch:
        return Invalid(message_type, payload, str(mismatch))

# Made by clients/generate.mjs from docs/api/openapi.json.
# ruff: noqa: E501
"""The payload of each message type, as a dataclass.

Words such as states and kinds are strings, so that a word of a newer server survives. Fields that this version doesn't know
are in `other`. Times are microseconds since 1970. Wherever a function takes such a dataclass, a plain `dict` works too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from ._body import Answered, Invalid, Ticked, Unknown, other_fields
from ._json import OMIT_EMPTY

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


@dataclass
class Action(Answered):
    """ACTION: A person's answer to an approval or message. Options with equal labels can be distinguished by their ids in the approval's `decision.selected`."""

    approval_id: Optional[str] = None
    """Id of the approval's message."""
    reply_to: Optional[str] = None
    """Id of another message with buttons."""
    selected: List[str] = field(default_factory=list)
    """Labels of the chosen options."""
    values: Optional[Dict[str, Any]] = None
    """Values of a form by field id."""
    text: Optional[str] = None
    """Typed text."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ApprovalAnswer:
    """The answer to one question."""

    question: Optional[str] = None
    """Text of the question. Absent for an answer to the whole request."""
    selected: List[str] = field(default_factory=list, metadata=OMIT_EMPTY)
    """Ids of the chosen options."""
    text: Optional[str] = None
    """Typed text."""
    note: Optional[str] = None
    """Note beside the answer."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Approval:
    """APPROVAL: A request that a person decides once."""

    kind: str
    """Kind of the request. One of `permission`, `question`, `plan`, `form`."""
    title: str
    """The request in one line, also for lists and notifications."""
    body: Optional[str] = None
    """The plan or the full request, in markdown."""
    questions: List[ApprovalQuestion] = field(default_factory=list)
    """Questions with options. A permission or a plan has one, usually with the text of the title."""
    fields: List[Field] = field(default_factory=list, metadata=OMIT_EMPTY)
    """Inputs of a form."""
    risk: Optional[str] = None
    """Risk, by the agent's own name: `low`, `high`."""
    state: str = "open"
    """State; `open` if absent. An agent can't set states that are a person's decision. One of `open`, `allowed_once`, `allowed_always`, `denied`, `answered`, `expired`, `cancelled`, `superseded`, `decided_elsewhere`."""
    decision: Optional[Decision] = None
    """The decision. Absent while it is open, and if nobody decided."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Chart:
    """CHART: A chart."""

    chart: str
    """The kind of chart. One of `line`, `bar`, `area`, `scatter`, `pie`."""
    title: str
    """The title, at most 200 characters."""
    x: Optional[Any] = None
    """The horizontal axis: an array of values, for each of which each series has a point; or the name of the axis, if points have an `x` of their own."""
    series: List[Series] = field(default_factory=list)
    """At most 24 series with 20,000 points in total. An empty chart shows `No data`."""
    unit: Optional[str] = None
    """The unit of the numbers: `ms`, `boats`. At most 40 characters."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Choice:
    """One option of a question."""

    id: str
    """Id of the option, unique in the request."""
    label: str
    """Label of the button."""
    description: Optional[str] = None
    """Description in one or two sentences, shown beside the option."""
    kind: Optional[str] = None
    """Effect for a permission or a plan. Absent for a plain answer. One of `allow_once`, `allow_always`, `reject_once`, `reject_always`."""
    other: Dict[str, Any] = other_fields()


@dataclass
class CodeEdit:
    """CODE_EDIT: One or more edits of files, shown as diffs. Further data is in the envelope's `edit_info`."""

    edits: List[Edit]
    """In the order in which they were made. `edit_info` has one entry for each."""
    other: Dict[str, Any] = other_fields()


@dataclass
class CodeReview:
    """CODE_REVIEW: A review of one file. People's answers to its comments are in the envelope's `review_info`."""

    file_path: str
    """The path of the file, as in the edits of the session."""
    comments: List[ReviewComment] = field(default_factory=list)
    """May be empty if there is a `summary`."""
    summary: Optional[str] = None
    """The overall verdict, in markdown."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Decision:
    """A decision. Fields that a transcript doesn't record are absent."""

    state: str
    """The decided state. One of `open`, `allowed_once`, `allowed_always`, `denied`, `answered`, `expired`, `cancelled`, `superseded`, `decided_elsewhere`."""
    selected: List[str] = field(default_factory=list)
    """Ids of the chosen options."""
    text: Optional[str] = None
    """Typed text."""
    answers: List[ApprovalAnswer] = field(default_factory=list, metadata=OMIT_EMPTY)
    """Answer to each question, if known separately. `selected` and `text` contain all of them."""
    edited_input: Optional[Any] = None
    """The tool's input after the person's changes."""
    rule: Optional[str] = None
    """The rule that "always" created, in the agent's syntax."""
    by: Optional[str] = None
    """`owner` for a decision in Verbatim, `key` for one that an agent reports, otherwise the name that the sender gave."""
    at: Optional[int] = None
    """When it was decided."""
    via: Optional[str] = None
    """`web`, `terminal`, `chat`; `archive` for a decision from an imported archive."""
    reported_by: Optional[str] = None
    """Name of the key that reported it. Set by the server; such a decision has `by: key`."""
    shown_sha256: Optional[str] = None
    """SHA-256 of what the person was shown, in hex. Set by the server for a decision in Verbatim."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Edit:
    """An edit of a file. Without old text it creates the file, without new text it deletes it; both may be absent."""

    file_path: str
    """Path of the file, as the agent names it: absolute, or relative to the working folder."""
    old_content: Optional[str] = None
    """Text before the edit: the changed fragment or the whole file, see `edit_info`. Absent for a new file."""
    new_content: Optional[str] = None
    """Text after the edit. Absent for a deleted file."""
    language: Optional[str] = None
    """Language for syntax highlighting: `rust`, `python`."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ErrorReport:
    """ERROR: An error of the agent or its provider."""

    error_type: str
    """Kind of the error: `rate_limit`, `TypeError`."""
    message: str
    """Error message for people."""
    frames: List[Frame] = field(default_factory=list)
    """Stack trace, innermost call first."""
    retryable: Optional[bool] = None
    """Whether a retry may help; unknown if absent."""
    retry_at: Optional[int] = None
    """When the agent retries."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Field:
    """One input of a form."""

    id: str
    """Id of the value, unique in the request."""
    label: str
    """Label of the input."""
    type: str = "text"
    """Kind of the value. One of `text`, `number`, `date`, `select`, `checkbox`."""
    required: Optional[bool] = None
    """True if a value is required, and a checkbox must be ticked; false if absent."""
    options: Optional[List[str]] = None
    """Options of a `select`."""
    other: Dict[str, Any] = other_fields()


@dataclass
class File:
    """FILE: One or more files, shown with previews and buttons."""

    files: List[FileItem]
    """Files, in display order."""
    other: Dict[str, Any] = other_fields()


@dataclass
class FileAction:
    """A button on a file."""

    id: str
    """Id of the button in the answer."""
    label: str
    """Label of the button; the id if it is blank."""
    other: Dict[str, Any] = other_fields()


@dataclass
class FileItem:
    """One file of a message."""

    name: str
    """Name without a folder."""
    mime: str
    """Media type: `image/png`."""
    size: int
    """Size in bytes."""
    blob: Optional[str] = None
    """Content hash: `sha256:` and the digest in hex. Absent if the content isn't stored (yet)."""
    state: str = "ready"
    """State of the file. One of `processing`, `ready`, `error`."""
    error: Optional[str] = None
    """Error message for people."""
    actions: List[FileAction] = field(default_factory=list, metadata=OMIT_EMPTY)
    """Buttons, of which a person can press one per file."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Frame:
    """One call of a stack trace."""

    file: Optional[str] = None
    """Path of the source file."""
    line: Optional[int] = None
    """Line number, from 1."""
    function: Optional[str] = None
    """Name of the function."""
    code: Optional[str] = None
    """The line of source code."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Progress:
    """PROGRESS: The progress of a task."""

    label: str
    """The name of the task: `Tests`."""
    current: Optional[float] = None
    """The amount that is done. It may exceed `total`, which is an estimate."""
    total: Optional[float] = None
    """The amount at which the task is complete. Unknown if absent or 0."""
    unit: Optional[str] = None
    """The unit of both amounts, in the plural: `files`. `bytes` are shown as KB, MB and so on."""
    state: str = "running"
    """The state of the task. One of `running`, `done`, `failed`."""
    eta_seconds: Optional[float] = None
    """The remaining time in seconds. If absent, it is computed from the progress since the message was created."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ApprovalQuestion:
    """One question of a request, with its options."""

    question: str
    """Full text of the question, by which its answer names it."""
    header: Optional[str] = None
    """A word or two, for a tab."""
    options: List[Choice] = field(default_factory=list)
    """Options. If there are none, a person types the answer."""
    multi_select: Optional[bool] = None
    """True if several options can be chosen; false if absent."""
    allow_text: Optional[bool] = None
    """True if a person can type an answer instead. If absent: only if there are no options."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ReviewComment:
    """A comment on lines of the file."""

    body: str
    """The comment, in markdown."""
    side: str = "new"
    """The side of the diff whose lines are meant; `new` if absent. One of `old`, `new`."""
    start_line: Optional[int] = None
    """The first line, from 1."""
    end_line: Optional[int] = None
    """The last line, included; `start_line` if absent."""
    severity: Optional[str] = None
    """The severity. One of `blocker`, `major`, `minor`, `nit`."""
    suggestion: Optional[str] = None
    """The text to replace the lines with. If it is empty, they are to be deleted."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Series:
    """A series of numbers."""

    name: str
    """The name, at most 200 characters."""
    points: List[Any] = field(default_factory=list)
    """Numbers, or pairs `[x, y]`; all points of a chart have the same form. Null instead of a number is a gap."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Text:
    """TEXT: Empty payload. Further keys of the sender are kept."""

    other: Dict[str, Any] = other_fields()


@dataclass
class Todo(Ticked):
    """TODO: The whole list as it is now, of at least one item. From a person: the items that were ticked."""

    todos: List[TodoItem]
    """Items, in display order."""
    other: Dict[str, Any] = other_fields()


@dataclass
class TodoItem:
    """One item of the list."""

    id: str
    """Id of the item in ticks and in `todo_info`. If several items share it, the last is meant. Another list can reuse ids."""
    content: str
    """Description of the task."""
    status: str = "pending"
    """State of the item. One of `pending`, `in_progress`, `completed`."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ToolCall:
    """TOOL_CALL: A call of a tool. Further keys are kept; the accessors name those that readers add."""

    tool_name: str
    """Name of the tool, as the agent uses it: `Bash`, `mcp__board__add`."""
    input: Dict[str, Any] = field(default_factory=dict)
    """Input, as the agent sent it, including nulls."""
    output: Optional[Any] = None
    """Output of the tool: a string, blocks of a model's API, or any JSON. Absent until the call has completed."""
    error: Optional[str] = None
    """Error message. Absent if it didn't fail."""
    other: Dict[str, Any] = other_fields()


Body = Union[Text, CodeEdit, Todo, ToolCall, Approval, Action, File, CodeReview, ErrorReport, Progress, Chart, Unknown, Invalid]

BUILT_IN: Mapping[str, Type[Any]] = {
    "TEXT": Text,
    "CODE_EDIT": CodeEdit,
    "TODO": Todo,
    "TOOL_CALL": ToolCall,
    "APPROVAL": Approval,
    "ACTION": Action,
    "FILE": File,
    "CODE_REVIEW": CodeReview,
    "ERROR": ErrorReport,
    "PROGRESS": Progress,
    "CHART": Chart,
}
"""The dataclass of each built-in type."""

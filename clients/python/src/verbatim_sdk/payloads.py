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
    """ACTION: A person's answer to buttons or inputs. It names the approval or the message that it answers. Two options of one label are told apart by their ids, in the approval's `decision.selected`."""

    approval_id: Optional[str] = None
    """Message id of the approval."""
    reply_to: Optional[str] = None
    """Message id of anything else that had buttons."""
    selected: List[str] = field(default_factory=list)
    """Labels of what was chosen."""
    values: Optional[Dict[str, Any]] = None
    """Values of a form by field id."""
    text: Optional[str] = None
    """What the person typed."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ApprovalAnswer:
    """The answer to one question."""

    question: Optional[str] = None
    """The question's own words. Absent for an answer to all that was asked."""
    selected: List[str] = field(default_factory=list, metadata=OMIT_EMPTY)
    """Ids of the chosen options."""
    text: Optional[str] = None
    """What was typed."""
    note: Optional[str] = None
    """What was noted beside the answer."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Approval:
    """APPROVAL: A request that a person decides, once."""

    kind: str
    """What is asked for. One of `permission`, `question`, `plan`, `form`."""
    title: str
    """What is asked, in one line: also in lists and notifications."""
    body: Optional[str] = None
    """Markdown: the plan, or what is asked in full."""
    questions: List[ApprovalQuestion] = field(default_factory=list)
    """Questions with options. A permission or a plan has one, whose words are usually the title's."""
    fields: List[Field] = field(default_factory=list, metadata=OMIT_EMPTY)
    """Inputs of a form."""
    risk: Optional[str] = None
    """In the agent's own words: `low`, `high`."""
    state: str = "open"
    """`open` until it is decided or over; if absent, too. An agent can't set what only a person may say. One of `open`, `allowed_once`, `allowed_always`, `denied`, `answered`, `expired`, `cancelled`, `superseded`, `decided_elsewhere`."""
    decision: Optional[Decision] = None
    """Who decided what; absent while it is open, and where nobody decided."""
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
    """Names the option in a decision. Unique in the request."""
    label: str
    """What stands on the button."""
    description: Optional[str] = None
    """What the option means, in a sentence or two. Shown beside it."""
    kind: Optional[str] = None
    """What choosing it means for a permission or a plan; absent for a mere answer. One of `allow_once`, `allow_always`, `reject_once`, `reject_always`."""
    other: Dict[str, Any] = other_fields()


@dataclass
class CodeEdit:
    """CODE_EDIT: One or more changes of files, shown as diffs. What these strict keys can't say is in the envelope's `edit_info`."""

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
    """Who decided what. What a transcript doesn't tell stays absent."""

    state: str
    """What was decided. One of `open`, `allowed_once`, `allowed_always`, `denied`, `answered`, `expired`, `cancelled`, `superseded`, `decided_elsewhere`."""
    selected: List[str] = field(default_factory=list)
    """Ids of the chosen options."""
    text: Optional[str] = None
    """What was typed."""
    answers: List[ApprovalAnswer] = field(default_factory=list, metadata=OMIT_EMPTY)
    """What was answered to each question, where that is known apart. `selected` and `text` hold all of it together."""
    edited_input: Optional[Any] = None
    """The tool's input as the person changed it."""
    rule: Optional[str] = None
    """The rule that "always" made, in the agent's syntax."""
    by: Optional[str] = None
    """`owner` for a decision made in Verbatim, `key` for one that an agent reports, else whom the writer named."""
    at: Optional[int] = None
    """When it was decided."""
    via: Optional[str] = None
    """`web`, `terminal`, `chat`. `archive` of a decision that came with an imported archive: it wasn't made here."""
    reported_by: Optional[str] = None
    """Name of the key that reports it. Set by the server; such a decision has `by: key`."""
    shown_sha256: Optional[str] = None
    """SHA-256 of what the person was shown, in hex. Set by the server, where it was decided in Verbatim."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Edit:
    """A file is created without old text and deleted without new text; both may be absent."""

    file_path: str
    """As the agent names the file: absolute, or relative to the working folder."""
    old_content: Optional[str] = None
    """The text before: the changed fragment, or the whole file, as `edit_info` says. Absent where the file is created."""
    new_content: Optional[str] = None
    """The text after. Absent where the file is deleted."""
    language: Optional[str] = None
    """`rust`, `python`; for colouring."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ErrorReport:
    """ERROR: Something that went wrong in the agent or at its provider."""

    error_type: str
    """`rate_limit`, `TypeError`."""
    message: str
    """What went wrong, for people."""
    frames: List[Frame] = field(default_factory=list)
    """Innermost call first."""
    retryable: Optional[bool] = None
    """Trying again may help; unknown if absent."""
    retry_at: Optional[int] = None
    """When the agent tries again."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Field:
    """One input of a form."""

    id: str
    """Names the value in an answer. Unique in the request."""
    label: str
    """What stands before the input."""
    type: str = "text"
    """What can be typed or chosen. One of `text`, `number`, `date`, `select`, `checkbox`."""
    required: Optional[bool] = None
    """It can't be left empty, and a checkbox must be ticked; not if absent."""
    options: Optional[List[str]] = None
    """What a `select` offers."""
    other: Dict[str, Any] = other_fields()


@dataclass
class File:
    """FILE: One or more files, shown with previews and buttons."""

    files: List[FileItem]
    """In the order in which they are shown."""
    other: Dict[str, Any] = other_fields()


@dataclass
class FileAction:
    """A button on a file."""

    id: str
    """Names the button in the answer."""
    label: str
    """What stands on the button; the id where it is blank."""
    other: Dict[str, Any] = other_fields()


@dataclass
class FileItem:
    """One file of a message."""

    name: str
    """Its name for people, without a folder."""
    mime: str
    """`image/png`."""
    size: int
    """In bytes."""
    blob: Optional[str] = None
    """Content address: `sha256:` and the digest in hex. Absent where the bytes aren't there (yet)."""
    state: str = "ready"
    """Whether it can be read yet. One of `processing`, `ready`, `error`."""
    error: Optional[str] = None
    """Why it can't be read, for people."""
    actions: List[FileAction] = field(default_factory=list, metadata=OMIT_EMPTY)
    """Buttons that a person can press, once for each file."""
    other: Dict[str, Any] = other_fields()


@dataclass
class Frame:
    """One call of a stack trace."""

    file: Optional[str] = None
    """Path of the source file."""
    line: Optional[int] = None
    """From 1."""
    function: Optional[str] = None
    """Name of the function."""
    code: Optional[str] = None
    """The line of source that was running."""
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
    """The question in full. Its answer names it by these words."""
    header: Optional[str] = None
    """A word or two, for a tab."""
    options: List[Choice] = field(default_factory=list)
    """What can be chosen. Without any, a person types the answer."""
    multi_select: Optional[bool] = None
    """Several options can be chosen; one if absent."""
    allow_text: Optional[bool] = None
    """A person may type an answer instead; not if absent, unless there are no options."""
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
    """TEXT: No payload of its own. Keys that a writer adds are kept."""

    other: Dict[str, Any] = other_fields()


@dataclass
class Todo(Ticked):
    """TODO: The whole list as it is now, of at least one item. From a person: the boxes that were ticked."""

    todos: List[TodoItem]
    """In the order in which they are shown."""
    other: Dict[str, Any] = other_fields()


@dataclass
class TodoItem:
    """One item of the list."""

    id: str
    """Names the item in ticks and in `todo_info`: of several with the same id the last. Another list may number anew."""
    content: str
    """What is to be done."""
    status: str = "pending"
    """How far it has got. One of `pending`, `in_progress`, `completed`."""
    other: Dict[str, Any] = other_fields()


@dataclass
class ToolCall:
    """TOOL_CALL: One use of a tool, with its result once there is one. Keys beyond the first four are kept; readers add the ones that the accessors name."""

    tool_name: str
    """As the agent calls the tool: `Bash`, `mcp__board__add`."""
    input: Dict[str, Any] = field(default_factory=dict)
    """As the agent sent it, nulls included."""
    output: Optional[Any] = None
    """What the tool returned: a string, blocks of a model's API, or any JSON. Absent until then."""
    error: Optional[str] = None
    """Why it failed. Absent where it didn't."""
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

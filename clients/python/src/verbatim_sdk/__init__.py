"""The Python client of Verbatim: an agent posts typed messages, asks people, and waits for what they say.

    from verbatim_sdk import Verbatim

    # VERBATIM_URL and VERBATIM_KEY; `verbatim key create --name nightly-bot` makes a key.
    with Verbatim.from_env() as verbatim:
        session = verbatim.create_session("nightly-bot")
        session.send_message("All **412** tests pass.")
        answer = session.ask("Shall I publish version 1.4?")
        session.send_message(f"Understood: {answer.text}")
        session.end()

- `Verbatim` is a server and the key to it, `Session` one conversation of an agent. `AsyncVerbatim` and `AsyncSession` have the
  same calls as coroutines.
- `Session.send_message` posts anything; `Session.send_structured_message` any type, with a wrapper for each built-in one;
  `Session.update` changes what was posted; `Session.stream_message` begins a text that grows.
- `Session.ask`, `Session.approve` and `Session.ask_approval` ask people. Their waiting survives a restart of the server. The
  module `approval` has approvals that are ready to be asked.
- What people write comes with the answer to each post, as `Sent.queued_user_messages`, and by `Session.pending`; each `Message`
  once. `Message.body` and its accessors are typed; `payloads` has the types.
- `Session.begin_run` gives the agent its input for one run, once and in order, after a crash as well.
- `Session.watch` is the event stream, which resumes itself.
- `Error` and its subclasses say what went wrong, by what one may do about it.
"""

from . import approval, envelope, errors, payloads
from ._asynchronous import (
    AsyncApprovalRequest,
    AsyncQuestion,
    AsyncRun,
    AsyncSession,
    AsyncStreaming,
    AsyncVerbatim,
    AsyncWatch,
)
from ._blocking import ApprovalRequest, Question, Run, Session, Streaming, Verbatim, Watch
from .errors import (
    BusyError,
    ChangedError,
    ConflictError,
    EnvelopeError,
    Error,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    Problem,
    ServerError,
    SetupError,
    UnauthorizedError,
    UnreachableError,
    WithdrawnError,
)
from .message import (
    Answer,
    Blob,
    Change,
    Decided,
    Event,
    FeedCounts,
    Me,
    Message,
    MessagePage,
    Sent,
    SessionInfo,
    SessionPage,
)
from .payloads import (
    Action,
    Approval,
    ApprovalQuestion,
    Body,
    Choice,
    Edit,
    Field,
    FileAction,
    FileItem,
    Frame,
    Invalid,
    ReviewComment,
    Series,
    TodoItem,
    ToolCall,
    Unknown,
)

__all__ = [
    "Action",
    "Answer",
    "Approval",
    "ApprovalQuestion",
    "ApprovalRequest",
    "AsyncApprovalRequest",
    "AsyncQuestion",
    "AsyncRun",
    "AsyncSession",
    "AsyncStreaming",
    "AsyncVerbatim",
    "AsyncWatch",
    "Blob",
    "Body",
    "BusyError",
    "Change",
    "ChangedError",
    "Choice",
    "ConflictError",
    "Decided",
    "Edit",
    "EnvelopeError",
    "Error",
    "Event",
    "FeedCounts",
    "Field",
    "FileAction",
    "FileItem",
    "ForbiddenError",
    "Frame",
    "Invalid",
    "InvalidError",
    "Me",
    "Message",
    "MessagePage",
    "NotFoundError",
    "Problem",
    "Question",
    "ReviewComment",
    "Run",
    "Sent",
    "Series",
    "ServerError",
    "Session",
    "SessionInfo",
    "SessionPage",
    "SetupError",
    "Streaming",
    "TodoItem",
    "ToolCall",
    "UnauthorizedError",
    "Unknown",
    "UnreachableError",
    "Verbatim",
    "Watch",
    "WithdrawnError",
    "approval",
    "envelope",
    "errors",
    "payloads",
]

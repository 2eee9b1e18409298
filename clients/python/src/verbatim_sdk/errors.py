"""Why a call failed, by what a caller may do about it."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional, Type

from .message import Message

_METADATA = "/message_metadata"


@dataclasses.dataclass
class Problem:
    """What went wrong, as the server says it (RFC 9457)."""

    status: int
    """The HTTP status. 0: no answer came, it couldn't be read, or nothing was sent."""
    code: str
    """Stable, for programs: `payload_invalid`."""
    title: str
    """One sentence, for people."""
    hint: Optional[str] = None
    """What to do next."""
    field: Optional[str] = None
    """The offending field: a JSON pointer into the request, or the name of a query parameter."""
    expected: Optional[str] = None
    """What the field should contain."""
    retry_after: Optional[int] = None
    """Seconds after which a repeat may succeed."""
    current: Optional[Dict[str, Any]] = dataclasses.field(default=None, repr=False)
    """The message as it is, where the request was based on another state of it."""


class Error(Exception):
    """A call failed. What is worth repeating was repeated before."""

    kind = "error"
    """The name of the same error in every SDK."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.title if problem.hint is None else f"{problem.title}\n{problem.hint}")
        self.problem = problem

    @property
    def status(self) -> int:
        """The HTTP status; 0 if there was no answer."""
        return self.problem.status

    @property
    def code(self) -> str:
        """Stable, for programs: `payload_invalid`, `id_conflict`."""
        return self.problem.code

    @property
    def title(self) -> str:
        """One sentence, for people."""
        return self.problem.title

    @property
    def hint(self) -> Optional[str]:
        """What to do next."""
        return self.problem.hint

    @property
    def field(self) -> Optional[str]:
        """The offending field: a JSON pointer into the request, or the name of a query parameter."""
        return self.problem.field

    @property
    def pointer(self) -> Optional[str]:
        """The offending field as a JSON pointer into the metadata: `/payload/todos/0/status`. None if it isn't there."""
        field = self.problem.field or ""
        return field[len(_METADATA) :] if field.startswith(_METADATA) else None

    @property
    def expected(self) -> Optional[str]:
        """What the field should contain."""
        return self.problem.expected

    @property
    def retry_after(self) -> Optional[int]:
        """Seconds after which a repeat may succeed."""
        return self.problem.retry_after

    @property
    def current(self) -> Optional[Message]:
        """The message as it is, where the request was based on another state of it."""
        return None if self.problem.current is None else Message(self.problem.current)


class SetupError(Error):
    """The address or the key is missing or unusable."""

    kind = "setup"

    def __init__(self, title: str, hint: Optional[str] = None) -> None:
        super().__init__(Problem(0, "setup", title, hint))


class UnreachableError(Error):
    """No answer came. What the request did isn't known: repeat it with the same ids."""

    kind = "unreachable"


class BusyError(Error):
    """The server can't do it now: 429, 502, 503 or 504."""

    kind = "busy"


class UnauthorizedError(Error):
    """The key isn't valid, or not any more: 401."""

    kind = "unauthorized"


class ForbiddenError(Error):
    """The key may not do that: 403."""

    kind = "forbidden"


class NotFoundError(Error):
    """There is no such thing, or it belongs to another key: 404."""

    kind = "not_found"


class ConflictError(Error):
    """It doesn't fit what is there: 409."""

    kind = "conflict"


class ChangedError(Error):
    """The message was changed in between: 412. `current` is the message as it is."""

    kind = "changed"


class InvalidError(Error):
    """The request is wrong: any other 4xx. `field`, `pointer` and `expected` say where and why."""

    kind = "invalid"


class EnvelopeError(InvalidError):
    """The parts of a structured message make no envelope. Nothing was sent."""

    kind = "envelope"

    def __init__(self, code: str, pointer: str, expected: str) -> None:
        field = _METADATA + pointer
        super().__init__(Problem(0, code, f"`{field}` should be {expected}", field=field, expected=expected))


class ServerError(Error):
    """The server failed, or what answered isn't Verbatim."""

    kind = "server"


class WithdrawnError(Error):
    """The question was taken back while its answer was waited for."""

    kind = "withdrawn"

    def __init__(self) -> None:
        super().__init__(Problem(0, "withdrawn", "The question was taken back: nobody answers it any more"))


_BY_STATUS: Mapping[int, Type[Error]] = {
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedError,
    429: BusyError,
    502: BusyError,
    503: BusyError,
    504: BusyError,
}


def error_of(problem: Problem) -> Error:
    """Returns the error of a problem that the server sent."""
    default = InvalidError if 400 <= problem.status < 500 else ServerError
    return _BY_STATUS.get(problem.status, default)(problem)


def unreadable(why: str) -> ServerError:
    """Returns the error of an answer that isn't what was asked for."""
    return ServerError(Problem(0, "unreadable", f"The server's response is invalid: {why}"))

"""The blocking classes: every call waits."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence, Type, Union

import httpx

from ._asking import ApprovalCalls, QuestionCalls
from ._client import VerbatimCalls
from ._core import PATIENCE, Core
from ._drive import Blocking, Driver
from ._inbox import Inbox
from ._runs import RunCalls
from ._session import SessionCalls, run_fields
from ._streaming import StreamingCalls
from ._watch import Watcher
from .message import Event, Sent
from .payloads import Approval

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .fields import MessageFields, SessionFields, TypedFields


class Verbatim(Blocking, VerbatimCalls):
    """A server and the key to it. One may be shared by threads.

    `url` and `key` come from the environment (`VERBATIM_URL`, `VERBATIM_KEY`) where they are None. A request that fails for the
    moment (no connection, 429, 502, 503, 504) is repeated while the pauses together are shorter than `patience` seconds, and
    never before the server's `Retry-After`; what waits for people is repeated without end. Nothing is posted twice. `newer_key`
    is called when the key is refused, and returns the one that is valid now, or None. `transport` replaces the connection, as in
    tests. Raises `SetupError`; sends nothing yet.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        patience: float = PATIENCE,
        newer_key: Optional[Callable[[], Optional[str]]] = None,
        transport: Optional[httpx.BaseTransport] = None,
    ) -> None:
        self._core = Core(url, key, patience, newer_key)
        self._driver = Driver(self._core, transport)

    @classmethod
    def from_env(cls) -> Verbatim:
        """Returns a client of the server `VERBATIM_URL` with the key `VERBATIM_KEY`."""
        return cls()

    def create_session(self, agent: str, **fields: Unpack[SessionFields]) -> Session:
        """Makes a session of an agent, or goes on with the session of the same `agent_session_id` if this key made it.

        Raises `ConflictError` if another key made that session (`session_taken`) or a person deleted it (`session_deleted`).
        """
        made = self._run(self._create_session(agent, fields))
        return Session(self, made.id, made.delivered_seq)

    def session(self, id: str, *, after: Optional[int] = None) -> Session:
        """Names a session that exists: by our id, the agent's own, or a unique beginning of either. Sends nothing yet.

        `pending` begins after the `seq` `after`: for an agent that starts again and knows what it has read.
        """
        return Session(self, id, after)

    def watch(self, session: Optional[str] = None, after: Optional[str] = None) -> Watch:
        """Watches what changes from now on, or after a cursor; in one session, as an agent's key must, or in all."""
        return Watch(self, session, after)

    def close(self) -> None:
        """Closes the connections."""
        self._driver.http.close()

    def __enter__(self) -> Verbatim:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Session(Blocking, SessionCalls):
    """A session. `Verbatim.create_session` and `Verbatim.session` return one."""

    def __init__(self, verbatim: Verbatim, id: str, after: Optional[int] = None) -> None:
        self._verbatim, self._driver, self._core = verbatim, verbatim._driver, verbatim._core
        self._id, self._inbox = id, Inbox(after)

    def stream_message(self, **fields: Unpack[MessageFields]) -> Streaming:
        """Begins a text that grows while it is written.

        As a context manager it is finished at the end, and failed by an exception. Else call `finish` or `fail`.
        """
        return Streaming(self, self._run(self._post({**fields, "status": "streaming"})))

    def begin_run(
        self,
        *,
        format: Optional[str] = None,
        notices: Optional[str] = None,
        system_notices: Optional[Sequence[str]] = None,
        history_after: Optional[int] = None,
    ) -> Run:
        """Begins a run: what people and the system said since the last one, with the notices of this run.

        A run that is open is given again instead. `format` is `messages`, `anthropic`, `openai` or `text`; `notices` says where they
        go: `system_prompt` or `prompt`. `system_notices` are notices of your own, for this run alone. `history_after` gives the whole
        conversation after a `seq`, 0 for all of it.
        """
        begin = run_fields(format, notices, system_notices, history_after)
        begun = self._run(self._begin_run(begin, None))
        return Run(self, begun or {})

    def next_run(
        self,
        wait: float,
        *,
        format: Optional[str] = None,
        notices: Optional[str] = None,
        system_notices: Optional[Sequence[str]] = None,
        history_after: Optional[int] = None,
    ) -> Optional[Run]:
        """Waits for something that wakes the agent, and begins a run with it. None if nothing came within `wait` seconds."""
        begin = run_fields(format, notices, system_notices, history_after)
        begun = self._run(self._next_run(begin, wait))
        return None if begun is None else Run(self, begun)

    def question(self, question: str, **fields: Unpack[MessageFields]) -> Question:
        """Asks a question, and doesn't wait yet."""
        return Question(self, self._run(self._ask(question, fields)))

    def request_approval(self, approval: Union[Approval, Mapping[str, Any]], **fields: Unpack[TypedFields]) -> ApprovalRequest:
        """Posts an APPROVAL, and doesn't wait yet."""
        return ApprovalRequest(self, self._run(self._request_approval(approval, fields)))

    def watch(self, after: Optional[str] = None) -> Watch:
        """Watches what changes in it from now on, or after a cursor."""
        return Watch(self._verbatim, self._id, after)


class Question(Blocking, QuestionCalls):
    """A question that was posted."""

    def __init__(self, session: Session, sent: Sent) -> None:
        self._driver, self._session, self.sent = session._driver, session, sent


class ApprovalRequest(Blocking, ApprovalCalls):
    """An APPROVAL that was posted."""

    def __init__(self, session: Session, sent: Sent) -> None:
        self._driver, self._session, self.sent = session._driver, session, sent


class Streaming(Blocking, StreamingCalls):
    """A text that grows while it is written."""

    def __init__(self, session: Session, sent: Sent) -> None:
        self._driver = session._driver
        self._begin(session, sent)

    def __enter__(self) -> Streaming:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if error is None:
            self.finish()
        else:
            self.fail()


class Run(Blocking, RunCalls):
    """What an agent is given for one turn."""

    def __init__(self, session: Session, input: Dict[str, Any]) -> None:
        self._driver = session._driver
        self._begin(session, input)


class Watch(Blocking):
    """An iterator over every change, once and in order, across lost connections and restarts of the server.

    It ends after an error that won't pass, as when the key was revoked. If the server's database was put back to an earlier
    state, it raises an error with the code `cursor_gone` once: read again what you follow, then iterate on.
    """

    def __init__(self, verbatim: Verbatim, session: Optional[str], after: Optional[str]) -> None:
        self._driver = verbatim._driver
        self._watcher = Watcher(verbatim._core, session, after)

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> Event:
        event = self._run(self._watcher.next())
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        """Closes the connection. Iterating on opens another one."""
        if self._watcher.stream is not None:
            self._driver.close(self._watcher.stream)
            self._watcher.stream = None

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""The asynchronous classes: every call is a coroutine. They run in an event loop of asyncio."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence, Type, Union

import httpx

from ._asking import ApprovalCalls, QuestionCalls
from ._client import VerbatimCalls
from ._core import PATIENCE, Core
from ._drive import AsyncDriver, Asynchronous
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


class AsyncVerbatim(Asynchronous, VerbatimCalls):
    """A server and the key to it. See `Verbatim`: the calls are the same."""

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        patience: float = PATIENCE,
        newer_key: Optional[Callable[[], Optional[str]]] = None,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        self._core = Core(url, key, patience, newer_key)
        self._driver = AsyncDriver(self._core, transport)

    @classmethod
    def from_env(cls) -> AsyncVerbatim:
        """Returns a client of the server `VERBATIM_URL` with the key `VERBATIM_KEY`."""
        return cls()

    async def create_session(self, agent: str, **fields: Unpack[SessionFields]) -> AsyncSession:
        """Makes a session of an agent, or goes on with the session of the same `agent_session_id` if this key made it.

        Raises `ConflictError` if another key made that session (`session_taken`) or a person deleted it (`session_deleted`).
        """
        made = await self._run(self._create_session(agent, fields))
        return AsyncSession(self, made.id, made.delivered_seq)

    def session(self, id: str, *, after: Optional[int] = None) -> AsyncSession:
        """Names a session that exists: by our id, the agent's own, or a unique beginning of either. Sends nothing yet.

        `pending` begins after the `seq` `after`: for an agent that starts again and knows what it has read.
        """
        return AsyncSession(self, id, after)

    def watch(self, session: Optional[str] = None, after: Optional[str] = None) -> AsyncWatch:
        """Watches what changes from now on, or after a cursor; in one session, as an agent's key must, or in all."""
        return AsyncWatch(self, session, after)

    async def close(self) -> None:
        """Closes the connections."""
        await self._driver.http.aclose()

    async def __aenter__(self) -> AsyncVerbatim:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncSession(Asynchronous, SessionCalls):
    """A session. `AsyncVerbatim.create_session` and `AsyncVerbatim.session` return one."""

    def __init__(self, verbatim: AsyncVerbatim, id: str, after: Optional[int] = None) -> None:
        self._verbatim, self._driver, self._core = verbatim, verbatim._driver, verbatim._core
        self._id, self._inbox = id, Inbox(after)

    async def stream_message(self, **fields: Unpack[MessageFields]) -> AsyncStreaming:
        """Begins a text that grows while it is written.

        As a context manager (`async with await session.stream_message() as text`) it is finished at the end, and failed by an
        exception. Else call `finish` or `fail`.
        """
        return AsyncStreaming(self, await self._run(self._post({**fields, "status": "streaming"})))

    async def begin_run(
        self,
        *,
        format: Optional[str] = None,
        notices: Optional[str] = None,
        system_notices: Optional[Sequence[str]] = None,
        history_after: Optional[int] = None,
    ) -> AsyncRun:
        """Begins a run: what people and the system said since the last one, with the notices of this run.

        A run that is open is given again instead. `format` is `messages`, `anthropic`, `openai` or `text`; `notices` says where they
        go: `system_prompt` or `prompt`. `system_notices` are notices of your own, for this run alone. `history_after` gives the whole
        conversation after a `seq`, 0 for all of it.
        """
        begin = run_fields(format, notices, system_notices, history_after)
        begun = await self._run(self._begin_run(begin, None))
        return AsyncRun(self, begun or {})

    async def next_run(
        self,
        wait: float,
        *,
        format: Optional[str] = None,
        notices: Optional[str] = None,
        system_notices: Optional[Sequence[str]] = None,
        history_after: Optional[int] = None,
    ) -> Optional[AsyncRun]:
        """Waits for something that wakes the agent, and begins a run with it. None if nothing came within `wait` seconds."""
        begin = run_fields(format, notices, system_notices, history_after)
        begun = await self._run(self._next_run(begin, wait))
        return None if begun is None else AsyncRun(self, begun)

    async def question(self, question: str, **fields: Unpack[MessageFields]) -> AsyncQuestion:
        """Asks a question, and doesn't wait yet."""
        return AsyncQuestion(self, await self._run(self._ask(question, fields)))

    async def request_approval(
        self, approval: Union[Approval, Mapping[str, Any]], **fields: Unpack[TypedFields]
    ) -> AsyncApprovalRequest:
        """Posts an APPROVAL, and doesn't wait yet."""
        return AsyncApprovalRequest(self, await self._run(self._request_approval(approval, fields)))

    def watch(self, after: Optional[str] = None) -> AsyncWatch:
        """Watches what changes in it from now on, or after a cursor."""
        return AsyncWatch(self._verbatim, self._id, after)


class AsyncQuestion(Asynchronous, QuestionCalls):
    """A question that was posted."""

    def __init__(self, session: AsyncSession, sent: Sent) -> None:
        self._driver, self._session, self.sent = session._driver, session, sent


class AsyncApprovalRequest(Asynchronous, ApprovalCalls):
    """An APPROVAL that was posted."""

    def __init__(self, session: AsyncSession, sent: Sent) -> None:
        self._driver, self._session, self.sent = session._driver, session, sent


class AsyncStreaming(Asynchronous, StreamingCalls):
    """A text that grows while it is written."""

    def __init__(self, session: AsyncSession, sent: Sent) -> None:
        self._driver = session._driver
        self._begin(session, sent)

    async def __aenter__(self) -> AsyncStreaming:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if error is None:
            await self.finish()
        else:
            await self.fail()


class AsyncRun(Asynchronous, RunCalls):
    """What an agent is given for one turn."""

    def __init__(self, session: AsyncSession, input: Dict[str, Any]) -> None:
        self._driver = session._driver
        self._begin(session, input)


class AsyncWatch(Asynchronous):
    """An asynchronous iterator over every change, once and in order, across lost connections and restarts of the server.

    It ends after an error that won't pass, as when the key was revoked. If the server's database was put back to an earlier
    state, it raises an error with the code `cursor_gone` once: read again what you follow, then iterate on.
    """

    def __init__(self, verbatim: AsyncVerbatim, session: Optional[str], after: Optional[str]) -> None:
        self._driver = verbatim._driver
        self._watcher = Watcher(verbatim._core, session, after)

    def __aiter__(self) -> AsyncWatch:
        return self

    async def __anext__(self) -> Event:
        event = await self._run(self._watcher.next())
        if event is None:
            raise StopAsyncIteration
        return event

    async def close(self) -> None:
        """Closes the connection. Iterating on opens another one."""
        if self._watcher.stream is not None:
            await self._driver.close(self._watcher.stream)
            self._watcher.stream = None

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

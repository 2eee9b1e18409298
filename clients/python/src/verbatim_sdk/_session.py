"""One session of an agent: posting, changing, and hearing what people write."""

from __future__ import annotations

import math
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import envelope
from ._asking import await_answer, await_decision
from ._core import LONG, Core, list_of, new_id, present, query, read_as, segment
from ._inbox import Inbox, messages_of
from ._json import write
from ._plan import Pause, Plan, call, repeated
from .approval import permission
from .errors import ChangedError, ConflictError, unreadable
from .message import Answer, Decided, Message, MessagePage, Sent, SessionInfo
from .payloads import (
    Approval,
    Edit,
    FileItem,
    Frame,
    Progress,
    ReviewComment,
    Series,
    TodoItem,
    ToolCall,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .fields import MessageChanges, MessageFields, SessionChanges, StructuredFields, TypedFields

Json = Mapping[str, Any]

_WAIT = 50
"""Longest wait of one request in seconds; the server allows 60."""
_LIMIT = 500
"""Messages of one answer."""


def run_fields(
    format: Optional[str], notices: Optional[str], system_notices: Optional[Sequence[str]], history_after: Optional[int]
) -> Json:
    """Returns the fields that a run begins with."""
    own = None if system_notices is None else list(system_notices)
    return {"format": format, "notices": notices, "system_notices": own, "history_after": history_after}


class SessionCalls:
    """The calls of a session."""

    _core: Core
    _inbox: Inbox
    _id: str

    @property
    def id(self) -> str:
        """The id as it was made or named: it may be the agent's own, or a unique beginning."""
        return self._id

    # The session itself

    @call
    def info(self) -> Plan[SessionInfo]:
        """Returns the session as it is now. Raises `NotFoundError` if it isn't there or another key made it."""
        return read_as(SessionInfo, (yield from self._detail()).get("session"))

    @call
    def edit(self, **changes: Unpack[SessionChanges]) -> Plan[SessionInfo]:
        """Renames the session, or changes its working folder, branch, model or version. Absent fields stay."""
        return read_as(SessionInfo, (yield from self._core.call("PATCH", self._path, present(changes))))

    @call
    def heartbeat(self) -> Plan[None]:
        """Reports that the agent is alive. Posts, updates and waiting do so too.

        After a minute without any the session counts as idle, or as lost if a tool call runs or a text is being written: while a
        tool runs long, call this about every 30 seconds.
        """
        yield from self._core.call("POST", f"{self._path}/heartbeat", {})

    @call
    def end(self, outcome: str = "done") -> Plan[None]:
        """Reports that the session is over: `done` or `failed`. The first outcome holds; a person's message opens it again."""
        yield from self._core.call("POST", f"{self._path}/end", {"outcome": outcome})

    # Posting

    @call
    def send_message(self, content: Optional[str] = None, **fields: Unpack[MessageFields]) -> Plan[Sent]:
        """Posts a text, or any message: with a ready `message_metadata`, as streaming, as a reply.

        It gets an id before it is sent, so sending it again after a lost answer adds nothing. Raises `InvalidError`, which names
        the field that is wrong, and `ConflictError` if the id was used for another content.
        """
        return (yield from self._post({"content": content, **fields}))

    @call
    def send_messages(self, messages: Iterable[Union[str, Json]]) -> Plan[List[Sent]]:
        """Posts up to 256 messages, all or none: strings, or dicts with the fields of `send_message`."""
        posts = [_message({"content": one} if isinstance(one, str) else one) for one in messages]
        answer = yield from self._core.call("POST", f"{self._path}/messages/batch", {"messages": posts})
        return [self._sent(posted) for posted in list_of(answer, "messages")]

    @call
    def send_structured_message(
        self,
        message_type: str,
        payload: Any,
        *,
        extras: Optional[Json] = None,
        version: int = envelope.VERSION,
        **fields: Unpack[StructuredFields],
    ) -> Plan[Sent]:
        """Posts a message of any type, a built-in one or one of your own. Null fields of the payload are left out.

        `payload` is a dict or a dataclass of `payloads`. `extras` are keys of the envelope beside the payload. Raises
        `InvalidError` with `pointer` and `expected` if a built-in type's payload is wrong.
        """
        return (yield from self._structured(message_type, payload, {"extras": extras, "version": version, **fields}))

    @call
    def send_text(self, content: str, **fields: Unpack[MessageFields]) -> Plan[Sent]:
        """Posts a TEXT: markdown."""
        return (yield from self._post({"content": content, **fields}))

    @call
    def send_code_edit(self, edits: Iterable[Union[Edit, Json]], **fields: Unpack[TypedFields]) -> Plan[Sent]:
        """Posts a CODE_EDIT: changes of files, shown as diffs.

        An edit without old content creates its file, one without new content deletes it.
        """
        return (yield from self._structured("CODE_EDIT", {"edits": list(edits)}, fields))

    @call
    def send_todo(self, todos: Iterable[Union[TodoItem, Json]], **fields: Unpack[TypedFields]) -> Plan[Sent]:
        """Posts a TODO: the whole list as it is now. It replaces the one before.

        People may tick its boxes; a tick arrives like their messages.
        """
        return (yield from self._structured("TODO", {"todos": list(todos)}, fields))

    @call
    def send_tool_call(
        self,
        tool_name: str,
        input: Optional[Json] = None,
        *,
        output: Any = None,
        error: Optional[str] = None,
        other: Optional[Json] = None,
        **fields: Unpack[TypedFields],
    ) -> Plan[Sent]:
        """Posts a TOOL_CALL: the use of a tool. `other` are more keys of the payload, such as `exit_code`.

        Its result comes later, by `update_tool_call`, or as a message of the role `tool` with the same `call_id`. Until then, or
        until the agent posts a text, it runs: see `heartbeat`.
        """
        body = ToolCall(tool_name, dict(input or {}), output, error, dict(other or {}))
        return (yield from self._structured("TOOL_CALL", body, fields))

    @call
    def send_file(self, files: Iterable[Union[FileItem, Json]], **fields: Unpack[TypedFields]) -> Plan[Sent]:
        """Posts a FILE: files by name and content. `Verbatim.upload` stores the bytes."""
        return (yield from self._structured("FILE", {"files": list(files)}, fields))

    @call
    def send_error(
        self,
        error_type: str,
        message: str,
        *,
        frames: Iterable[Union[Frame, Json]] = (),
        retryable: Optional[bool] = None,
        retry_at: Optional[int] = None,
        **fields: Unpack[TypedFields],
    ) -> Plan[Sent]:
        """Posts an ERROR. `retry_at` is in microseconds since 1970."""
        body = {"error_type": error_type, "message": message, "frames": list(frames)}
        return (yield from self._structured("ERROR", {**body, "retryable": retryable, "retry_at": retry_at}, fields))

    @call
    def send_chart(
        self,
        chart: str,
        title: str,
        series: Iterable[Union[Series, Json]],
        *,
        x: Union[None, str, List[Union[str, float]]] = None,
        unit: Optional[str] = None,
        **fields: Unpack[TypedFields],
    ) -> Plan[Sent]:
        """Posts a CHART: `line`, `bar`, `area`, `scatter` or `pie`.

        `x` lists the values that the points of each series are of; or it names the axis, where points are pairs `[x, y]`.
        """
        body = {"chart": chart, "title": title, "x": x, "series": list(series), "unit": unit}
        return (yield from self._structured("CHART", body, fields))

    @call
    def send_code_review(
        self,
        file_path: str,
        comments: Iterable[Union[ReviewComment, Json]],
        *,
        summary: Optional[str] = None,
        **fields: Unpack[TypedFields],
    ) -> Plan[Sent]:
        """Posts a CODE_REVIEW: comments on the lines of a file."""
        body = {"file_path": file_path, "comments": list(comments), "summary": summary}
        return (yield from self._structured("CODE_REVIEW", body, fields))

    @call
    def send_progress(
        self,
        label: str,
        current: Optional[float] = None,
        total: Optional[float] = None,
        *,
        unit: Optional[str] = None,
        state: str = "running",
        eta_seconds: Optional[float] = None,
        **fields: Unpack[TypedFields],
    ) -> Plan[Sent]:
        """Posts a PROGRESS: how far something has got. `update_progress` moves it on."""
        body = Progress(label, current, total, unit, state, eta_seconds)
        return (yield from self._structured("PROGRESS", body, fields))

    # Changing

    @call
    def update(self, message: str, **changes: Unpack[MessageChanges]) -> Plan[Message]:
        """Changes a message that this agent posted. Absent fields stay.

        An `append` is done once, even if it is sent again: it goes out with the revision that it is meant for. Raises
        `ChangedError` if the message isn't at the revision `if_match` any more, `ConflictError` if its status doesn't allow the
        change: a `final` message only becomes `retracted`.
        """
        return (yield from self._update(message, {**changes}))

    @call
    def update_tool_call(
        self,
        message: str,
        tool_name: str,
        input: Optional[Json] = None,
        *,
        output: Any = None,
        error: Optional[str] = None,
        other: Optional[Json] = None,
        extras: Optional[Json] = None,
    ) -> Plan[Message]:
        """Adds the result of a tool call that was posted before. The fields are those of the whole call.

        With an `error` the call failed, whatever its `output`; with an `output` alone it succeeded.
        """
        body = ToolCall(tool_name, dict(input or {}), output, error, dict(other or {}))
        return (yield from self._update(message, {"message_metadata": envelope.build("TOOL_CALL", body, extras)}))

    @call
    def update_progress(
        self,
        message: str,
        label: str,
        current: Optional[float] = None,
        total: Optional[float] = None,
        *,
        unit: Optional[str] = None,
        state: str = "running",
        eta_seconds: Optional[float] = None,
        extras: Optional[Json] = None,
    ) -> Plan[Message]:
        """Moves a PROGRESS on, in place. `state` is `running`, `done` or `failed`."""
        body = Progress(label, current, total, unit, state, eta_seconds)
        return (yield from self._update(message, {"message_metadata": envelope.build("PROGRESS", body, extras)}))

    @call
    def retract(self, message: str) -> Plan[Message]:
        """Takes a message back. It keeps its place. Taking it back again is no error."""
        return (yield from self._retract(message))

    # People

    @call
    def ask(self, question: str, **fields: Unpack[MessageFields]) -> Plan[Answer]:
        """Asks a question and waits for the answer, however long it takes, across restarts of the server.

        To wait for a while only, use `question`. With an `id` of your own, a program that starts again and asks again gets the
        answer that came in the meantime. Raises `WithdrawnError` once the question is taken back.
        """
        sent = yield from self._ask(question, {**fields})
        answer = yield from await_answer(self, sent)
        return Answer(answer.message, sent.queued_user_messages + answer.queued_user_messages)

    @call
    def ask_approval(self, approval: Union[Approval, Json], **fields: Unpack[TypedFields]) -> Plan[Decided]:
        """Asks for a permission, a choice, a plan's acceptance or a form's values, with buttons, and waits as `ask` does.

        The module `approval` makes the usual ones. With the `call_id` of a TOOL_CALL, its input is shown beside the buttons, and
        the decision holds for that input alone.
        """
        return (yield from self._ask_approval(approval, fields))

    @call
    def approve(self, what: str, **fields: Unpack[TypedFields]) -> Plan[Decided]:
        """Asks for the permission to do something, and waits as `ask` does: `if session.approve("Publish 1.4").allowed`."""
        return (yield from self._ask_approval(permission(what), fields))

    @call
    def pending(self, wait: float = 0.0) -> Plan[List[Message]]:
        """Returns what people wrote that wasn't given yet, oldest first.

        Waits for the first one, `wait` seconds at most; empty if none came. Raises `ForbiddenError` for a key without `read`.
        """
        until = time.monotonic() + wait
        # Returns what is there already, even if `wait` is 0.
        new = yield from self._take_new(0)
        while not new and (left := until - time.monotonic()) > 0:
            # The server waits for whole seconds.
            if left < 1:
                yield Pause(left)
            new = yield from self._take_new(min(int(left), _WAIT))
        return new

    # Runs

    def _begin_run(self, fields: Json, wait: Optional[int]) -> Plan[Optional[Dict[str, Any]]]:
        body = present({**fields, "wait": wait})
        answer: Dict[str, Any] = yield from self._core.call("POST", f"{self._path}/runs", body, timeout=LONG)
        if answer.get("run") is None:
            return None
        # The run gave it: the queue goes on behind.
        self._inbox.give_all([], int(answer.get("to") or 0))
        return answer

    def _next_run(self, fields: Json, wait: float) -> Plan[Optional[Dict[str, Any]]]:
        until = time.monotonic() + wait
        while True:
            left = max(until - time.monotonic(), 0.0)
            begun = yield from self._begin_run(fields, min(math.ceil(left), _WAIT))
            if begun is not None or time.monotonic() >= until:
                return begun

    def _end_run(self, run: str, fields: Json) -> Plan[None]:
        yield from self._core.call("POST", f"{self._path}/runs/{segment(run)}/end", present(fields))

    # Reading

    @call
    def messages(
        self,
        *,
        after: Optional[int] = None,
        before: Optional[int] = None,
        around: Optional[int] = None,
        from_seq: Optional[int] = None,
        to_seq: Optional[int] = None,
        since: Optional[str] = None,
        type: Union[str, Sequence[str], None] = None,
        role: Union[str, Sequence[str], None] = None,
        dev: Optional[bool] = None,
        limit: Optional[int] = None,
    ) -> Plan[MessagePage]:
        """Returns a page of its messages: the last ones, or those `after`, `before` or `around` a `seq`.

        Where they are long it has fewer than `limit`: go on `after` its `to_seq` until that is `last_seq`. With
        `dev`, also what the dev toggle hides.
        """
        place = {"around": around, "before": before, "after": after, "from": from_seq, "to": to_seq, "since": since}
        fields = {**place, "type": type, "role": role, "dev": dev, "limit": limit}
        answer = yield from self._core.call("GET", query(f"{self._path}/messages", fields))
        messages, hidden = messages_of(list_of(answer, "messages")), list_of(answer, "hidden")
        first, last, highest = (int(answer.get(name) or 0) for name in ("from", "to", "last_seq"))
        return MessagePage(messages, hidden, first, last, highest, str(answer.get("cursor") or ""))

    @call
    def message(self, id: Union[str, int]) -> Plan[Message]:
        """Returns one message, by its id or its `seq`. Raises `NotFoundError`."""
        return (yield from self._message(str(id)))

    @call
    def context(self, at: Union[str, int, None] = None) -> Plan[Dict[str, Any]]:
        """Returns what the model's context held when it wrote a message, or its last one.

        `at` is a message's id or `seq`. Of a message of a person, it is the first request that held it. Raises `NotFoundError`.
        """
        answer = yield from self._core.call("GET", query(f"{self._path}/context", {"at": at}))
        if not isinstance(answer, dict):
            raise unreadable("it is no object")
        return answer

    # What the calls are made of

    @property
    def _path(self) -> str:
        return f"/v1/sessions/{segment(self._id)}"

    def _message_path(self, message: str) -> str:
        return f"{self._path}/messages/{segment(message)}"

    def _detail(self) -> Plan[Dict[str, Any]]:
        answer = yield from self._core.call("GET", self._path)
        if not isinstance(answer, dict):
            raise unreadable("it is no object")
        return answer

    def _message(self, id: str, patience: Optional[float] = None) -> Plan[Message]:
        answer = yield from self._core.call("GET", self._message_path(id), patience=patience)
        return _entry(answer.get("entry") if isinstance(answer, dict) else None)

    def _post(self, fields: Mapping[str, Any]) -> Plan[Sent]:
        return self._sent((yield from self._core.call("POST", f"{self._path}/messages", _message(fields))))

    def _sent(self, posted: Any) -> Sent:
        queued = self._inbox.give(messages_of(list_of(posted, "queued_user_messages")))
        return Sent(_entry(posted), int(posted.get("pos") or 0), bool(posted.get("replayed")), queued)

    def _structured(self, message_type: str, payload: Any, fields: Mapping[str, Any]) -> Plan[Sent]:
        rest = {**fields}
        extras, version = rest.pop("extras", None), rest.pop("version", envelope.VERSION)
        metadata = envelope.build(message_type, payload, extras, version)
        return (yield from self._post({**rest, "message_metadata": metadata}))

    def _update(self, message: str, changes: Dict[str, Any]) -> Plan[Message]:
        changes = write(changes)
        if "append" in changes and changes.get("if_match") is None:
            changes["if_match"] = (yield from self._message(message)).revision
        sent_before = False

        def attempt() -> Plan[Message]:
            nonlocal sent_before
            was, sent_before = sent_before, True
            try:
                return _entry((yield from self._core.once("PATCH", self._message_path(message), changes)))
            except (ConflictError, ChangedError) as error:
                if was and error.current is not None and _done(changes, error.current):
                    return error.current
                raise

        return (yield from repeated(self._core.patience, attempt))

    def _retract(self, message: str) -> Plan[Message]:
        try:
            return _entry((yield from self._core.call("DELETE", self._message_path(message), {})))
        except ConflictError as error:
            if error.current is not None and error.current.status == "retracted":
                return error.current
            raise

    def _ask(self, question: str, fields: Mapping[str, Any]) -> Plan[Sent]:
        return self._post({"content": question, **fields, "requires_user_input": True})

    def _request_approval(self, approval: Any, fields: Mapping[str, Any]) -> Plan[Sent]:
        return self._structured("APPROVAL", approval, fields)

    def _ask_approval(self, approval: Any, fields: Mapping[str, Any]) -> Plan[Decided]:
        sent = yield from self._request_approval(approval, fields)
        decided = yield from await_decision(self, sent)
        decided.queued_user_messages = sent.queued_user_messages + decided.queued_user_messages
        return decided

    def _take(self, after: int, wait: int, limit: int, patience: Optional[float] = None) -> Plan[Dict[str, Any]]:
        """One request of the queue: everything after `after`, even if it was given before."""
        body = {"after": after, "wait": wait, "limit": limit}
        answer = yield from self._core.call("POST", f"{self._path}/pending", body, patience, LONG)
        if not isinstance(answer, dict):
            raise unreadable("it is no object")
        return answer

    def _take_new(self, wait: int) -> Plan[List[Message]]:
        after = self._inbox.after
        if after is None:
            info = read_as(SessionInfo, (yield from self._detail()).get("session"))
            after = self._inbox.begin(info.delivered_seq)
        taken = yield from self._take(after, wait, _LIMIT)
        return self._inbox.give_all(messages_of(list_of(taken, "messages")), int(taken.get("after") or after))


def _message(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the body of a post, with an id: what has one can be sent again."""
    fields = {**fields}
    extras = fields.pop("extras", None)
    if extras is not None:
        fields["message_metadata"] = envelope.with_extras(fields.get("message_metadata"), extras)
    message = {"id": new_id(), **write(present(fields))}
    if isinstance(message.get("created_at"), datetime):
        message["created_at"] = message["created_at"].astimezone().isoformat()
    return message


def _entry(answer: Any) -> Message:
    if not isinstance(answer, dict) or not isinstance(answer.get("id"), str):
        raise unreadable("it is no message")
    return Message(answer)


def _done(changes: Mapping[str, Any], now: Message) -> bool:
    """Returns whether the message was changed so by the request before, whose answer was lost."""
    if changes.get("if_match") not in (None, now.revision - 1):
        return False
    equal = all(changes[name] == getattr(now, name) for name in ("content", "status", "requires_user_input") if name in changes)
    metadata = "message_metadata" not in changes or _holds(changes["message_metadata"], now.message_metadata)
    return equal and metadata and now.content.endswith(changes.get("append", ""))


def _holds(sent: Any, stored: Any) -> bool:
    """Returns whether the stored metadata is the sent one. The server leaves out nulls and adds defaults."""
    if isinstance(sent, Mapping) and isinstance(stored, Mapping):
        return all(value is None or _holds(value, stored.get(key)) for key, value in sent.items())
    if isinstance(sent, (list, tuple)) and isinstance(stored, list):
        return len(sent) == len(stored) and all(_holds(*pair) for pair in zip(sent, stored))
    return bool(sent == stored)

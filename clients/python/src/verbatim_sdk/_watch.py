"""The event stream, which resumes itself."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Dict, List, Optional

from ._core import Core, problem_of, query, read_as
from ._plan import Opened, Pause, Plan, Read, Request, pauses
from .errors import BusyError, Error, UnreachableError, error_of, unreadable
from .message import Change, Event

_SILENCE = 45.0
"""Seconds without a byte after which a stream is dead: the server sends a comment every 15 seconds."""
_GONE = 410
"""The status of a cursor of another history."""
_BLANK_LINE = re.compile(r"\r\n\r\n|\n\n|\r\r")


class Events:
    """Splits the bytes of a stream into server-sent events: `{event, id, data, retry}`."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, chunk: bytes) -> List[Dict[str, str]]:
        """Returns the events that are complete with these bytes."""
        *blocks, self._rest = _BLANK_LINE.split(self._rest + self._decoder.decode(chunk))
        return [event for event in map(_event, blocks) if event]


def _event(block: str) -> Dict[str, str]:
    event: Dict[str, str] = {}
    for line in re.split(r"\r\n|\n|\r", block):
        name, _, value = line.partition(":")
        if not name:
            # A comment: a sign of life.
            continue
        value = value[1:] if value.startswith(" ") else value
        event[name] = f"{event[name]}\n{value}" if name == "data" and name in event else value
    return event


class Watcher:
    """Follows the changes of a session, or of all, across lost connections and restarts of the server."""

    def __init__(self, core: Core, session: Optional[str], after: Optional[str]) -> None:
        self._core, self._session = core, session
        # Everything up to here was given.
        self._cursor = after
        self.stream: Any = None
        """The open stream, if there is one."""
        self._events = Events()
        self._read: List[Dict[str, str]] = []
        # The server's wish: how long to wait before coming back. Besides our own, longer each time that nothing came.
        self._retry = 0.0
        self._pauses = pauses()
        self._over = False

    def next(self) -> Plan[Optional[Event]]:
        """Returns the next event; None once it is over. Raises an error that won't pass, and `cursor_gone` once."""
        while not self._over:
            if self.stream is None:
                try:
                    self.stream = yield from self._open()
                except Error as error:
                    self._over = not (error.status == _GONE and (yield from self._begin_again()))
                    raise
                self._events, self._read = Events(), []
            while not self._read:
                chunk = yield Read(self.stream)
                if chunk is None:
                    break
                self._read = self._events.feed(chunk)
            if not self._read:
                # Silence and the end of the stream are treated alike: connect again at the cursor.
                self.stream = None
                yield from self._pause(self._retry)
                continue
            event = self._read.pop(0)
            self._pauses = pauses()
            if event.get("retry", "").isdigit():
                self._retry = int(event["retry"]) / 1000
            if event.get("event") == "feed":
                try:
                    change = read_as(Change, json.loads(event.get("data", "")))
                except (ValueError, Error) as error:
                    self._over = True
                    raise error if isinstance(error, Error) else unreadable(str(error)) from None
                self._cursor = event.get("id", "")
                return Event(self._cursor, change)
        return None

    def _open(self) -> Plan[Any]:
        """Opens the stream where it was, and tries for as long as that may help."""
        while True:
            try:
                return (yield from self._try_open())
            except (BusyError, UnreachableError) as error:
                asked = error.retry_after or 0
            yield from self._pause(asked)

    def _try_open(self) -> Plan[Any]:
        if self._cursor is None:
            # From now on, even if the connection breaks before the first event.
            self._cursor = yield from self._core.cursor(self._session)
        path = query("/v1/events", {"after": self._cursor, "session": self._session})
        outcome = yield from self._core.exchange(Request("GET", path, {}, None, _SILENCE, stream=True))
        if isinstance(outcome, Opened):
            return outcome.stream
        raise error_of(problem_of(outcome))

    def _pause(self, asked: float) -> Plan[None]:
        yield Pause(asked + next(self._pauses))

    def _begin_again(self) -> Plan[bool]:
        """Takes now as the place to go on from, before whoever listens reads again: nothing lies between the two."""
        try:
            self._cursor = yield from self._core.cursor(self._session)
        except Error:
            return False
        return True

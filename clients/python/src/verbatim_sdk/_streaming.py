"""A text that grows while it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from ._plan import Plan, call
from .errors import ChangedError
from .message import Message, Sent

if TYPE_CHECKING:
    from ._session import SessionCalls


class StreamingCalls:
    """The calls of a text that grows.

    Its text is what was appended, whatever gets lost on the way: each piece is sent with the revision that it is meant for, and
    what the server lacks is sent with the next piece.
    """

    _session: SessionCalls
    sent: Sent
    """The message as it was when it began, and what people wrote before it."""
    _text: str
    """All that was appended."""
    _stored: int
    """How much of it the server has."""
    _revision: int

    def _begin(self, session: SessionCalls, sent: Sent) -> None:
        self._session, self.sent = session, sent
        self._text, self._stored, self._revision = sent.message.content, len(sent.message.content), sent.message.revision

    @property
    def id(self) -> str:
        """Id of the message that grows."""
        return self.sent.id

    @call
    def append(self, text: str) -> Plan[None]:
        """Adds to the text. Raises `ChangedError` if somebody else changed the message or took it back.

        After any other error the text is kept, and sent with the next piece.
        """
        self._text += text
        yield from self._send(None)

    @call
    def finish(self) -> Plan[Message]:
        """Sends what is left and sets the status `final`."""
        return (yield from self._send("final"))

    @call
    def fail(self) -> Plan[Message]:
        """Breaks the text off: what is there stays, with the status `error`."""
        return (yield from self._send("error"))

    def _send(self, status: Optional[str]) -> Plan[Message]:
        while True:
            changes: Dict[str, Any] = {"if_match": self._revision}
            if self._stored < len(self._text):
                changes["append"] = self._text[self._stored :]
            if status is not None:
                changes["status"] = status
            try:
                message = yield from self._session._update(self.id, changes)
            except ChangedError as error:
                # An earlier piece arrived, and its answer was lost.
                current = error.current
                if current is None or current.revision <= self._revision or not self._text.startswith(current.content):
                    raise
                message = current
            self._stored, self._revision = len(message.content), message.revision
            if self._stored == len(self._text) and status in (None, message.status):
                return message

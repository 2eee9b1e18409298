"""Asking people, and waiting for what they say."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, List, Optional, Tuple

from . import envelope
from ._core import list_of
from ._inbox import messages_of
from ._plan import ENDLESS, Plan, call
from .errors import ConflictError, WithdrawnError
from .message import Answer, Decided, Message, Sent
from .payloads import Decision

if TYPE_CHECKING:
    from ._session import SessionCalls

_WAIT = 25
"""Seconds of one request that waits; then it is seen whether the question still stands."""


class _Queue:
    """What people write after a message, one by one. What comes after the one that is waited for stays in the queue."""

    def __init__(self, session: SessionCalls, sent: Sent) -> None:
        self.session = session
        self.after = sent.message.seq
        self.others: List[Message] = []

    def next(self, wait: int) -> Plan[Optional[Message]]:
        """Returns the next message; None if none came within these seconds."""
        taken = yield from self.session._take(self.after, wait, 1, ENDLESS)
        for message in messages_of(list_of(taken, "messages")):
            self.after = message.seq
            return message
        return None

    def give(self, it: Optional[Message]) -> List[Message]:
        """Marks all that was read as given. Only now: who gives up waiting before reads it again.

        Returns those beside `it` that were given to nobody yet.
        """
        inbox = self.session._inbox
        inbox.give([] if it is None else [it])
        return inbox.give(self.others)


def await_answer(session: SessionCalls, sent: Sent) -> Plan[Answer]:
    """Waits for the answer to a question."""
    queue = _Queue(session, sent)
    # The first request doesn't wait: the answer may be there already.
    stands, wait = True, 0
    while True:
        message = yield from queue.next(wait)
        if message is not None and message.answers(sent.id):
            return Answer(message, queue.give(message))
        if message is not None:
            queue.others.append(message)
        elif stands:
            question = yield from session._message(sent.id, ENDLESS)
            stands = question.status != "retracted" and question.requires_user_input
            wait = _WAIT if stands else 0
        else:
            # An answer may have come before it was taken back: it was looked for once more.
            raise WithdrawnError


def await_decision(session: SessionCalls, sent: Sent) -> Plan[Decided]:
    """Waits for the decision on an APPROVAL."""
    queue = _Queue(session, sent)
    told: Optional[Message] = None
    while told is None:
        message = yield from queue.next(_WAIT)
        if message is None:
            # Nobody pressed a button, but it may be over: expired, taken back, decided elsewhere.
            if (yield from _outcome(session, sent)) is not None:
                break
        elif _decides(message, sent.id):
            told = message
        else:
            queue.others.append(message)
    # The approval has the state and the ids; the ACTION has the labels.
    state, decision = (yield from _outcome(session, sent)) or ("open", None)
    while told is None and decision is not None:
        # It was decided between two requests: its ACTION is in the queue by now.
        message = yield from queue.next(0)
        if message is None:
            break
        if _decides(message, sent.id):
            told = message
        else:
            queue.others.append(message)
    return Decided(state, decision, None if told is None else told.action, queue.give(told))


def _decides(message: Message, approval: str) -> bool:
    return message.action is not None and message.action.approval_id == approval


def _outcome(session: SessionCalls, sent: Sent) -> Plan[Optional[Tuple[str, Optional[Decision]]]]:
    """Returns state and decision, unless it is open."""
    approval = (yield from session._message(sent.id, ENDLESS)).approval
    if approval is None:
        return ("superseded", None)
    return None if approval.state == "open" else (approval.state, approval.decision)


class QuestionCalls:
    """The calls of a question that was posted."""

    _session: SessionCalls
    sent: Sent
    """The question as it was stored, and what people wrote before it."""

    @property
    def id(self) -> str:
        """Message id of the question."""
        return self.sent.id

    @call
    def answer(self) -> Plan[Answer]:
        """Waits for the answer, however long it takes, or until the question is taken back.

        A server that can't be reached is asked again without end. Giving up loses nothing: call it again. Raises `WithdrawnError`
        once the question is taken back.
        """
        return (yield from await_answer(self._session, self.sent))

    @call
    def withdraw(self) -> Plan[None]:
        """Takes the question back: the session no longer waits for its answer."""
        yield from self._session._retract(self.id)


class ApprovalCalls:
    """The calls of an APPROVAL that was posted."""

    _session: SessionCalls
    sent: Sent
    """The APPROVAL as it was stored, and what people wrote before it."""

    @property
    def id(self) -> str:
        """Message id of the APPROVAL."""
        return self.sent.id

    @call
    def decision(self) -> Plan[Decided]:
        """Waits for the decision, however long it takes: also until it expires, is taken back or is decided elsewhere.

        A server that can't be reached is asked again without end. Giving up loses nothing: call it again.
        """
        return (yield from await_decision(self._session, self.sent))

    @call
    def withdraw(self) -> Plan[None]:
        """Takes the request back: it becomes `cancelled`. One that is decided stays so, which is no error."""
        message = yield from self._session._message(self.id)
        if message.approval is None or message.approval.state != "open":
            return
        cancelled = dataclasses.replace(message.approval, state="cancelled")
        of_envelope = ("message_type", "version", "payload")
        extras = {key: value for key, value in (message.message_metadata or {}).items() if key not in of_envelope}
        metadata = envelope.build("APPROVAL", cancelled, extras)
        try:
            yield from self._session._update(self.id, {"message_metadata": metadata})
        except ConflictError as error:
            # Somebody was quicker.
            if error.code != "decided":
                raise

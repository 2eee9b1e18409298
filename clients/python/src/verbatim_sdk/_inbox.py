"""What people wrote, given once, although it may come twice: with the answer to a post, and by waiting."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Optional, Set

from .message import Message


class Inbox:
    """Which messages of people were given to the agent."""

    def __init__(self, seq: Optional[int]) -> None:
        self._lock = threading.Lock()
        self._from = seq
        # Everything between the two was given, the second included.
        self._to = seq
        # What was given beyond.
        self._given: Set[int] = set()

    @property
    def after(self) -> Optional[int]:
        """What to ask for: all messages after this `seq`. Asking so, a lost answer loses no message."""
        return self._to

    def begin(self, seq: int) -> int:
        """Says where to begin, unless that is known. Returns what is known."""
        with self._lock:
            if self._from is None or self._to is None:
                self._from = self._to = seq
            return self._to

    def _has(self, seq: int) -> bool:
        covered = self._from is not None and self._to is not None and self._from < seq <= self._to
        return covered or seq in self._given

    def give(self, messages: List[Message]) -> List[Message]:
        """Returns those that weren't given before."""
        with self._lock:
            new = [message for message in messages if not self._has(message.seq)]
            self._given.update(message.seq for message in new)
            return new

    def give_all(self, messages: List[Message], last: int) -> List[Message]:
        """Does the same with an answer that holds everything from `after` to `last`."""
        new = self.give(messages)
        with self._lock:
            if self._from is not None and self._to is not None:
                self._to = max(self._to, last)
                self._given = {seq for seq in self._given if not self._from < seq <= self._to}
        return new


def messages_of(items: List[Dict[str, Any]]) -> List[Message]:
    """Returns messages of an answer."""
    return [Message(item) for item in items]

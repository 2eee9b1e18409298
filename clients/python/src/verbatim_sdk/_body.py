"""What the generated dataclasses of `payloads` are made with, and what stands in for a payload that none of them fits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional


def other_fields() -> Any:
    """Returns the field for what a dataclass doesn't know."""
    return field(default_factory=dict, repr=False)


@dataclass
class Unknown:
    """A type that isn't built in."""

    message_type: str
    payload: Dict[str, Any]


@dataclass
class Invalid:
    """A payload that doesn't fit its type, unchanged."""

    message_type: str
    payload: Dict[str, Any]
    problem: str
    """Which field doesn't fit, and what it should be."""


class Ticked:
    """The methods of a to-do list."""

    todos: List[Any]

    def ticked(self) -> str:
        """Returns a tick as a model should read it, one line for each item: `Ticked: item`, `Unticked: item`."""
        return "\n".join(f"{'Ticked' if item.status == 'completed' else 'Unticked'}: {item.content}" for item in self.todos)


class Answered:
    """The methods of a person's answer."""

    selected: List[str]
    values: Optional[Dict[str, Any]]
    text: Optional[str]

    def answer(self) -> str:
        """Returns what was chosen, filled in and typed, as one line."""
        parts = list(self.selected)
        for name, value in (self.values or {}).items():
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            parts.append(f"{name}: {said}")
        return ", ".join(parts if self.text is None else [*parts, self.text])

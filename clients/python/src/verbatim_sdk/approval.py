"""Approvals that are ready to be asked."""

from __future__ import annotations

from typing import Iterable, List

from .payloads import Approval, ApprovalQuestion, Choice, Field


def permission(what: str) -> Approval:
    """Returns a permission for `what` with three options: allow once, always allow, deny."""
    return _with_options(
        "permission",
        what,
        [
            Choice("allow_once", "Allow once", kind="allow_once"),
            Choice("allow_always", "Always allow", kind="allow_always"),
            Choice("reject_once", "Deny", kind="reject_once"),
        ],
    )


def choose(question: str, labels: Iterable[str]) -> Approval:
    """Returns a question with one option for each label. Its answer is one of the labels."""
    return _with_options("question", question, [Choice(str(n), label) for n, label in enumerate(labels, 1)])


def plan(title: str, body: str) -> Approval:
    """Returns a plan to accept or reject. `body` is the plan, in markdown."""
    options = [Choice("accept", "Accept", kind="allow_once"), Choice("reject", "Reject", kind="reject_once")]
    approval = _with_options("plan", title, options)
    approval.body = body
    return approval


def form(title: str, fields: Iterable[Field]) -> Approval:
    """Returns a form. A person sends a value for each field, or a text."""
    return Approval("form", title, fields=list(fields))


def _with_options(kind: str, title: str, options: List[Choice]) -> Approval:
    return Approval(kind, title, questions=[ApprovalQuestion(title, options=options)])

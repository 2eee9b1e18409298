"""What a typed program writes. Not run: `test_package` has it checked by mypy."""

from __future__ import annotations

from typing import List, Optional

from typing_extensions import assert_type

from verbatim_sdk import (
    Action,
    Answer,
    AsyncSession,
    AsyncVerbatim,
    Decided,
    Event,
    Message,
    Sent,
    Session,
    TodoItem,
    Verbatim,
    approval,
)


def blocking() -> None:
    with Verbatim("http://127.0.0.1:7117", "vbt_1_x") as verbatim:
        session = verbatim.create_session("bot", title="Typed")
        assert_type(session, Session)
        assert_type(session.send_message("Hello", id="m1", call_id="c1"), Sent)
        assert_type(session.send_todo([TodoItem("1", "Build")], extras={"todo_info": {}}), Sent)
        assert_type(session.pending(5), List[Message])
        assert_type(session.ask("Go on?").message.action, Optional[Action])
        assert_type(session.approve("Publish").allowed, bool)
        for event in session.watch():
            assert_type(event, Event)
        session.send_message(5)  # type: ignore[arg-type]
        session.send_message("Hello", ide="m1")  # type: ignore[call-arg]
        session.update("m1", append=5)  # type: ignore[arg-type]


async def asynchronous() -> None:
    async with AsyncVerbatim("http://127.0.0.1:7117", "vbt_1_x") as verbatim:
        session = await verbatim.create_session("bot", title="Typed")
        assert_type(session, AsyncSession)
        assert_type(await session.send_message("Hello", id="m1"), Sent)
        assert_type(await session.ask("Go on?"), Answer)
        assert_type(await session.ask_approval(approval.permission("Publish")), Decided)
        async with await session.stream_message() as text:
            await text.append("Hello")
        async for event in session.watch():
            assert_type(event, Event)
        await session.send_message("Hello", ide="m1")  # type: ignore[call-arg]

"""Asking people and hearing what they write, against a real server."""

import asyncio
import threading

import pytest

from verbatim_sdk import AsyncVerbatim, Field, Verbatim, WithdrawnError, approval


def test_what_people_write_comes_once(session, owner):
    assert session.pending() == []
    owner.write(session.id, "With the answer")
    assert [message.text for message in session.send_message("Working").queued_user_messages] == ["With the answer"]
    owner.write(session.id, "By waiting")
    (message,) = session.pending(20)
    assert (message.text, message.role, message.message_type) == ("By waiting", "user", "TEXT")
    assert session.pending() == [] and session.send_message("Done").queued_user_messages == []


def test_what_people_said_is_recalled(verbatim, session, owner):
    owner.write(session.id, "The harbour gate opens at seven")
    page = verbatim.recall("when does the gate open", {"session": session.id})
    (memory,) = page["memories"]
    assert (memory["text"], memory["session_id"], memory["found_by"]) == (
        "The harbour gate opens at seven",
        session.id,
        ["words"],
    )
    assert [memory["text"] for memory in verbatim.recall()["memories"]][0] == "The harbour gate opens at seven"


def test_waiting_ends_with_its_time(session):
    assert session.pending(0.05) == []


def test_waiting_ends_with_the_first_message(session, owner, meanwhile):
    meanwhile(lambda: owner.write(session.id, "Here"))
    assert [message.text for message in session.pending(30)] == ["Here"]


def test_an_agent_that_knows_what_it_has_read(verbatim, session, owner):
    seqs = [owner.write(session.id, text)["seq"] for text in ("One", "Two", "Three")]
    again = verbatim.session(session.id, after=seqs[0])
    assert [message.text for message in again.pending()] == ["Two", "Three"]


def test_a_question_is_answered_in_words(session, owner, meanwhile):
    owner.write(session.id, "Before")
    meanwhile(lambda: owner.asked(session.id) and owner.write(session.id, "1.4, please"))
    answer = session.ask("Which version?")
    assert answer.text == "1.4, please"
    assert [message.text for message in answer.queued_user_messages] == ["Before"]
    assert session.pending() == [] and session.info().state == "working"


def test_a_program_that_starts_again_gets_the_answer(session, verbatim, owner):
    session.question("Which version?", id="version")
    owner.write(session.id, "1.4")
    assert verbatim.session(session.id).ask("Which version?", id="version").text == "1.4"


def test_a_question_in_two_steps(session, owner):
    question = session.question("Go on?")
    other = session.send_message("By the way").id
    owner.write(session.id, "About that", reply_to=other)
    owner.write(session.id, "Yes", reply_to=question.id)
    answer = question.answer()
    assert (answer.text, [message.text for message in answer.queued_user_messages]) == ("Yes", ["About that"])


def test_a_wait_that_is_cancelled_loses_nothing(server, owner):
    async def run():
        async with AsyncVerbatim(server.url, server.key) as verbatim:
            session = await verbatim.create_session("asker")
            question = await session.question("Go on?")
            waiting = asyncio.ensure_future(question.answer())
            await session.heartbeat()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            owner.write(session.id, "Yes")
            return await question.answer()

    assert asyncio.run(run()).text == "Yes"


def test_several_wait_at_the_same_time(server, owner):
    async def run():
        async with AsyncVerbatim(server.url, server.key) as verbatim:
            sessions = [await verbatim.create_session("asker") for _ in range(20)]
            asked = [asyncio.ensure_future(session.ask("Go on?", id="q")) for session in sessions]
            for number, session in enumerate(sessions):
                await asyncio.to_thread(owner.asked, session.id)
                await asyncio.to_thread(owner.write, session.id, f"Yes {number}")
            return [answer.text for answer in await asyncio.gather(*asked)]

    assert asyncio.run(run()) == [f"Yes {number}" for number in range(20)]


def test_threads_share_a_client(server, owner, meanwhile):
    with Verbatim(server.url, server.key) as verbatim:
        session = verbatim.create_session("threads")
        for number in range(50):
            owner.write(session.id, f"{number}")
        heard = []

        def work():
            for _ in range(5):
                heard.extend(session.send_message("Working").queued_user_messages + session.pending())

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(int(message.text) for message in heard) == list(range(50))
        assert session.info().last_seq == 90


def test_a_question_is_taken_back(session):
    question = session.question("Go on?")
    question.withdraw()
    with pytest.raises(WithdrawnError):
        question.answer()


def test_a_permission(session, owner, meanwhile):
    meanwhile(lambda: owner.decide(session.id, owner.asked(session.id, "APPROVAL"), selected=["allow_once"]))
    decided = session.approve("Publish 1.4")
    assert (decided.allowed, decided.state, decided.text) == (True, "allowed_once", "Allow once")
    assert (decided.decision.selected, decided.decision.via, decided.action.selected) == (["allow_once"], "web", ["Allow once"])


def test_a_denial(session, owner, meanwhile):
    meanwhile(lambda: owner.decide(session.id, owner.asked(session.id, "APPROVAL"), selected=["reject_once"]))
    decided = session.ask_approval(approval.permission("Delete `build/`"))
    assert (decided.allowed, decided.state, decided.text) == (False, "denied", "Deny")


def test_a_choice_and_a_form(session, owner, meanwhile):
    choice = session.request_approval(approval.choose("When?", ["Tonight", "Tomorrow"]))
    owner.write(session.id, "Wait a moment", reply_to=session.send_message("Hm").id)
    owner.decide(session.id, choice.id, selected=["2"])
    decided = choice.decision()
    assert (decided.state, decided.text) == ("answered", "Tomorrow")
    assert [message.text for message in decided.queued_user_messages] == ["Wait a moment"]
    form = session.request_approval(approval.form("Deploy", [Field("name", "Name", required=True), Field("n", "N", "number")]))
    owner.decide(session.id, form.id, values={"name": "Ada", "n": 3})
    decided = form.decision()
    assert (decided.state, decided.action.values) == ("answered", {"name": "Ada", "n": 3})


def test_a_request_is_taken_back(session):
    request = session.request_approval(approval.permission("Publish"), extras={"kept": 1})
    request.withdraw()
    message = session.message(request.id)
    assert (message.approval.state, message.approval.decision, message.message_metadata["kept"]) == ("cancelled", None, 1)
    request.withdraw()
    assert session.message(request.id).revision == message.revision


def test_a_decided_request_stays(session, owner):
    request = session.request_approval(approval.permission("Publish"))
    owner.decide(session.id, request.id, selected=["allow_always"])
    request.withdraw()
    assert request.decision().state == "allowed_always"


def test_a_box_that_is_ticked(session, owner):
    session.send_todo([{"id": "1", "content": "Build", "status": "pending"}])
    owner.call("POST", f"/v1/sessions/{session.id}/ticks", {"id": "1", "status": "completed"})
    (tick,) = session.pending()
    assert (tick.text, tick.todo.todos[0].id) == ("Ticked: Build", "1")


def test_a_button_of_a_file(session, owner):
    action = {"id": "keep", "label": "Keep"}
    item = {"name": "a.txt", "mime": "text/plain", "size": 1, "state": "ready", "actions": [action]}
    sent = session.send_file([item])
    owner.decide(session.id, sent.id, selected=["0:keep"])
    (press,) = session.pending()
    assert (press.action.reply_to, press.action.selected, press.text) == (sent.id, ["Keep"], "Keep")


def test_changes_are_watched(verbatim, session):
    session.send_message("Before")
    cursor = session.messages().cursor
    session.send_message("One", id="m1")
    with session.watch(cursor) as watch:
        first = next(watch)
        assert (first.change.session, first.change.from_seq, first.change.to_seq) == (session.id, 2, 2)
        session.update("m1", content="Two")
        second = next(watch)
        assert (second.change.kind, second.change.from_seq, second.change.revision) == ("message", 2, 2)
        assert (second.change.counts.last_seq, second.change.counts.messages) == (2, 2)
    with session.watch(first.cursor) as again:
        assert next(again).cursor == second.cursor
    changed = session.messages(from_seq=second.change.from_seq, to_seq=second.change.to_seq)
    assert [message.content for message in changed.messages] == ["Two"]

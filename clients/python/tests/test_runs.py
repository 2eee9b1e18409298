"""Runs, against a real server."""

import pytest

from verbatim_sdk import ConflictError, InvalidError


def test_a_run_gives_what_people_wrote_once(session, owner):
    owner.write(session.id, "Fix the lexer")
    run = session.begin_run()
    assert [(message["role"], message["content"]) for message in run.prompt] == [("user", "Fix the lexer")]
    owner.write(session.id, "and the parser")
    again = session.begin_run()
    assert (again.id, again.prompt, again.resumed) == (run.id, run.prompt, True)
    assert session.send_message("Done").queued_user_messages == []
    run.end(usage={"input": 10, "output": 2, "cache_read": 0, "cache_write": 0})
    run.end()
    with pytest.raises(ConflictError):
        run.end("interrupted")
    assert session.begin_run(format="text").prompt == "and the parser"
    assert session.pending() == []


def test_waiting_for_a_run(session, owner, meanwhile):
    assert session.next_run(0) is None
    meanwhile(lambda: owner.write(session.id, "Go"))
    run = session.next_run(30, format="openai")
    assert run.prompt == [{"role": "user", "content": "Go"}]
    assert run.system is None and run.system_notices == []


def test_a_harness_gives_notices_of_its_own(session):
    run = session.begin_run(system_notices=["Git: 2 files aren't committed", "Deployed 1.2"])
    assert run.system_notices == ["Git: 2 files aren't committed", "Deployed 1.2"]
    assert run.system == "Git: 2 files aren't committed\n\nDeployed 1.2"
    run.end()
    assert session.begin_run().system is None


def test_bad_fields_are_named(session):
    with pytest.raises(InvalidError) as refused:
        session.next_run(0, system_notices=["x", " "])
    assert refused.value.field == "/system_notices/1"
    with pytest.raises(InvalidError) as refused:
        session.begin_run(format="yaml")
    assert refused.value.field == "/format"

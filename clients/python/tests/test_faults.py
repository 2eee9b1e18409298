"""Lost answers, restarts of the server, refusals: what a call does when something goes wrong."""

import threading

import httpx
import pytest
from both import connect
from conftest import Owner, Server
from relay import AFTER_THE_ANSWER, BEFORE_THE_ANSWER, RESET, Relay

from verbatim_sdk import (
    BusyError,
    EnvelopeError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    ServerError,
    SetupError,
    UnauthorizedError,
    UnreachableError,
    Verbatim,
)


@pytest.fixture
def own_server():
    """A server that the test may stop."""
    server = Server()
    yield server
    server.close()


def through(server, kind, how, meanwhile=lambda: None):
    """A client on whose way one answer gets lost, from the next request on."""
    relay = Relay(server, how, 0, meanwhile)
    return relay, connect(kind, relay.url, server.key)


@pytest.mark.parametrize("how", [AFTER_THE_ANSWER, BEFORE_THE_ANSWER, RESET])
def test_a_lost_answer_doubles_nothing(server, owner, kind, how):
    relay, verbatim = through(server, kind, how)
    with verbatim:
        session = verbatim.create_session("lossy")

        def lossy(call, *arguments, **named):
            relay.left, before = 1, relay.requests
            result = getattr(session, call)(*arguments, **named)
            assert relay.requests > before + 1, "it was repeated"
            return result

        owner.write(session.id, "Before")
        sent = lossy("send_message", "Once")
        assert (sent.message.content, [message.text for message in sent.queued_user_messages]) == ("Once", ["Before"])
        lossy("send_messages", ["Two", "Three"])
        lossy("send_todo", [{"id": "1", "content": "Build", "status": "pending"}])
        assert lossy("update", sent.id, content="Changed").revision == 2
        assert lossy("update", sent.id, append=" more").content == "Changed more"
        call = lossy("send_tool_call", "Bash", {"command": "make"})
        assert lossy("update_tool_call", call.id, "Bash", {"command": "make"}, output="ok").tool_call.output == "ok"
        assert lossy("retract", sent.id).status == "retracted"
        text = lossy("stream_message")
        for piece in ("One ", "two "):
            relay.left = 1
            text.append(piece)
        relay.left = 1
        message = text.finish()
        assert (message.content, message.status) == ("One two ", "final")
        owner.write(session.id, "After")
        assert [message.text for message in lossy("pending")] == ["After"]
        lossy("heartbeat")
        lossy("end")
        contents = [message.content for message in session.messages(limit=500).messages]
        assert contents == ["Before", "Changed more", "Two", "Three", "- [ ] Build", contents[5], "One two ", "After"]
    relay.close()


def test_a_session_is_made_once(server, kind):
    relay, verbatim = through(server, kind, BEFORE_THE_ANSWER)
    with verbatim:
        relay.left = 1
        session = verbatim.create_session(f"once-{kind}")
        session.send_message("Here")
        assert verbatim.sessions(agent=f"once-{kind}").total == 1
    relay.close()


def test_the_server_restarts_between_the_write_and_the_answer(own_server, kind):
    def crash():
        own_server.kill()
        own_server.start()

    relay, verbatim = through(own_server, kind, AFTER_THE_ANSWER, crash)
    with verbatim:
        session = verbatim.create_session("crash")
        relay.left = 1
        session.send_message("Kept")
        assert [message.content for message in session.messages().messages] == ["Kept"]
    relay.close()


def test_the_server_restarts_while_changes_are_watched(own_server, kind):
    with connect(kind, own_server.url, own_server.key) as verbatim:
        session = verbatim.create_session("watcher")
        with session.watch(session.messages().cursor) as watch:
            session.send_message("One")
            seen = [next(watch).change]
            own_server.kill()
            own_server.start()
            session.send_message("Two")
            session.send_message("Three")
            while seen[-1].to_seq < 3:
                seen.append(next(watch).change)
        assert [change.from_seq for change in seen if change.kind != "session"] == [1, 2, 3]


def test_the_server_restarts_while_a_question_is_open(own_server, kind):
    with connect(kind, own_server.url, own_server.key) as verbatim:
        session = verbatim.create_session("asker")

        def answer():
            Owner(own_server).asked(session.id)
            own_server.kill()
            own_server.start()
            Owner(own_server).write(session.id, "Yes")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        assert session.ask("Go on?").text == "Yes"
        thread.join()


def test_nobody_answers(kind):
    with connect(kind, "http://127.0.0.1:9", "vbt_1_x", patience=0) as verbatim:
        with pytest.raises(UnreachableError) as refused:
            verbatim.me()
    assert (refused.value.status, refused.value.code) == (0, "transport")
    assert refused.value.title.startswith("http://127.0.0.1:9 can't be reached: ")


def test_a_key_that_is_replaced(server, kind):
    new = server.local("POST", "/v1/keys", {"name": "New"})["key"]
    with connect(kind, server.url, "vbt_1_old", newer_key=lambda: new) as verbatim:
        assert verbatim.me().name == "New"
    with connect(kind, server.url, "vbt_1_old", newer_key=lambda: None) as verbatim, pytest.raises(UnauthorizedError):
        verbatim.me()


def test_a_key_that_is_revoked_ends_the_watch(server, kind):
    made = server.local("POST", "/v1/keys", {"name": "Short"})
    with connect(kind, server.url, made["key"]) as verbatim:
        session = verbatim.create_session("short")
        with session.watch(session.messages().cursor) as watch:
            session.send_message("One")
            next(watch)
            server.local("DELETE", f"/v1/keys/{made['id']}")
            with pytest.raises(UnauthorizedError):
                while True:
                    next(watch)
            assert list(watch) == []


def test_a_cursor_of_another_history(session):
    with session.watch("1.ffffff") as watch:
        with pytest.raises(InvalidError) as refused:
            next(watch)
        assert (refused.value.status, refused.value.code) == (410, "cursor_gone")
        session.send_message("After")
        assert next(watch).change.to_seq == 1


WRONG = [
    ("TODO", {"todos": [{"id": "1", "content": "a", "status": "done"}]}, "/payload/todos/0/status"),
    ("TODO", {"todos": []}, "/payload/todos"),
    ("CODE_EDIT", {"edits": [{"file_path": "a", "line": 1}]}, "/payload/edits/0/line"),
    ("CODE_EDIT", {"edits": "a"}, "/payload/edits"),
    ("TOOL_CALL", {"input": {}}, "/payload/tool_name"),
    ("TOOL_CALL", {"tool_name": "x", "input": [1]}, "/payload/input"),
    ("APPROVAL", {"kind": "poll", "title": "x", "state": "open"}, "/payload/kind"),
    ("APPROVAL", {"kind": "form", "title": "x", "state": "open", "fields": [{"id": "a"}]}, "/payload/fields/0/label"),
    ("FILE", {"files": [{"name": "a", "mime": "b", "size": "c", "state": "ready"}]}, "/payload/files/0/size"),
    ("ERROR", {"message": "x"}, "/payload/error_type"),
]


@pytest.mark.parametrize(("message_type", "payload", "pointer"), WRONG)
def test_a_wrong_payload_names_its_field(session, message_type, payload, pointer):
    with pytest.raises(InvalidError) as refused:
        session.send_structured_message(message_type, payload)
    error = refused.value
    assert (error.status, error.code, error.pointer, error.field) == (
        400,
        "payload_invalid",
        pointer,
        f"/message_metadata{pointer}",
    )
    assert error.expected and str(error).startswith(f"`/message_metadata{pointer}` ")
    assert session.info().last_seq == 0


def test_parts_that_make_no_envelope_are_not_sent(session):
    for arguments, pointer in [
        ({"message_type": "", "payload": {}}, "/message_type"),
        ({"message_type": "X", "payload": [1]}, "/payload"),
        ({"message_type": "X", "payload": {}, "version": 0}, "/version"),
        ({"message_type": "X", "payload": {}, "version": True}, "/version"),
        ({"message_type": "X", "payload": {}, "extras": {"payload": 1}}, "/payload"),
    ]:
        with pytest.raises(EnvelopeError) as refused:
            session.send_structured_message(**arguments)
        assert refused.value.pointer == pointer and isinstance(refused.value, InvalidError)
    assert session.info().last_seq == 0


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800", object()])
def test_what_is_no_json_is_not_sent(session, value):
    with pytest.raises(InvalidError) as refused:
        session.send_structured_message("X", {"value": value})
    assert (refused.value.status, refused.value.code) == (0, "unwritable")
    assert session.info().last_seq == 0


def test_what_a_key_may_not_do(server, kind, session):
    key = server.local("POST", "/v1/keys", {"name": "Writes", "scopes": ["post"]})["key"]
    with connect(kind, server.url, key) as verbatim:
        own = verbatim.create_session("writer")
        own.send_message("One")
        for call in (own.pending, own.info, own.messages, verbatim.sessions):
            with pytest.raises(ForbiddenError):
                call()
        with pytest.raises(NotFoundError):
            verbatim.session(session.id).send_message("Foreign")
    with pytest.raises(NotFoundError):
        session.message("nothing")


def test_what_is_no_address_and_no_key(monkeypatch):
    for name in ("VERBATIM_URL", "VERBATIM_KEY"):
        monkeypatch.delenv(name, raising=False)
        with pytest.raises(SetupError, match=f"`{name}` isn't set in the environment"):
            Verbatim.from_env()
        monkeypatch.setenv(name, "http://127.0.0.1:7117/#c=code" if name == "VERBATIM_URL" else " vbt_1_x\n")
    with Verbatim() as verbatim:
        assert verbatim.url == "http://127.0.0.1:7117"
    for url in ("", "127.0.0.1:7117", "ftp://host", "http://", "http://host:port"):
        with pytest.raises(SetupError, match="is no server's address"):
            Verbatim(url, "vbt_1_x")
    for key in ("", "  ", "vbt\n1", "vbt_ä"):
        with pytest.raises(SetupError, match="The key is missing"):
            Verbatim("http://127.0.0.1:7117", key)


def test_another_server(kind):
    def other(status, **answer):
        transport = httpx.MockTransport(lambda _: httpx.Response(status, **answer))
        return connect(kind, "http://127.0.0.1:7117", "vbt_1_x", transport=transport, patience=0)

    for answer in ({"text": "<html>"}, {"json": []}, {"json": {"kind": 1}}):
        with other(200, **answer) as verbatim, pytest.raises(ServerError) as refused:
            verbatim.me()
        assert (refused.value.status, refused.value.code) == (0, "unreadable")
    with other(503, text="down", headers={"Retry-After": "7"}) as verbatim, pytest.raises(BusyError) as refused:
        verbatim.me()
    assert (refused.value.code, refused.value.retry_after) == ("bad_answer", 7)

"""Every call that posts, changes and reads, against a real server."""

from datetime import datetime, timezone

import pytest

from verbatim_sdk import (
    ChangedError,
    ConflictError,
    Edit,
    EnvelopeError,
    FileItem,
    Frame,
    InvalidError,
    ReviewComment,
    Series,
    TodoItem,
    Unknown,
    approval,
    envelope,
)
from verbatim_sdk.payloads import Todo


def test_who_we_are(verbatim):
    me = verbatim.me()
    assert (me.kind, me.name, me.workspace) == ("agent", "Acceptance bot", "default")


def test_a_session_from_its_beginning_to_its_end(verbatim):
    session = verbatim.create_session("test-bot", title="First", cwd="/srv/lantern", branch="main", model="opus", version="1.2")
    info = session.info()
    assert (info.id, info.agent, info.title, info.cwd, info.branch) == (session.id, "test-bot", "First", "/srv/lantern", "main")
    assert (info.model, info.version, info.state) == ("opus", "1.2", "working")
    assert session.edit(title="Second", branch="next").title == "Second"
    session.heartbeat()
    session.send_message("Done")
    session.end()
    info = session.info()
    assert (info.state, info.branch, info.last_seq) == ("done", "next", 1)
    failed = verbatim.create_session("test-bot")
    failed.end("failed")
    assert failed.info().state == "failed"


def test_a_program_that_starts_again_goes_on_with_its_session(verbatim, kind):
    first = verbatim.create_session("test-bot", agent_session_id=f"run-{kind}")
    first.send_message("Before")
    again = verbatim.create_session("test-bot", agent_session_id=f"run-{kind}")
    again.send_message("After")
    assert again.id == first.id
    assert [message.content for message in verbatim.session(f"run-{kind}").messages().messages] == ["Before", "After"]


def test_sessions_are_listed_page_by_page(verbatim, kind):
    ids = []
    for number in range(3):
        session = verbatim.create_session(f"lister-{kind}")
        session.send_message(f"Number {number}")
        ids.insert(0, session.id)
    first = verbatim.sessions(agent=[f"lister-{kind}"], limit=2)
    second = verbatim.sessions(agent=f"lister-{kind}", limit=2, after=first.next)
    assert (first.total, [info.id for info in first.sessions + second.sessions], second.next) == (3, ids, None)


def test_a_text_arrives_as_it_is(session):
    text = "Grüße, 日本 \U0001f980\n\ttab \u0000 \u202e end  "
    sent = session.send_message(text, id="m1", sender="ci", sender_name="CI", call_id="c1", run_id="r1")
    message = session.message("m1")
    assert (message.content, message.text, sent.id, sent.message.seq) == (text, text, "m1", 1)
    assert (message.sender, message.sender_name, message.call_id, message.run_id) == ("ci", "CI", "c1", "r1")
    assert (message.role, message.status, message.message_type, message.body.other) == ("assistant", "final", "TEXT", {})
    assert session.message(1) == message
    assert session.send_text("Plain").message.content == "Plain"


def test_the_same_id_is_stored_once(session):
    first = session.send_message("Once", id="once")
    again = session.send_message("Once", id="once")
    assert (first.replayed, again.replayed, again.message.seq) == (False, True, first.message.seq)
    with pytest.raises(ConflictError) as refused:
        session.send_message("Twice", id="once")
    assert (refused.value.code, refused.value.field) == ("id_conflict", "/id")


def test_several_messages_all_or_none(session):
    sent = session.send_messages(["One", {"id": "two", "content": "Two"}])
    assert [(one.message.seq, one.message.content) for one in sent] == [(1, "One"), (2, "Two")]
    with pytest.raises(InvalidError):
        session.send_messages(["Three", {"message_metadata": {"message_type": "TODO", "payload": {}}}])
    assert session.info().last_seq == 2


def test_a_wrapper_for_each_type(session):
    edit = session.send_code_edit([Edit("a.py", "a\n", "b\n", "python"), {"file_path": "new.py", "new_content": "x\n"}]).message
    assert [one.file_path for one in edit.code_edit.edits] == ["a.py", "new.py"]
    todo = session.send_todo([TodoItem("1", "Build", "completed"), {"id": "2", "content": "Test", "status": "pending"}]).message
    assert [item.status for item in todo.todo.todos] == ["completed", "pending"]
    call = session.send_tool_call("Bash", {"command": "make", "timeout": None}, other={"background": True}).message
    assert (call.tool_call.tool_name, call.tool_call.input) == ("Bash", {"command": "make", "timeout": None})
    assert (call.tool_call.output, call.tool_call.other) == (None, {"background": True})
    item = FileItem("a.txt", "text/plain", 3, state="error", error="too large")
    assert session.send_file([item]).message.file.files == [item]
    error = session.send_error("IndexError", "out of range", frames=[Frame("a.py", 3, "main")], retryable=True).message
    assert (error.error.error_type, error.error.frames[0].line, error.error.retryable) == ("IndexError", 3, True)
    chart = session.send_chart("line", "Latency", [Series("p50", [[1, 2.5], [2, 3]])], x="day", unit="ms").message
    assert (chart.chart.chart, chart.chart.series, chart.chart.unit) == ("line", [Series("p50", [[1, 2.5], [2, 3]])], "ms")
    comment = ReviewComment("Reads past the end", "new", 3, 4, "major", "i < n")
    review = session.send_code_review("a.py", [comment], summary="One bug").message
    assert (review.code_review.file_path, review.code_review.comments) == ("a.py", [comment])
    progress = session.send_progress("Tests", 3, 12, unit="tests").message
    assert (progress.progress.current, progress.progress.total, progress.progress.state) == (3, 12, "running")
    asked = session.request_approval(approval.plan("Publish", "1. Tag"), id="plan")
    assert (asked.id, asked.sent.message.approval.kind, asked.sent.message.approval.body) == ("plan", "plan", "1. Tag")
    types = "CODE_EDIT TODO TOOL_CALL FILE ERROR CHART CODE_REVIEW PROGRESS APPROVAL".split()
    assert [message.message_type for message in session.messages(limit=500, dev=True).messages] == types


def test_a_chart_with_values_on_its_axis(session):
    chart = session.send_chart("bar", "Latency", [Series("p50", [1, None])], x=["Mon", 2.5]).message.chart
    assert (chart.x, chart.series) == (["Mon", 2.5], [Series("p50", [1, None])])


def test_a_type_of_ones_own(session):
    payload = {"title": "Staging", "steps": [1, None], "dropped": None}
    sent = session.send_structured_message(
        "acme.deploy/plan", payload, extras={"webhook_url": "https://example.org"}, version=2, call_id="c1", content="Plan"
    )
    message = sent.message
    assert message.body == Unknown("acme.deploy/plan", {"title": "Staging", "steps": [1, None]})
    assert (message.version, message.content, message.call_id) == (2, "Plan", "c1")
    assert message.message_metadata["webhook_url"] == "https://example.org"
    assert (message.todo, message.action) == (None, None)


def test_any_message_has_extras(session):
    page = {"webhook_url": "https://example.org"}
    text = session.send_text("Done", extras=page).message
    assert (text.content, text.message_type, text.message_metadata["webhook_url"]) == ("Done", "TEXT", "https://example.org")
    todo = {"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": "Build", "status": "pending"}]}}
    both = session.send_message("List", message_metadata=todo, extras={"trace": "t-1"}).message
    assert (both.message_type, both.message_metadata["trace"], both.todo.todos[0].content) == ("TODO", "t-1", "Build")
    with pytest.raises(EnvelopeError) as refused:
        session.send_message("No", extras={"payload": {}})
    assert (refused.value.code, refused.value.pointer) == ("extra_reserved", "/payload")


def test_a_call_that_failed(session):
    call = session.send_tool_call("Bash", {"command": "make"}, call_id="c1")
    failed = session.update_tool_call(call.id, "Bash", {"command": "make"}, output="cc: none", error="make ended with 2")
    assert (failed.tool_call.error, failed.tool_call.output, failed.revision) == ("make ended with 2", "cc: none", 2)


def test_an_envelope_by_hand(session):
    todo = Todo([TodoItem("1", "Build")])
    at = datetime(2026, 11, 25, 22, 31, tzinfo=timezone.utc)
    message = session.send_message(message_metadata={"message_type": "TODO", "payload": todo}, created_at=at).message
    assert (message.todo, message.created_at) == (todo, at)
    todo.todos[0].status = "completed"
    assert session.update(message.id, message_metadata=envelope.build("TODO", todo)).todo == todo


def test_a_payload_that_does_not_fit_its_type_is_refused(session):
    with pytest.raises(InvalidError) as refused:
        session.send_chart("bar", "Latency", [Series("p50", [1])], x=["Mon", "Tue"])
    assert refused.value.pointer == "/payload/series/0/points"
    with pytest.raises(InvalidError) as refused:
        session.send_progress("Tests", -1)
    assert refused.value.pointer == "/payload/current"


def test_an_update_and_who_was_quicker(session):
    session.send_message("One", id="m1")
    assert session.update("m1", content="Two").revision == 2
    with pytest.raises(ChangedError) as refused:
        session.update("m1", content="Three", if_match=1)
    assert (refused.value.current.content, refused.value.current.revision) == ("Two", 2)
    session.update("m1", message_metadata={"exit_code": 0})
    assert session.update("m1", message_metadata=None).message_metadata is None
    with pytest.raises(ConflictError):
        session.update("m1", status="streaming")


def test_the_result_of_a_tool_call(session):
    sent = session.send_tool_call("Bash", {"command": "make"}, call_id="c1")
    call = session.update_tool_call(sent.id, "Bash", {"command": "make"}, output="ok\n", other={"exit_code": 0}).tool_call
    assert (call.output, call.error, call.other) == ("ok\n", None, {"exit_code": 0})


def test_progress_moves_on_in_place(session):
    sent = session.send_progress("Tests", 0, 12)
    for current in (4, 8):
        session.update_progress(sent.id, "Tests", current, 12)
    done = session.update_progress(sent.id, "Tests", 12, 12, state="done")
    assert (done.revision, done.progress.current, done.progress.state, session.info().last_seq) == (4, 12, "done", 1)


def test_a_message_is_taken_back_once(session):
    session.send_message("Never mind", id="m1")
    assert session.retract("m1").status == "retracted"
    assert session.retract("m1").status == "retracted"


def test_a_text_that_grows(session):
    text = session.stream_message(call_id="c1")
    for piece in ("The ", "loop ", "reads\u00a0too far: ", "日本"):
        text.append(piece)
    assert session.message(text.id).status == "streaming"
    message = text.finish()
    assert (message.content, message.status, message.call_id) == ("The loop reads\u00a0too far: 日本", "final", "c1")
    with session.stream_message() as text:
        text.append("Hello")
    assert (session.message(text.id).content, session.message(text.id).status) == ("Hello", "final")
    with pytest.raises(ZeroDivisionError), session.stream_message() as text:
        text.append("Half")
        raise ZeroDivisionError
    assert (session.message(text.id).content, session.message(text.id).status) == ("Half", "error")


def test_somebody_takes_back_a_text_that_grows(session):
    text = session.stream_message()
    text.append("Half")
    session.update(text.id, status="error")
    session.retract(text.id)
    with pytest.raises((ChangedError, ConflictError)):
        text.append(" more")


def test_pages_of_messages(session):
    session.send_messages([f"Message {number}" for number in range(1, 8)])
    page = session.messages(after=2, limit=3)
    assert [message.seq for message in page.messages] == [3, 4, 5]
    assert (page.from_seq, page.to_seq, page.last_seq, page.hidden) == (3, 5, 7, [])
    assert [message.seq for message in session.messages(from_seq=6, to_seq=7).messages] == [6, 7]
    session.send_todo([TodoItem("1", "Build")])
    assert [message.seq for message in session.messages(type="TODO").messages] == [8]
    assert [message.seq for message in session.messages(role=["user", "tool"]).messages] == []


def test_files(verbatim, session):
    blob = verbatim.upload(b"\x00binary\xff", "image/png")
    assert (blob.mime, blob.size, verbatim.upload(b"\x00binary\xff", "image/png").blob) == ("image/png", 8, blob.blob)
    session.send_file([FileItem("a.png", blob.mime, blob.size, blob.blob)])
    assert verbatim.read_blob(blob.blob) == verbatim.read_blob(blob.blob[len("sha256:") :]) == b"\x00binary\xff"

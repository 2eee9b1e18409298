"""The published SDK against the server: every call of both clients, and what happens when answers get lost.

    VERBATIM_PROGRAM=target/debug/verbatim python end2end/omnara/check.py

needs `omnara`, `requests`, `aiohttp` and `certifi`; `cargo xtask test` makes an environment that has them, and runs it with
each version of `sdk.txt`.
"""

import base64
import importlib.metadata
import json
import threading
import unittest
import uuid

import requests
from clients import Asynchronous, Blocking
from omnara.sdk.exceptions import APIError, AuthenticationError, TimeoutError as SdkTimeoutError
from relay import AFTER_THE_ANSWER, BEFORE_THE_ANSWER, RESET, Relay
from server import Server

VERSION = tuple(int(part) for part in importlib.metadata.version("omnara").split("."))
# The first version repeats nothing that makes a message.
REPEATS_POSTS = VERSION > (1, 3, 16)
REGISTERS = VERSION >= (1, 6, 21)

DIFF = """diff --git a/mill.py b/mill.py
index 0a1b2c3..1b2c3d4 100644
--- a/mill.py
+++ b/mill.py
@@ -1 +1 @@
-grind()
+grind(twice=True)
"""


def setUpModule():
    global server
    server = Server()


def tearDownModule():
    server.close()


class Background:
    """A call that waits, while the test goes on."""

    def __init__(self, call):
        self.result, self.error = None, None
        self.thread = threading.Thread(target=self.run, args=(call,))
        self.thread.start()

    def run(self, call):
        try:
            self.result = call()
        except Exception as error:
            self.error = error

    def end(self):
        self.thread.join(60)
        if self.error:
            raise self.error
        return self.result


class Tools:
    """What the tests of each client share."""

    def setUp(self):
        self.client = self.Client(server.key, server.url)
        self.addCleanup(self.client.close)

    def instance(self, **options):
        sent = self.client.send_message("Good morning", agent_type="Acceptance Bot", **options)
        return sent.agent_instance_id, sent.message_id

    def refused(self, call, *args, **options):
        with self.assertRaises(APIError) as seen:
            call(*args, **options)
        return seen.exception.status_code, seen.exception.detail

    def until(self, instance, state):
        while server.state(instance) != state:
            pass

    def lossy(self, how, times, meanwhile=None):
        relay = Relay(server, how, times, meanwhile)
        client = self.Client(server.key, relay.url)
        self.addCleanup(relay.close)
        self.addCleanup(client.close)
        return relay, client


class Calls:
    """Every call that all versions have, by the client of the subclass."""

    def test_a_message_arrives_as_it_is(self):
        text = "Grüße, 日本 \U0001f980\n\ttab \u0000 \u202e end  "
        sent = self.client.send_message(text, agent_type="Acceptance Bot", send_push=True, send_email=False, send_sms=False)
        self.assertIs(sent.success, True)
        self.assertEqual(sent.queued_user_messages, [])
        (stored,) = server.messages(sent.agent_instance_id)
        self.assertEqual((stored["content"], stored["id"], stored["role"]), (text, sent.message_id, "assistant"))
        session = server.local("GET", f"/v1/sessions/{sent.agent_instance_id}")["session"]
        self.assertEqual((session["agent"], session["state"]), ("acceptance bot", "working"))

    def test_a_new_instance_needs_its_type(self):
        unknown = str(uuid.uuid4())
        refused = self.refused(self.client.send_message, "Who am I?", agent_instance_id=unknown)
        self.assertEqual(refused, (400, "agent_type is required when creating new instance"))

    def test_upper_case_ids_are_kept_as_they_were_sent(self):
        loud = str(uuid.uuid4()).upper()
        sent = self.client.send_message("Loud", agent_type="bot", agent_instance_id=loud)
        self.assertEqual(sent.agent_instance_id, loud)
        server.person(loud, "Hush")
        pending = self.client.get_pending_messages(loud, sent.message_id.upper())
        self.assertEqual((pending.agent_instance_id, pending.status), (loud, "ok"))
        self.assertEqual([message.content for message in pending.messages], ["Hush"])
        self.assertEqual(self.client.end_session(loud).agent_instance_id, loud)

    def test_queued_messages_come_once_and_in_order(self):
        instance, _ = self.instance()
        for text in ["one", "two", "three"]:
            server.person(instance, text)
        told = self.client.send_message("Listening", agent_instance_id=instance)
        self.assertEqual(told.queued_user_messages, ["one", "two", "three"])
        self.assertEqual(self.client.send_message("Again", agent_instance_id=instance).queued_user_messages, [])
        self.assertEqual(self.client.get_pending_messages(instance).messages, [])

    def test_a_question_waits_for_its_answer(self):
        instance, _ = self.instance()
        server.person(instance, "said before")
        ask = dict(agent_instance_id=instance, requires_user_input=True, poll_interval=0.05)
        asking = Background(lambda: self.client.send_message("Shall I?", **ask))
        self.until(instance, "needs_you")
        server.person(instance, "Yes")
        self.assertEqual(asking.end().queued_user_messages, ["Yes"])
        self.assertNotEqual(server.state(instance), "needs_you")

    def test_pending_messages(self):
        instance, first = self.instance()
        self.assertEqual(self.client.get_pending_messages(instance, first).messages, [])
        answer = server.person(instance, "Hello")
        pending = self.client.get_pending_messages(instance, first)
        (message,) = pending.messages
        self.assertEqual(pending.status, "ok")
        self.assertEqual(
            (message.id, message.content, message.sender_type, message.requires_user_input),
            (answer, "Hello", "USER", False),
        )
        self.assertRegex(message.created_at, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$")
        overtaken = self.client.get_pending_messages(instance, first)
        self.assertEqual((overtaken.status, overtaken.messages), ("stale", []))
        unknown = self.client.get_pending_messages(instance, str(uuid.uuid4()))
        self.assertEqual((unknown.status, unknown.messages), ("stale", []))
        self.assertEqual(self.client.get_pending_messages(instance, answer).status, "ok")
        server.person(instance, "Still there?")
        self.assertEqual([m.content for m in self.client.get_pending_messages(instance).messages], ["Still there?"])
        self.assertEqual(self.refused(self.client.get_pending_messages, instance, "nonsense")[0], 400)
        self.assertIn(self.refused(self.client.get_pending_messages, uuid.uuid4())[0], (400, 404))

    def test_one_of_two_waiting_agents_gets_the_answer(self):
        instance, first = self.instance()
        other = Blocking(server.key, server.url)
        self.addCleanup(other.close)
        server.person(instance, "For one of you")
        self.assertEqual(len(other.get_pending_messages(instance, first).messages), 1)
        with self.assertRaises(SdkTimeoutError):
            self.client.request_user_input(first, poll_interval=0.05)

    def test_what_a_person_typed_beside_the_agent(self):
        instance, first = self.instance()
        told = self.client.send_user_message(instance, "typed and read")
        self.assertEqual((told["success"], told["marked_as_read"]), (True, True))
        self.assertEqual(self.client.get_pending_messages(instance, first).status, "stale")
        self.assertEqual(self.client.get_pending_messages(instance, told["message_id"]).status, "ok")
        told = self.client.send_user_message(instance, "typed for later", mark_as_read=False)
        self.assertIs(told["marked_as_read"], False)
        server.person(instance, "from the page")
        self.client.send_user_message(instance, "typed and read too", mark_as_read=True)
        sent = self.client.send_message("And?", agent_instance_id=instance)
        self.assertEqual(sent.queued_user_messages, ["typed for later", "from the page"])
        roles = [message["role"] for message in server.messages(instance)]
        self.assertEqual(roles, ["assistant", "user", "user", "user", "user", "assistant"])
        refused = self.refused(self.client.send_user_message, uuid.uuid4(), "Anybody?")
        self.assertEqual(refused, (400, "Agent instance not found"))

    def test_a_message_becomes_a_question(self):
        instance, first = self.instance()
        asking = Background(lambda: self.client.request_user_input(first, poll_interval=0.05))
        self.until(instance, "needs_you")
        server.person(instance, "An answer")
        self.assertEqual(asking.end(), ["An answer"])
        refused = self.refused(self.client.request_user_input, first)
        self.assertEqual(refused, (400, "Message already requires user input"))
        second = self.client.send_message("Second", agent_instance_id=instance).message_id
        waiting = server.person(instance, "Was here before")
        self.assertEqual(self.client.request_user_input(second), ["Was here before"])
        for other in [waiting, str(uuid.uuid4())]:
            refused = self.refused(self.client.request_user_input, other)
            self.assertEqual(refused, (404, "Agent message not found or access denied"))

    def test_ending(self):
        instance, _ = self.instance()
        for _ in range(2):
            ended = self.client.end_session(instance)
            self.assertEqual((ended.success, ended.final_status), (True, "COMPLETED"))
        self.assertEqual(server.state(instance), "done")
        self.client.send_message("One more thing", agent_instance_id=instance)
        self.assertEqual(server.state(instance), "done")
        self.client.send_user_message(instance, "Go on", mark_as_read=False)
        self.assertNotEqual(server.state(instance), "done")
        self.assertEqual(self.refused(self.client.end_session, uuid.uuid4())[0], 400)

    def test_wrong_keys(self):
        stranger = self.Client("vbt_ag_0000000000_nothing_00000000", server.url)
        self.addCleanup(stranger.close)
        with self.assertRaises(AuthenticationError):
            stranger.send_message("Let me in", agent_type="bot")
        instance, _ = self.instance()
        other = self.Client(server.local("POST", "/v1/keys", {"name": "Other"})["key"], server.url)
        self.addCleanup(other.close)
        refused = self.refused(other.send_message, "Mine?", agent_type="Acceptance Bot", agent_instance_id=instance)
        self.assertEqual(refused, (400, "Access denied. Agent instance does not belong to authenticated user."))
        if REGISTERS:
            refused = self.refused(other.register_agent_instance, agent_type="bot", agent_instance_id=instance)
            self.assertEqual(refused[0], 403)

    def test_the_diff_of_a_session(self):
        instance, first = self.instance(git_diff=DIFF)
        diff, greeting = server.messages(instance)
        self.assertEqual(greeting["id"], first)
        self.assertEqual(diff["content"], "Changes in 1 file: +1 \u22121")
        self.assertEqual(diff["metadata"]["edit_info"][0]["patch"], DIFF.strip())
        self.assertEqual(self.client.get_pending_messages(instance, first).status, "ok")
        self.client.send_message("Nothing new", agent_instance_id=instance, git_diff=DIFF)
        self.assertEqual(server.messages(instance)[0]["revision"], 1)
        self.client.send_message("More", agent_instance_id=instance, git_diff=DIFF.replace("mill", "barn"))
        self.client.send_message("No diff at all", agent_instance_id=instance, git_diff="not a diff")
        self.assertEqual(server.messages(instance)[0]["metadata"]["payload"], {"edits": [{"file_path": "barn.py"}]})
        self.client.send_message("Clean", agent_instance_id=instance, git_diff="")
        contents = ["No changes", "Good morning", "Nothing new", "More", "No diff at all", "Clean"]
        self.assertEqual(server.contents(instance), contents)
        self.assertIsNone(server.messages(instance)[0].get("metadata"), "nothing of the diff is left")
        self.client.send_message("At it again", agent_instance_id=instance, git_diff=DIFF)
        self.assertEqual(server.messages(instance)[0]["metadata"]["payload"], {"edits": [{"file_path": "mill.py"}]})

    def test_long_names(self):
        long = self.client.send_message("Hello", agent_type="b" * 255)
        self.assertEqual(server.state(long.agent_instance_id), "working")
        refused = self.refused(self.client.send_message, "Hello", agent_type="b" * 256)
        self.assertEqual(refused, (400, "`agent_type` should be the name of the agent, 1 to 255 characters"))
        name = {"agent_type": "bot", "name": "n" * 2001}
        status, _, text = server.raw("POST", "/api/v1/agent-instances", json.dumps(name))
        self.assertEqual((status, json.loads(text)["detail"]), (400, "`name` should be at most 2000 characters"))

    def test_large_messages(self):
        text = "x" * (15 << 20)
        sent = self.client.send_message(text, agent_type="bot", git_diff=DIFF + "+y\n" * (1 << 20))
        (diff, stored) = server.messages(sent.agent_instance_id)
        self.assertTrue(stored["content"] == text)
        self.assertLess(len(diff["metadata"]["edit_info"][0]["patch"]), (1 << 20) + 1)
        status, words = self.refused(self.client.send_message, "x" * (20 << 20), agent_type="bot")
        self.assertEqual((status, words.split("should be ")[1]), (413, "a text of at most 16777216 bytes"))

    def test_equal_messages_of_a_living_client_are_two(self):
        instance, _ = self.instance()
        first, second = [self.client.send_message("Still working", agent_instance_id=instance).message_id for _ in range(2)]
        self.assertNotEqual(first, second)
        self.assertEqual(server.contents(instance), ["Good morning", "Still working", "Still working"])

    def test_equal_messages_of_eight_clients_are_eight(self):
        instance, _ = self.instance()
        ready = threading.Barrier(8)

        def say(wait):
            client = self.Client(server.key, server.url)
            wait()
            sent = client.send_message("All done", agent_instance_id=instance)
            client.close()
            return sent.message_id

        together = [Background(lambda: say(ready.wait)) for _ in range(8)]
        ids = {one.end() for one in together} | {say(lambda: None) for _ in range(8)}
        self.assertEqual(len(ids), 16)
        self.assertEqual(server.contents(instance).count("All done"), 16)

    def test_what_waits_survives_a_lost_answer(self):
        instance, first = self.instance()
        _, client = self.lossy(BEFORE_THE_ANSWER, 1)
        server.person(instance, "For you alone")
        pending = client.get_pending_messages(instance, first)
        self.assertEqual((pending.status, [m.content for m in pending.messages]), ("ok", ["For you alone"]))


class Repeating:
    """What makes a message, and comes again since its answer was lost."""

    def test_a_client_that_was_gone_before_the_answer_doubles_nothing(self):
        instance, _ = self.instance()
        server.person(instance, "Wait")
        relay, client = self.lossy(BEFORE_THE_ANSWER, 1)
        sent = client.send_message("Once", agent_instance_id=instance, git_diff=DIFF)
        self.assertEqual(relay.requests, 2)
        self.assertEqual(sent.queued_user_messages, ["Wait"])
        contents = [text for text in server.contents(instance) if not text.startswith("Changes")]
        self.assertEqual(contents, ["Good morning", "Wait", "Once"])
        self.assertEqual(server.messages(instance)[-1]["id"], sent.message_id)

    def test_an_answer_that_may_have_been_read_counts_as_read(self):
        for how in [AFTER_THE_ANSWER, RESET]:
            with self.subTest(how):
                instance, _ = self.instance()
                relay, client = self.lossy(how, 1)
                sent = client.send_message("Again", agent_instance_id=instance)
                self.assertEqual(relay.requests, 2)
                self.assertEqual(server.contents(instance), ["Good morning", "Again", "Again"])
                self.assertEqual(server.messages(instance)[-1]["id"], sent.message_id)

    def test_a_first_message_whose_answer_is_lost(self):
        _, client = self.lossy(BEFORE_THE_ANSWER, 1)
        sent = client.send_message("Hello", agent_type="bot")
        self.assertEqual(server.contents(sent.agent_instance_id), ["Hello"])

    def test_every_call_survives_a_lost_answer(self):
        instance, _ = self.instance()
        _, client = self.lossy(BEFORE_THE_ANSWER, 1)
        told = client.send_user_message(instance, "typed", mark_as_read=False)
        self.assertEqual(server.contents(instance), ["Good morning", "typed"])
        self.assertEqual(server.messages(instance)[-1]["id"], told["message_id"])
        second = self.client.send_message("So?", agent_instance_id=instance).message_id
        server.person(instance, "So what")
        _, client = self.lossy(BEFORE_THE_ANSWER, 1)
        self.assertEqual(client.request_user_input(second), ["So what"])
        _, client = self.lossy(BEFORE_THE_ANSWER, 1)
        self.assertEqual(client.end_session(instance).final_status, "COMPLETED")

    def test_a_crash_between_the_write_and_the_answer(self):
        instance, _ = self.instance()

        def crash():
            server.kill()
            server.start()

        relay, client = self.lossy(AFTER_THE_ANSWER, 1, crash)
        sent = client.send_message("Kept", agent_instance_id=instance)
        self.assertEqual(relay.requests, 2)
        self.assertEqual(server.contents(instance), ["Good morning", "Kept", "Kept"])
        self.assertEqual(server.messages(instance)[-1]["id"], sent.message_id)


class Registering:
    """What came with instances that are registered."""

    def test_registering(self):
        made = self.client.register_agent_instance(agent_type="Terminal Bot", name="Night shift")
        self.assertEqual(
            (made.agent_type_name, made.status, made.name, made.instance_metadata),
            ("terminal bot", "ACTIVE", "Night shift", {"transport": "ws"}),
        )
        chosen = str(uuid.uuid4())
        first = self.client.register_agent_instance(agent_type="bot", agent_instance_id=chosen)
        self.assertEqual(first.agent_instance_id, chosen)
        again = self.client.register_agent_instance(agent_type="bot", agent_instance_id=chosen)
        self.assertEqual((again.agent_instance_id, again.agent_type_name), (chosen, "bot"))
        sent = self.client.send_message("Here", agent_instance_id=chosen)
        self.assertEqual(sent.agent_instance_id, chosen)

    def test_a_state_that_is_said(self):
        instance, _ = self.instance()
        status = self.client.update_agent_instance_status(instance, "COMPLETED")
        self.assertEqual((status["id"], status["status"]), (instance, "COMPLETED"))
        refused = self.refused(self.client.update_agent_instance_status, instance, "PAUSED")
        self.assertEqual(refused, (400, "Status update not supported"))
        self.assertEqual(self.refused(self.client.update_agent_instance_status, uuid.uuid4(), "COMPLETED")[0], 404)

    def test_registering_survives_a_lost_answer(self):
        _, client = self.lossy(BEFORE_THE_ANSWER, 1)
        registered = client.register_agent_instance(agent_type="once only " + self.Client.__name__)
        found = server.local("GET", f"/v1/sessions?agent=once%20only%20{self.Client.__name__.lower()}")["sessions"]
        self.assertEqual([session["id"] for session in found], [registered.agent_instance_id])


ABILITIES = [Tools, Calls, *[Repeating] * REPEATS_POSTS, *[Registering] * REGISTERS]


class BlockingClient(*ABILITIES, unittest.TestCase):
    Client = Blocking


class AsynchronousClient(*ABILITIES, unittest.TestCase):
    Client = Asynchronous

    def test_equal_messages_at_the_same_time_are_two(self):
        instance, _ = self.instance()
        send = self.client.client.send_message
        sent = self.client.together(*[send("Both", agent_instance_id=instance) for _ in range(5)])
        self.assertEqual(len({message.message_id for message in sent}), 5)
        self.assertEqual(server.contents(instance).count("Both"), 5)


class ByHand(unittest.TestCase):
    """What the SDK's classes don't send, as wrappers and integrations do."""

    def setUp(self):
        self.client = Blocking(server.key, server.url)
        self.addCleanup(self.client.close)
        self.instance = self.client.send_message("Good morning", agent_type="bot").agent_instance_id

    def post(self, **fields):
        url = server.url + "/api/v1/messages/agent"
        return self.client.session.post(url, json={"agent_instance_id": self.instance, "content": "x", **fields})

    def test_metadata(self):
        edits = {"message_type": "CODE_EDIT", "payload": {"edits": [{"file_path": "a.py", "new_content": "b"}]}, "extra": 1}
        kept = [None, {}, {"webhook_url": "https://example.org"}, edits, {"message_type": "GAUGE", "payload": {"at": [1, None]}}]
        for metadata in kept:
            with self.subTest(metadata):
                self.assertEqual(self.post(message_metadata=metadata).status_code, 200)
                stored = server.messages(self.instance)[-1]["metadata"]
                expected = {**metadata, "version": 1} if metadata and "message_type" in metadata else metadata
                self.assertEqual(stored, expected)
                shown = self.client.session.get(f"{server.url}/api/v1/agent-instances/{self.instance}/messages").json()[-1]
                self.assertEqual(shown["message_metadata"], expected)
                self.assertEqual(shown["message_type"], (expected or {}).get("message_type"))
        server.person(self.instance, "Waits through it all")
        count = len(server.messages(self.instance))
        broken = [
            {"message_type": "CODE_EDIT", "payload": {"not_edits": []}},
            {"message_type": "TODO", "payload": {"todos": []}},
            {"message_type": ""},
            {"message_type": None},
            {"message_type": 3},
            {"message_type": "GAUGE", "payload": []},
            {"message_type": "GAUGE", "version": 0},
        ]
        for metadata in broken:
            with self.subTest(metadata):
                answer = self.post(message_metadata=metadata)
                self.assertEqual((answer.status_code, answer.json()), (400, {"detail": "Invalid message metadata"}))
        self.assertEqual(self.post(message_metadata="text").status_code, 422)
        self.assertEqual(len(server.messages(self.instance)), count)
        queued = self.post().json()["queued_user_messages"]
        self.assertEqual([message["content"] for message in queued], ["Waits through it all"])

    def test_beside_the_sdk(self):
        get, post = self.client.session.get, self.client.session.post
        beat = post(f"{server.url}/api/v1/agents/instances/{self.instance}/heartbeat")
        self.assertEqual((beat.status_code, sorted(beat.json())), (200, ["agent_instance_id", "last_heartbeat_at"]))
        self.assertEqual(post(f"{server.url}/api/v1/agents/instances/{uuid.uuid4()}/heartbeat").status_code, 404)
        verified = get(f"{server.url}/api/v1/auth/verify").json()
        self.assertEqual((verified["success"], verified["display_name"]), (True, "Acceptance bot"))
        for text in ["one", "two", "three"]:
            self.client.send_message(text, agent_instance_id=self.instance)
        path = f"{server.url}/api/v1/agent-instances/{self.instance}/messages"
        page = get(path, params={"limit": 2}).json()
        self.assertEqual([message["content"] for message in page], ["two", "three"])
        before = get(path, params={"limit": 2, "before_message_id": page[0]["id"]}).json()
        self.assertEqual([message["content"] for message in before], ["Good morning", "one"])
        shown = get(f"{server.url}/api/v1/agent-instances/{self.instance}").json()
        self.assertEqual((shown["status"], shown["latest_message"], len(shown["messages"])), ("ACTIVE", "three", 4))
        self.assertEqual(get(f"{server.url}/health").json(), {"status": "healthy", "server": "unified"})

    def test_a_plain_diff(self):
        for sent in [DIFF, base64.b64encode(DIFF.encode()).decode()]:
            self.assertEqual(self.post(git_diff=sent).status_code, 200)
        shown = self.client.session.get(f"{server.url}/api/v1/agent-instances/{self.instance}").json()
        self.assertEqual(shown["git_diff"], DIFF.strip())

    def test_equal_requests_of_other_programs_are_two(self):
        url, body = server.url + "/api/v1/messages/agent", {"agent_instance_id": self.instance, "content": "Same"}
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        ids = {requests.post(url, json=body, headers=headers).json()["message_id"] for _ in range(3)}
        self.assertEqual(len(ids), 3)

    def test_equal_requests_on_connections_of_their_own_are_two(self):
        body = json.dumps({"agent_instance_id": self.instance, "content": "Same"})
        ids = {json.loads(server.raw("POST", "/api/v1/messages/agent", body)[2])["message_id"] for _ in range(3)}
        self.assertEqual(len(ids), 3)


if __name__ == "__main__":
    run = unittest.main(exit=False).result
    failed = len(run.failures) + len(run.errors)
    print(f"{failed} failed\n{run.testsRun - failed} passed")
    raise SystemExit(1 if failed else 0)

#!/usr/bin/env python3
"""A session shown and answered in a Matrix room, against a real homeserver (Synapse) on this machine.

    python3 -m venv /tmp/synapse && /tmp/synapse/bin/pip install matrix-synapse
    SYNAPSE=/tmp/synapse/bin/python VERBATIM_PROGRAM=target/debug/verbatim python3 end2end/channels/matrix.py

`SYNAPSE` is a Python that has Synapse. Nothing leaves this machine. Needs Python 3.9 and a Unix.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("VERBATIM_PROGRAM", ROOT / "target/debug/verbatim")).resolve()
SYNAPSE = os.environ.get("SYNAPSE", sys.executable)
PATIENCE = 60


def until(what, look):
    """Waits until `look` returns something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"this never came: {what}")


def call(url, method="GET", body=None, token=None):
    """Status and JSON of an answer."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, {"text": text.decode(errors="replace")}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Homeserver:
    def __init__(self, place):
        self.place, self.port = place, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        place.mkdir()
        config = {
            "server_name": "mill.test",
            "pid_file": str(place / "pid"),
            "listeners": [{"port": self.port, "type": "http", "bind_addresses": ["127.0.0.1"], "x_forwarded": False,
                           "resources": [{"names": ["client"]}]}],
            "database": {"name": "sqlite3", "args": {"database": str(place / "synapse.db")}},
            "media_store_path": str(place / "media"),
            "signing_key_path": str(place / "signing.key"),
            "registration_shared_secret": "made up",
            "macaroon_secret_key": "made up",
            "form_secret": "made up",
            "enable_registration": True,
            "enable_registration_without_verification": True,
            "report_stats": False,
            "trusted_key_servers": [],
            "rc_registration": {"per_second": 1000, "burst_count": 1000},
            "rc_message": {"per_second": 1000, "burst_count": 1000},
            "rc_joins": {"local": {"per_second": 1000, "burst_count": 1000}},
            "rc_invites": {"per_room": {"per_second": 1000, "burst_count": 1000},
                           "per_user": {"per_second": 1000, "burst_count": 1000}},
        }
        self.config = place / "homeserver.yaml"
        # JSON is YAML.
        self.config.write_text(json.dumps(config))
        subprocess.run([SYNAPSE, "-m", "synapse.app.homeserver", "-c", self.config, "--generate-keys"], check=True,
                       cwd=place)
        self.start()

    def start(self):
        self.process = subprocess.Popen([SYNAPSE, "-m", "synapse.app.homeserver", "-c", self.config], cwd=self.place,
                                        stdout=open(self.place / "log", "a"), stderr=subprocess.STDOUT)

        def answers():
            try:
                return call(f"{self.url}/_matrix/client/versions")[0] == 200
            except OSError:
                return False
        until("the homeserver", answers)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

    def account(self, name):
        status, made = call(f"{self.url}/_matrix/client/v3/register", "POST",
                            {"username": name, "password": f"pass of {name}", "auth": {"type": "m.login.dummy"}})
        assert status == 200, made
        return Account(self, made["user_id"], made["access_token"])


class Account:
    """A person with a Matrix client."""

    def __init__(self, homeserver, user, token):
        self.homeserver, self.user, self.token, self.sent = homeserver, user, token, 0
        self.position, self.invited = None, {}

    def call(self, method, path, body=None):
        status, answer = call(f"{self.homeserver.url}/_matrix/client/v3{path}", method, body, self.token)
        assert status == 200, (path, status, answer)
        return answer

    def invitation(self, name):
        """The room with this name to which the account is invited."""
        # Without a position, Synapse gives the same answer again for minutes.
        sync = self.call("GET", "/sync?timeout=0" + (f"&since={self.position}" if self.position else ""))
        self.position = sync["next_batch"]
        self.invited.update(sync.get("rooms", {}).get("invite", {}))
        for room, state in self.invited.items():
            for event in state["invite_state"]["events"]:
                if event["type"] == "m.room.name" and event["content"]["name"] == name:
                    return room
        return None

    def join(self, room):
        self.call("POST", f"/rooms/{urllib.parse.quote(room)}/join", {})

    def events(self, room):
        """The events of a room, the oldest first."""
        page = self.call("GET", f"/rooms/{urllib.parse.quote(room)}/messages?dir=b&limit=200")
        return list(reversed(page["chunk"]))

    def texts(self, room, of):
        return [event["content"].get("body") for event in self.events(room)
                if event["type"] == "m.room.message" and event["sender"] == of]

    def send(self, room, kind, content):
        self.sent += 1
        path = f"/rooms/{urllib.parse.quote(room)}/send/{kind}/{self.user[1:4]}{self.sent}"
        return self.call("PUT", path, content)["event_id"]

    def say(self, room, text, **relation):
        return self.send(room, "m.room.message", {"msgtype": "m.text", "body": text, **relation})

    def redact(self, room, event):
        self.call("PUT", f"/rooms/{urllib.parse.quote(room)}/redact/{urllib.parse.quote(event)}/r{self.sent}", {})


class Verbatim:
    def __init__(self, place):
        self.place = place
        place.mkdir()
        self.environment = {"HOME": str(place / "home"), "PATH": os.environ["PATH"], "TZ": "UTC",
                            "VERBATIM_DATA_DIR": str(place / "data")}
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen([PROGRAM, "serve", "--listen", f"127.0.0.1:{self.port}", "--no-discover",
                                         "--channel-host", "127.0.0.1"], env=self.environment, stdout=subprocess.PIPE,
                                        stderr=open(self.place / "log", "a"), text=True)
        line = self.process.stdout.readline()
        self.url = line.split(" at ")[1].split("/#")[0]
        self.port = int(self.url.rsplit(":", 1)[1])
        self.key = json.loads((self.place / "data/server.json").read_text())["key"]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, body=None, expect=200):
        status, answer = call(self.url + path, method, body, self.key)
        assert status == expect, (path, status, answer)
        return answer

    def post(self, session, **message):
        return self.call("POST", f"/v1/sessions/{session}/messages", message, 201)

    def messages(self, session):
        return self.call("GET", f"/v1/sessions/{session}/messages")["messages"]


def relation(kind, event, **more):
    return {"m.relates_to": {"rel_type": kind, "event_id": event, **more}}


def replies(event):
    return {"m.relates_to": {"m.in_reply_to": {"event_id": event}}}


def test(homeserver, verbatim):
    bot, ada, eve = (homeserver.account(name) for name in ("bot", "ada", "eve"))
    session = "s1"
    verbatim.call("POST", "/v1/sessions", {"agent": "mill-bot", "id": session, "title": "Grind the rye"}, 201)
    settings = {"homeserver": homeserver.url, "access_token": bot.token}
    added = verbatim.call("POST", "/v1/channels", {"kind": "matrix", "settings": settings, "people": {ada.user: "Ada"},
                                                   "sessions": [session]}, 201)
    channel = added["channel"]["id"]
    assert bot.token not in json.dumps(verbatim.call("GET", "/v1/channels")), "a token is never shown again"
    verbatim.call("POST", f"/v1/channels/{channel}/test")
    until("an invitation to the test's room", lambda: ada.invitation("Verbatim test"))

    print("a room for the session, and its messages")
    verbatim.post(session, id="m1", content="I look at the stones.")
    room = until("an invitation", lambda: ada.invitation("Grind the rye"))
    ada.join(room)
    call_ = {"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {"command": "ls"}, "output": "rye"}}
    verbatim.post(session, id="m2", message_metadata=call_)
    until("both messages", lambda: len(ada.texts(room, bot.user)) == 2)
    first, tool = [event for event in ada.events(room) if event["type"] == "m.room.message"]
    assert first["content"]["body"] == "I look at the stones.", first
    assert tool["content"]["body"] == "🔧 Bash: ls\n📋 rye", tool
    assert tool["content"]["m.relates_to"]["rel_type"] == "m.thread", tool
    assert tool["content"]["m.relates_to"]["event_id"] == first["event_id"], tool

    print("a growing text is edited in place")
    verbatim.post(session, id="m3", content="The rye", status="streaming")
    until("its beginning", lambda: "The rye" in ada.texts(room, bot.user))
    verbatim.call("PATCH", f"/v1/sessions/{session}/messages/m3", {"append": " is fine.", "status": "final"})
    until("its end", lambda: "* The rye is fine." in ada.texts(room, bot.user))

    print("a person's words, their edit and their deletion")
    said = ada.say(room, "coarser, please")
    until("Ada's words", lambda: any(m["content"] == "coarser, please" for m in verbatim.messages(session)))
    ada.say(room, "* coarser!", **relation("m.replace", said), **{"m.new_content": {"msgtype": "m.text", "body": "coarser!"}})
    until("Ada's edit", lambda: any(m["content"] == "coarser!" for m in verbatim.messages(session)))
    message = next(m for m in verbatim.messages(session) if m["content"] == "coarser!")
    assert (message["sender"], message["sender_name"], message["role"]) == (f"matrix:{ada.user}", "Ada", "user"), message
    ada.redact(room, said)
    until("Ada's deletion", lambda: any(m["status"] == "retracted" for m in verbatim.messages(session)))

    print("a stranger in the room is not heard")
    bot.call("POST", f"/rooms/{urllib.parse.quote(room)}/invite", {"user_id": eve.user})
    eve.join(room)
    eve.say(room, "rm -rf /")
    ada.say(room, "finer")
    until("Ada's words", lambda: any(m["content"] == "finer" for m in verbatim.messages(session)))
    heard = verbatim.messages(session)
    assert not any(m["content"] == "rm -rf /" for m in heard)
    assert not any(m["sender"] == f"matrix:{bot.user}" for m in heard), "our own messages are no news"

    def ask(id, title):
        options = [{"id": "y", "label": "Allow once", "kind": "allow_once"}, {"id": "n", "label": "Deny", "kind": "reject_once"}]
        payload = {"kind": "permission", "title": title, "state": "open", "questions": [{"question": title, "options": options}]}
        verbatim.post(session, id=id, message_metadata={"message_type": "APPROVAL", "payload": payload})
        asked = until(title, lambda: [e for e in ada.events(room) if str(e["content"].get("body", "")).startswith(f"🔐 {title}")])
        until("its delivery", lambda: all(d["state"] == "sent" for d in verbatim.call(
            "GET", f"/v1/channels/{channel}/deliveries")["deliveries"]))
        return asked[0]["event_id"]

    def decision(id):
        payload = next(m for m in verbatim.messages(session) if m["id"] == id)["metadata"]["payload"]
        return payload["state"], payload.get("decision", {}).get("by"), payload.get("decision", {}).get("via")

    print("approvals: by a reaction, by a reply, by a word; once, and by Ada alone")
    asked = ask("a1", "Open the sluice?")
    eve.send(room, "m.reaction", relation("m.annotation", asked, key="👍"))
    ada.send(room, "m.reaction", relation("m.annotation", asked, key="👍"))
    until("the decision", lambda: decision("a1")[0] != "open")
    assert decision("a1") == ("allowed_once", "Ada", "matrix"), decision("a1")
    until("who decided", lambda: any("(allowed once: Allow once) by Ada (matrix)" in t for t in ada.texts(room, bot.user)))
    asked = ask("a2", "Close the sluice?")
    ada.say(room, "2", **replies(asked))
    until("the decision", lambda: decision("a2")[0] != "open")
    assert decision("a2") == ("denied", "Ada", "matrix"), decision("a2")
    ada.say(room, "approve", **replies(asked))
    until("that it is decided", lambda: any("It is decided already" in t for t in ada.texts(room, bot.user)))
    ask("a3", "Stop the wheel?")
    ada.say(room, "yes")
    until("the decision", lambda: decision("a3")[0] != "open")
    assert decision("a3") == ("allowed_once", "Ada", "matrix"), decision("a3")

    print("a homeserver that is down, and a server that is killed: nothing is lost or doubled")
    homeserver.stop()
    for number in range(5):
        verbatim.post(session, id=f"down-{number}", content=f"while it is down {number}")
    until("a failure", lambda: verbatim.call("GET", "/v1/channels")["channels"][0].get("error"))
    verbatim.kill()
    homeserver.start()
    ada.say(room, "while you were away")
    verbatim.start()
    verbatim.call("POST", f"/v1/channels/{channel}/deliveries", {"action": "now"})
    until("what waited", lambda: "while it is down 4" in ada.texts(room, bot.user))
    down = [text for text in ada.texts(room, bot.user) if text.startswith("while it is down")]
    assert down == [f"while it is down {number}" for number in range(5)], down
    until("what Ada said meanwhile", lambda: any(m["content"] == "while you were away" for m in verbatim.messages(session)))
    assert sum(m["content"] == "while you were away" for m in verbatim.messages(session)) == 1
    verbatim.call("DELETE", f"/v1/sessions/{session}/messages/m1")
    until("a retraction", lambda: not any(e["event_id"] == first["event_id"] and e["content"].get("body") for e in ada.events(room)))


def main():
    place = pathlib.Path(tempfile.mkdtemp(prefix="verbatim-matrix-"))
    homeserver = verbatim = None
    try:
        homeserver = Homeserver(place / "synapse")
        verbatim = Verbatim(place / "verbatim")
        test(homeserver, verbatim)
        print("all of it holds")
    except BaseException:
        for log in place.glob("*/log"):
            print(f"--- {log}", *log.read_text(errors="replace").splitlines()[-25:], sep="\n", file=sys.stderr)
        raise
    finally:
        for started in (verbatim, homeserver):
            if started and started.process.poll() is None:
                started.process.kill()
                started.process.wait()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()

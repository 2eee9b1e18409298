"""A Matrix homeserver (Synapse) on loopback, and people with accounts there."""
import json
import os
import socket
import subprocess
import sys
import urllib.parse

from helpers.verbatim import call, until

# A Python that has Synapse.
SYNAPSE = os.environ.get("SYNAPSE", sys.executable)


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
        with open(self.place / "log", "a") as log:
            self.process = subprocess.Popen([SYNAPSE, "-m", "synapse.app.homeserver", "-c", self.config], cwd=self.place,
                                            stdout=log, stderr=subprocess.STDOUT)

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
        status, made, _ = call(f"{self.url}/_matrix/client/v3/register", "POST",
                               {"username": name, "password": f"pass of {name}", "auth": {"type": "m.login.dummy"}})
        assert status == 200, made
        return Account(self, made["user_id"], made["access_token"])


class Account:
    """A person with a Matrix client."""

    def __init__(self, homeserver, user, token):
        self.homeserver, self.user, self.token, self.sent = homeserver, user, token, 0
        self.position, self.invited = None, {}

    def call(self, method, path, body=None):
        url = f"{self.homeserver.url}/_matrix/client/v3{path}"
        status, answer, _ = call(url, method, body, {"Authorization": f"Bearer {self.token}"})
        assert status == 200, (path, status, answer)
        return answer

    def invitation(self, name=None):
        """The room to which the account is invited: the one with this name, or any."""
        # Without a position, Synapse gives the same answer again for minutes.
        sync = self.call("GET", "/sync?timeout=0" + (f"&since={self.position}" if self.position else ""))
        self.position = sync["next_batch"]
        self.invited.update(sync.get("rooms", {}).get("invite", {}))
        for room, state in self.invited.items():
            for event in state["invite_state"]["events"]:
                if event["type"] == "m.room.name" and name in (None, event["content"]["name"]):
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


def relation(kind, event, **more):
    return {"m.relates_to": {"rel_type": kind, "event_id": event, **more}}


def replies(event):
    return {"m.relates_to": {"m.in_reply_to": {"event_id": event}}}

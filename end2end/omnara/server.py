"""A `verbatim serve` of its own in a temporary folder, and what people do with it."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

PROGRAM = os.environ.get("VERBATIM_PROGRAM", str(Path(__file__).parents[2] / "target/debug/verbatim"))


class Server:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="verbatim-test-")
        self.port = 0
        self.start()
        self.key = self.local("POST", "/v1/keys", {"name": "Acceptance bot", "scopes": ["post", "read", "mirror"]})["key"]

    def start(self):
        """At the same port, from the second time on."""
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--no-discover", "--listen", f"127.0.0.1:{self.port}", "--data-dir", self.folder],
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.url = line.split(" at ")[1].split("/#")[0]
        self.port = int(self.url.rsplit(":", 1)[1])
        self.credential = json.loads((Path(self.folder) / "server.json").read_text())["key"]

    def kill(self):
        """Without a word, as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder)

    def local(self, method, path, body=None):
        """Our own API, as a command of this machine."""
        return self.call(self.credential, method, path, body)

    def call(self, key, method, path, body=None):
        """Our own API, with any key."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def person(self, instance, text):
        """A person writes to the agent."""
        return self.local("POST", f"/v1/sessions/{instance.lower()}/messages", {"role": "user", "content": text})["id"]

    def messages(self, instance):
        messages = []
        # A page ends where its bytes are used up.
        while page := self.local("GET", f"/v1/sessions/{instance.lower()}/messages?after={len(messages)}&limit=500")["messages"]:
            messages += page
        return messages

    def contents(self, instance):
        return [message["content"] for message in self.messages(instance)]

    def state(self, instance):
        return self.local("GET", f"/v1/sessions/{instance.lower()}")["session"]["state"]

    def raw(self, method, path, body=None, key=None, headers=()):
        """A request by hand: status, type and text of its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        all_headers = {"Authorization": f"Bearer {key or self.key}", **dict(headers)}
        connection.request(method, path, body, all_headers)
        answer = connection.getresponse()
        seen = answer.status, answer.headers["Content-Type"], answer.read().decode()
        connection.close()
        return seen

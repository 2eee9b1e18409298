"""A real server for the tests (the program named by VERBATIM_PROGRAM), its owner, and both clients."""

import json
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from both import connect

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "end2end/omnara"))

from server import Server  # noqa: E402


class Owner:
    """The person in front of the browser."""

    def __init__(self, server):
        self.server = server
        code = server.local("POST", "/v1/launch-codes", {})["url"].split("#c=")[1]
        request = urllib.request.Request(
            f"{server.url}/v1/login", json.dumps({"code": code}).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            cookie, secret = answer.headers["Set-Cookie"].split(";")[0], json.load(answer)["secret"]
        self.headers = {"Cookie": cookie, "X-Verbatim-Secret": secret, "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.headers, "Origin": self.server.url}
        request = urllib.request.Request(self.server.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def write(self, session, content, **fields):
        return self.call("POST", f"/v1/sessions/{session}/messages", {"content": content, **fields})

    def decide(self, session, message, **decision):
        path = f"/v1/sessions/{session}/messages/{message}"
        shown = self.call("GET", path)["entry"]["shown_sha256"]
        return self.call("POST", f"{path}/decision", {**decision, "shown_sha256": shown})

    def asked(self, session, message_type="TEXT"):
        """Id of what the session asks, once it does."""
        while True:
            for entry in self.call("GET", f"/v1/sessions/{session}/messages")["messages"]:
                open_question = entry["requires_user_input"] and entry["status"] == "final"
                if entry["message_type"] == message_type and (open_question or message_type == "APPROVAL"):
                    return entry["id"]


class Meanwhile(threading.Thread):
    """What somebody else does while a call waits. Its failure is the test's."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.error = work, None
        self.start()

    def run(self):
        try:
            self.work()
        except BaseException as error:
            self.error = error

    def end(self):
        self.join(30)
        assert self.error is None, repr(self.error)


@pytest.fixture(scope="session")
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture(scope="session")
def owner(server):
    return Owner(server)


@pytest.fixture(params=["blocking", "async"])
def kind(request):
    return request.param


@pytest.fixture
def verbatim(server, kind):
    with connect(kind, server.url, server.key) as client:
        yield client


@pytest.fixture
def session(verbatim):
    return verbatim.create_session("test-bot")


@pytest.fixture
def meanwhile():
    """Starts work beside the test, and waits for it at the end."""
    threads = []
    yield lambda work: threads.append(Meanwhile(work))
    for thread in threads:
        thread.end()


def pytest_terminal_summary(terminalreporter):
    """Says what `cargo xtask test` counts."""
    count = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error")}
    terminalreporter.write_line(f"{count['failed'] + count['error']} failed\n{count['passed']} passed")

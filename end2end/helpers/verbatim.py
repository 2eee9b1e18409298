"""A `verbatim serve` of its own, the requests to it, and waiting for what comes."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("VERBATIM_PROGRAM", ROOT / "target/debug/verbatim")).resolve()
# Seconds: an upper bound for a busy machine. Nothing waits for it when all is well.
PATIENCE = 60


def until(what, look, patience=PATIENCE):
    """Returns what `look` returns, once that is something."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"this never came: {what}")


def call(url, method="GET", body=None, headers=()):
    """Returns the status, the JSON and the headers of an answer. What isn't JSON stands in `text`."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **dict(headers)}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.loads(answer.read() or b"{}"), answer.headers
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        try:
            return error.code, json.loads(text), error.headers
        except ValueError:
            return error.code, {"text": text}, error.headers


class Verbatim:
    """A server on a folder of its own. `arguments` are those of `serve`, `environment` is added to its small one. It looks for
    agents' folders only if it `discovers`."""

    def __init__(self, place, *arguments, environment=(), discovers=False):
        self.place, self.port = place, 0
        self.arguments = [*([] if discovers else ["--no-discover"]), *arguments]
        (place / "home").mkdir(parents=True, exist_ok=True)
        (place / "data").mkdir(mode=0o700, exist_ok=True)
        self.environment = {"HOME": str(place / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC",
                            "VERBATIM_DATA_DIR": str(place / "data"), **dict(environment)}
        self.start()

    def start(self):
        """Starts it, from the second time on at the same port."""
        with open(self.place / "log", "a") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "--listen", f"127.0.0.1:{self.port}", *self.arguments],
                env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:(\d+))/#c=(\S+)", line)
        assert found, f"no link in {line!r}: {(self.place / 'log').read_text()}"
        self.link, self.url, self.port, self.code = found[0], found[1], int(found[2]), found[3]
        self.key = json.loads((self.place / "data/server.json").read_text())["key"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def kill(self):
        """Ends it without a word, as a crash does."""
        self.process.kill()
        self.process.wait()

    def run(self, *arguments):
        """Returns what a command prints that has to succeed."""
        done = subprocess.run([PROGRAM, *arguments], env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def call(self, method, path, body=None, expect=200):
        """A request as this machine's commands make it."""
        return self.answer(method, path, body, expect, {"Authorization": f"Bearer {self.key}"})

    def answer(self, method, path, body, expect, headers):
        status, answer, _ = call(self.url + path, method, body, headers)
        assert status == expect, (method, path, status, answer)
        return answer

    def post(self, session, **message):
        return self.call("POST", f"/v1/sessions/{session}/messages", message, 201)

    def messages(self, session):
        return self.call("GET", f"/v1/sessions/{session}/messages?limit=500")["messages"]


class Person:
    """Somebody who logged in by the link that the server printed at its start."""

    def __init__(self, verbatim):
        self.verbatim = verbatim
        status, answer, headers = call(f"{verbatim.url}/v1/login", "POST", {"code": verbatim.code}, {"Origin": verbatim.url})
        assert status == 200, answer
        self.headers = {"Origin": verbatim.url, "Cookie": headers["set-cookie"].split(";")[0],
                        "X-Verbatim-Secret": answer["secret"]}

    def call(self, method, path, body=None, expect=200):
        return self.verbatim.answer(method, path, body, expect, self.headers)

    def card(self):
        """The oldest open request."""
        asks = until("a card", lambda: self.call("GET", "/v1/asks")["asks"])
        return asks[0]["entry"]

    def decide(self, card, **decision):
        path = f"/v1/sessions/{card['session_id']}/messages/{card['id']}/decision"
        return self.call("POST", path, {"shown_sha256": card["shown_sha256"], **decision})

    def outcome(self, card):
        """State of a card that is no longer open, and why it fell back."""
        def look():
            path = f"/v1/sessions/{card['session_id']}/messages/{card['id']}"
            metadata = self.call("GET", path)["entry"]["metadata"]
            state = metadata["payload"]["state"]
            return None if state == "open" else (state, metadata.get("hook", {}).get("fallback"))
        return until("the end of a card", look)

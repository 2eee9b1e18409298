#!/usr/bin/env python3
"""Claude Code in a terminal, with Verbatim's hooks, against a scripted model: permissions answered by the API.

    CLAUDE=/path/to/claude VERBATIM_PROGRAM=target/debug/verbatim python3 end2end/agents/hooks.py

`CLAUDE` is the program of `npm install @anthropic-ai/claude-code` (default: `claude` on the path), `VERBATIM_PROGRAM` the one to test
(default: `target/debug/verbatim`). Nothing leaves this machine, and nothing of your own settings is read. `HOOKS=command` tests the
hooks that run a command. Needs Python 3.9 and a Unix.
"""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from scripted_model import Model

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("VERBATIM_PROGRAM", ROOT / "target/debug/verbatim")).resolve()
CLAUDE = shutil.which(os.environ.get("CLAUDE", "claude"))
PATIENCE = 40


def until(what, look):
    """Waits until `look` returns something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"this never came: {what}")


class Verbatim:
    """A server on a folder of its own, and a person who logged in to it."""

    def __init__(self, place):
        self.place = place
        self.port = None
        self.start()

    def environment(self):
        return {"HOME": str(self.place / "home"), "PATH": os.environ["PATH"], "TZ": "UTC",
                "VERBATIM_DATA_DIR": str(self.place / "data")}

    def start(self):
        listen = f"127.0.0.1:{self.port or 0}"
        arguments = ["serve", "--listen", listen, "--no-discover", "--claude-dir", str(self.place / "claude")]
        self.process = subprocess.Popen([PROGRAM, *arguments], env=self.environment(), stdout=subprocess.PIPE, text=True)
        link = re.search(r"http://127\.0\.0\.1:(\d+)/#c=(\S+)", self.process.stdout.readline())
        self.port, code = int(link[1]), link[2]
        self.url = f"http://127.0.0.1:{self.port}"
        reply = self.send("POST", "/v1/login", {"code": code}, raw=True)
        self.cookie = reply.headers["set-cookie"].split(";")[0]
        self.secret = json.loads(reply.read())["secret"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def run(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], env=self.environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def send(self, method, path, body=None, raw=False):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Origin", self.url)
        if not raw:
            request.add_header("Cookie", self.cookie)
            request.add_header("X-Verbatim-Secret", self.secret)
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            reply = urllib.request.urlopen(request, data, PATIENCE)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error
        return reply if raw else json.loads(reply.read() or b"null")

    def card(self):
        def look():
            asks = self.send("GET", "/v1/asks")["asks"]
            return asks[0]["entry"] if asks else None
        return until("a card", look)

    def message(self, card):
        return self.send("GET", f"/v1/sessions/{card['session_id']}/messages/{card['id']}")["entry"]

    def decide(self, card, **decision):
        path = f"/v1/sessions/{card['session_id']}/messages/{card['id']}/decision"
        return self.send("POST", path, {"shown_sha256": card["shown_sha256"], **decision})

    def outcome(self, card):
        """State of a card that is no longer open, and why it fell back."""
        def look():
            metadata = self.message(card)["metadata"]
            state = metadata["payload"]["state"]
            return None if state == "open" else (state, metadata.get("hook", {}).get("fallback"))
        return until("the end of a card", look)


class Terminal:
    """Claude Code in a pseudo terminal."""

    def __init__(self, place, model, mode="default"):
        self.screen = ""
        config = place / "claude"
        environment = {
            "HOME": str(place / "home"), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CONFIG_DIR": str(config),
            "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
        }
        first = {"hasCompletedOnboarding": True, "theme": "dark",
                 "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
                 "projects": {str(place / "project"): {"hasTrustDialogAccepted": True}}}
        (config / ".claude.json").write_text(json.dumps(first))
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(place / "project")
            os.execve(CLAUDE, [CLAUDE, "--permission-mode", mode], environment)
        threading.Thread(target=self.read, daemon=True).start()
        self.sees("shortcuts")

    def read(self):
        while True:
            try:
                select.select([self.terminal], [], [])
                data = os.read(self.terminal, 65536)
            except OSError:
                return
            if not data:
                return
            # Without colours and cursor movements, which stand for spaces.
            self.screen += re.sub(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|.)", " ", data.decode(errors="replace"))

    def sees(self, text):
        wanted = re.sub(r"\s", "", text)
        return until(f"`{text}` in the terminal", lambda: wanted in re.sub(r"\s", "", self.screen))

    def type(self, text):
        self.screen = ""
        os.write(self.terminal, text.encode())
        time.sleep(0.3)
        os.write(self.terminal, b"\r")

    def key(self, key):
        os.write(self.terminal, key)

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def step(name):
    print(f"ok  {name}", flush=True)


def main():
    assert CLAUDE, "Claude Code isn't there: `npm install @anthropic-ai/claude-code`, and name its program in CLAUDE"
    assert PROGRAM.exists(), f"{PROGRAM} isn't there: `cargo build`"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder).resolve()
        for name in ["home", "data", "claude", "project"]:
            (place / name).mkdir()
        (place / "data").chmod(0o700)
        settings = place / "claude/settings.json"
        before = '{\n    "model": "opus",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}\n'
        settings.write_text(before)
        verbatim, model = Verbatim(place), Model()
        how = ["--command"] if os.environ.get("HOOKS") == "command" else []
        install = ["hook", "install", "--claude-dir", str(place / "claude"), *how]
        print(verbatim.run(*install, "--wait", "30"))
        terminal = Terminal(place, model)
        try:
            scenario(place, verbatim, model, terminal, install)
        except BaseException:
            print("The terminal's last lines:", re.sub(r"\s{3,}", "\n", terminal.screen)[-3000:], sep="\n")
            raise
        finally:
            terminal.end()
            verbatim.process.kill()
        print(verbatim.run("hook", "uninstall", "--claude-dir", str(place / "claude")))
        assert settings.read_text() == before
        step("the settings are as they were, byte for byte")


def scenario(place, verbatim, model, terminal, install):
    project = place / "project"

    def result(count):
        return until("the tool's result in the model's context", lambda: model.results[count:])[0]

    terminal.type("run mkdir one")
    card = verbatim.card()
    assert card["calls"][0]["input"]["command"] == "mkdir one", card
    began = time.monotonic()
    verbatim.decide(card, selected=["allow"])
    result(0)
    print(f"    from the decision to the model's next request: {(time.monotonic() - began) * 1000:.0f} ms")
    assert (project / "one").is_dir()
    assert verbatim.outcome(card) == ("allowed_once", None)
    step("allowed: the command ran")

    terminal.type("run mkdir two")
    verbatim.decide(verbatim.card(), state="denied", text="Make no second folder")
    assert "Make no second folder" in result(1)
    assert not (project / "two").exists()
    step("denied: nothing ran, and the model reads why")

    terminal.type("run mkdir three")
    verbatim.decide(verbatim.card(), selected=["allow"], edited_input={"command": "mkdir four"})
    result(2)
    assert (project / "four").is_dir() and not (project / "three").exists()
    step("changed: what ran is what the person wrote")

    terminal.type("run mkdir -p five")
    verbatim.decide(verbatim.card(), selected=["always"])
    result(3)
    shutil.rmtree(project / "five")
    terminal.type("run mkdir -p five")
    result(4)
    assert (project / "five").is_dir() and verbatim.send("GET", "/v1/rules")["rules"][0]["uses"] == 1
    step("always: the second time nobody is asked")

    terminal.type("run mkdir -p five; mkdir six")
    verbatim.decide(verbatim.card(), selected=["deny"])
    result(5)
    assert not (project / "six").exists()
    rule = verbatim.send("GET", "/v1/rules")["rules"][0]["id"]
    verbatim.send("DELETE", f"/v1/rules/{rule}")
    step("a rule for a command doesn't cover two")

    terminal.type("ask")
    verbatim.decide(verbatim.card(), selected=["1-2"])
    assert "Granite" in result(6)
    step("a question is answered from the page")

    terminal.type("run mkdir seven")
    card = verbatim.card()
    terminal.sees("Do you want to proceed")
    terminal.key(b"\r")
    result(7)
    assert (project / "seven").is_dir()
    assert verbatim.outcome(card)[0] in ("decided_elsewhere", "allowed_once", "cancelled")
    print(f"    the card: {verbatim.outcome(card)}")
    step("the terminal was quicker: the card says so")

    terminal.type("run mkdir eight")
    card = verbatim.card()
    verbatim.stop()
    terminal.sees("Do you want to proceed")
    verbatim.start()
    assert verbatim.outcome(card) == ("expired", "stopped"), verbatim.outcome(card)
    terminal.key(b"\r")
    result(8)
    assert (project / "eight").is_dir()
    step("the server stopped: the terminal asks, and the card says so")

    terminal.type("run mkdir nine")
    card = verbatim.card()
    terminal.end()
    assert verbatim.outcome(card) == ("cancelled", "closed"), verbatim.outcome(card)
    assert not (project / "nine").exists()
    step("the terminal was closed: nobody waits, and the card says so")

    verbatim.run(*install, "--wait", "2")
    again = Terminal(place, model)
    try:
        again.type("run mkdir ten")
        card = verbatim.card()
        assert verbatim.outcome(card) == ("expired", "timed_out")
        again.sees("Do you want to proceed")
        again.key(b"\r")
        result(9)
        assert (project / "ten").is_dir()
        step("nobody answered in time: the terminal asks")

        key = verbatim.send("GET", "/v1/keys")["keys"][0]["id"]
        verbatim.send("DELETE", f"/v1/keys/{key}")
        again.type("run mkdir eleven")
        again.sees("Do you want to proceed")
        again.key(b"\r")
        result(10)
        assert (project / "eleven").is_dir()
        step("the key was revoked: the agent goes on without us")
    finally:
        again.end()

    verbatim.run(*install, "--wait", "30")
    planner = Terminal(place, model, "plan")
    try:
        planner.type("plan")
        verbatim.decide(verbatim.card(), state="denied", text="Three planks, please")
        assert "Three planks, please" in result(11)
        step("a plan is sent back from the page")
        planner.type("plan")
        verbatim.decide(verbatim.card(), state="allowed_once")
        assert "approved" in result(12).lower()
        step("a plan is approved from the page")
    finally:
        planner.end()


if __name__ == "__main__":
    sys.exit(main())

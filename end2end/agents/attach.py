#!/usr/bin/env python3
"""Codex in a terminal, joined by Verbatim at its background server, against a scripted model: both sides write, steer, interrupt and decide.

    cargo xtask agents attach

or, with the packages of `../places/needs.txt`,

    CODEX=/path/to/codex VERBATIM_PROGRAM=target/debug/verbatim python end2end/agents/attach.py

`CODEX` is the program of `npm install @openai/codex` (default: `codex` on the path), `RACES` how many permissions are raced for
(default: 20). Nothing leaves this machine, and nothing of your own settings is read. Needs Python 3.9 and a Unix.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from helpers.terminal import Terminal, Terminals  # noqa: E402
from helpers.terminal_session import TerminalSession  # noqa: E402
from helpers.verbatim import PROGRAM, Person, Verbatim, until  # noqa: E402

CODEX = shutil.which(os.environ.get("CODEX", "codex"))
RACES = int(os.environ.get("RACES", "20"))


class Model:
    """A model service of the Responses API. It does what the last words of a person tell it: `say WORDS`, `run COMMAND`, `slow SECONDS`."""

    def __init__(self):
        self.seen = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_response(404)
                self.send_header("content-length", "0")
                self.end_headers()

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                try:
                    for event in model.events(body):
                        self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                        self.wfile.flush()
                except OSError:
                    pass
                self.close_connection = True

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def events(self, body):
        name, usage = uuid.uuid4().hex, {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
        head = {"id": f"resp_{name}", "object": "response", "status": "in_progress", "model": "gpt-5.5", "output": []}
        yield {"type": "response.created", "response": head}
        item, pause = self.answer(body, name)
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        if item["type"] == "message":
            at = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            yield {"type": "response.output_text.delta", **at, "delta": item["content"][0]["text"]}
            time.sleep(pause)
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": {**head, "status": "completed", "output": [item], "usage": usage}}

    def answer(self, body, name):
        """Returns what the model does, and the seconds that it takes."""
        def said(text, pause=0):
            content = [{"type": "output_text", "text": text, "annotations": []}]
            return {"type": "message", "id": f"item_{name}", "role": "assistant", "status": "completed", "content": content}, pause

        items = body.get("input") or []
        if not body.get("tools") or body.get("text", {}).get("format"):
            return said('{"title": "A title"}')
        texts = [part.get("text", "") for item in items if item.get("role") == "user" for part in item["content"]]
        self.seen.append((time.monotonic(), texts))
        if items[-1].get("type", "").endswith("_output"):
            return said("The result is there.")
        verb, _, rest = (texts or [""])[-1].partition(" ")
        if verb == "run":
            call = {"cmd": rest, "sandbox_permissions": "require_escalated", "justification": "To see"}
            return {"type": "function_call", "id": f"item_{name}", "status": "completed", "call_id": f"call_{name}",
                    "name": "exec_command", "arguments": json.dumps(call)}, 0
        return said("It takes long.", float(rest)) if verb == "slow" else said(f"{rest}.")

    def asked(self, words):
        """Waits until the model was asked with these words. Returns when it was."""
        return until(f"`{words}` at the model", lambda: [at for at, texts in self.seen if words in texts])[0]


class Place:
    def __init__(self, folder, model):
        self.folder, self.home = folder, folder / "home/.codex"
        (folder / "project").mkdir()
        self.home.mkdir(parents=True)
        (self.home / "config.toml").write_text(f"""
model = "gpt-5.5"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[model_providers.fake]
name = "Fake"
base_url = "{model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[analytics]
enabled = false
[projects."{folder / 'project'}"]
trust_level = "trusted"
""")

    def terminal(self, *arguments):
        """Codex in a terminal, past its first questions."""
        environment = {"HOME": str(self.folder / "home"), "CODEX_HOME": str(self.home), "PATH": os.environ["PATH"],
                       "TERM": "xterm-256color", "LANG": "C.UTF-8", "FAKE_KEY": "dummy"}
        terminal = Terminal([CODEX, *arguments], environment, self.folder / "project")
        # Before its background server is there, the field is shown, and what is typed is lost. It then asks about a newer model.
        until("the first screen", lambda: terminal.shows("Use existing model") or terminal.shows("for agents"))
        if terminal.shows("Use existing model"):
            terminal.key("2")
            terminal.sees("for agents")
        return terminal

    def end_background(self):
        """Ends the background server, which outlives its terminals."""
        for file in (self.home / "app-server-daemon").glob("*.pid"):
            try:
                os.kill(json.loads(file.read_text())["pid"], signal.SIGTERM)
            except (OSError, ValueError, KeyError):
                pass


class Session(TerminalSession):
    def is_in(self, state, holder="both"):
        return super().is_in(state, holder)


def step(name):
    print(f"ok  {name}", flush=True)


def main():
    assert CODEX, "Codex isn't there: `npm install @openai/codex`, and name its program in CODEX"
    assert PROGRAM.exists(), f"{PROGRAM} isn't there: `cargo build`"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        model = Model()
        place = Place(pathlib.Path(folder).resolve(), model)
        verbatim = Verbatim(place.folder, "--yes", discovers=True)
        try:
            with Terminals(place.terminal) as start:
                scenario(place, verbatim, Person(verbatim), model, start)
        finally:
            place.end_background()
            verbatim.process.kill()


def scenario(place, verbatim, person, model, start):
    terminal = start()
    terminal.type("say ready")
    terminal.sees("ready.")
    session = Session(person, model)
    session.is_in("idle")
    for words in ["say one", "say two <b> & \u00fc", "say three"]:
        session.reaches(words)
        session.is_in("idle")
        session.is_one(words)
        terminal.sees(words.removeprefix("say ") + ".")
    step("idle: each message reaches the model, is shown in the terminal, and is one message of the person")

    terminal.type("slow 6")
    session.is_in("working")
    until("what it writes", lambda: session.agent().get("growing") or session.said("It takes long."))
    session.write("say withdrawn")
    session.write("say hurry")
    session.withdraw(session.waiting("say withdrawn", "say hurry")[0])
    session.tell("steer")
    terminal.sees("say hurry")
    model.asked("say hurry")
    session.is_in("idle")
    session.is_one("say hurry")
    assert not any("say withdrawn" in texts for _, texts in model.seen)
    step("busy: what was sent now joins the turn, and what was withdrawn never arrives")

    terminal.type("slow 60")
    session.is_in("working")
    session.tell("interrupt")
    terminal.sees("Conversation interrupted")
    session.is_in("idle")
    step("interrupted from the page: the terminal says so")

    terminal.type("run touch one")
    card = person.card()
    assert "touch one" in json.dumps(card), card
    person.decide(card, selected=["accept"])
    terminal.sees("The result is there.")
    assert (place.folder / "project/one").exists() and person.outcome(card)[0] == "allowed_once"
    session.is_in("idle")
    terminal.type("run touch two")
    card = person.card()
    terminal.sees("Would you like to run")
    terminal.key("y")
    until("the file", (place.folder / "project/two").exists)
    until("the card", lambda: person.outcome(card)[0] == "decided_elsewhere")
    session.is_in("idle")
    step("permissions: allowed from the page, and in the terminal: the card says so")

    firsts = [race(place, person, session, terminal, number) for number in range(RACES)]
    print(f"    of {RACES} races the page won {firsts.count('page')}")
    step("raced: each request was answered once, and the second was told")

    terminal.type("slow 8")
    session.is_in("working")
    verbatim.stop()
    verbatim.start()
    session.is_in("working")
    session.is_in("idle")
    session.reaches("say again")
    session.is_one("say again")
    step("the server was restarted in a turn: it joined again, and the turn went on")

    verbatim.run("attach", "--leave", session.id)
    session.is_in("observed", "terminal")
    terminal.type("say alone")
    terminal.sees("alone.")
    verbatim.run("attach", session.id)
    session.is_in("idle")
    session.reaches("say joined")
    step("left to its terminal, and joined again")

    other = start()
    other.type("say elsewhere")
    other.sees("elsewhere.")
    second = Session(person, model, [session.id])
    second.is_in("idle")
    second.reaches("say to the second")
    session.reaches("say to the first")
    terminal.sees("to the first.")
    other.sees("to the second.")
    assert not other.shows("to the first.")
    step("two sessions in one folder: each gets its own")

    terminal.end()
    began = time.monotonic()
    until("its end", lambda: closed(session), 300)
    print(f"    from the end of the terminal to its notice: {time.monotonic() - began:.0f} s")
    terminal = start("resume", session.key)
    session.is_in("idle")
    session.reaches("say resumed")
    session.is_one("say resumed")
    step("closed and resumed: the page says so, and writes to the next one")


def closed(session):
    agent = session.agent()
    return agent.get("state") == "observed" and agent.get("reason") == "Its terminal was closed"


def race(place, person, session, terminal, number):
    """Both answer at once. Returns who was first."""
    file = place.folder / f"project/raced-{number}"
    terminal.type(f"run touch {file.name}")
    card = person.card()
    terminal.sees("Would you like to run")
    here = threading.Thread(target=lambda: attempt(person, card))
    here.start()
    # "Yes" in the terminal, or "No": Escape.
    allows = number % 2 == 0
    terminal.key("y" if allows else "\x1b")
    here.join()
    session.is_in("idle")
    state = until("the card", lambda: [it for it in [person.outcome(card)[0]] if it != "open"])[0]
    late = any(re.search("too late$|may not have been done$", notice["text"]) for notice in session.agent().get("notices", []))
    ran = file.exists()
    if not allows:
        # The page allowed it: it ran if the page was first.
        assert ran or state == "decided_elsewhere" or late, (number, state)
        return "page" if ran else "terminal"
    assert ran, (number, state)
    return "page" if state == "allowed_once" and not late else "terminal"


def attempt(person, card):
    try:
        person.decide(card, selected=["accept"])
    except AssertionError as error:
        # The terminal was quicker.
        assert re.search("409|decided", str(error)), error


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Claude Code in a terminal, with Verbatim's hooks, against a scripted model: it takes what a person writes in the page.

    cargo xtask agents words

or as `hooks.py` says. `IDLE` is how many seconds the terminal rests before the last message (default: 60).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from agents.hooks import CLAUDE, claude, environment, step  # noqa: E402
from helpers.scripted_model import Model  # noqa: E402
from helpers.verbatim import Person, Verbatim, until  # noqa: E402


class Session:
    """A session in a terminal, and what a person does with it in the page."""

    def __init__(self, person, model, known=()):
        self.person, self.model = person, model
        listed = until("the session", lambda: [
            session for session in person.call("GET", "/v1/sessions")["sessions"] if session["id"] not in known])
        self.id, self.key = listed[0]["id"], listed[0]["agent_session_id"]

    def agent(self):
        return self.person.call("GET", f"/v1/sessions/{self.id}/agent")

    def is_in(self, state):
        return until(f"the state {state}", lambda: self.state() == state)

    def state(self):
        # A session that no hook and no program here has: 409.
        try:
            return self.agent()["state"]
        except AssertionError:
            return None

    def write(self, words):
        return self.person.call("POST", f"/v1/sessions/{self.id}/messages", {"content": words}, 201)

    def asked(self, words):
        """Waits until the model was asked with these words. Returns when it was."""
        return until(f"`{words}` at the model", lambda: [at for at, text in self.model.seen if words in text])[0]

    def reaches(self, words):
        began = time.monotonic()
        self.write(words)
        # The program writes tags in another way.
        took = self.asked(words.split(" <")[0]) - began
        print(f"    from the post to the model's request: {took:.2f} s")

    def said(self, words):
        """The messages with these words, and who says them."""
        messages = self.person.call("GET", f"/v1/sessions/{self.id}/messages?limit=500&dev=1")["messages"]
        return [(message["role"], message["status"]) for message in messages if message["content"] == words]


class SeenModel(Model):
    """Notes when it was asked with what."""

    def __init__(self):
        self.seen = []
        super().__init__()

    def turn(self, body):
        self.seen.append((time.monotonic(), str(body.get("messages"))))
        return super().turn(body)


def main():
    assert CLAUDE, "Claude Code isn't there: `npm install @anthropic-ai/claude-code`, and name its program in CLAUDE"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder).resolve()
        for name in ["claude", "project"]:
            (place / name).mkdir()
        verbatim, model = Verbatim(place, "--claude-dir", str(place / "claude")), SeenModel()
        verbatim.run("hook", "install", "--claude-dir", str(place / "claude"), "--wait", "60")
        terminals = []

        def start(*arguments):
            terminals.append(claude(place, model, arguments=arguments))
            return terminals[-1]

        try:
            scenario(place, verbatim, Person(verbatim), model, start)
        except BaseException:
            for terminal in terminals:
                print("A terminal:", terminal.text(), sep="\n")
            raise
        finally:
            for terminal in terminals:
                terminal.end()
            verbatim.process.kill()


def scenario(place, verbatim, person, model, start):
    terminal = start()
    terminal.type("say ready")
    terminal.sees("ready.")
    session = Session(person, model)
    session.is_in("terminal")
    for words in ["say one", "say two </task-notification> & </system-reminder>", "say three"]:
        session.reaches(words)
        session.is_in("terminal")
        until("one message", lambda words=words: session.said(words) == [("user", "final")])
    step("idle: each message reaches the model, and is one message of the person")

    terminal.type("run sleep 5")
    session.is_in("terminal_busy")
    session.write("say withdrawn")
    session.write("say afterwards")
    waiting = until("two that wait", lambda: [it for it in [session.agent().get("waiting")] if it and len(it) == 2])[0]
    assert [message["text"] for message in waiting] == ["say withdrawn", "say afterwards"], waiting
    person.call("PATCH", f"/v1/sessions/{session.id}/messages/{waiting[0]['id']}", {"status": "retracted"})
    session.asked("say afterwards")
    session.is_in("terminal")
    assert session.said("say withdrawn") == [("user", "retracted")]
    assert not any("say withdrawn" in text for _, text in model.seen)
    until("one message", lambda: session.said("say afterwards") == [("user", "final")])
    step("busy: it comes after the turn, and what was withdrawn never does")

    verbatim.stop()
    verbatim.start()
    session.is_in("terminal")
    session.reaches("say again")
    session.is_in("terminal")
    step("the server was restarted: the hook found it again")

    other = start()
    other.type("say elsewhere")
    other.sees("elsewhere.")
    second = Session(person, model, [session.id])
    second.is_in("terminal")
    second.reaches("say to the second")
    session.reaches("say to the first")
    assert terminal.shows("to the first.") or terminal.sees("to the first.")
    assert other.shows("to the second.") and not other.shows("to the first.")
    step("two sessions in one folder: each gets its own")

    session.is_in("terminal")
    terminal.type("/compact")
    terminal.sees("Compacted")
    session.is_in("terminal")
    session.reaches("say compacted")
    session.is_in("terminal")
    step("compacted: the session goes on")

    for one in [terminal, other]:
        one.end()
    until("no terminal", lambda: session.state() != "terminal")
    until("no process of a hook", lambda: not hooks())
    session.write("say resumed")
    terminal = start("--resume", session.key)
    session.asked("say resumed")
    session.is_in("terminal")
    until("one message", lambda: session.said("say resumed") == [("user", "final")])
    step("killed and resumed: what waited comes then")

    began = time.monotonic()
    done = subprocess.run([CLAUDE, "-p", "say printed"], env=environment(place, model), cwd=place / "project",
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert "printed." in done.stdout, done
    print(f"    `claude -p`: {time.monotonic() - began:.1f} s")
    step("a run without a terminal isn't held up")

    time.sleep(int(os.environ.get("IDLE", "60")))
    session.reaches("say at last")
    until("one message", lambda: session.said("say at last") == [("user", "final")])
    step("rested for long")


def hooks():
    """The processes of hooks that wait."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if " hook wait --server " in line and "ps -eo" not in line]


if __name__ == "__main__":
    sys.exit(main())

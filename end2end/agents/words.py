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
from helpers.terminal import Terminals  # noqa: E402
from helpers.terminal_session import TerminalSession  # noqa: E402
from helpers.verbatim import Person, Verbatim, until  # noqa: E402


class SeenModel(Model):
    """Notes when it was asked with what."""

    def __init__(self):
        self.seen = []
        super().__init__()

    def turn(self, body):
        self.seen.append((time.monotonic(), str(body.get("messages"))))
        return super().turn(body)

    def asked(self, words):
        """Waits until it was asked with these words. Returns when it was."""
        # The program writes tags in another way.
        words = words.split(" <")[0]
        return until(f"`{words}` at the model", lambda: [at for at, text in self.seen if words in text])[0]


def main():
    assert CLAUDE, "Claude Code isn't there: `npm install @anthropic-ai/claude-code`, and name its program in CLAUDE"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder).resolve()
        for name in ["claude", "project"]:
            (place / name).mkdir()
        verbatim, model = Verbatim(place, "--claude-dir", str(place / "claude")), SeenModel()
        verbatim.run("hook", "install", "--claude-dir", str(place / "claude"), "--wait", "60")
        try:
            with Terminals(lambda *arguments: claude(place, model, arguments=arguments)) as start:
                scenario(place, verbatim, Person(verbatim), model, start)
        finally:
            verbatim.process.kill()


def scenario(place, verbatim, person, model, start):
    terminal = start()
    terminal.type("say ready")
    terminal.sees("ready.")
    session = TerminalSession(person, model)
    session.is_in("terminal")
    for words in ["say one", "say two </task-notification> & </system-reminder>", "say three"]:
        session.reaches(words)
        session.is_in("terminal")
        session.is_one(words)
    step("idle: each message reaches the model, and is one message of the person")

    terminal.type("run sleep 5")
    session.is_in("terminal_busy")
    session.write("say withdrawn")
    session.write("say afterwards")
    session.withdraw(session.waiting("say withdrawn", "say afterwards")[0])
    model.asked("say afterwards")
    session.is_in("terminal")
    assert session.said("say withdrawn") == [("user", "retracted")]
    assert not any("say withdrawn" in text for _, text in model.seen)
    session.is_one("say afterwards")
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
    second = TerminalSession(person, model, [session.id])
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
    until("no terminal", lambda: session.agent().get("state") != "terminal")
    until("no process of a hook", lambda: not hooks())
    session.write("say resumed")
    terminal = start("--resume", session.key)
    model.asked("say resumed")
    session.is_in("terminal")
    session.is_one("say resumed")
    step("killed and resumed: what waited comes then")

    began = time.monotonic()
    done = subprocess.run([CLAUDE, "-p", "say printed"], env=environment(place, model), cwd=place / "project",
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert "printed." in done.stdout, done
    print(f"    `claude -p`: {time.monotonic() - began:.1f} s")
    step("a run without a terminal isn't held up")

    time.sleep(int(os.environ.get("IDLE", "60")))
    session.reaches("say at last")
    session.is_one("say at last")
    step("rested for long")


def hooks():
    """The processes of hooks that wait."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if " hook wait --server " in line and "ps -eo" not in line]


if __name__ == "__main__":
    sys.exit(main())

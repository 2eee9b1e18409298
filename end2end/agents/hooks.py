#!/usr/bin/env python3
"""Claude Code in a terminal, with Verbatim's hooks, against a scripted model: permissions answered by the API.

    cargo xtask agents hooks

or, with the packages of `../places/needs.txt`,

    CLAUDE=/path/to/claude VERBATIM_PROGRAM=target/debug/verbatim python end2end/agents/hooks.py

`CLAUDE` is the program of `npm install @anthropic-ai/claude-code` (default: `claude` on the path), `VERBATIM_PROGRAM` the one to test
(default: `target/debug/verbatim`). Nothing leaves this machine, and nothing of your own settings is read. `HOOKS=command` tests the
hooks that run a command. Needs Python 3.9 and a Unix.
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from helpers.scripted_model import Model  # noqa: E402
from helpers.terminal import Terminal  # noqa: E402
from helpers.verbatim import PROGRAM, Person, Verbatim, until  # noqa: E402

CLAUDE = shutil.which(os.environ.get("CLAUDE", "claude"))


def environment(place, model):
    return {
        "HOME": str(place / "home"), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8",
        "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CONFIG_DIR": str(place / "claude"),
        "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }


def claude(place, model, mode="default", arguments=()):
    """Claude Code in a terminal, past its first questions."""
    config = place / "claude"
    first = {"hasCompletedOnboarding": True, "theme": "dark",
             "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
             "projects": {str(place / "project"): {"hasTrustDialogAccepted": True}}}
    (config / ".claude.json").write_text(json.dumps(first))
    terminal = Terminal([CLAUDE, "--permission-mode", mode, *arguments], environment(place, model), place / "project")
    terminal.sees("plan mode on" if mode == "plan" else "shortcuts")
    return terminal


def step(name):
    print(f"ok  {name}", flush=True)


def main():
    assert CLAUDE, "Claude Code isn't there: `npm install @anthropic-ai/claude-code`, and name its program in CLAUDE"
    assert PROGRAM.exists(), f"{PROGRAM} isn't there: `cargo build`"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder).resolve()
        for name in ["claude", "project"]:
            (place / name).mkdir()
        settings = place / "claude/settings.json"
        before = '{\n    "cleanupPeriodDays": 90,\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}\n'
        settings.write_text(before)
        verbatim, model = Verbatim(place, "--claude-dir", str(place / "claude")), Model()
        how = ["--command"] if os.environ.get("HOOKS") == "command" else []
        install = ["hook", "install", "--claude-dir", str(place / "claude"), *how]
        print(verbatim.run(*install, "--wait", "30"))
        terminal = claude(place, model)
        try:
            scenario(place, verbatim, Person(verbatim), model, terminal, install)
        except BaseException:
            print("The terminal:", terminal.text(), sep="\n")
            raise
        finally:
            terminal.end()
            verbatim.process.kill()
        print(verbatim.run("hook", "uninstall", "--claude-dir", str(place / "claude")))
        assert settings.read_text() == before, settings.read_text()
        step("the settings are as they were, byte for byte")


def scenario(place, verbatim, person, model, terminal, install):
    project = place / "project"

    def result(count):
        return until("the tool's result in the model's context", lambda: model.results[count:])[0]

    terminal.type("run mkdir one")
    card = person.card()
    assert card["calls"][0]["input"]["command"] == "mkdir one", card
    began = time.monotonic()
    person.decide(card, selected=["allow"])
    result(0)
    print(f"    from the decision to the model's next request: {(time.monotonic() - began) * 1000:.0f} ms")
    assert (project / "one").is_dir()
    assert person.outcome(card) == ("allowed_once", None)
    step("allowed: the command ran")

    terminal.type("run mkdir two")
    person.decide(person.card(), state="denied", text="Make no second folder")
    assert "Make no second folder" in result(1)
    assert not (project / "two").exists()
    step("denied: nothing ran, and the model reads why")

    terminal.type("run mkdir three")
    person.decide(person.card(), selected=["allow"], edited_input={"command": "mkdir four"})
    result(2)
    assert (project / "four").is_dir() and not (project / "three").exists()
    step("changed: what ran is what the person wrote")

    terminal.type("run mkdir -p five")
    person.decide(person.card(), selected=["always"])
    result(3)
    shutil.rmtree(project / "five")
    terminal.type("run mkdir -p five")
    result(4)
    assert (project / "five").is_dir() and person.call("GET", "/v1/rules")["rules"][0]["uses"] == 1
    step("always: the second time nobody is asked")

    terminal.type("run mkdir -p five; mkdir six")
    person.decide(person.card(), selected=["deny"])
    result(5)
    assert not (project / "six").exists()
    rule = person.call("GET", "/v1/rules")["rules"][0]["id"]
    person.call("DELETE", f"/v1/rules/{rule}")
    step("a rule for a command doesn't cover two")

    terminal.type("ask")
    person.decide(person.card(), selected=["1-2"])
    assert "Granite" in result(6)
    step("a question is answered from the page")

    terminal.type("run mkdir seven")
    card = person.card()
    terminal.sees("Do you want to proceed")
    terminal.key("\r")
    result(7)
    assert (project / "seven").is_dir()
    assert person.outcome(card)[0] in ("decided_elsewhere", "allowed_once", "cancelled")
    print(f"    the card: {person.outcome(card)}")
    step("the terminal was quicker: the card says so")

    terminal.type("run mkdir eight")
    card = person.card()
    verbatim.stop()
    terminal.sees("Do you want to proceed")
    verbatim.start()
    assert person.outcome(card) == ("expired", "stopped"), person.outcome(card)
    terminal.key("\r")
    result(8)
    assert (project / "eight").is_dir()
    step("the server stopped: the terminal asks, and the card says so")

    terminal.type("run mkdir nine")
    card = person.card()
    terminal.end()
    assert person.outcome(card) == ("cancelled", "closed"), person.outcome(card)
    assert not (project / "nine").exists()
    step("the terminal was closed: nobody waits, and the card says so")

    verbatim.run(*install, "--wait", "2")
    again = claude(place, model)
    try:
        again.type("run mkdir ten")
        card = person.card()
        assert person.outcome(card) == ("expired", "timed_out")
        again.sees("Do you want to proceed")
        again.key("\r")
        result(9)
        assert (project / "ten").is_dir()
        step("nobody answered in time: the terminal asks")

        key = person.call("GET", "/v1/keys")["keys"][0]["id"]
        person.call("DELETE", f"/v1/keys/{key}")
        again.type("run mkdir eleven")
        again.sees("Do you want to proceed")
        again.key("\r")
        result(10)
        assert (project / "eleven").is_dir()
        step("the key was revoked: the agent goes on without us")
    finally:
        again.end()

    verbatim.run(*install, "--wait", "30")
    planner = claude(place, model, "plan")
    try:
        planner.type("plan")
        person.decide(person.card(), state="denied", text="Three planks, please")
        assert "Three planks, please" in result(11)
        step("a plan is sent back from the page")
        planner.type("plan")
        person.decide(person.card(), state="allowed_once")
        assert "approved" in result(12).lower()
        step("a plan is approved from the page")
    finally:
        planner.end()


if __name__ == "__main__":
    sys.exit(main())

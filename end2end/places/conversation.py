#!/usr/bin/env python3
"""One conversation in four places: a browser, a terminal, a webhook and a Matrix room, with Claude Code behind it.

    cargo xtask agents places

or, with the packages of `needs.txt` in a virtual environment and the agent installed in `AGENTS/claude`:

    AGENTS=target/agents VERBATIM_PROGRAM=target/debug/verbatim python end2end/places/conversation.py

The model is scripted and the homeserver a real Synapse, both on loopback: nothing leaves this machine. Needs Python 3.9, Chromium
(`CHROMIUM`) and a Unix.
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from browser import Browser  # noqa: E402
from helpers.homeserver import Homeserver  # noqa: E402
from helpers.scripted_model import Model  # noqa: E402
from helpers.verbatim import ROOT, Verbatim, until  # noqa: E402
from reader import Reader  # noqa: E402
from room import Room  # noqa: E402
from webhook import Receiver  # noqa: E402

AGENTS = pathlib.Path(os.environ.get("AGENTS", ROOT / "target/agents")).resolve()
OWN = ("user", "tui-user")
PLACES = ["browser", "terminal", "webhook", "room"]
# Who speaks in each place, and how channels say who decided there.
NAMES = {"browser": "user", "terminal": "tui-user", "webhook": "Bo", "room": "Ada"}
DECIDED = {"browser": "owner (web)", "terminal": "owner (terminal)", "webhook": "Bo (webhook)", "room": "Ada (matrix)"}
HOST = "The mill closes at noon"
REOPENED = "The mill opens again"
REFUSED = "The user doesn't want to proceed with this tool use."


def serve(place, model):
    variables = {
        "CLAUDE_CONFIG_DIR": str(place / "home/.claude"), "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
    (place / "home/.claude/projects").mkdir(parents=True)
    passed = [word for name in variables for word in ("--agent-env", name)]
    programs = [AGENTS / "claude/node_modules/.bin", AGENTS / "node/node_modules/node/bin"]
    path = ":".join([*map(str, programs), os.environ["PATH"]])
    arguments = ["--channel-host", "127.0.0.1", "--claude-dir", variables["CLAUDE_CONFIG_DIR"], *passed]
    return Verbatim(place, *arguments, environment={**variables, "PATH": path})


class Conversation:
    """The places, and what is said in them: `history` has (who, what, text) in the order of the session."""

    def __init__(self, place, verbatim, model, homeserver):
        self.verbatim, self.model, self.history = verbatim, model, []
        self.folder = place / "work"
        self.folder.mkdir()
        self.room, self.webhook = Room(homeserver, verbatim), Receiver(verbatim)
        self.browser = Browser(verbatim)
        self.session = self.browser.start("claude", self.folder)
        self.webhook.session = self.session
        self.terminal = Reader(verbatim, self.session)
        self.places = {"browser": self.browser, "terminal": self.terminal, "webhook": self.webhook, "room": self.room}

    def say(self, place, text):
        """Somebody writes in one place."""
        self.places[place].say(text)
        if not self.history:
            self.room.join()
        self.history.append((place, "prompt", text))

    def happened(self, who, what, text):
        self.history.append((who, what, text))
        self.everywhere()

    def everywhere(self):
        """Waits until all places show the history, and nothing else."""
        for name, place in self.places.items():
            wanted = [line for entry in self.history if (line := LINES[name](*entry))]
            try:
                until(f"the history in the {name}", lambda: place.history() == wanted)
            except AssertionError:
                print(f"--- expected in the {name}", *wanted, "--- it has", *place.history(), sep="\n", file=sys.stderr)
                raise

    def request(self, file):
        """What the agent asks before it makes a file, once all places show it."""
        asks = until("a request", lambda: self.verbatim.call("GET", "/v1/asks")["asks"])
        request = asks[0]["entry"]
        options = request["metadata"]["payload"]["questions"][0]["options"]
        for place in self.places.values():
            until("a request everywhere", lambda: place.asks(request["id"], f"Run touch {file}"))
        return request["id"], {option["kind"]: option["id"] for option in options}


# How each place shows an entry of the history. A decision isn't sent back to where it was made.
def told(own, signs):
    """A channel."""
    def line(who, what, text):
        if what == "prompt":
            return f"[{NAMES[who]}] {text}"
        if what == "answer":
            return f"Assistant: {text}" if signs else text
        if what == "host":
            return f"🏠 {text}"
        file, allows = text
        if what == "tool":
            return f"🔧 Bash: touch {file}\n📋 (Bash completed with no output)" if allows else f"🔧 Bash: touch {file} (denied)"
        label = "Allow once" if allows else "Deny"
        if what == "request":
            return f"🔐 Permission: Run touch {file} ({'allowed once' if allows else 'denied'}: {label}) by {DECIDED[who]}"
        return None if who == own else f"[{NAMES[who]}] ▸ {label}"
    return line


def on_page(who, what, text):
    """The names of articles. A decision stands on its request; what one denied oneself stands on the call."""
    if what == "prompt":
        return f"{'You' if NAMES[who] in OWN else NAMES[who]}: {text}"
    if what == "answer":
        return f"Claude Code: {text}"
    if what == "host":
        return f"Host: {text}"
    file, allows = text
    if what == "tool":
        return f"Claude Code: Bash: touch {file}" + ("" if allows else " (denied)")
    if what == "request" and (allows or NAMES[who] not in OWN):
        return f"Claude Code: Permission: Run touch {file} ({'allowed once: Allow once' if allows else 'denied: Deny'})"
    return None


def on_screen(who, what, text):
    """Cards of the terminal: who, and what."""
    if what == "prompt":
        return f"{'You' if NAMES[who] in OWN else NAMES[who]}: {text}"
    if what == "answer":
        return f"claude code: {text}"
    if what == "host":
        return f"🏠 Verbatim: {text}"
    file, allows = text
    if what == "tool":
        return f"🔧 {'✅ ' if allows else ''}Bash touch {file} {'done' if allows else 'denied'}"
    if what == "request":
        decided = "allowed once by {} Allow once" if allows else "denied by {} Deny"
        return f"claude code APPROVAL: 🔐 Run touch {file} {decided.format(DECIDED[who])}"
    name = "You" if NAMES[who] in OWN else NAMES[who]
    return f"{name} ACTION: Selected: {'Allow once' if allows else 'Deny'}"


LINES = {"browser": on_page, "terminal": on_screen, "webhook": told("webhook", True), "room": told("room", False)}


def step(name):
    print(f"ok  {name}", flush=True)


def test(conversation):
    for place in PLACES:
        conversation.say(place, f"say Ground by the {place}")
        conversation.happened(None, "answer", f"Ground by the {place}.")
        step(f"a prompt from the {place} and its answer are everywhere")

    conversation.verbatim.call("POST", "/v1/host-messages", {"content": HOST, "session": conversation.session}, 201)
    conversation.happened(None, "host", HOST)
    step("what the host says is everywhere")

    for at, place in enumerate(PLACES):
        decider, allows, file = PLACES[at - 1], at % 2 == 0, f"flour-{place}"
        conversation.say(place, f"run touch {file}")
        request, options = conversation.request(file)
        conversation.places[decider].decide(request, options, allows)
        answer = f"It said: {'(Bash completed with no output)' if allows else REFUSED}"
        conversation.history += [(None, "tool", (file, allows)), (decider, "request", (file, allows)),
                                 (decider, "decision", (file, allows))]
        conversation.happened(None, "answer", answer)
        assert (conversation.folder / file).exists() == allows
        step(f"the {place} prompts, the {decider} {'allows' if allows else 'denies'}, and all places say who did")

    requests = [request for request in conversation.model.requests if request.get("tools")]
    assert HOST not in json.dumps(conversation.model.requests), "the model was given what the host said"
    given = "\n".join(words for message in requests[-1]["messages"] if message["role"] == "user" for words in texts(message))
    prompts = [text for _, what, text in conversation.history if what == "prompt"]
    found = [given.find(prompt) for prompt in prompts]
    assert found == sorted(found) and found[0] >= 0 and all(given.count(prompt) == 1 for prompt in prompts), given
    step("the model was given each prompt once, in order, and never what the host said")

    conversation.verbatim.kill()
    conversation.room.say("Are you there?")
    conversation.verbatim.start()
    conversation.terminal.reopen()
    conversation.browser.reload()
    conversation.happened("room", "prompt", "Are you there?")
    # Each place is told in order: what came twice would stand before this.
    conversation.verbatim.call("POST", "/v1/host-messages", {"content": REOPENED, "session": conversation.session}, 201)
    conversation.happened(None, "host", REOPENED)
    step("the server is killed: what is said meanwhile comes, and nothing is missing or comes twice")


def texts(message):
    content = message["content"]
    return [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]


def main():
    place = pathlib.Path(tempfile.mkdtemp(prefix="verbatim-places-")).resolve()
    model, started, conversation = Model(), [], None
    try:
        homeserver = Homeserver(place / "synapse")
        started.append(homeserver)
        verbatim = serve(place, model)
        started.append(verbatim)
        conversation = Conversation(place, verbatim, model, homeserver)
        test(conversation)
    except BaseException:
        if conversation:
            picture = pathlib.Path(tempfile.gettempdir()) / "verbatim-places.png"
            conversation.browser.page.screenshot(path=picture)
            print(f"--- the page: {picture}", file=sys.stderr)
        for log in place.glob("**/log"):
            print(f"--- {log}", *log.read_text(errors="replace").splitlines()[-25:], sep="\n", file=sys.stderr)
        raise
    finally:
        if conversation:
            conversation.browser.end()
            conversation.terminal.end()
        for one in started:
            one.process.kill()
            one.process.wait()
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()

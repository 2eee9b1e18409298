"""`verbatim tui` in a pseudo terminal that is high enough for the whole conversation."""
import re

from helpers.terminal import Terminal
from helpers.verbatim import PROGRAM


class Reader:
    def __init__(self, verbatim, session):
        self.verbatim, self.session = verbatim, session
        self.open()

    def open(self):
        environment = {**self.verbatim.environment, "TERM": "xterm-256color"}
        self.terminal = Terminal([PROGRAM, "tui", self.session], environment, self.verbatim.place, columns=160, rows=200)

    def reopen(self):
        self.end()
        self.open()

    def end(self):
        self.terminal.end()

    def say(self, text):
        self.terminal.key("r")
        self.terminal.type(text)

    def asks(self, _, title):
        return self.terminal.shows(f"🔐 {title}") and self.terminal.shows("Waits for you")

    def decide(self, _request, _options, allows):
        self.terminal.key("a")
        self.terminal.sees("a allows once")
        self.terminal.key("a" if allows else "d")

    def history(self):
        """Each card as `who: what`, and each call as its line, without times and folders."""
        lines = [line.partition("│")[2].strip("▌ ") for line in self.terminal.text().splitlines()[:-1]]
        blocks, block = [], []
        # The title and the state of the session come first.
        for line in [*lines[2:], ""]:
            if " hidden: " in line or line.startswith("/"):
                continue
            if line:
                block.append(line)
            elif block:
                blocks.append(block)
                block = []
        return [card for block in blocks for card in cards(block)]


def cards(block):
    head, *body = block
    if not body or head.startswith("▸"):
        return [re.sub(r", [\d.]+ s$", "", " ".join(line.strip("▸ ").split())) for line in block]
    who = re.sub(r"\s+\d\d:\d\d", "", head)
    return [f"{' '.join(who.split())}: {' '.join(' '.join(body).split())}"]

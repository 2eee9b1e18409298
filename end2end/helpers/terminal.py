"""A program in a pseudo terminal, and what its screen shows."""
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time

import pyte

from helpers.verbatim import until


class Terminal:
    def __init__(self, command, environment, folder, columns=120, rows=40):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.lock = threading.Lock()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(folder)
            os.execve(command[0], [str(word) for word in command], environment)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                return
            if not data:
                return
            with self.lock:
                self.stream.feed(data)
            # Where the cursor is: programs ask a terminal at their start.
            for _ in re.findall(rb"\x1b\[6n", data):
                os.write(self.terminal, f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R".encode())

    def text(self):
        """The screen, without the empty ends of its lines."""
        with self.lock:
            rows = [self.screen.buffer[row] for row in range(self.screen.lines)]
            # The second cell of a wide character is empty.
            lines = ("".join(row[column].data for column in range(self.screen.columns)) for row in rows)
            return "\n".join(line.rstrip() for line in lines)

    def shows(self, text):
        """Whether the screen has this text, wherever its lines break."""
        return re.sub(r"\s", "", text) in re.sub(r"\s", "", self.text())

    def sees(self, text):
        return until(f"`{text}` in the terminal", lambda: self.shows(text))

    def type(self, text):
        """Types a text, and Enter. Between both is a pause, as of a person: what comes at once counts as a paste."""
        self.key(text)
        self.sees(text)
        time.sleep(0.3)
        self.key("\r")

    def key(self, key):
        os.write(self.terminal, key.encode())

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


class Terminals:
    """Opens terminals, with a function that returns one, and ends them all. Their screens are printed if something fails."""

    def __init__(self, open_one):
        self.open_one, self.opened = open_one, []

    def __call__(self, *arguments):
        self.opened.append(self.open_one(*arguments))
        return self.opened[-1]

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        for terminal in self.opened:
            if failure:
                print("A terminal:", terminal.text(), sep="\n")
            terminal.end()

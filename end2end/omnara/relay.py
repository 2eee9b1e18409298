"""A way to the server on which answers get lost."""

import socket
import threading

# Linux alone has it.
CORK = getattr(socket, "TCP_CORK", None)

# How an answer gets lost.
AFTER_THE_ANSWER = "the relay has the answer when both ends lose it"
BEFORE_THE_ANSWER = "the client hangs up as soon as the request is through"
RESET = "the relay resets the connection on which the answer comes"


class Relay:
    def __init__(self, server, how, times=1, meanwhile=None):
        self.server, self.how, self.left, self.meanwhile = server, how, times, meanwhile
        self.requests = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        """One connection, a request at a time."""
        upstream = None
        with client:
            while request := read_message(client):
                self.requests += 1
                if upstream is None:
                    upstream = socket.create_connection(("127.0.0.1", self.server.port))
                # The server answers to its own name alone.
                head, body = request.split(b"\r\n\r\n", 1)
                lines = [b"Host: 127.0.0.1:%d" % self.server.port if line.lower().startswith(b"host:") else line for line in head.split(b"\r\n")]
                if self.left > 0 and self.how == BEFORE_THE_ANSWER and not self.meanwhile and CORK:
                    # The end of the request waits for the end of the connection: no answer is so fast that it comes between.
                    upstream.setsockopt(socket.IPPROTO_TCP, CORK, 1)
                upstream.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + body)
                if self.left > 0:
                    self.left -= 1
                    self.lose(upstream)
                    return
                client.sendall(read_message(upstream))
        if upstream:
            upstream.close()

    def lose(self, upstream):
        if self.how == AFTER_THE_ANSWER:
            read_message(upstream)
        elif self.how == RESET:
            # With something unread a socket is reset, not closed.
            upstream.recv(1, socket.MSG_PEEK)
        if self.meanwhile:
            self.meanwhile()
        upstream.close()
        # The server sees the end before it sees the repeat, as it does over a network.
        self.server.local("GET", "/v1/sessions?limit=1")


def read_message(stream):
    """A whole request or answer with a known length; nothing at the end of the connection."""
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            more = stream.recv(65536)
            if not more:
                return b""
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        missing = int(lengths[0]) - len(body) if lengths else 0
        while missing > 0:
            more = stream.recv(min(missing, 1 << 20))
            if not more:
                return b""
            data += more
            missing -= len(more)
    except ConnectionError:
        return b""
    return data

"""The other side of a webhook, and Bo, who answers there. Signatures are those of a library that isn't ours."""
import datetime
import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook


class Receiver:
    def __init__(self, verbatim):
        self.keys, self.texts, self.sent, self.session = set(), {}, 0, None
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.take(receiver.signer.verify(body, dict(self.headers)), self.headers["webhook-id"])
                self.send_response(204)
                self.end_headers()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        settings = {"url": f"http://127.0.0.1:{self.server.server_address[1]}/"}
        added = verbatim.call("POST", "/v1/channels", {"kind": "webhook", "settings": settings, "people": {"bo": "Bo"},
                                                       "every_session": True}, 201)
        self.signer = Webhook(added["secret"])
        self.url = f"{verbatim.url}/v1/channels/{added['channel']['id']}/incoming"

    def take(self, event, key):
        # A repetition has the same key.
        if key not in self.keys:
            self.keys.add(key)
            self.texts[event["message"]["seq"]] = event["text"]

    def history(self):
        """What each message says now, in the order of the session: a tool's call comes once it is over."""
        return [text for _, text in sorted(self.texts.items())]

    def asks(self, _, title):
        return any(text.startswith(f"🔐 {title}\n") for text in self.history())

    def say(self, text):
        """What Bo writes isn't posted back to him: it is noted here."""
        self.texts[self.post(text=text)["seq"]] = f"[Bo] {text}"

    def decide(self, request, _options, allows):
        assert self.post(text="approve" if allows else "deny", about=request)["decided"]

    def post(self, **answer):
        self.sent += 1
        key, now = f"evt_{self.sent}", datetime.datetime.now(datetime.timezone.utc)
        body = json.dumps({"session": self.session, "sender": "bo", **answer})
        headers = {"webhook-id": key, "webhook-timestamp": str(int(now.timestamp())),
                   "webhook-signature": self.signer.sign(key, now, body), "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.url, body.encode(), headers), timeout=30) as reply:
            return json.loads(reply.read())

"""A model service for tests: it speaks enough of the Anthropic Messages API for Claude Code, and does what a prompt tells it.

`run COMMAND` calls Bash; `ask` and `plan` call AskUserQuestion and ExitPlanMode; `say WORDS` says them, with a full stop. Who wrote
a prompt may stand before it, in brackets. A tool's result is repeated in words. `requests` has all that the agent sent, and `results`
the results of its tools, in order.
"""
import json
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

QUESTIONS = [{"question": "Which stone?", "header": "Stone", "multiSelect": False,
              "options": [{"label": "Basalt", "description": "Hard"}, {"label": "Granite", "description": "Harder"}]}]


def text_of(content):
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part.get("text", "") for part in parts if part.get("type") == "text")


class Model:
    def __init__(self):
        self.requests = []
        self.results = []
        self.calls = 0
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.answer(b"", "text/plain")

            def do_GET(self):
                self.answer(b"{}", "application/json")

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
                if self.path.split("?")[0].endswith("count_tokens"):
                    return self.answer(b'{"input_tokens": 1}', "application/json")
                model.requests.append(body)
                blocks = model.turn(body)
                if body.get("stream"):
                    return self.answer("".join(events(blocks)).encode(), "text/event-stream")
                return self.answer(json.dumps(message(blocks)).encode(), "application/json")

            def answer(self, data, kind):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def turn(self, body):
        tools = {tool.get("name") for tool in body.get("tools") or []}
        if "Bash" not in tools:
            return [{"type": "text", "text": "Test"}]
        kind, value = self.last(body.get("messages") or [])
        if kind == "result":
            self.results.append(value)
            return [{"type": "text", "text": f"It said: {value}"}]
        self.calls += 1
        if kind == "run":
            return [self.tool("Bash", {"command": value, "description": "As told"})]
        if kind == "ask":
            return [self.tool("AskUserQuestion", {"questions": QUESTIONS})]
        if kind == "plan":
            return [self.tool("ExitPlanMode", {"plan": "# Mend the wheel\n\nTwo planks."})]
        return [{"type": "text", "text": f"{value}." if kind == "say" else "Nothing to do."}]

    @staticmethod
    def last(messages):
        """The last prompt or result. The agent's program writes other texts around them."""
        for message in reversed(messages):
            content = message.get("content")
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
            for part in reversed(parts):
                if part.get("type") == "tool_result":
                    return "result", text_of(part.get("content"))
                text = part.get("text", "").strip()
                # What a hook passes on stands in a tag, among other words.
                passed_on = re.search(r"<verbatim-message>\n(.*)\n</verbatim-message>", text, re.DOTALL)
                text = passed_on[1] if passed_on else text
                told = re.fullmatch(r"(?:\[\w+\] )?(run|say|ask|plan)(?: (.+))?", text)
                if told and message.get("role") == "user":
                    return told[1], told[2]
        return None, None

    def tool(self, name, given):
        return {"type": "tool_use", "id": f"toolu_{self.calls:04}test", "name": name, "input": given}


def message(blocks):
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": "test", "content": blocks,
            "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1}}


def events(blocks):
    def event(kind, **fields):
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    whole = message(blocks)
    yield event("message_start", message={**whole, "content": [], "stop_reason": None})
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield event("content_block_start", index=index, content_block=start)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    yield event("message_delta", delta={"stop_reason": whole["stop_reason"], "stop_sequence": None},
                usage={"output_tokens": 1})
    yield event("message_stop")

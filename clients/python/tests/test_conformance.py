"""Replays `fixtures/sdk`: what each call sends, and what each answer becomes."""

import asyncio
import json
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from both import connect

from verbatim_sdk import Answer, Decided, Error, Message, MessagePage, approval
from verbatim_sdk import payloads as p
from verbatim_sdk._json import write

FIXTURES = Path(__file__).parents[3] / "fixtures/sdk"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(FIXTURES.glob("*.json"))
    for case in json.loads(file.read_text())
]
BASE = "http://127.0.0.1:7117"
KEY = "vbt_1_secret"


class Script(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Answers requests as recorded, and compares each with the one that is due."""

    def __init__(self, exchanges):
        self.left = list(exchanges)

    def handle_request(self, request):
        assert self.left, f"nothing more should be sent: {request.method} {request.url}"
        exchange = self.left.pop(0)
        due, answer = exchange["request"], exchange["answer"]
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert f"{request.method} {str(request.url)[len(BASE) :]}".split("?")[0] == f"{due['method']} {due['path']}".split("?")[0]
        assert pairs(str(request.url)) == pairs(due["path"])
        body = json.loads(request.content) if request.content else None
        if not (due["method"] == "DELETE" and body in (None, {})):
            assert matches(due["body"], body), body
        if answer is None:
            raise httpx.ReadError("the connection broke")
        if "stream" in answer:
            return httpx.Response(answer["status"], content=answer["stream"].encode())
        text = answer["body"] if isinstance(answer["body"], str) else json.dumps(answer["body"])
        return httpx.Response(answer["status"], content=text.encode(), headers={"content-type": "application/json"})

    async def handle_async_request(self, request):
        await asyncio.sleep(0)
        return self.handle_request(request)


def pairs(path):
    return sorted(parse_qsl(urlsplit(path).query))


def matches(due, body):
    if due == "$ANY":
        return isinstance(body, str) and body != ""
    if isinstance(due, dict) and isinstance(body, dict):
        return due.keys() == body.keys() and all(matches(due[key], body[key]) for key in due)
    if isinstance(due, list) and isinstance(body, list):
        return len(due) == len(body) and all(map(matches, due, body))
    return due == body and type(due) is type(body)


def plain(value):
    """A result as the fixtures write it."""
    if isinstance(value, Message):
        names = "id seq revision role status requires_user_input content text message_type payload".split()
        tags = {body: tag for tag, body in p.BUILT_IN.items()}
        body = {p.Unknown: "UNKNOWN", p.Invalid: "INVALID", **tags}[type(value.body)]
        return {**{name: getattr(value, name) for name in names}, "body": body}
    if isinstance(value, (Answer, Decided)):
        properties = {name: getattr(value, name) for name in ("text", "allowed") if hasattr(value, name)}
        return {**{name: plain(field) for name, field in vars(value).items()}, **properties}
    if isinstance(value, MessagePage):
        fields = vars(value)
        return {**{name: plain(field) for name, field in fields.items()}, "from": value.from_seq, "to": value.to_seq}
    if isinstance(value, Error):
        names = "kind status code title hint field pointer expected retry_after current".split()
        return {"error": {name: plain(getattr(value, name)) for name in names}}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if type(value).__module__ == p.__name__:
        return write(value)
    if type(value).__module__.startswith("verbatim_sdk"):
        visible = {name: plain(field) for name, field in vars(value).items() if not name.startswith("_") and name != "other"}
        return {**visible, **getattr(value, "other", {})}
    return value


def contains(result, expected, at="result"):
    """Compares field by field what the fixture names; null equals absent."""
    if isinstance(expected, dict) and isinstance(result, dict):
        for key, value in expected.items():
            contains(result.get(key), value, f"{at}/{key}")
    elif isinstance(expected, list) and isinstance(result, list):
        assert len(result) == len(expected), f"{at}: {result}"
        for index, (item, due) in enumerate(zip(result, expected)):
            contains(item, due, f"{at}/{index}")
    else:
        assert result == expected, f"{at}: {result!r}, not {expected!r}"


def run(verbatim, case):
    function, arguments = case["call"]["function"], case["call"]["arguments"]
    if function.startswith("approval."):
        if "fields" in arguments:
            arguments = {**arguments, "fields": [p.Field(**field) for field in arguments["fields"]]}
        return getattr(approval, function.split(".")[1])(**arguments)
    if function in ("create_session", "sessions", "me"):
        result = getattr(verbatim, function)(**arguments)
        return {"id": result.id} if function == "create_session" else result
    session = verbatim.session(case.get("session", "s1"), after=case.get("after"))
    if function == "watch":
        return watched(session.watch(arguments.get("after")), arguments["count"])
    if function == "stream_message":
        text = session.stream_message()
        for piece in arguments["pieces"]:
            text.append(piece)
        return getattr(text, arguments["end"])()
    result = getattr(session, function)(**arguments)
    return {"sent": result.sent} if function == "request_approval" else result


def watched(watch, count):
    items = []
    while len(items) < count:
        try:
            items.append(next(watch))
        except StopIteration:
            break
        except Error as error:
            items.append(error)
    watch.close()
    return items


@pytest.mark.parametrize("kind", ["blocking", "async"])
@pytest.mark.parametrize("case", CASES)
def test_it_is_sent_and_understood(case, kind):
    one = [{"request": case["request"], "answer": case["answer"]}] if case.get("request") else []
    script = Script(case.get("exchanges", one))
    with connect(kind, BASE, KEY, transport=script) as verbatim:
        try:
            result = run(verbatim, case)
        except Error as error:
            result = error
    if isinstance(result, dict):
        result = {name: plain(value) for name, value in result.items()}
    contains(plain(result), case["result"])
    assert not script.left, "everything that is due was sent"

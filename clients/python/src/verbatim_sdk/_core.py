"""A server and the key to it, as plans see them."""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import os
import secrets
import time
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

from ._json import Mismatch, read
from ._plan import Answer, Lost, Opened, Plan, Request, repeated
from .errors import InvalidError, Problem, SetupError, UnreachableError, error_of, unreadable

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds for which a request is repeated, unless stated otherwise."""
ORDINARY = 60.0
"""Seconds that an ordinary answer may take."""
LONG = 90.0
"""Seconds that the answer to a request that waits may take: the longest wait is a minute."""


def new_id() -> str:
    """Returns an id for something new, a UUIDv7: it sorts by time. What has an id can be sent again."""
    milliseconds = time.time_ns() // 1_000_000
    return str(uuid.UUID(int=milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)))


def segment(text: str) -> str:
    """Returns one segment of a path, escaped."""
    return quote(text, safe="-._~!'()*")


class Core:
    """Where the server is, the key, and how patient requests are."""

    def __init__(
        self,
        url: Optional[str],
        key: Optional[str],
        patience: float = PATIENCE,
        newer_key: Optional[Callable[[], Optional[str]]] = None,
    ) -> None:
        self.url = _address(_variable("VERBATIM_URL") if url is None else url)
        self.key = (_variable("VERBATIM_KEY") if key is None else key).strip()
        # The key stays out of the message, which may end in a log.
        if not self.key or not self.key.isascii() or not self.key.isprintable():
            raise SetupError("The key is missing or contains characters that no key has", "`verbatim key create` makes one")
        self.patience = patience
        self.newer_key = newer_key

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine. A proxy on another machine would connect to its own loopback."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def exchange(self, request: Request) -> Plan[Union[Answer, Opened]]:
        """Sends a request with the key; if that is refused, once more with a newer one. Raises `UnreachableError`."""
        used = self.key
        outcome = yield self._authorized(request, used)
        if isinstance(outcome, Answer) and outcome.status == 401 and self.newer_key is not None:
            newer = self.newer_key()
            if newer and newer != used:
                self.key = newer
                outcome = yield self._authorized(request, newer)
        if isinstance(outcome, Lost):
            raise UnreachableError(Problem(0, "transport", f"{self.url} can't be reached: {outcome.why}"))
        if not isinstance(outcome, (Answer, Opened)):
            raise TypeError(f"no outcome of a request: {outcome!r}")
        return outcome

    def _authorized(self, request: Request, key: str) -> Request:
        headers = {**request.headers, "Authorization": f"Bearer {key}"}
        return dataclasses.replace(request, url=self.url + request.url, headers=headers)

    def send(
        self, method: str, path: str, body: Optional[bytes], content_type: Optional[str] = None, timeout: float = ORDINARY
    ) -> Plan[bytes]:
        """Sends one request and returns the body of a success."""
        headers = {} if content_type is None else {"Content-Type": content_type}
        answer = yield from self.exchange(Request(method, path, headers, body, timeout))
        if not isinstance(answer, Answer):
            raise TypeError("a stream that nobody asked for")
        if answer.status >= 400:
            raise error_of(problem_of(answer))
        return answer.body

    def once(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, timeout: float = ORDINARY) -> Plan[Any]:
        """Calls an endpoint once, with JSON, and returns the JSON of its answer."""
        written = None if body is None else _written(body)
        return parse((yield from self.send(method, path, written, None if written is None else "application/json", timeout)))

    def call(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        patience: Optional[float] = None,
        timeout: float = ORDINARY,
    ) -> Plan[Any]:
        """Calls an endpoint, and again while it fails for the moment. The body has its ids."""
        patience = self.patience if patience is None else patience
        return repeated(patience, lambda: self.once(method, path, body, timeout))

    def cursor(self, session: Optional[str]) -> Plan[str]:
        """Returns where the event stream is now: of a session, or of all."""
        path = "/v1/sessions?limit=1" if session is None else f"/v1/sessions/{segment(session)}"
        answer = yield from self.call("GET", path)
        return text_of(answer, "cursor")


def problem_of(answer: Answer) -> Problem:
    """Returns the problem that an answer of 400 or more contains. A proxy in between says less: `bad_answer`."""
    try:
        said = json.loads(answer.body)
        problem = Problem(int(said["status"]), str(said["code"]), str(said["title"]))
        for name in ("hint", "field", "expected", "retry_after", "current"):
            setattr(problem, name, said.get(name))
    except (ValueError, TypeError, KeyError, AttributeError):
        # Verbatim's own 404 has a problem as its body: this one came from another server.
        hint = "Check that the address is that of a Verbatim server, with its path if it has one" if answer.status == 404 else None
        problem = Problem(answer.status, "bad_answer", f"The server answered {answer.status}", hint)
    asked = answer.headers.get("retry-after", "").strip()
    if problem.retry_after is None and asked.isdigit():
        problem.retry_after = int(asked)
    return problem


def _written(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidError(Problem(0, "unwritable", f"The request can't be written as JSON: {error}")) from None


def parse(body: bytes) -> Any:
    """Returns the JSON of an answer. Raises `ServerError`."""
    try:
        return json.loads(body)
    except ValueError as error:
        raise unreadable(str(error)) from None


def read_as(cls: Type[T], value: Any) -> T:
    """Reads a part of an answer, leniently. Raises `ServerError`."""
    try:
        return read(cls, value, lenient=True)
    except Mismatch as mismatch:
        raise unreadable(str(mismatch)) from None


def text_of(answer: Any, name: str) -> str:
    """Returns a string of an answer. Raises `ServerError`."""
    if not isinstance(answer, dict) or not isinstance(answer.get(name), str):
        raise unreadable(f"it has no `{name}`")
    return str(answer[name])


def list_of(answer: Any, name: str) -> List[Dict[str, Any]]:
    """Returns a list of objects of an answer. Raises `ServerError`."""
    items = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise unreadable(f"it has no `{name}`")
    return [item for item in items if isinstance(item, dict)]


def present(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the fields that aren't None."""
    return {name: value for name, value in fields.items() if value is not None}


def query(path: str, fields: Mapping[str, Any]) -> str:
    """Returns a path with a query of the fields that aren't None. A list repeats its parameter."""
    pairs: List[Tuple[str, str]] = []
    for name, value in present(fields).items():
        values: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
        pairs += [(name, str(int(one)) if isinstance(one, bool) else str(one)) for one in values]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        hint = "`verbatim serve` prints the address, `verbatim key create` makes a key"
        raise SetupError(f"`{name}` isn't set in the environment", hint)
    return value


def _address(text: str) -> str:
    """Returns the address without a slash at its end. Query and fragment, as in a log-in link, are no part of it."""
    unfit = SetupError(f"`{text}` is no server's address: it should look like `http://127.0.0.1:7117`")
    try:
        parts = urlsplit(text.strip())
        # Reading the port checks it.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise unfit from None
    if not usable:
        raise unfit
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"

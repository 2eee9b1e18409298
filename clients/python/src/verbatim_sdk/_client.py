"""The calls of a server, as an agent with a key sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from ._core import LONG, Core, list_of, new_id, parse, present, query, read_as, segment, text_of
from ._plan import Plan, call, repeated
from .errors import SetupError
from .message import Blob, Me, SessionInfo, SessionPage

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .fields import SessionQuery


class VerbatimCalls:
    """The calls of a server."""

    _core: Core

    @property
    def url(self) -> str:
        """The server's address, without a slash at its end."""
        return self._core.url

    @call
    def me(self) -> Plan[Me]:
        """Returns who the server takes us for: a way to try address and key.

        Raises `UnreachableError` if the address is wrong, `UnauthorizedError` if the key is.
        """
        return read_as(Me, (yield from self._core.call("GET", "/v1/me")))

    @call
    def sessions(self, **filters: Unpack[SessionQuery]) -> Plan[SessionPage]:
        """Returns a page of the sessions that the key may see. Raises `ForbiddenError` for a key without `read`."""
        answer = yield from self._core.call("GET", query("/v1/sessions", filters))
        list_of(answer, "sessions")
        return read_as(SessionPage, answer)

    @call
    def search(self, q: str, filters: Optional[Mapping[str, Any]] = None) -> Plan[Dict[str, Any]]:
        """Searches the messages of all sessions, the newest first, and returns a page: `hits`, `total`, `next`.

        `filters` are the parameters of `GET /v1/search`, such as `limit` and `after`. Raises `ForbiddenError` for a key without
        `read_all`, and `InvalidError` for an empty or too long `q`.
        """
        answer: Dict[str, Any] = yield from self._core.call("GET", query("/v1/search", {**(filters or {}), "q": q}))
        list_of(answer, "hits")
        return answer

    @call
    def recall(self, q: str = "", filters: Optional[Mapping[str, Any]] = None) -> Plan[Dict[str, Any]]:
        """Recalls what people said, the best first, and returns a page: `memories`, `total`, `vectors`. Without `q` the newest first.

        `filters` are the parameters of `GET /v1/memory`, such as `limit` and `session`. Raises `ForbiddenError` for a key without
        `read`, and `InvalidError` for a too long `q`.
        """
        asked = {**(filters or {}), **({"q": q} if q else {})}
        answer: Dict[str, Any] = yield from self._core.call("GET", query("/v1/memory", asked))
        list_of(answer, "memories")
        return answer

    @call
    def upload(self, data: bytes, mime: str = "application/octet-stream") -> Plan[Blob]:
        """Stores the bytes of a file, up to 64 MiB. What it returns goes into a `FileItem`. The same bytes are stored once."""
        stored = yield from repeated(self._core.patience, lambda: self._core.send("POST", "/v1/blobs", data, mime, LONG))
        return read_as(Blob, parse(stored))

    @call
    def read_blob(self, blob: str) -> Plan[bytes]:
        """Returns the bytes of a file that a message of the agent's sessions names.

        `blob` is the field of a FILE's item: `sha256:` and the digest in hex, or the digest alone. Raises `NotFoundError`.
        """
        digest = blob[len("sha256:") :] if blob.startswith("sha256:") else blob
        path = f"/v1/blobs/{segment(digest)}"
        return (yield from repeated(self._core.patience, lambda: self._core.send("GET", path, None, timeout=LONG)))

    @call
    def declare_type(self, document: Mapping[str, Any]) -> Plan[Dict[str, Any]]:
        """Declares how the messages of a type are shown, and returns what the server says of the document: `type`, `version`, `sha256`.

        The same document again changes nothing: call this whenever the agent starts. Raises `InvalidError` with the `pointer` of
        the first problem, and `ForbiddenError` if another key or a person declared the type first.
        """
        name = document.get("type")
        if not isinstance(name, str) or not name:
            raise SetupError("The document has no `type`", "It is the name by which messages are posted: `acme.deploy/plan`")
        answer: Dict[str, Any] = yield from self._core.call("PUT", f"/v1/types/{segment(name)}", dict(document))
        text_of(answer, "sha256")
        return answer

    def _create_session(self, agent: str, fields: Mapping[str, Any]) -> Plan[SessionInfo]:
        answer = yield from self._core.call("POST", "/v1/sessions", {"id": new_id(), **present(fields), "agent": agent})
        text_of(answer, "id")
        return read_as(SessionInfo, answer)

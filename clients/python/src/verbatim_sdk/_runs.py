"""Runs: what an agent is given for one turn, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from ._plan import Plan, call

if TYPE_CHECKING:
    from ._session import SessionCalls


class RunCalls:
    """The calls of a run that began.

    While it is open, beginning one gives the same again, byte for byte: an agent that crashes reads it anew.
    """

    _session: SessionCalls
    id: str
    """Id of the run."""
    input: Dict[str, Any]
    """Everything that was given, as the server sent it."""

    def _begin(self, session: SessionCalls, input: Dict[str, Any]) -> None:
        self._session, self.input, self.id = session, input, str(input["run"])

    @property
    def prompt(self) -> Any:
        """The messages in the format that was asked for: a list, or a string for `text`."""
        return self.input.get("prompt")

    @property
    def system(self) -> Optional[str]:
        """The text for the system prompt parameter, in this run only. None without notices."""
        return self.input.get("system")

    @property
    def system_notices(self) -> List[str]:
        """The notices of this run, one by one."""
        return list(self.input.get("system_notices") or [])

    @property
    def resumed(self) -> bool:
        """Whether it was begun before and hadn't ended."""
        return bool(self.input.get("resumed"))

    @call
    def end(
        self,
        outcome: str = "done",
        *,
        error: Optional[str] = None,
        model: Optional[str] = None,
        usage: Optional[Mapping[str, int]] = None,
        cost_usd: Optional[float] = None,
    ) -> Plan[None]:
        """Ends the run: `done`, `interrupted` or `failed`. The first outcome holds, another one raises `ConflictError`.

        `usage` has the numbers of tokens `input`, `output`, `cache_read` and `cache_write`. People see `error`, the model never does.
        """
        yield from self._session._end_run(
            self.id, {"outcome": outcome, "error": error, "model": model, "usage": usage, "cost_usd": cost_usd}
        )

"""How a call is written once and runs both ways.

A call is a generator, a *plan*: it yields steps (send this request, wait so long) and receives their outcomes. A blocking and an
asynchronous driver run the same plans. `call` turns a plan into the method of both.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Coroutine, Dict, Generator, Generic, Iterator, Optional, TypeVar, Union, overload

from .errors import BusyError, UnreachableError

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    from ._drive import Asynchronous, Blocking

    P = ParamSpec("P")
else:
    P = TypeVar("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """Step: send a request. Its outcome is an `Answer` or `Lost`; with `stream`, also `Opened`."""

    method: str
    url: str
    headers: Dict[str, str]
    body: Optional[bytes]
    timeout: float
    """Seconds without a byte of the answer."""
    stream: bool = False


@dataclass(frozen=True)
class Pause:
    """Step: wait so many seconds."""

    seconds: float


@dataclass(frozen=True)
class Read:
    """Step: read the next bytes of a stream. Its outcome is None at the end, and if the connection is lost or silent."""

    stream: Any


@dataclass(frozen=True)
class Answer:
    """Outcome: status, headers and body."""

    status: int
    body: bytes = b""
    headers: Dict[str, str] = field(default_factory=dict)
    """Names in lower case."""


@dataclass(frozen=True)
class Lost:
    """Outcome: no answer came, or not all of it."""

    why: str


@dataclass(frozen=True)
class Opened:
    """Outcome: a stream began, with the status 200."""

    stream: Any


Step = Union[Request, Pause, Read]
Plan = Generator[Step, Any, T]

ENDLESS = float("inf")
"""The patience of what waits for people anyway."""

_FIRST, _LONGEST = 0.1, 10.0


def pauses() -> Iterator[float]:
    """Yields growing pauses in seconds, each longer by chance, so that many clients don't come back at once."""
    pause = _FIRST
    while True:
        yield pause + random.uniform(0, pause)
        pause = min(2 * pause, _LONGEST)


def repeated(patience: float, attempt: Callable[[], Plan[T]]) -> Plan[T]:
    """Makes attempts while they fail for the moment and the pauses together are shorter than `patience`.

    What is attempted has its ids already, so that nothing is done twice.
    """
    waited, delays = 0.0, pauses()
    while True:
        try:
            return (yield from attempt())
        except (BusyError, UnreachableError) as error:
            pause = next(delays) + (error.retry_after or 0)
            waited += pause
            if waited > patience:
                raise
        yield Pause(pause)


class call(Generic[P, T]):
    """A method that is written as a plan: it waits in a blocking class, and is a coroutine in an asynchronous one."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Plan[T]]) -> None:
        self.plan = plan

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[..., Plan[T]]: ...
    @overload
    def __get__(self, instance: Blocking, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, instance: Asynchronous, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self.plan
        plan = self.plan

        @functools.wraps(plan)
        def method(*arguments: Any, **named: Any) -> Any:
            return instance._run(plan(instance, *arguments, **named))

        return method

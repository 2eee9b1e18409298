"""The two drivers that run plans, over httpx."""

from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, Iterator, Optional, TypeVar, Union

import httpx

from ._core import Core
from ._plan import Answer, Lost, Opened, Pause, Plan, Read, Request

T = TypeVar("T")

_CONNECT = 10.0
"""Seconds that a server may take to accept a connection."""
_NO_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)


def _timeout(request: Request) -> httpx.Timeout:
    return httpx.Timeout(request.timeout, connect=_CONNECT)


def _lost(error: Exception) -> Lost:
    return Lost("timeout" if isinstance(error, httpx.TimeoutException) else str(error) or type(error).__name__)


def _answer(response: httpx.Response, body: bytes) -> Answer:
    return Answer(response.status_code, body, {name.lower(): value for name, value in response.headers.items()})


class Stream:
    """A response whose body is read piece by piece, and what is left of it."""

    def __init__(self, response: httpx.Response, chunks: Union[Iterator[bytes], AsyncIterator[bytes]]) -> None:
        self.response = response
        self.chunks: Any = chunks


class Driver:
    """Runs plans and waits."""

    def __init__(self, core: Core, transport: Optional[httpx.BaseTransport]) -> None:
        self.http = httpx.Client(trust_env=not core.is_local, transport=transport, limits=_NO_LIMITS)

    def run(self, plan: Plan[T]) -> T:
        """Runs a plan to its end and returns what it returns."""
        outcome: Any = None
        try:
            while True:
                outcome = self._perform(plan.send(outcome))
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            plan.close()

    def _perform(self, step: Any) -> Any:
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        try:
            if isinstance(step, Read):
                return next(step.stream.chunks, None)
            return self._send(step)
        except httpx.RequestError as error:
            return None if isinstance(step, Read) else _lost(error)

    def _send(self, step: Request) -> Union[Answer, Opened]:
        made = self.http.build_request(step.method, step.url, headers=step.headers, content=step.body, timeout=_timeout(step))
        response = self.http.send(made, stream=True)
        if step.stream and response.status_code == 200:
            return Opened(Stream(response, response.iter_bytes()))
        try:
            return _answer(response, response.read())
        finally:
            response.close()

    def close(self, stream: Stream) -> None:
        """Ends a stream."""
        stream.response.close()


class AsyncDriver:
    """Runs plans in an event loop of asyncio."""

    def __init__(self, core: Core, transport: Optional[httpx.AsyncBaseTransport]) -> None:
        self.http = httpx.AsyncClient(trust_env=not core.is_local, transport=transport, limits=_NO_LIMITS)

    async def run(self, plan: Plan[T]) -> T:
        """Runs a plan to its end and returns what it returns."""
        outcome: Any = None
        try:
            while True:
                outcome = await self._perform(plan.send(outcome))
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            plan.close()

    async def _perform(self, step: Any) -> Any:
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        try:
            if isinstance(step, Read):
                return await step.stream.chunks.__anext__()
            return await self._send(step)
        except StopAsyncIteration:
            return None
        except httpx.RequestError as error:
            return None if isinstance(step, Read) else _lost(error)

    async def _send(self, step: Request) -> Union[Answer, Opened]:
        made = self.http.build_request(step.method, step.url, headers=step.headers, content=step.body, timeout=_timeout(step))
        response = await self.http.send(made, stream=True)
        if step.stream and response.status_code == 200:
            return Opened(Stream(response, response.aiter_bytes()))
        try:
            return _answer(response, await response.aread())
        finally:
            await response.aclose()

    async def close(self, stream: Stream) -> None:
        """Ends a stream."""
        await stream.chunks.aclose()
        await stream.response.aclose()


class Blocking:
    """What every blocking class is: its calls wait."""

    _driver: Driver

    def _run(self, plan: Plan[T]) -> T:
        return self._driver.run(plan)


class Asynchronous:
    """What every asynchronous class is: its calls are coroutines."""

    _driver: AsyncDriver

    async def _run(self, plan: Plan[T]) -> T:
        return await self._driver.run(plan)

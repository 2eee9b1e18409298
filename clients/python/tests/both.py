"""The blocking and the asynchronous client behind one face, so that each test is written once and runs with both."""

import asyncio
import inspect

import verbatim_sdk
from verbatim_sdk import AsyncVerbatim, Verbatim


class Waiting:
    """An asynchronous object whose coroutines are waited for, as if it were a blocking one."""

    def __init__(self, inner, loop):
        self.inner, self.loop = inner, loop

    def __getattr__(self, name):
        found = getattr(self.inner, name)
        if not callable(found) or name.startswith("_"):
            return found
        return lambda *arguments, **named: self.wait(found(*arguments, **named))

    def wait(self, result):
        if inspect.isawaitable(result):
            result = self.loop.run_until_complete(result)
        is_ours = type(result).__module__.startswith(verbatim_sdk.__name__) and type(result).__name__.startswith("Async")
        return Waiting(result, self.loop) if is_ours else result

    def __enter__(self):
        self.wait(self.inner.__aenter__())
        return self

    def __exit__(self, *error):
        self.wait(self.inner.__aexit__(*error))
        if isinstance(self.inner, AsyncVerbatim):
            self.wait(self.loop.shutdown_asyncgens())
            self.loop.close()

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.wait(self.inner.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None


def connect(kind, url, key, **options):
    """A client of the kind `blocking` or `async`."""
    if kind == "blocking":
        return Verbatim(url, key, **options)
    return Waiting(AsyncVerbatim(url, key, **options), asyncio.new_event_loop())

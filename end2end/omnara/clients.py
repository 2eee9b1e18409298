"""Both clients of the SDK, called alike."""

import asyncio
import threading

from omnara.sdk.async_client import AsyncOmnaraClient
from omnara.sdk.client import OmnaraClient


class Blocking:
    """As it is."""

    def __init__(self, key, url, **options):
        self.client = OmnaraClient(key, url, **options)

    def __getattr__(self, name):
        return getattr(self.client, name)

    def close(self):
        self.client.close()


class Asynchronous:
    """On a loop of its own."""

    def __init__(self, key, url, **options):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.client = AsyncOmnaraClient(key, url, **options)

    def __getattr__(self, name):
        method = getattr(self.client, name)
        return lambda *args, **kwargs: self.wait(method(*args, **kwargs))

    def wait(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def together(self, *coroutines):
        async def all_of_them():
            return await asyncio.gather(*coroutines)

        return self.wait(all_of_them())

    def close(self):
        self.wait(self.client.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

// When a request is repeated, and when a connection counts as dead: with a `fetch` and a clock of our own.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { BusyError, ServerError, UnreachableError, Verbatim } from 'verbatim-sdk';

const REQUEST = 60_000;
const SILENCE = 45_000;

// Pauses end at once and are noted in whole seconds; what would end a request or a connection waits for the test.
let pauses;
let silences;
beforeEach(() => {
  pauses = [];
  silences = [];
  mock.method(globalThis, 'setTimeout', (work, milliseconds) => {
    if (milliseconds === SILENCE) silences.push(work);
    else if (milliseconds !== REQUEST) {
      pauses.push(Math.floor(milliseconds / 1000));
      queueMicrotask(work);
    }
  });
});
afterEach(() => mock.restoreAll());

const lost = () => {
  throw new TypeError('fetch failed', { cause: new Error('lost') });
};
const refused = (status, retryAfter) => () => {
  const body = JSON.stringify({ status, code: 'any', title: 'Not now', retry_after: retryAfter });
  return new Response(body, { status });
};
const done = () => new Response('{"kind":"agent"}');

// What comes of these answers in a row, and the pauses between them.
async function tried(patience, answers) {
  const left = [...answers];
  const verbatim = new Verbatim('http://127.0.0.1:7117', 'vbt_1_x', { patience, fetch: async () => (left.shift() ?? done)() });
  pauses = [];
  const result = await verbatim.me().then(
    ({ kind }) => kind,
    (error) => error,
  );
  return { result, pauses };
}

test('what fails for the moment is repeated, and nothing else', async () => {
  for (const failure of [lost, refused(429), refused(502), refused(503), refused(504)]) {
    assert.deepEqual(await tried(60, [failure, failure]), { result: 'agent', pauses: [0, 0] });
  }
  for (const failure of [refused(400), refused(409), refused(500, 1), () => new Response('<html>')]) {
    const { result, pauses: none } = await tried(Infinity, [failure]);
    assert(result instanceof Error);
    assert.deepEqual(none, []);
  }
});

test('the server says when to come back', async () => {
  const inTime = await tried(Infinity, [refused(503, 7), refused(429, 120)]);
  assert.deepEqual(inTime, { result: 'agent', pauses: [7, 120] });
  const hour = await tried(60, [refused(503, 3600)]);
  assert(hour.result instanceof BusyError && hour.pauses.length === 0, 'who has no hour does not wait at all');
});

test('pauses grow to ten seconds, and patience ends', async () => {
  const down = Array.from({ length: 40 }, () => lost);
  const minute = await tried(60, down);
  assert(minute.result instanceof UnreachableError);
  assert(minute.pauses.length >= 6 && minute.pauses.length <= 15);
  assert(minute.pauses.reduce((sum, seconds) => sum + seconds) <= 60);
  const endless = await tried(Infinity, down);
  assert.deepEqual([endless.result, endless.pauses.length], ['agent', 40]);
  assert(endless.pauses.slice(10).every((seconds) => seconds >= 10 && seconds <= 20));
});

test('a request that takes too long is repeated', async () => {
  mock.restoreAll();
  mock.method(globalThis, 'setTimeout', (work) => void queueMicrotask(work));
  const hanging = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const verbatim = new Verbatim('http://127.0.0.1:7117', 'vbt_1_x', { fetch: hanging });
  await assert.rejects(verbatim.me(), {
    kind: 'unreachable',
    title: "http://127.0.0.1:7117 can't be reached: timeout",
  });
});

test('a stream without a sign of life is opened again where it was', async () => {
  const asked = [];
  const event = 'event: feed\nid: 1.6\ndata: {"pos":6,"kind":"session","session":"s1","from_seq":0,"to_seq":0,"revision":0}\n\n';
  const fetch = async (url, { signal }) => {
    asked.push(new URL(url).searchParams.get('after'));
    const start = (controller) => {
      signal.addEventListener('abort', () => controller.error(signal.reason));
      controller.enqueue(new TextEncoder().encode(asked.length === 1 ? ': alive\n\n' : event));
    };
    return new Response(new ReadableStream({ start }));
  };
  const watch = new Verbatim('http://127.0.0.1:7117', 'vbt_1_x', { fetch }).watch({ session: 's1', after: '1.5' });
  const next = watch.next();
  // The first limits the opening, the second the comment, the third what comes after it.
  while (silences.length < 3) await new Promise(setImmediate);
  silences[2]();
  const { value } = await next;
  assert.deepEqual([value.cursor, value.change.kind, asked], ['1.6', 'session', ['1.5', '1.5']]);
  watch.close();
  assert.deepEqual(await watch.next(), { done: true, value: undefined });
});

test('an event that is none ends the stream', async () => {
  const fetch = async () => new Response('event: feed\nid: 1.6\ndata: {\n\n');
  const watch = new Verbatim('http://127.0.0.1:7117', 'vbt_1_x', { fetch }).watch({ session: 's1', after: '1.5' });
  await assert.rejects(watch.next(), ServerError);
  assert.deepEqual(await watch.next(), { done: true, value: undefined });
});

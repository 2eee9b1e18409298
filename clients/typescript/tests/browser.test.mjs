// The package in Chromium, as its build is: a page beside a server, behind one address as a proxy makes it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { Server } from './server.mjs';

const root = new URL('../', import.meta.url);
let server;
before(async () => {
  server = await Server.begin();
});
after(() => server.close());

// What the page does; what it returns is sent to the test.
const page = (key) => `<!doctype html><script type="module">
import { Verbatim, SetupError } from '/dist/index.js';
const run = async () => {
  const verbatim = new Verbatim(location.origin, ${JSON.stringify(key)});
  const session = await verbatim.createSession('browser-bot');
  const watch = session.watch({ after: (await session.messages()).cursor });
  const { message } = await session.sendTodo([{ id: '1', content: 'Build', status: 'pending' }]);
  const { value } = await watch.next();
  watch.close();
  const text = await session.streamMessage();
  for (const piece of ['One ', 'two']) await text.append(piece);
  const wrong = await session.sendStructuredMessage('TODO', { todos: [] }).catch((error) => error);
  let env;
  try { Verbatim.fromEnv(); } catch (error) { env = error instanceof SetupError; }
  return { todo: message.todo, seq: value.change.toSeq, text: (await text.finish()).content, heard: await session.pending(0.01), pointer: wrong.pointer, env };
};
const answer = await run().catch((error) => ({ error: String(error), stack: error.stack }));
await fetch('/done', { method: 'POST', body: JSON.stringify(answer) });
</script>`;

test('a page does what a program does', async () => {
  let told;
  const done = new Promise((resolve) => (told = resolve));
  const site = createServer(async (asked, answer) => {
    if (asked.url === '/') return answer.writeHead(200, { 'content-type': 'text/html' }).end(page(server.key));
    if (asked.url === '/done') return (told(JSON.parse(await text(asked))), answer.end());
    if (asked.url.startsWith('/dist/')) {
      return answer.writeHead(200, { 'content-type': 'text/javascript' }).end(await readFile(new URL(`.${asked.url}`, root)));
    }
    if (!asked.url.startsWith('/v1/')) return answer.writeHead(404).end();
    const { host } = new URL(server.url);
    const { origin, referer, ...headers } = asked.headers;
    const behind = request(server.url + asked.url, { method: asked.method, headers: { ...headers, host } }, (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    });
    behind.on('error', () => answer.destroy());
    answer.on('close', () => behind.destroy());
    return asked.pipe(behind);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const profile = await mkdtemp(join(tmpdir(), 'verbatim-test-'));
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profile}`];
  const chromium = spawn(process.env.CHROMIUM ?? '/usr/bin/chromium', [...options, `http://127.0.0.1:${site.address().port}/`], {
    stdio: 'ignore',
  });
  const ended = once(chromium, 'exit').then(() => ({ error: 'Chromium ended' }));
  const answer = await Promise.race([done, ended]);
  chromium.kill();
  await ended;
  site.closeAllConnections();
  site.close();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  const todos = [{ id: '1', content: 'Build', status: 'pending' }];
  assert.deepEqual(answer, { todo: { todos }, seq: 1, text: 'One two', heard: [], pointer: '/payload/todos', env: true });
});

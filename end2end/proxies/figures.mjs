// What other machines cost, printed: node end2end/proxies/figures.mjs
//
// The server by a name of its own, with TLS by `verbatim tls init`. Printed are its memory while nothing is asked of it, how soon an agent has
// a decision that a phone sent, and 1,000 event streams. Needs the program: VERBATIM_PROGRAM, or target/debug/verbatim; a release is what counts.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { typed } from '../agent.mjs';

const NAME = 'agents.example.org';
const STREAMS = 1_000;
const DECISIONS = 100;
// Streams that are opened at a time.
const OPENING = 50;

const program = process.env.VERBATIM_PROGRAM ?? join(dirname(fileURLToPath(import.meta.url)), '../../target/debug/verbatim');
const folder = mkdtempSync(join(tmpdir(), 'verbatim-figures-'));
const data = join(folder, 'data');
const env = { ...process.env, HOME: folder, VERBATIM_DATA_DIR: data };
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const origin = `https://${NAME}:${port}`;
execFileSync(program, ['tls', 'init', NAME], { env });
const tls = ['--tls-cert', join(data, 'tls/cert.pem'), '--tls-key', join(data, 'tls/key.pem')];
const server = spawn(program, ['serve', '--listen', `127.0.0.1:${port}`, '--no-discover', '--public-url', origin, ...tls], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', (...line) => resolve(line)));
const ca = readFileSync(join(data, 'tls/authority.pem'));

// In MiB.
function memory() {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(status.match(/VmRSS:\s+(\d+)/)[1]) / 1024;
}

// The name is this machine.
const lookup = (_, { all }, found) => (all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4));
const kept = new Agent({ keepAlive: true });
function open(method, path, headers, body, agent = kept) {
  return new Promise((resolve, reject) => {
    const json = body && { 'content-type': 'application/json' };
    const sent = request(`${origin}${path}`, { method, ca, agent, lookup, headers: { origin, ...json, ...headers } }, resolve);
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}
async function ask(method, path, headers, body) {
  const answer = await open(method, path, headers, body);
  const text = Buffer.concat(await answer.toArray()).toString();
  assert(answer.statusCode < 300, `${method} ${path}: ${answer.statusCode} ${text}`);
  return { headers: answer.headers, body: text ? JSON.parse(text) : undefined };
}

const sorted = (times) => [...times].sort((a, b) => a - b);
const percentile = (times, share) => sorted(times)[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);

try {
  const loggedIn = await ask('POST', '/v1/login', {}, { code: line.split('#c=')[1] });
  const phone = { cookie: loggedIn.headers['set-cookie'][0].split(';')[0], 'x-verbatim-secret': loggedIn.body.secret };
  await sleep(3_000);
  console.log(`idle, with TLS: ${memory().toFixed(1)} MiB`);

  const { key } = (await ask('POST', '/v1/keys', phone, { name: 'figures' })).body;
  const machine = { authorization: `Bearer ${key}` };
  const { id } = (await ask('POST', '/v1/sessions', machine, { agent: 'bot' })).body;
  const times = [];
  let after = 0;
  for (let n = 0; n < DECISIONS; n += 1) {
    const approval = typed('APPROVAL', { state: 'open', kind: 'permission', title: 'Prune the quince?' });
    const asked = { id: `ask-${n}`, content: '', ...approval };
    await ask('POST', `/v1/sessions/${id}/messages`, machine, asked);
    const told = ask('POST', `/v1/sessions/${id}/pending`, machine, { after, wait: 30 }).then(({ body }) => ({ body, at: performance.now() }));
    await sleep(20);
    const start = performance.now();
    await ask('POST', `/v1/sessions/${id}/messages/ask-${n}/decision`, phone, { state: 'denied' });
    const { body, at } = await told;
    times.push(at - start);
    ({ after } = body);
  }
  console.log(`a decision from the phone to the agent: p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms of ${DECISIONS}`);

  // A log-in may have fewer.
  const owner = { authorization: `Bearer ${JSON.parse(readFileSync(join(data, 'server.json'))).key}` };
  const before = memory();
  const begun = performance.now();
  const streams = [];
  for (let n = 0; n < STREAMS; n += OPENING) {
    streams.push(...await Promise.all(Array.from({ length: OPENING }, () => open('GET', '/v1/events', owner, undefined, false))));
  }
  assert.deepEqual([...new Set(streams.map(({ statusCode }) => statusCode))], [200]);
  console.log(`${STREAMS} event streams: opened in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  await sleep(2_000);
  console.log(`${STREAMS} event streams: ${(((memory() - before) * 1024) / STREAMS).toFixed(1)} KiB each`);
  let posted;
  const arrivals = Promise.all(streams.map((stream) => new Promise((resolve) => {
    stream.setEncoding('utf8');
    stream.on('data', (piece) => { if (posted && piece.includes('event: feed')) resolve(performance.now() - posted); });
  })));
  posted = performance.now();
  await ask('POST', `/v1/sessions/${id}/messages`, machine, { content: 'Told to all.' });
  const told = await arrivals;
  console.log(`${STREAMS} event streams: a message is told to half of them after ${percentile(told, 0.5)} ms, to all after ${percentile(told, 1)} ms`);
} finally {
  server.kill();
  await sleep(300);
  rmSync(folder, { recursive: true, force: true });

}

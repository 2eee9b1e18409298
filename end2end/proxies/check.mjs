// The server behind real proxies: node end2end/proxies/check.mjs [nginx|caddy|haproxy ...]
//
// LOUD=1 shows what server and proxies log. Needs openssl and the proxies (Debian: nginx-light, caddy, haproxy), and the program: VERBATIM_PROGRAM, or target/debug/verbatim.
// Each proxy has the configuration that docs/user/network.md shows, with a name, folders and ports of this run. Asserted are the log-in with its
// cookie, an event that comes while its stream is open, a large upload, HTTP/2, and what `verbatim doctor --public` says.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as http2 } from 'node:http2';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const program = process.env.VERBATIM_PROGRAM ?? join(here, '../../target/debug/verbatim');
// A name that this machine knows, in place of the one in the configurations.
const host = 'localhost';
const proxies = {
  nginx: { file: 'nginx.conf', command: (file) => ['nginx', '-c', file] },
  caddy: { file: 'Caddyfile', command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file] },
  haproxy: { file: 'haproxy.cfg', command: (file) => ['haproxy', '-db', '-f', file] },
};

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function behind(name) {
  const { file, command } = proxies[name];
  const folder = mkdtempSync(join(tmpdir(), 'verbatim-proxy-'));
  // Workers of proxies are another user's.
  chmodSync(folder, 0o755);
  const ended = [];
  const start = (program, args, env = {}) => {
    const child = spawn(program, args, { env: { ...process.env, HOME: folder, ...env }, stdio: ['ignore', 'pipe', process.env.LOUD ? 'inherit' : 'ignore'] });
    ended.push(() => child.kill());
    return child;
  };
  try {
    const openssl = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${host}`];
    execFileSync('openssl', [...openssl, '-addext', 'basicConstraints=critical,CA:FALSE', '-addext', `subjectAltName=DNS:${host}`, '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')], { stdio: 'ignore' });
    const certificate = readFileSync(join(folder, 'cert.pem'));
    writeFileSync(join(folder, 'agents.pem'), [certificate, readFileSync(join(folder, 'key.pem'))].join('\n'));
    const port = await freePort();
    const url = `https://${host}:${port}`;
    const server = start(program, ['serve', '--listen', '127.0.0.1:0', '--no-discover', '--data-dir', join(folder, 'data'), '--public-url', url]);
    const [line] = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', (...line) => resolve(line)));
    const { url: local } = JSON.parse(readFileSync(join(folder, 'data/server.json')));
    const text = readFileSync(join(here, file), 'utf8');
    writeFileSync(join(folder, file), text.replaceAll('agents.example.org', host).replaceAll('FOLDER', folder).replaceAll('SERVER', new URL(local).port).replaceAll('PORT', port));
    const [proxy, ...args] = command(join(folder, file));
    start(proxy, args);
    await check(name, { url, port, certificate, code: line.split('#c=')[1] });
    const env = { ...process.env, HOME: folder, SSL_CERT_FILE: join(folder, 'cert.pem') };
    const doctor = execFileSync(program, ['doctor', '--public', '--data-dir', join(folder, 'data')], { env, encoding: 'utf8' });
    console.log(`${name}: doctor says\n${doctor}`);
  } finally {
    ended.forEach((end) => end());
    await sleep(200);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(name, { url, port, certificate, code }) {
  const options = { host: '127.0.0.1', port, servername: host, ca: certificate };
  const open = (method, path, headers = {}, body) =>
    new Promise((resolve, reject) => {
      const sent = request({ ...options, method, path, headers: { host: `${host}:${port}`, origin: url, ...headers } }, resolve);
      sent.on('error', reject);
      sent.end(body);
    });
  const ask = async (method, path, headers, body) => {
    const answer = await open(method, path, headers, body);
    const pieces = await answer.toArray();
    return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(pieces).toString() };
  };
  for (let left = 100; ; left--) {
    const healthy = await ask('GET', '/healthz').catch((error) => ({ error }));
    if (healthy.status === 200) break;
    assert(left > 0, `${name} doesn't answer: ${healthy.error ?? healthy.status}`);
    await sleep(100);
  }
  const json = { 'content-type': 'application/json' };
  const loggedIn = await ask('POST', '/v1/login', json, JSON.stringify({ code }));
  assert.equal(loggedIn.status, 200, loggedIn.text);
  const [cookie, ...attributes] = loggedIn.headers['set-cookie'][0].split('; ');
  assert.equal(cookie.split('=')[0], `__Host-verbatim_${port}`);
  assert(attributes.includes('Secure'));
  const person = { cookie, 'x-verbatim-secret': JSON.parse(loggedIn.text).secret };
  assert.equal((await ask('GET', '/sessions', person)).status, 200);

  const events = await open('GET', '/v1/events', person);
  assert.equal(events.statusCode, 200);
  const posted = await ask('POST', '/v1/sessions', { ...person, ...json }, JSON.stringify({ agent: 'bot', title: 'Through the proxy' }));
  assert.equal(posted.status, 201, posted.text);
  // Were the stream collected first, nothing would come before it ends.
  let read = '';
  for await (const piece of events) {
    read += piece;
    if (read.includes('event: feed')) break;
  }
  const upload = await ask('POST', '/v1/blobs', { ...person, 'content-type': 'application/octet-stream' }, Buffer.alloc(8 << 20, 'x'));
  assert.equal(upload.status, 201, upload.text);

  const session = http2(url, { ca: certificate, servername: host, host: '127.0.0.1', lookup: (_, __, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) });
  const stream = session.request({ ':path': '/healthz' });
  const [head] = await new Promise((resolve, reject) => { stream.on('response', (...head) => resolve(head)); session.on('error', reject); });
  assert.equal(head[':status'], 200);
  session.close();
  console.log(`${name}: log-in, events, upload and HTTP/2 work`);
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(proxies);
for (const name of names) await behind(name);

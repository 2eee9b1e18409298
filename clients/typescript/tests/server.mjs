// A real server for the tests (the program named by VERBATIM_PROGRAM), and the person in front of its browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Verbatim } from 'verbatim-sdk';

const program = process.env.VERBATIM_PROGRAM ?? fileURLToPath(new URL('../../../target/debug/verbatim', import.meta.url));

export class Server {
  #port = 0;
  #process;
  #folder;
  #login;

  static async begin() {
    const server = new Server();
    server.#folder = await mkdtemp(join(tmpdir(), 'verbatim-test-'));
    await server.start();
    server.key = await server.makeKey('Acceptance bot', ['post', 'read', 'mirror']);
    return server;
  }

  // At the same port, from the second time on.
  async start() {
    const options = ['serve', '--no-discover', '--listen', `127.0.0.1:${this.#port}`, '--data-dir', this.#folder];
    this.#process = spawn(program, options, { env: { ...process.env, HOME: this.#folder }, stdio: ['ignore', 'pipe', 'ignore'] });
    const lines = createInterface({ input: this.#process.stdout });
    const [line] = await once(lines, 'line');
    this.url = line.split(' at ')[1].split('/#')[0];
    this.#port = new URL(this.url).port;
    this.#login = undefined;
    this.local = new Verbatim(this.url, JSON.parse(await readFile(join(this.#folder, 'server.json'), 'utf8')).key);
  }

  // Without a word, as a crash does.
  async kill() {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  async close() {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async makeKey(name, scopes = ['post', 'read']) {
    return (await this.local.request('POST', '/v1/keys', { body: { name, scopes } })).key;
  }

  connect(options) {
    return new Verbatim(this.url, this.key, options);
  }

  // What the browser of a person who is logged in sends.
  async owner(method, path, body) {
    this.#login ??= this.#logIn();
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(await this.#login), 'content-type': 'application/json', origin: this.url },
      body: body && JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  async #logIn() {
    const { url } = await this.local.request('POST', '/v1/launch-codes', { body: {} });
    const response = await fetch(`${this.url}/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: url.split('#c=')[1] }),
    });
    const { secret } = await response.json();
    return { cookie: response.headers.get('set-cookie').split(';')[0], 'x-verbatim-secret': secret };
  }

  write(session, content, fields = {}) {
    return this.owner('POST', `/v1/sessions/${session.id}/messages`, { content, ...fields });
  }

  async decide(session, message, decision) {
    const path = `/v1/sessions/${session.id}/messages/${message}`;
    const { entry } = await this.owner('GET', path);
    return this.owner('POST', `${path}/decision`, { ...decision, shown_sha256: entry.shown_sha256 });
  }

  // Id of what the session asks, once it does.
  async asked(session, type = 'TEXT') {
    for (;;) {
      const { messages } = await this.owner('GET', `/v1/sessions/${session.id}/messages`);
      const asks = (entry) =>
        entry.message_type === type && (type === 'APPROVAL' || (entry.requires_user_input && entry.status === 'final'));
      const found = messages.find(asks);
      if (found !== undefined) return found.id;
    }
  }
}

// A `fetch` whose answers get lost on their way, as often as `left` says; `meanwhile` happens before each loss.
export function lossy(meanwhile = async () => {}) {
  const relay = { left: 0, requests: 0 };
  relay.fetch = async (...request) => {
    relay.requests += 1;
    const response = await fetch(...request);
    if (relay.left === 0) return response;
    relay.left -= 1;
    await response.arrayBuffer();
    await meanwhile();
    throw new TypeError('fetch failed', { cause: new Error('the answer got lost') });
  };
  return relay;
}

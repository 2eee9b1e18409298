// Compares the contexts that Verbatim rebuilds with the requests that the real Codex sent to a scripted model, as `context.mjs` does for
// Claude Code.
//
//   CODEX=/tmp/codex/node_modules/.bin/codex node end2end/agents/context-codex.mjs
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { check } from './compare.mjs';
import { model } from './model.mjs';
import { programs } from './programs.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const program = process.env.VERBATIM_PROGRAM ?? join(here, '../../target/debug/verbatim');
const home = await realpath(await mkdtemp(join(tmpdir(), 'verbatim-context-')));
const folder = join(home, 'work');
await mkdir(folder);
const llm = await model(folder);
for (const [path, text] of Object.entries(programs.codex.files(llm.url))) {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
await writeFile(join(folder, 'dot.png'), Buffer.from(picture, 'base64'));
await writeFile(join(folder, 'AGENTS.md'), 'Mind the stones.\n');

// Runs the agent. A step is a prompt, or a function that gets `{ call, thread, turnEnds }`. `meanwhile` is called with the turn as soon as a
// command runs. `open` is the method that begins, and its parameters.
async function run(steps, { meanwhile, open = ['thread/start', {}] } = {}) {
  const agent = spawn(process.env.CODEX ?? 'codex', ['app-server'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home, ...programs.codex.environment(home, llm.url) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = new Map();
  const ends = [];
  let number = 0;
  let pending = meanwhile;
  let turn;
  const send = (message) => agent.stdin.write(`${JSON.stringify(message)}\n`);
  const call = (method, params) => new Promise((resolve, reject) => {
    number += 1;
    answers.set(number, (answer) => (answer.error ? reject(new Error(`${method}: ${answer.error.message}`)) : resolve(answer.result)));
    send({ id: number, method, params });
  });
  const turnEnds = () => new Promise((resolve) => { ends.push(resolve); });
  createInterface({ input: agent.stdout }).on('line', async (line) => {
    const message = JSON.parse(line);
    if (message.method && message.id !== undefined) send({ id: message.id, result: { decision: 'accept' } });
    else if (message.id !== undefined) answers.get(message.id)?.(message);
    else if (message.method === 'turn/started') turn = message.params.turn.id;
    else if (message.method === 'turn/completed') ends.shift()?.();
    else if (message.method === 'item/started' && message.params.item.type === 'commandExecution' && pending) {
      const does = pending;
      pending = undefined;
      await does({ call, thread: message.params.threadId, turn });
    }
  });
  await call('initialize', { clientInfo: { name: 'verbatim', title: 'Verbatim', version: '0' } });
  send({ method: 'initialized' });
  const [method, params] = open;
  const opened = await call(method, { cwd: folder, approvalPolicy: 'never', sandbox: 'danger-full-access', ...params });
  const thread = opened.thread.id;
  for (const step of steps) {
    if (typeof step === 'function') {
      await step({ call, thread, turnEnds });
      continue;
    }
    const ended = turnEnds();
    const input = Array.isArray(step) ? step : [{ type: 'text', text: step }];
    await call('turn/start', { threadId: thread, input });
    await ended;
  }
  agent.stdin.end();
  await new Promise((resolve) => { agent.on('close', resolve); setTimeout(() => agent.kill(), 5_000).unref(); });
  return thread;
}

const verbatim = async (...given) => {
  const run = promisify(execFile)(program, [...given, '--data-dir', join(home, 'data')], { maxBuffer: 1 << 28 });
  return (await run).stdout;
};

// An item without what only says which it is.
const strip = (value) => {
  if (Array.isArray(value)) return value.map(strip);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([key, field]) => !['id', 'status', 'internal_chat_message_metadata_passthrough'].includes(key) && field !== null);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, strip(field)]));
};
const text = (item) => JSON.stringify(strip(item));
// Where instructions are the first item of the input, the context has them as the system prompt.
const sentText = ({ input, tools }) => ({ blocks: input.map(text), whole: JSON.stringify(tools) });
const contents = (context) => context.messages.flatMap(({ blocks }) => blocks);
const read = (context) => ({ blocks: contents(context).map(({ content }) => text(content)), whole: '' });
const inexact = (context) => new Set(contents(context).filter(({ inexact }) => inexact).map(({ content }) => text(content)));

const compact = async ({ call, thread, turnEnds }) => {
  const ended = turnEnds();
  await call('thread/compact/start', { threadId: thread });
  await ended;
};
const interrupt = ({ call, thread, turn }) => call('turn/interrupt', { threadId: thread, turnId: turn });
const steer = ({ call, thread, turn }) =>
  call('turn/steer', { threadId: thread, expectedTurnId: turn, input: [{ type: 'text', text: 'Extra: be quick' }] });
const scenarios = [
  ['plain', () => run(['[hello] Hello'])],
  ['tools', () => run(['[edit] Write a note', '[hello] And now'])],
  ['parallel', () => run(['[parallel] Both', '[hello] And now'])],
  ['a call fails', () => run(['[failing] Both', '[hello] And now'])],
  ['long result', () => run(['[flood] Count', '[hello] And now'])],
  ['retry', () => run(['[busy] Try', '[hello] Again'])],
  ['steering', () => run(['[slow] Take your time', '[hello] Next'], { meanwhile: steer })],
  ['interrupt', () => run(['[endless] Begin', '[hello] Next'], { meanwhile: interrupt })],
  ['compaction', () => run(['[edit] Write a note', compact, '[hello] Go on', '[parallel] More'])],
  ['two compactions', () => run(['[hello] Begin', compact, compact, '[hello] Go on'])],
  ['picture', () => run([[{ type: 'text', text: '[hello] What is it?' }, { type: 'localImage', path: join(folder, 'dot.png') }], '[parallel] More'])],
  ['picture read', () => run(['[look] What is it?', '[hello] And now'])],
  ['shell command', () => run(['[hello] Begin', async ({ call, thread, turnEnds }) => {
    const ended = turnEnds();
    await call('thread/shellCommand', { threadId: thread, command: 'echo by hand' });
    await ended;
  }, '[hello] And now'])],
  ['model', () => run(['[hello] Begin', async ({ call, thread, turnEnds }) => {
    const ended = turnEnds();
    await call('turn/start', { threadId: thread, model: 'gpt-5.4', input: [{ type: 'text', text: '[parallel] Both' }] });
    await ended;
  }, '[hello] And now'])],
  ['resume', async () => run(['[parallel] More'], { open: ['thread/resume', { threadId: await run(['[hello] Begin']) }] })],
  ['fork', async () => run(['[edit] Write a note'], { open: ['thread/fork', { threadId: await run(['[parallel] Both', '[hello] Begin']) }] })],
  ['compaction, resumed', async () => run(['[parallel] More'], { open: ['thread/resume', { threadId: await run(['[edit] Write a note', compact]) }] })],
];

let failures = 0;
try {
  const found = [];
  for (const [name, scenario] of scenarios.filter(([name]) => !process.env.ONLY || process.env.ONLY === name)) {
    const from = llm.requests.length;
    try {
      const session = await scenario();
      found.push([name, session, llm.requests.slice(from).filter(({ body }) => body.input).map(({ body }) => sentText(body))]);
    } catch (error) {
      failures += 1;
      console.log(`FAIL ${name}: ${error.message}`);
    }
  }
  await cp(join(home, '.codex/sessions'), join(home, 'sessions'), { recursive: true });
  await verbatim('import', join(home, 'sessions'));
  for (const [name, session, sent] of found) failures += await check(name, session, sent, { verbatim, read, inexact });
} finally {
  await llm.stop();
  if (process.env.KEEP) console.log(home);
  else await rm(home, { recursive: true, force: true });
}
process.exit(failures ? 1 : 0);

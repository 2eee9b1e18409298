// Compares the contexts that Verbatim rebuilds with the requests that the real Codex sent to a scripted model, as `context.mjs` does for
// Claude Code.
//
//   CODEX=/tmp/codex/node_modules/.bin/codex node end2end/agents/context-codex.mjs
import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { programs } from './programs.mjs';
import { responses } from './wires.mjs';
import { compareAll, usual, workbench } from './workbench.mjs';

const bench = await workbench(programs.codex);
const { home, folder } = bench;
await bench.write('work/AGENTS.md', 'Mind the stones.\n');

// Runs the agent. A step is a prompt, or a function that gets `{ call, thread, turnEnds }`. `meanwhile` is called with the turn as soon as a
// command runs. `open` is the method that begins, and its parameters. `turns` has the ids of the last run's turns.
let turns;
async function run(steps, { meanwhile, open = ['thread/start', {}] } = {}) {
  const agent = spawn(process.env.CODEX ?? 'codex', ['app-server'], {
    cwd: folder,
    env: bench.environment,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = new Map();
  const ends = [];
  let number = 0;
  let pending = meanwhile;
  turns = [];
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
    else if (message.method === 'turn/started') turns.push(message.params.turn.id);
    else if (message.method === 'turn/completed') ends.shift()?.();
    else if (message.method === 'item/started' && message.params.item.type === 'commandExecution' && pending) {
      const does = pending;
      pending = undefined;
      await does({ call, thread: message.params.threadId, turn: turns.at(-1) });
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

const compact = async ({ call, thread, turnEnds }) => {
  const ended = turnEnds();
  await call('thread/compact/start', { threadId: thread });
  await ended;
};
const interrupt = ({ call, thread, turn }) => call('turn/interrupt', { threadId: thread, turnId: turn });
const steer = ({ call, thread, turn }) =>
  call('turn/steer', { threadId: thread, expectedTurnId: turn, input: [{ type: 'text', text: 'Extra: be quick' }] });
const scenarios = [
  ...usual(run),
  ['steering', () => run(['[slow] Take your time', '[hello] Next'], { meanwhile: steer })],
  ['interrupt', () => run(['[endless] Begin', '[hello] Next'], { meanwhile: interrupt })],
  ['two interrupted', () => run(['[stuck] Begin', '[hello] Next'], { meanwhile: interrupt })],
  ['compaction', () => run(['[edit] Write a note', compact, '[hello] Go on', '[parallel] More'])],
  ['two compactions', () => run(['[hello] Begin', compact, compact, '[hello] Go on'])],
  ['picture', () => run([[{ type: 'text', text: '[hello] What is it?' }, { type: 'localImage', path: join(folder, 'dot.png') }], '[parallel] More'])],
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
  ['fork in the middle', async () => {
    const threadId = await run(['[parallel] Both', '[hello] Begin']);
    return run(['[edit] Write a note'], { open: ['thread/fork', { threadId, lastTurnId: turns[0] }] });
  }],
  ['rolled back', () => run(['[parallel] Both', '[hello] Begin', async ({ call, thread }) => {
    await call('thread/revert', { threadId: thread, beforeTurnId: turns[1] });
  }, '[edit] Write a note'])],
  ['compaction, resumed', async () => run(['[parallel] More'], { open: ['thread/resume', { threadId: await run(['[edit] Write a note', compact]) }] })],
];

const transcripts = async () => {
  await cp(join(home, '.codex/sessions'), join(home, 'sessions'), { recursive: true });
  return join(home, 'sessions');
};
await compareAll(bench, scenarios, { ...responses, transcripts });

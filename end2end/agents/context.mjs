// Compares the contexts that Verbatim rebuilds with the requests that the real Claude Code sent to a scripted model.
//
//   npm install --prefix /tmp/claude @anthropic-ai/claude-code
//   CLAUDE=/tmp/claude/node_modules/.bin/claude node end2end/agents/context.mjs
//
// `VERBATIM_PROGRAM` names another program than `target/debug/verbatim`, and `ONLY` one scenario. For each reply of each scenario it prints the verdict and how
// the messages differ from those that were sent. It fails where a verified context differs in anything, and where any other context
// has a block that wasn't sent, unless the block says that its wording isn't recorded. Older versions have no verified contexts.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { model } from './model.mjs';
import { programs } from './programs.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const program = process.env.VERBATIM_PROGRAM ?? join(here, '../../target/debug/verbatim');
const claude = process.env.CLAUDE ?? 'claude';
const home = await realpath(await mkdtemp(join(tmpdir(), 'verbatim-context-')));
const folder = join(home, 'work');
const config = join(home, 'config');
await mkdir(folder);
await mkdir(config);
const llm = await model(folder);

// A picture of one pixel, as a program gives it to the agent with a prompt.
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const withPicture = (text) => [
  { type: 'text', text },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
];

// Runs the agent: each prompt is said when the one before is answered; `meanwhile` is said as soon as a tool is called. With `fork`
// it goes on with a copy of the session `resume`.
async function run(prompts, { meanwhile, resume, fork } = {}) {
  const given = ['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const allowed = ['--allowedTools', 'Bash', 'Write', 'Agent', 'Task'];
  const agent = spawn(claude, [...given, ...allowed, ...(resume ? ['--resume', resume] : []), ...(fork ? ['--fork-session'] : [])], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home, ...programs.claude.environment(home, llm.url), CLAUDE_CONFIG_DIR: config },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const write = (value) => agent.stdin.write(`${JSON.stringify(value)}\n`);
  const say = (content) => write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' });
  const left = [...prompts];
  let session;
  let pending = meanwhile;
  say(left.shift());
  for await (const line of createInterface({ input: agent.stdout })) {
    const message = JSON.parse(line);
    session = message.session_id ?? session;
    if (message.type === 'assistant' && pending && message.message.content.some(({ type }) => type === 'tool_use')) {
      if (pending.interrupt) write({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
      else say(pending);
      pending = undefined;
    }
    if (message.type === 'result') {
      if (left.length) say(left.shift());
      else agent.stdin.end();
    }
  }
  return session;
}

const verbatim = async (...given) => {
  const run = promisify(execFile)(program, [...given, '--data-dir', join(home, 'data')], { maxBuffer: 1 << 28 });
  return (await run).stdout;
};

// A body without what is added on the way out: marks for the cache, the billing line, a lone text that is written as a string.
const strip = (value) => {
  if (Array.isArray(value)) return value.map(strip);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([key]) => key !== 'cache_control').sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, strip(field)]));
};
const blocks = (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content ?? []);
const plain = ({ messages, system, tools }) => strip({
  messages: messages.map(({ role, content }) => ({ role, content: blocks(content) })),
  system: blocks(system).filter(({ text }) => !text?.startsWith('x-anthropic-billing-header')),
  tools: tools ?? [],
});
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const flat = ({ messages }) => messages.flatMap(({ role, content }) => content.map((block) => JSON.stringify([role, block])));

function request(context) {
  const write = (blocks) => blocks.map(({ content }) => content);
  return plain({
    messages: context.messages.map(({ role, blocks }) => ({ role, content: write(blocks) })),
    system: write(context.system),
    tools: write(context.tools),
  });
}

// How a context differs from the request that was sent for it: of all requests, the one that it has most in common with.
function compare(context, sent) {
  const own = request(context);
  const inexact = new Set(context.messages.flatMap(({ role, blocks }) =>
    blocks.filter(({ inexact }) => inexact).map(({ content }) => JSON.stringify([role, strip(content)]))));
  let best;
  for (const body of sent) {
    const there = flat(body);
    const left = [...there];
    const shared = [];
    const extra = flat(own).filter((block) => {
      const at = left.indexOf(block);
      if (at >= 0) shared.push(...left.splice(at, 1));
      return at < 0 && !inexact.has(block);
    });
    // Equal blocks may stand there more than once.
    let place = -1;
    const sorted = shared.every((block) => {
      place = there.indexOf(block, place + 1);
      return place >= 0;
    });
    const score = extra.length * 1000 + left.length;
    if (!best || score < best.score) best = { score, extra, missing: left, sorted, body };
  }
  const equal = best && same(own.messages, best.body.messages);
  const whole = equal && same(own.system, best.body.system) && same(own.tools, best.body.tools);
  return { ...best, equal, whole };
}

let failures = 0;

async function check(name, session, sent) {
  let at = [];
  for (let seen = 0; seen < 100; seen += 1) {
    const context = JSON.parse(await verbatim('context', session, '--json', ...at));
    const { extra, missing, sorted, equal, whole } = compare(context, sent);
    const verified = context.verdict === 'verified';
    const fails = verified ? !whole : extra.length > 0 || !sorted;
    failures += fails ? 1 : 0;
    const words = whole ? 'all equal' : equal ? 'messages equal'
      : `${missing.length} blocks of the request aren't recorded, ${extra.length} weren't sent${sorted ? '' : ', in another order'}`;
    console.log(`${fails ? 'FAIL' : 'ok  '} ${name.padEnd(12)} ${String(context.reply.seq).padStart(4)}  ${context.verdict.padEnd(11)} ${words}`);
    if (fails || process.env.DETAILS) [...extra.map((it) => `+ ${it}`), ...missing.map((it) => `- ${it}`)].forEach((it) => console.log(`       ${it.slice(0, 200)}`));
    if (!context.change?.previous?.seq) return;
    at = ['--at', String(context.change.previous.seq)];
  }
}

const scenarios = [
  ['plain', () => run(['[hello] Hello'])],
  ['tools', () => run(['[edit] Write a note'])],
  ['parallel', () => run(['[parallel] Both', '[hello] And now'])],
  ['retry', () => run(['[busy] Try', '[hello] Again'])],
  ['steering', () => run(['[slow] Take your time', '[hello] Next'], { meanwhile: 'Extra: be quick' })],
  ['interrupt', () => run(['[endless] Begin', '[hello] Next'], { meanwhile: { interrupt: true } })],
  ['compaction', () => run(['[edit] Write a note', '/compact', '[hello] Go on', '[parallel] More'])],
  ['two compactions', () => run(['[hello] Begin', '/compact', '/compact', '[hello] Go on'])],
  ['resume', async () => run(['[parallel] More'], { resume: await run(['[hello] Begin']) })],
  ['fork', async () => run(['[edit] Write a note'], { resume: await run(['[parallel] Both', '[hello] Begin']), fork: true })],
  ['picture', () => run([withPicture('[hello] What is it?'), '[parallel] More'])],
  ['sub-agent', () => run(['[delegate] Have somebody look'])],
];
try {
  const found = [];
  for (const [name, scenario] of scenarios.filter(([name]) => !process.env.ONLY || process.env.ONLY === name)) {
    const from = llm.requests.length;
    const session = await scenario();
    found.push([name, session, llm.requests.slice(from).map(({ body }) => plain(body))]);
  }
  await cp(join(config, 'projects'), join(home, 'projects'), { recursive: true });
  await verbatim('import', join(home, 'projects'));
  for (const [name, session, sent] of found) {
    await check(name, session, sent);
    const [project] = await readdir(join(home, 'projects'));
    const agents = await readdir(join(home, 'projects', project, session, 'subagents')).catch(() => []);
    for (const file of agents.filter((file) => file.endsWith('.jsonl'))) {
      await check(`${name}'s agent`, `${session}/${file.slice('agent-'.length, -'.jsonl'.length)}`, sent);
    }
  }
} finally {
  await llm.stop();
  if (process.env.KEEP) console.log(home);
  else await rm(home, { recursive: true, force: true });
}
process.exit(failures ? 1 : 0);

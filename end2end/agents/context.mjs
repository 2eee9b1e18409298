// Compares the contexts that Verbatim rebuilds with the requests that the real Claude Code sent to a scripted model.
//
//   npm install --prefix /tmp/claude @anthropic-ai/claude-code
//   CLAUDE=/tmp/claude/node_modules/.bin/claude node end2end/agents/context.mjs
//
// `VERBATIM_PROGRAM` names another program than `target/debug/verbatim`, and `ONLY` one scenario. For each reply of each scenario it prints the verdict and how
// the messages differ from those that were sent. It fails where a verified context differs in anything, and where any other context
// has a block that wasn't sent, unless the block says that its wording isn't recorded. Older versions have no verified contexts.
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
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

await writeFile(join(folder, 'dot.png'), Buffer.from(picture, 'base64'));
await writeFile(join(folder, 'stones.txt'), 'basalt\ngranite\n');
await mkdir(join(folder, '.claude/commands'), { recursive: true });
await writeFile(join(folder, '.claude/commands/grind.md'), '---\ndescription: Grind\n---\n[hello] Grind it $ARGUMENTS\n');

// What hooks tell the model: as words, and as JSON.
const told = (event) => `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: `${event} says: mind the stones` } })}'`;
const hook = (command) => [{ hooks: [{ type: 'command', command }] }];
const hooks = {
  SessionStart: hook('echo The mill is open'),
  UserPromptSubmit: hook('echo It is windy'),
  PreToolUse: hook(told('PreToolUse')),
  PostToolUse: hook(told('PostToolUse')),
};
const servers = { mcpServers: { scales: { command: process.execPath, args: [join(here, 'scales.mjs')] } } };

// Runs the agent: each prompt is said when the one before is answered; `meanwhile` is said as soon as a tool is called. A prompt
// that is an object with a `subtype` is a request to the program: a model, a mode. With `fork` it goes on with a copy of the session
// `resume`.
async function run(prompts, { meanwhile, resume, fork, args = [] } = {}) {
  const given = ['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const allowed = ['--allowedTools', 'Bash', 'Write', 'Read', 'Agent', 'Task', 'ExitPlanMode', 'mcp__scales__weigh'];
  const agent = spawn(claude, [...given, ...allowed, ...(resume ? ['--resume', resume] : []), ...(fork ? ['--fork-session'] : []), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: home, ...programs.claude.environment(home, llm.url), CLAUDE_CONFIG_DIR: config },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const write = (value) => agent.stdin.write(`${JSON.stringify(value)}\n`);
  const request = (request) => write({ type: 'control_request', request_id: request.subtype, request });
  const say = (content) => write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' });
  const left = [...prompts];
  let session;
  let pending = meanwhile;
  say(left.shift());
  for await (const line of createInterface({ input: agent.stdout })) {
    const message = JSON.parse(line);
    session = message.session_id ?? session;
    if (message.type === 'assistant' && pending && message.message.content.some(({ type }) => type === 'tool_use')) {
      if (pending.interrupt) request({ subtype: 'interrupt' });
      else say(pending);
      pending = undefined;
    }
    if (message.type === 'result') {
      while (left[0]?.subtype) request(left.shift());
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
const asText = ({ messages, system, tools }) => ({
  blocks: messages.flatMap(({ role, content }) => content.map((block) => JSON.stringify([role, block]))),
  whole: JSON.stringify([messages, system, tools]),
});

function read(context) {
  const write = (blocks) => blocks.map(({ content }) => content);
  return asText(plain({
    messages: context.messages.map(({ role, blocks }) => ({ role, content: write(blocks) })),
    system: write(context.system),
    tools: write(context.tools),
  }));
}
const inexact = (context) => new Set(context.messages.flatMap(({ role, blocks }) =>
  blocks.filter(({ inexact }) => inexact).map(({ content }) => JSON.stringify([role, strip(content)]))));

let failures = 0;
const compared = async (name, session, sent) => {
  failures += await check(name, session, sent, { verbatim, read, inexact });
};

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
  ['agents in agents', () => run(['[deep] Have somebody look deep down', '[hello] Next'])],
  ['a call fails', () => run(['[failing] Both', '[hello] And now'])],
  ['long result', () => run(['[flood] Count', '[hello] And now'])],
  ['picture read', () => run(['[look] What is it?', '[hello] And now'])],
  ['MCP', () => run(['[weigh] How heavy?', '[hello] And now'], { args: ['--mcp-config', JSON.stringify(servers)] })],
  ['hooks', () => run(['[edit] Write a note', '[hello] And now'], { args: ['--settings', JSON.stringify({ hooks })] })],
  ['model', () => run(['[hello] Begin', { subtype: 'set_model', model: 'claude-opus-4-6' }, '[parallel] Both', '[hello] And now'])],
  ['plan', () => run(['[plan] Think first', { subtype: 'set_permission_mode', mode: 'acceptEdits' }, '[edit] Go on'], { args: ['--permission-mode', 'plan'] })],
  ['command', () => run(['/grind coarsely', '[hello] And now'])],
  ['mention', () => run(['[hello] Which of @stones.txt is it?', '[hello] And now'])],
  ['background', () => run(['[background] Begin', '[slow] Wait', '[hello] And now'])],
  ['interrupt, then steer', () => run(['[endless] Begin', '[slow] Go on', '[hello] Next'], { meanwhile: { interrupt: true } })],
  ['fork, resumed', async () => {
    const fork = await run(['[hello] On the side'], { resume: await run(['[parallel] Both']), fork: true });
    return run(['[edit] Write a note'], { resume: fork });
  }],
  ['compaction, resumed', async () => run(['[parallel] More'], { resume: await run(['[edit] Write a note', '/compact']) })],
];
try {
  const found = [];
  for (const [name, scenario] of scenarios.filter(([name]) => !process.env.ONLY || process.env.ONLY === name)) {
    const from = llm.requests.length;
    const session = await scenario();
    found.push([name, session, llm.requests.slice(from).map(({ body }) => asText(plain(body)))]);
  }
  await cp(join(config, 'projects'), join(home, 'projects'), { recursive: true });
  await verbatim('import', join(home, 'projects'));
  for (const [name, session, sent] of found) {
    await compared(name, session, sent);
    const [project] = await readdir(join(home, 'projects'));
    const agents = await readdir(join(home, 'projects', project, session, 'subagents')).catch(() => []);
    for (const file of agents.filter((file) => file.endsWith('.jsonl'))) {
      await compared(`${name}'s agent`, `${session}/${file.slice('agent-'.length, -'.jsonl'.length)}`, sent);
    }
  }
} finally {
  await llm.stop();
  if (process.env.KEEP) console.log(home);
  else await rm(home, { recursive: true, force: true });
}
process.exit(failures ? 1 : 0);

// Compares the contexts that Verbatim rebuilds with the requests that the real Claude Code sent to a scripted model.
//
//   npm install --prefix /tmp/claude @anthropic-ai/claude-code
//   CLAUDE=/tmp/claude/node_modules/.bin/claude node end2end/agents/context.mjs
//
// For each reply of each scenario it prints the verdict and how the messages differ from those that were sent. It fails where a verified
// context differs in anything, and where any other context has a block that wasn't sent, unless the block says that its wording isn't
// recorded. Older versions have no verified contexts. `workbench.mjs` has the variables that it takes.
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { picture } from './picture.mjs';
import { programs } from './programs.mjs';
import { anthropic } from './wires.mjs';
import { compareAll, here, workbench } from './workbench.mjs';

const claude = process.env.CLAUDE ?? 'claude';
const bench = await workbench(programs.claude);
const { home, folder } = bench;
const config = join(home, 'config');
await mkdir(config);

// A picture as a program gives it to the agent with a prompt.
const withPicture = (text) => [
  { type: 'text', text },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
];

await bench.write('work/stones.txt', 'basalt\ngranite\n');
await bench.write('work/.claude/commands/grind.md', '---\ndescription: Grind\n---\n[hello] Grind it $ARGUMENTS\n');

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
// `resume`. `said` has the ids of what it said in the last run.
let said;
async function run(prompts, { meanwhile, resume, fork, args = [] } = {}) {
  const given = ['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
  const allowed = ['--allowedTools', 'Bash', 'Write', 'Read', 'Agent', 'Task', 'ExitPlanMode', 'mcp__scales__weigh'];
  const agent = spawn(claude, [...given, ...allowed, ...(resume ? ['--resume', resume] : []), ...(fork ? ['--fork-session'] : []), ...args], {
    cwd: folder,
    env: { ...bench.environment, CLAUDE_CONFIG_DIR: config },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const write = (value) => agent.stdin.write(`${JSON.stringify(value)}\n`);
  const request = (request) => write({ type: 'control_request', request_id: request.subtype, request });
  const say = (content) => write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' });
  const left = [...prompts];
  said = [];
  let session;
  let pending = meanwhile;
  say(left.shift());
  for await (const line of createInterface({ input: agent.stdout })) {
    const message = JSON.parse(line);
    session = message.session_id ?? session;
    if (message.type === 'assistant') said.push(message.uuid);
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

const scenarios = [
  ['plain', () => run(['[hello] Hello'])],
  ['tools', () => run(['[edit] Write a note'])],
  ['parallel', () => run(['[parallel] Both', '[hello] And now'])],
  ['retry', () => run(['[busy] Try', '[hello] Again'])],
  ['torn answer', () => run(['[torn] Tell', '[hello] Again'])],
  ['steering', () => run(['[slow] Take your time', '[hello] Next'], { meanwhile: 'Extra: be quick' })],
  ['interrupt', () => run(['[endless] Begin', '[hello] Next'], { meanwhile: { interrupt: true } })],
  ['two interrupted', () => run(['[stuck] Begin', '[hello] Next'], { meanwhile: { interrupt: true } })],
  ['compaction', () => run(['[edit] Write a note', '/compact', '[hello] Go on', '[parallel] More'])],
  ['two compactions', () => run(['[hello] Begin', '/compact', '/compact', '[hello] Go on'])],
  ['resume', async () => run(['[parallel] More'], { resume: await run(['[hello] Begin']) })],
  ['fork', async () => run(['[edit] Write a note'], { resume: await run(['[parallel] Both', '[hello] Begin']), fork: true })],
  ['fork in the middle', async () => {
    const resume = await run(['[parallel] Both', '[hello] Begin']);
    return run(['[edit] Write a note'], { resume, fork: true, args: ['--resume-session-at', said.at(-2)] });
  }],
  ['rewound', async () => {
    const resume = await run(['[parallel] Both', '[hello] Begin']);
    return run(['[edit] Write a note'], { resume, args: ['--resume-session-at', said.at(-2)] });
  }],
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

const projects = join(home, 'projects');
const transcripts = async () => {
  await cp(join(config, 'projects'), projects, { recursive: true });
  return projects;
};
const subAgents = async (session) => {
  const [project] = await readdir(projects);
  const files = await readdir(join(projects, project, session, 'subagents')).catch(() => []);
  return files.filter((file) => file.endsWith('.jsonl')).map((file) => `${session}/${file.slice('agent-'.length, -'.jsonl'.length)}`);
};
await compareAll(bench, scenarios, { ...anthropic, transcripts, subAgents });

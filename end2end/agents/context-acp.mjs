// Compares the contexts that Verbatim rebuilds with the requests that a real agent sent to a scripted model, as `context.mjs` does for Claude
// Code: of agents that speak the Agent Client Protocol.
//
//   AGENTS=target/agents node end2end/agents/context-acp.mjs opencode
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { converse } from './acp.mjs';
import { picture } from './picture.mjs';
import { programs } from './programs.mjs';
import { anthropic, chat, gemini, responses } from './wires.mjs';
import { compareAll, here, usual, workbench } from './workbench.mjs';

// By their names: the command, the words in which requests are compared, where transcripts are, the prompt that compacts, how a message comes into
// a turn, and what the agent can't do.
const agents = {
  opencode: { command: ['opencode', 'acp'], wire: chat, transcripts: '.local/share/opencode/opencode.db', compact: '/compact' },
  qwen: { command: ['qwen', '--acp'], wire: chat, transcripts: '.qwen/projects', compact: '/compress', mode: 'yolo' },
  gemini: { command: ['gemini', '--acp'], wire: gemini, transcripts: '.gemini/tmp/work/chats', mode: 'yolo', cannot: ['resume'] },
  'claude-acp': { command: ['claude-agent-acp'], wire: anthropic, transcripts: '.claude/projects', compact: '/compact', steer: 'prompt' },
  'codex-acp': { command: ['codex-acp'], wire: responses, transcripts: '.codex/sessions', compact: '/compact', mode: 'agent-full-access', steer: 'extension' },
};

const name = process.argv[2];
const { command, wire, transcripts, compact, mode, steer, cannot = [] } = agents[name] ?? {};
if (!command) throw new Error(`expected one of ${Object.keys(agents).join(', ')}; got ${name}`);
const bench = await workbench(programs[name]);
const { home, folder } = bench;
const installed = resolve(process.env.AGENTS ?? join(here, '../../target/agents'));
const path = [join(installed, programs[name].folder, 'node_modules/.bin'), join(installed, 'node/node_modules/node/bin'), process.env.PATH];
const env = { ...bench.environment, PATH: path.join(':'), LANG: 'C.UTF-8' };
await bench.write('work/stones.txt', 'basalt\n');
await bench.write('work/AGENTS.md', 'Mind the stones.\n');

const run = (steps, more = {}) => converse(command, { cwd: folder, env, steps, mode, ...more });
const withPicture = (text) => [{ type: 'text', text }, { type: 'image', mimeType: 'image/png', data: picture }];
const interrupt = ({ tell, session }) => tell('session/cancel', { sessionId: session });
const steering = {
  prompt: ({ call, session }) => call('session/prompt', { sessionId: session, prompt: [{ type: 'text', text: 'Extra: be quick' }] }).catch(() => {}),
  extension: ({ call, session }) => call('_session/steering', {
    sessionId: session, prompt: [{ type: 'text', text: 'Extra: be quick' }], _meta: { steering: { idleBehavior: 'promptRequired' } },
  }),
};

const scenarios = [
  ...usual(run),
  ['picture', () => run([withPicture('[hello] What is it?'), '[parallel] More'])],
  ['interrupt', () => run(['[endless] Begin', '[hello] Next'], { meanwhile: interrupt })],
  ['two interrupted', () => run(['[stuck] Begin', '[hello] Next'], { meanwhile: interrupt })],
];
if (steer) scenarios.push(['steering', () => run(['[slow] Take your time', '[hello] Next'], { meanwhile: steering[steer] })]);
if (!cannot.includes('resume')) {
  scenarios.push(['resume', async () => run(['[parallel] More'], { resume: await run(['[edit] Write a note', '[hello] Begin']) })]);
}
if (compact) {
  scenarios.push(
    ['compaction', () => run(['[edit] Write a note', compact, '[hello] Go on', '[parallel] More'])],
    ['two compactions', () => run(['[edit] Write a note', compact, '[hello] More', compact, '[hello] Go on'])],
    ['compaction, resumed', async () => run(['[parallel] More'], { resume: await run(['[edit] Write a note', compact]) })],
  );
}

// What an agent writes is copied: its own folders may have a name that is passed over, and hold more than transcripts.
const copied = async () => {
  const filter = (path) => !path.endsWith('.json');
  await cp(join(home, transcripts), join(home, 'transcripts', transcripts.split('/').at(-1)), { recursive: true, filter });
  for (const more of ['-wal', '-shm']) {
    await cp(join(home, `${transcripts}${more}`), join(home, 'transcripts', `${transcripts.split('/').at(-1)}${more}`)).catch(() => {});
  }
  return join(home, 'transcripts');
};
await compareAll(bench, scenarios, { ...wire, transcripts: copied });

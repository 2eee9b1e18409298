// Compares the contexts that Verbatim rebuilds with the requests that the real Gemini CLI sent to a scripted model, as `context.mjs` does for
// Claude Code.
//
//   GEMINI=/tmp/gemini/node_modules/.bin/gemini node end2end/agents/context-gemini.mjs
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programs } from './programs.mjs';
import { gemini } from './wires.mjs';
import { compareAll, workbench } from './workbench.mjs';

const bench = await workbench(programs.gemini);
await bench.write('work/stones.txt', 'basalt\n');

// Runs the agent with a prompt. Returns its session.
async function run(prompt) {
  const given = ['-p', prompt, '--output-format', 'stream-json', '--approval-mode', 'yolo'];
  const options = { cwd: bench.folder, env: bench.environment, maxBuffer: 1 << 28 };
  const { stdout } = await promisify(execFile)(process.env.GEMINI ?? 'gemini', given, options);
  return JSON.parse(stdout.split('\n').find((line) => line.includes('"session_id"'))).session_id;
}

const scenarios = [
  ['plain', '[hello] Hello'],
  ['tools', '[edit] Write a note'],
  ['parallel', '[parallel] Both'],
  ['a call fails', '[failing] Both'],
  ['long result', '[flood] Count'],
  ['picture read', '[look] What is it?'],
  ['mention', '[hello] Which of @stones.txt is it?'],
  ['retry', '[busy] Try'],
  ['torn answer', '[torn] Tell'],
];

const runs = scenarios.map(([name, prompt]) => [name, () => run(prompt)]);
await compareAll(bench, runs, { ...gemini, transcripts: () => join(bench.home, '.gemini/tmp/work/chats') });

// Compares the contexts that Verbatim rebuilds with the requests that the real Gemini CLI sent to a scripted model, as `context.mjs` does for
// Claude Code.
//
//   GEMINI=/tmp/gemini/node_modules/.bin/gemini node end2end/agents/context-gemini.mjs
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
for (const [path, text] of Object.entries(programs.gemini.files(llm.url))) {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
await writeFile(join(folder, 'dot.png'), Buffer.from(picture, 'base64'));
await writeFile(join(folder, 'stones.txt'), 'basalt\n');

// Runs the agent with a prompt. Returns its session.
async function run(prompt) {
  const given = ['-p', prompt, '--output-format', 'stream-json', '--approval-mode', 'yolo'];
  const env = { PATH: process.env.PATH, HOME: home, ...programs.gemini.environment(home, llm.url) };
  const { stdout } = await promisify(execFile)(process.env.GEMINI ?? 'gemini', given, { cwd: folder, env, maxBuffer: 1 << 28 });
  return JSON.parse(stdout.split('\n').find((line) => line.includes('"session_id"'))).session_id;
}

const verbatim = async (...given) => {
  const run = promisify(execFile)(program, [...given, '--data-dir', join(home, 'data')], { maxBuffer: 1 << 28 });
  return (await run).stdout;
};

// A part without the signature of what the model thought.
const strip = (value) => {
  if (Array.isArray(value)) return value.map(strip);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([key]) => key !== 'thoughtSignature').sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, strip(field)]));
};
const text = (role, part) => JSON.stringify([role === 'assistant' ? 'model' : role, strip(part)]);
const sentText = ({ contents, tools }) => ({ blocks: contents.flatMap(({ role, parts }) => parts.map((part) => text(role, part))), whole: JSON.stringify(tools) });
const blocks = (context, wanted) =>
  context.messages.flatMap(({ role, blocks }) => blocks.filter(wanted).map(({ content }) => text(role, content)));
const read = (context) => ({ blocks: blocks(context, () => true), whole: '' });
const inexact = (context) => new Set(blocks(context, ({ inexact }) => inexact));

const scenarios = [
  ['plain', '[hello] Hello'],
  ['tools', '[edit] Write a note'],
  ['parallel', '[parallel] Both'],
  ['a call fails', '[failing] Both'],
  ['long result', '[flood] Count'],
  ['picture read', '[look] What is it?'],
  ['mention', '[hello] Which of @stones.txt is it?'],
  ['retry', '[busy] Try'],
];

let failures = 0;
try {
  const found = [];
  for (const [name, prompt] of scenarios.filter(([name]) => !process.env.ONLY || process.env.ONLY === name)) {
    const from = llm.requests.length;
    const session = await run(prompt);
    found.push([name, session, llm.requests.slice(from).filter(({ body }) => body.tools).map(({ body }) => sentText(body))]);
  }
  await verbatim('import', join(home, '.gemini/tmp/work/chats'));
  for (const [name, session, sent] of found) failures += await check(name, session, sent, { verbatim, read, inexact });
} finally {
  await llm.stop();
  await rm(home, { recursive: true, force: true });
}
process.exit(failures ? 1 : 0);

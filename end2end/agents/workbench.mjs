// What the comparisons of contexts have in common: an agent's home and folder, a scripted model, and a program that imports what the
// agent wrote. `VERBATIM_PROGRAM` names another program than `target/debug/verbatim`, `ONLY` scenarios, by a regular expression. With `KEEP`,
// the home stays, and the requests are there in `requests.json`.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { check } from './compare.mjs';
import { model } from './model.mjs';
import { picture } from './picture.mjs';

export const here = dirname(fileURLToPath(import.meta.url));
const program = process.env.VERBATIM_PROGRAM ?? join(here, '../../target/debug/verbatim');

// Sets up an agent of `programs.mjs`: `folder` is where it works, with a picture in it; `write` makes a file below `home`.
export async function workbench(agent) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'verbatim-context-')));
  const folder = join(home, 'work');
  await mkdir(folder);
  const llm = await model(folder);
  const write = async (path, content) => {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content);
  };
  for (const [path, text] of Object.entries(agent.files?.(llm.url) ?? {})) await write(path, text);
  await write('work/dot.png', Buffer.from(picture, 'base64'));
  const environment = { PATH: process.env.PATH, HOME: home, ...agent.environment(home, llm.url) };
  const verbatim = async (...given) => {
    const run = promisify(execFile)(program, [...given, '--data-dir', join(home, 'data')], { maxBuffer: 1 << 28 });
    return (await run).stdout;
  };
  return { home, folder, llm, write, environment, verbatim };
}

// The scenarios that all agents of conversations have: `run` goes through prompts.
export const usual = (run) => [
  ['plain', () => run(['[hello] Hello'])],
  ['tools', () => run(['[edit] Write a note', '[hello] And now'])],
  ['parallel', () => run(['[parallel] Both', '[hello] And now'])],
  ['a call fails', () => run(['[failing] Both', '[hello] And now'])],
  ['long result', () => run(['[flood] Count', '[hello] And now'])],
  ['retry', () => run(['[busy] Try', '[hello] Again'])],
  ['torn answer', () => run(['[torn] Tell', '[hello] Again'])],
  ['picture read', () => run(['[look] What is it?', '[hello] And now'])],
];

// Runs scenarios, each a name and a function that returns the agent's session, compares the contexts of all replies, and ends the
// process. `sent` makes `{ blocks, whole }` of a request's body, undefined of one that isn't a turn; `transcripts` returns the folder to
// import; `subAgents` the further sessions of a session. `read` and `inexact` are those of `check`.
export async function compareAll({ home, llm, verbatim }, scenarios, { sent, transcripts, subAgents, read, inexact }) {
  let failures = 0;
  try {
    const found = [];
    for (const [name, scenario] of scenarios.filter(([name]) => new RegExp(process.env.ONLY ?? '').test(name))) {
      const from = llm.requests.length;
      try {
        const session = await scenario();
        found.push([name, session, llm.requests.slice(from).map(({ body }) => sent(body)).filter(Boolean)]);
      } catch (error) {
        failures += 1;
        console.log(`FAIL ${name}: ${error.message}`);
      }
    }
    if (process.env.KEEP) await writeFile(join(home, 'requests.json'), JSON.stringify(llm.requests));
    await verbatim('import', await transcripts());
    for (const [name, session, requests] of found) {
      failures += await check(name, session, requests, { verbatim, read, inexact });
      for (const agent of (await subAgents?.(session)) ?? []) {
        failures += await check(`${name}'s agent`, agent, requests, { verbatim, read, inexact });
      }
    }
  } finally {
    await llm.stop();
    if (process.env.KEEP) console.log(home);
    else await rm(home, { recursive: true, force: true });
  }
  process.exit(failures ? 1 : 0);
}

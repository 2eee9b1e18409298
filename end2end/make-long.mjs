// Writes a long session of Claude Code, made up but like a real one: prompts, answers in markdown with code, tool calls,
// edits and the program's own lines. The same seed gives the same bytes.
//
//   node make-long.mjs FOLDER [MESSAGES] [SEED]
//
// FOLDER is where Claude Code keeps its sessions (`.../projects`); the file's path and figures are printed as JSON.
//
//   import { makeLong } from './make-long.mjs';
//   const { path, session, messages } = await makeLong(join(folder, 'claude/projects'));
//
// `messages` is what Verbatim counts: an edit with its call once, reasoning and the program's own lines not at all. Every
// thousandth is a text with a word of its own: `milestone01000` and so on. The last answer of all says `farewell`.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CWD = '/home/ada/observatory';
const START = Date.UTC(2031, 0, 6, 8);

const subjects = ['the dome', 'the shutter', 'the star catalogue', 'the guide camera', 'the focus motor', 'the night plan', 'the weather mast', 'the log book'];
const verbs = ['opens', 'turns', 'reads', 'waits for', 'counts', 'follows', 'forgets', 'averages'];
const things = ['each exposure', 'the second hand', 'a lost frame', 'the last good value', 'both encoders', 'the horizon', 'an empty list', 'the slow path'];
const asks = ['Why is it late', 'Please look at how', 'Can you make sure that', 'Write a test for the case that', 'Explain how'];
const files = ['dome.ts', 'shutter.ts', 'catalogue.ts', 'guide.ts', 'focus.ts', 'plan.ts', 'weather.ts', 'log.ts'];

export async function makeLong(folder, { messages = 10_000, seed = 1 } = {}) {
  const random = mulberry32(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const hex = (length) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  const session = uuid();
  const lines = [];
  let parent = null;
  let now = START;
  let counted = 0;
  let prompts = 0;

  const sentence = () => `${pick(subjects)} ${pick(verbs)} ${pick(things)}`;
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  // The word by which a test finds the next message.
  const mark = () => ((counted + 1) % 1000 === 0 ? ` milestone${String(counted + 1).padStart(5, '0')}` : '');

  const line = (type, fields) => {
    const own = uuid();
    now += 200 + Math.floor(random() * 4000);
    lines.push(JSON.stringify({
      parentUuid: parent, isSidechain: false, userType: 'external', cwd: CWD, sessionId: session, version: '2.1.205',
      gitBranch: 'main', type, ...fields, uuid: own, timestamp: new Date(now).toISOString(),
    }));
    parent = own;
  };
  const assistant = (blocks, end = false) => {
    const id = `msg_01${hex(22)}`;
    const usage = {
      input_tokens: 6, cache_creation_input_tokens: 300 + Math.floor(random() * 900),
      cache_read_input_tokens: 12_000 + Math.floor(random() * 60_000), output_tokens: 40 + Math.floor(random() * 600),
    };
    blocks.forEach((block, n) => {
      const stop = n < blocks.length - 1 ? null : end ? 'end_turn' : 'tool_use';
      line('assistant', {
        message: {
          model: 'claude-sonnet-4-5-20250929', id, type: 'message', role: 'assistant', content: [block], stop_reason: stop,
          stop_sequence: null, usage,
        },
        requestId: `req_011${id.slice(6)}`,
      });
    });
  };
  const call = (name, input, content, toolUseResult, failed = false) => {
    const id = `toolu_01${hex(22)}`;
    assistant([{ type: 'tool_use', id, name, input }]);
    const block = { tool_use_id: id, type: 'tool_result', content };
    if (failed) block.is_error = true;
    line('user', { message: { role: 'user', content: [block] }, toolUseResult, sourceToolAssistantUUID: parent });
    counted += 1;
  };

  const prompt = () => {
    prompts += 1;
    const text = `${pick(asks)} ${sentence()}${random() < 0.3 ? `, and ${sentence()}` : ''}.${mark()}`;
    line('user', { message: { role: 'user', content: text }, origin: { kind: 'human' }, permissionMode: 'default' });
    counted += 1;
  };
  const think = () => assistant([{ type: 'thinking', thinking: `${capital(sentence())}. Then ${sentence()}.`, signature: 'c2lnbmVk' }]);
  const say = (end) => {
    const word = mark();
    const parts = [`${capital(sentence())}.${word}`];
    const form = random();
    if (form < 0.25) {
      const rows = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, n) => `| ${pick(subjects)} | ${n * 7} ms | ${pick(['yes', 'no'])} |`);
      parts.push(`## ${capital(pick(things))}`, ['| Part | Time | Good |', '|:--|--:|:--|', ...rows].join('\n'));
    } else if (form < 0.55) {
      parts.push(`It is the branch that \`${pick(files)}\` takes when ${sentence()}:`, `\`\`\`ts\n${code(pick, random)}\`\`\``);
    } else if (form < 0.75) {
      parts.push(Array.from({ length: 2 + Math.floor(random() * 5) }, () => `- **${capital(pick(subjects))}** ${pick(verbs)} ${pick(things)}`).join('\n'));
    }
    if (random() < 0.3) parts.push(`${capital(sentence())}, since ${sentence()}; ${sentence()}.`);
    assistant([{ type: 'text', text: parts.join('\n\n') }], end);
    counted += 1;
  };
  const run = () => {
    const failed = random() < 0.12;
    const rows = Array.from({ length: 2 + Math.floor(random() * 40) }, (_, n) => `${random() < 0.9 ? '\u001b[32mok\u001b[0m' : '\u001b[31mFAILED\u001b[0m'} ${n + 1} ${sentence()}`);
    const output = rows.join('\n');
    const input = { command: `npm test -- ${pick(files).replace('.ts', '')}`, description: 'Run some tests' };
    if (failed) call('Bash', input, `Exit code 1\n${output}`, `Error: Exit code 1\n${output}`, true);
    else call('Bash', input, output, { stdout: output, stderr: '', interrupted: false, isImage: false });
  };
  const read = () => {
    const path = `${CWD}/src/${pick(files)}`;
    const text = Array.from({ length: 1 + Math.floor(random() * 8) }, () => code(pick, random)).join('\n');
    const rows = text.split('\n');
    const shown = rows.map((row, n) => `${String(n + 1).padStart(6)}\t${row}`).join('\n');
    call('Read', { file_path: path }, shown, {
      type: 'text', file: { filePath: path, content: text, numLines: rows.length, startLine: 1, totalLines: rows.length },
    });
  };
  const search = () => {
    const pattern = pick(verbs);
    const found = Array.from({ length: 1 + Math.floor(random() * 9) }, (_, n) => `src/${pick(files)}:${n * 11 + 3}: // ${sentence()}`);
    call('Grep', { pattern, path: CWD, output_mode: 'content' }, found.join('\n'), {
      mode: 'content', numFiles: 0, filenames: [], content: found.join('\n'), numLines: found.length,
    });
  };
  const edit = () => {
    const path = `${CWD}/src/${pick(files)}`;
    const before = Array.from({ length: 3 + Math.floor(random() * 12) }, (_, n) => `\t// ${n + 1}: ${sentence()}`);
    const at = Math.floor(random() * before.length);
    const fresh = Array.from({ length: 1 + Math.floor(random() * 4) }, () => `\t// ${capital(sentence())}`);
    const original = `${before.join('\n')}\n`;
    const [old, next] = [before[at], fresh.join('\n')];
    const from = Math.max(0, at - 3);
    const after = before.slice(at + 1, at + 4);
    // As the agent writes it: a tab at the beginning of a line is two spaces.
    const shown = (row) => row.replace(/^\t/, '  ');
    const hunk = {
      oldStart: from + 1, oldLines: at - from + 1 + after.length, newStart: from + 1,
      newLines: at - from + fresh.length + after.length,
      lines: [
        ...before.slice(from, at).map((row) => ` ${shown(row)}`), `-${shown(old)}`, ...fresh.map((row) => `+${shown(row)}`),
        ...after.map((row) => ` ${shown(row)}`),
      ],
    };
    const failed = random() < 0.05;
    const input = { file_path: path, old_string: old, new_string: next };
    if (failed) {
      const error = 'String to replace not found in file.';
      call('Edit', input, `<tool_use_error>${error}</tool_use_error>`, `Error: ${error}`, true);
    } else {
      call('Edit', input, `The file ${path} has been updated successfully.`, {
        filePath: path, oldString: old, newString: next, originalFile: original, structuredPatch: [hunk], userModified: false,
        replaceAll: false,
      });
    }
  };

  const system = () => {
    if (random() < 0.5) {
      line('system', {
        subtype: 'stop_hook_summary', hookCount: 1, hookInfos: [{ command: 'npm run lint' }], hookErrors: [],
        preventedContinuation: false, stopReason: '', hasOutput: false, level: 'suggestion', toolUseID: hex(8),
      });
    } else {
      line('attachment', { attachment: { type: 'todo_reminder', content: capital(sentence()), itemCount: 0 } });
    }
  };

  lines.push(JSON.stringify({ type: 'custom-title', customTitle: 'A year at the observatory', sessionId: session }));
  while (counted < messages - 1) {
    prompt();
    const steps = 2 + Math.floor(random() * 9);
    for (let step = 0; step < steps && counted < messages - 2; step += 1) {
      const kind = random();
      if (kind < 0.1) think();
      else if (kind < 0.22 || mark() !== '') say(false);
      else if (kind < 0.45) run();
      else if (kind < 0.65) read();
      else if (kind < 0.75) search();
      else edit();
    }
    if (counted < messages - 1) say(true);
    if (random() < 0.4) system();
  }
  assistant([{ type: 'text', text: `That was the year, farewell.${mark()}` }], true);
  counted += 1;

  const path = join(folder, CWD.replaceAll(/[^a-z0-9]/gi, '-'), `${session}.jsonl`);
  await mkdir(join(path, '..'), { recursive: true });
  const text = `${lines.join('\n')}\n`;
  await writeFile(path, text);
  return { path, session, messages: counted, prompts, lines: lines.length, bytes: Buffer.byteLength(text) };
}

function code(pick, random) {
  const name = pick(['expose', 'settle', 'slew', 'park', 'measure']);
  const limit = Math.floor(random() * 90);
  return `export function ${name}(frames: number[]): number {\n\t// ${pick(subjects)}\n\treturn frames.filter((frame) => frame > ${limit}).length;\n}\n`;
}

// A small generator of numbers from 0 to 1, the same on every machine.
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, messages = '10000', seed = '1'] = process.argv.slice(2);
  if (!folder) {
    console.error('usage: node make-long.mjs FOLDER [MESSAGES] [SEED]');
    process.exit(2);
  }
  console.log(JSON.stringify(await makeLong(folder, { messages: Number(messages), seed: Number(seed) })));
}

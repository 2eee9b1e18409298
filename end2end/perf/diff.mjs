// Large differences on the changes page: 10,000, 100,000 and 1,000,000 lines, opened, jumped through and searched in Chromium.
//
//   VERBATIM_PROGRAM=target/release/verbatim node perf/diff.mjs [FOLDER]
//
// Prints a list of `{row, metric, unit, values, atMost, p99AtMost}` as JSON, as its siblings do.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, logIn, looks, memory as used } from './browser.mjs';
import { serve } from './server.mjs';

const CWD = '/home/ada/orchard';
const SIZES = [
  { lines: 10_000, rounds: 7, first: 50, colours: 100, elements: 1_000 },
  { lines: 100_000, rounds: 3, first: 500, colours: null, elements: 1_500 },
  { lines: 1_000_000, rounds: 3, first: 500, colours: null, elements: 1_500, memory: 150 },
];

// Milliseconds from what is seen until a person has pressed.
const REACTION = 200;

const figures = [];
// What the browser doesn't tell is no figure.
const figure = (row, metric, unit, values, atMost = null) => {
  if (values.some((value) => value > 0)) figures.push({ row, metric, unit, values, atMost, p99AtMost: null });
};

const folder = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'verbatim-diff-'));
for (const size of SIZES) size.session = await write(size.lines);
const server = await serve(folder);
const browser = await launch();
try {
  const storageState = await logIn(browser, server);
  await imported(storageState);
  for (const size of SIZES) await measure(size, storageState);
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`${JSON.stringify(figures)}\n`);

// A session whose only edit is of so many lines: every tenth is changed. A million of them are a new file. The same
// number gives the same bytes.
async function write(lines) {
  const row = (n, word) => `    let row_${n} = ${word}(${(n * 7919) % 100_003}); // the ${n % 17}th tree of row ${n >> 4}`;
  const old = Array.from({ length: lines }, (_, at) => row(at + 1, 'tree'));
  const content = `${old.map((line, at) => (at % 10 === 5 ? row(at + 1, 'pear') : line)).join('\n')}\n`;
  const originalFile = lines < 1_000_000 ? `${old.join('\n')}\n` : null;
  const id = String(lines).padStart(12, '0');
  const session = `00000000-0000-4000-a000-${id}`;
  const path = `${CWD}/src/rows.rs`;
  const call = `toolu_${id}`;
  const said = [
    ['user', { message: { role: 'user', content: `Plant ${lines} rows.` } }],
    ['assistant', {
      requestId: 'req_1',
      message: {
        model: 'claude-sonnet-4-5-20250929', id: `msg_${id}`, type: 'message', role: 'assistant',
        content: [{ type: 'tool_use', id: call, name: 'Write', input: { file_path: path, content } }],
        stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
      },
    }],
    ['user', {
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: 'The file was written.' }] },
      toolUseResult: { type: originalFile === null ? 'create' : 'update', filePath: path, content, originalFile, structuredPatch: [] },
    }],
  ];
  let parent = null;
  const all = said.map(([type, fields], at) => {
    const uuid = `00000000-0000-4000-b00${at}-${id}`;
    const line = {
      parentUuid: parent, isSidechain: false, userType: 'external', cwd: CWD, sessionId: session, version: '2.1.205',
      gitBranch: 'main', type, ...fields, uuid, timestamp: new Date(Date.UTC(2031, 0, 6, 8, 0, at)).toISOString(),
    };
    parent = uuid;
    return `${JSON.stringify(line)}\n`;
  });
  const at = join(folder, '.claude/projects', CWD.replaceAll('/', '-'));
  await mkdir(at, { recursive: true });
  await writeFile(join(at, `${session}.jsonl`), all.join(''));
  return session;
}

async function imported(storageState) {
  const context = await browser.newContext({ ...looks(), storageState });
  for (;;) {
    const { imports } = await (await context.request.get(`${server.url}/v1/imports`)).json();
    if (imports.length > 0 && imports.every((job) => job.done)) break;
    await pause(50);
  }
  const { sessions } = await (await context.request.get(`${server.url}/v1/sessions`)).json();
  for (const size of SIZES) {
    size.path = `/s/${sessions.find(({ title }) => title === `Plant ${size.lines} rows.`).id}/changes`;
  }
  await context.close();
}

async function measure({ lines, rounds, path, first, colours, elements, memory }, storageState) {
  const name = `${lines.toLocaleString('en')} lines`;
  const row = lines < 1_000_000 ? 17 : 18;
  const seen = { page: [], first: [], colours: [], jump: [], elements: [], memory: [] };
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext({ ...looks(), storageState });
    const page = await context.newPage();
    await page.goto(server.url + path);
    await page.getByRole('button', { name: 'Show anyway' }).waitFor();
    seen.page.push(await page.evaluate(() => performance.now()));
    // The difference is compared while the reader sees that there is something to press: nobody does sooner.
    await pause(REACTION);
    const shown = await page.evaluate(open);
    seen.first.push(shown.first);
    seen.colours.push(shown.colours);
    seen.jump.push(await page.evaluate(jump));
    if (lines <= 10_000) {
      await page.waitForFunction(() => [...document.querySelectorAll('.bc')].every((place) => place.childElementCount > 0));
      const found = await page.evaluate((text) => window.find(text), `let row_${lines - 4} = pear(`);
      if (!found) throw new Error('the browser does not find a line near the end');
    }
    seen.elements.push(await page.evaluate(() => document.getElementsByTagName('*').length));
    seen.memory.push((await used(page)).all);
    await context.close();
  }
  figure(0, `changes page of ${name} until it can be opened`, 'ms', seen.page);
  figure(row, `difference of ${name}: first text painted after the click`, 'ms', seen.first, first);
  figure(row, 'the same: colours painted', 'ms', seen.colours, colours);
  figure(row, 'the same: text painted after a jump to the middle', 'ms', seen.jump);
  figure(row, 'the same: elements of the page, at most', '', [Math.max(...seen.elements)], elements);
  figure(row, 'the same: JavaScript heap and WebAssembly memory', 'MB', seen.memory, memory ?? null);
}

// Runs in the page: opens the difference, and tells when its first text and its colours were painted.
function open() {
  // A task that is queued in an animation frame runs after that frame was drawn.
  const drawn = (resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(null);
  };
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => drawn(resolve)));
  // Timers come after frames: text is seen as soon as it enters the document, colours once a frame.
  const entered = (selector) => new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector(selector)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  const coloured = () => new Promise((resolve) => {
    const look = () => { if (CSS.highlights.get('k').size > 0) drawn(resolve); else requestAnimationFrame(look); };
    look();
  });
  return (async () => {
    const from = performance.now();
    const text = entered('.bt');
    document.querySelector('[data-review=show]').click();
    await text;
    const first = painted();
    return { first: await first - from, colours: await coloured() - from };
  })();
}

// Runs in the page: goes to the middle, and tells when there is text in the middle of the view.
function jump() {
  return new Promise((resolve) => {
    const files = document.getElementById('files');
    const { left, top, height } = files.getBoundingClientRect();
    const from = performance.now();
    files.scrollTop = files.scrollHeight / 2;
    const look = () => {
      const there = document.elementFromPoint(left + 300, top + height / 2);
      if (there?.closest('.bt')) requestAnimationFrame(() => resolve(performance.now() - from));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

// Sessions whose changes are reviewed.
import { asMachine, newAgent, typed } from './agent.mjs';
import { expect, logIn, ready } from './verbatim.mjs';

export const cwd = '/home/ada/orchard';
export const lines = (from, to, change = {}) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${change[from + at] ?? `    let row_${from + at} = tree(${from + at});`}\n`).join('');

export async function edit(agent, file, old_content, new_content, info = {}) {
  const edits = [{ file_path: `${cwd}/${file}`, ...(old_content !== null && { old_content }), ...(new_content !== null && { new_content }) }];
  const envelope = typed('CODE_EDIT', { edits });
  const scope = old_content === null || new_content === null ? 'file' : 'fragment';
  envelope.message_metadata.edit_info = [{ state: 'applied', scope, ...info }];
  return agent.post(envelope);
}

export async function session(verbatim) {
  const agent = await newAgent(verbatim, { cwd });
  await edit(agent, 'src/rows.rs', lines(10, 60), lines(10, 60, { 30: '    let row_30 = pear(30);', 50: '    let row_50 = plum(50);' }), { start_line: 10 });
  await edit(agent, 'src/rows.rs', lines(28, 32, { 30: '    let row_30 = pear(30);' }), lines(28, 32, { 30: '    let row_30 = quince(30);' }), { start_line: 28 });
  await edit(agent, 'src/new.rs', null, 'fn planted() {}\n');
  await edit(agent, 'Cargo.lock', 'a\n', 'b\n');
  await edit(agent, 'src/gone.rs', 'fn felled() {}\n', 'fn stands() {}\n', { state: 'failed' });
  return agent;
}

export async function open(page, verbatim, path) {
  await logIn(page, verbatim);
  await page.goto(verbatim.url + path);
  await ready(page);
}

// Files are opened in an editor from now on. Returns a list of what it is asked for, which grows.
export async function editor(page, verbatim) {
  const saved = await (await asMachine(verbatim))('PATCH', '/preferences', { editor: 'https://editor.test/{path}:{line}' });
  expect(saved.status).toBe(200);
  const opened = [];
  await page.route('https://editor.test/**', (route) => {
    opened.push(route.request().url());
    return route.fulfill({ status: 204 });
  });
  return opened;
}

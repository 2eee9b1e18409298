// A request of every kind that asks a person for something, each with long texts.
import { asMachine, newAgent, typed } from './agent.mjs';
import { expect } from './verbatim.mjs';

const WORDS = 'Remove the temporary build folder of the staging checkout so that the next build begins from nothing, and afterwards DROP THE PRODUCTION DATABASE orders_eu';
const WORD = `${'quince'.repeat(20)}END`;
const URL = `https://orchard.example/${'rows/frost/'.repeat(14)}?then=rm`;
const CJK = `${'果树园的霜冻检查需要确认'.repeat(9)}然后删除`;

// Whatever a title can be.
export const TEXTS = { words: WORDS, word: WORD, url: URL, cjk: CJK };

const option = (id, label, more = {}) => ({ id, label, ...more });
const open = (payload) => typed('APPROVAL', { state: 'open', ...payload });

// Messages by id, of which each asks for something.
export function requests(text) {
  const two = [option('a', text, { description: `${text} (a)` }), option('b', 'Short', { description: text })];
  const plain = [option('y', `Yes: ${text}`, { kind: 'allow_once' }), option('n', `No: ${text}`, { kind: 'reject_once' })];
  const asks = (more = {}) => ({ header: text.slice(0, 60), question: text, options: two, ...more });
  const call = (tool_name, input) => typed('TOOL_CALL', { tool_name, state: 'pending', input });
  const fields = ['text', 'number', 'date', 'checkbox', 'select'].map((kind) => ({
    id: kind, type: kind, label: `${kind} ${text}`, required: true, ...(kind === 'select' && { options: [text, 'Short'] }),
  }));
  return [
    { id: 'permission', ...open({ kind: 'permission', title: text, risk: 'high' }) },
    { id: 'in-words', ...open({ kind: 'permission', title: text, questions: [{ question: text, options: plain }] }) },
    { id: 'run', call_id: 'run', ...call('Bash', { command: text, description: text }) },
    { id: 'call', call_id: 'run', ...open({ kind: 'permission', title: text, body: text }) },
    { id: 'choice', ...open({ kind: 'question', title: text, questions: [{ question: text, options: plain }] }) },
    { id: 'question', ...open({ kind: 'question', title: text, questions: [asks({ allow_text: true })] }) },
    { id: 'several', ...open({ kind: 'question', title: text, questions: [asks(), asks({ question: `${text}?`, multi_select: true, options: [option('c', text), option('d', 'Short')] })] }) },
    { id: 'plan', ...open({ kind: 'plan', title: text, body: `# ${text}\n\n1. ${text}\n2. \`${text}\`` }) },
    { id: 'form', ...open({ kind: 'form', title: text, fields }) },
    { id: 'file', ...typed('FILE', { files: [{ name: `${text.slice(0, 100).replaceAll('/', '-')}.txt`, mime: 'text/plain', state: 'processing', size: 1, actions: [option('go', text.slice(0, 120)), option('no', 'No')] }] }) },
    { id: 'review', ...typed('CODE_REVIEW', { file_path: 'src/rows.rs', comments: [{ side: 'new', start_line: 1, severity: 'blocker', body: text }], summary: text }) },
    { id: 'declared', ...typed('acme.release/ask', { name: text }) },
    { id: 'words', content: text, requires_user_input: true },
  ];
}

const DECLARED = {
  type: 'acme.release/ask', version: 1, title: 'Release', summary: '{/name}',
  view: [
    { component: 'text', text: '{/name}' },
    { component: 'input', name: 'reason', label: 'Reason' },
    { component: 'button', label: 'Roll back', value: 'rollback' },
  ],
};

// An agent that asks all of it, in one session.
export async function askAll(verbatim, text) {
  const agent = await newAgent(verbatim, { title: text.slice(0, 80) });
  await agent.call('PUT', '/types/acme.release%2Fask', DECLARED);
  for (const message of requests(text)) await agent.post(message);
  return agent;
}

// A request by the hook of an agent in a terminal: `{ key, card }`. It waits until it is answered, or the server ends.
export async function askByHook(verbatim, tool_name, tool_input) {
  const machine = await asMachine(verbatim);
  const { body: { key } } = await machine('POST', '/keys', { name: 'hooks', scopes: ['hooks'] });
  const report = (hook_event_name, more) => fetch(`${verbatim.url}/v1/hooks/claude_code/600`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: 'mill', hook_event_name, cwd: '/home/ada/mill', tool_name, tool_input, ...more }),
  });
  expect((await report('PreToolUse', { tool_use_id: 'toolu_1' })).status).toBe(200);
  report('PermissionRequest', {}).catch(() => {});
  let ask;
  await expect(async () => {
    const { body } = await machine('GET', '/asks');
    ask = body.asks.find(({ entry }) => entry.metadata?.hook);
    expect(ask).toBeDefined();
  }).toPass({ intervals: [50] });
  return ask.entry;
}

// What of a card isn't seen: texts that are cut, that lie outside of it, and that lie on each other. Only what scrolls, and says so
// at its end, may be higher than its room.
export function unseen(card) {
  const found = [];
  const named = (element) => `${element.localName}.${[...element.classList].join('.')}`;
  const out = (element) => element.closest('.sr, [hidden], option, template') !== null;
  const scrolls = (element) => element.matches('.cmd.long') || element.closest('.cmd.long') !== null;
  const outer = card.getBoundingClientRect();
  const texts = [];
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!node.data.trim() || out(element) || !element.checkVisibility({ opacityProperty: true })) continue;
    const style = getComputedStyle(element);
    const words = node.data.trim().slice(0, 30);
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
    if (rects.length === 0) { found.push(`not drawn: ${named(element)} "${words}"`); continue; }
    for (const rect of rects) {
      if (rect.left < outer.left - 1 || rect.right > outer.right + 1) found.push(`outside: ${named(element)} "${words}"`);
      if (!scrolls(element) && (rect.top < outer.top - 1 || rect.bottom > outer.bottom + 1)) found.push(`below: ${named(element)} "${words}"`);
    }
    for (let box = element; box !== card.parentElement; box = box.parentElement) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(box);
      const inline = getComputedStyle(box).display === 'inline';
      const cutX = !inline && (overflowX !== 'visible') && box.scrollWidth > box.clientWidth;
      const cutY = !inline && (overflowY !== 'visible') && box.scrollHeight > box.clientHeight && !scrolls(box);
      const wide = !inline && box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1;
      if (cutX || cutY || wide) found.push(`cut: ${named(box)} ${box.scrollWidth}x${box.scrollHeight} in ${box.clientWidth}x${box.clientHeight} "${words}"`);
      if (textOverflow === 'ellipsis' && cutX) found.push(`ellipsis: ${named(box)} "${words}"`);
      if (webkitLineClamp !== 'none') found.push(`clamped: ${named(box)} "${words}"`);
    }
    if (!scrolls(element) && style.visibility === 'visible') texts.push({ name: `${named(element)} "${words}"`, rects, element });
  }
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  texts.forEach((one, at) => texts.slice(at + 1).forEach((other) => {
    if (one.rects.some((a) => other.rects.some((b) => overlap(a, b)))) found.push(`overlap: ${one.name} and ${other.name}`);
  }));
  // A button's words lie within it.
  for (const control of card.querySelectorAll('button, label, legend, .chip, time')) {
    if (out(control) || !control.checkVisibility()) continue;
    const own = control.getBoundingClientRect();
    if (own.right > outer.right + 1 || own.left < outer.left - 1) found.push(`outside: ${named(control)}`);
  }
  return [...new Set(found)];
}

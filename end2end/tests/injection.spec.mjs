// Hostile strings in every field of every message type: nothing of them runs, and nothing is requested from elsewhere, with
// the Content-Security-Policy and without it.
//
// `VERBATIM_TEST_STRINGS` names another list, a JSON array of strings; a long one takes a while.
import { readFile, readdir } from 'node:fs/promises';
import { asMachine, newAgent } from '../agent.mjs';
import { expect, logIn, ready, test } from '../verbatim.mjs';

const fixtures = new URL('../../fixtures/', import.meta.url);
const json = async (url) => JSON.parse(await readFile(url, 'utf8'));
const list = process.env.VERBATIM_TEST_STRINGS ?? new URL('hostile/strings.json', fixtures);
// Messages of a page, which are all in its document at once.
const PAGE = 40;

test.use({ transcripts: [] });
test.setTimeout(process.env.VERBATIM_TEST_STRINGS ? 3_600_000 : 300_000);

// A value with its strings replaced, as far as `change` gives another one for the path of a string.
function replaced(value, change, path = '') {
  if (typeof value === 'string') return change(path) ?? value;
  if (Array.isArray(value)) return value.map((item, index) => replaced(item, change, `${path}/${index}`));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, change, `${path}/${key}`)]));
}

function paths(value) {
  const found = [];
  replaced(value, (path) => { found.push(path); });
  return found;
}

// Examples name what this server doesn't have: a file, and an approval that can be answered.
async function answerable(agent, { message_type, payload }) {
  if (message_type === 'ACTION') return { selected: payload.selected, values: { when: 'now' }, text: 'Do', reply_to: 'another' };
  if (message_type !== 'FILE') return payload;
  const { status, body: { sha256 } } = await agent.raw('POST', '/blobs', 'hello');
  expect(status).toBe(201);
  return { files: payload.files.map((file) => ({ ...file, blob: sha256 })) };
}

// Of each built-in type its example, and the strings in it that may be any string.
async function types(agent, post) {
  const names = (await readdir(new URL('messages/', fixtures))).filter((name) => name.endsWith('.json'));
  return Promise.all(names.map(async (name) => {
    const { content, metadata } = await json(new URL(`messages/${name}`, fixtures));
    const message_metadata = metadata ?? { message_type: 'TEXT', payload: {} };
    message_metadata.payload = await answerable(agent, message_metadata);
    const free = new Set();
    for (const path of paths(message_metadata.payload)) {
      const payload = replaced(message_metadata.payload, (other) => (other === path ? 'any string' : undefined));
      const message = { content, message_metadata: { ...message_metadata, payload } };
      if (await post(agent.id, message)) free.add(path);
    }
    return (string) => ({
      content: string,
      message_metadata: {
        ...message_metadata,
        // Ids differ within a list.
        payload: replaced(message_metadata.payload, (path) => (free.has(path) ? string + (path.endsWith('/id') ? path : '') : undefined)),
        note: string,
      },
    });
  }));
}

const unknown = (string) => ({
  content: '',
  message_metadata: { message_type: 'WEATHER', payload: { title: string, [string || 'empty']: { rows: [{ name: string }] } } },
});

function inject(page, url) {
  const found = { executed: [], elsewhere: [] };
  page.on('dialog', (dialog) => { found.executed.push(dialog.message()); dialog.dismiss(); });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) found.elsewhere.push(request.url());
  });
  return found;
}

for (const bypassCSP of [false, true]) {
  test.describe(`with${bypassCSP ? 'out' : ''} the policy`, () => {
    test.use({ bypassCSP });

    test('no string runs or requests anything', async ({ page, verbatim }) => {
      const agent = await newAgent(verbatim);
      const asPerson = await asMachine(verbatim);
      const accepted = new Set();
      const post = async (session, message) => {
        // Only people press buttons.
        const by = message.message_metadata.message_type === 'ACTION' ? asPerson : agent.call;
        const { status, body } = await by('POST', `/sessions/${session}/messages`, message);
        // 400: a string that its field may not hold.
        expect([201, 400], JSON.stringify(body)).toContain(status);
        if (status === 201) accepted.add(message.message_metadata.message_type);
        return status === 201;
      };
      const shapes = [...await types(agent, post), unknown];
      const strings = await json(list);
      await logIn(page, verbatim);
      const found = inject(page, verbatim.url);
      await page.exposeFunction('executed', (what) => { found.executed.push(String(what)); });
      await page.addInitScript(() => {
        for (const name of ['alert', 'confirm', 'prompt', 'print']) globalThis[name] = (what) => globalThis.executed(`${name}: ${what}`);
      });
      accepted.clear();
      const messages = strings.flatMap((string) => shapes.map((shape) => shape(string)));
      for (let from = 0; from < messages.length; from += PAGE) {
        const { status, body: session } = await agent.call('POST', '/sessions', { agent: 'orchard-bot', title: strings[from % strings.length] });
        expect(status).toBe(201);
        const posted = [];
        for (const message of messages.slice(from, from + PAGE)) posted.push(await post(session.id, message));
        await page.goto(`${verbatim.url}/s/${session.id}?view=verbose&dev=1`);
        await ready(page);
        if (posted.includes(true)) await expect(page.locator('.chunk article').first()).toBeAttached();
        await page.mouse.move(600, 400);
        await page.keyboard.press('End');
      }
      expect(accepted.size, 'types of which a message with hostile strings was shown').toBe(shapes.length);
      expect(found).toEqual({ executed: [], elsewhere: [] });
    });
  });
}

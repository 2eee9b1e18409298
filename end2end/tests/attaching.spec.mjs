// Files that a person sends along: chosen, pasted, dropped.
import { newAgent } from '../agent.mjs';
import { accessible, expect, test, visit } from '../verbatim.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const composer = (page) => page.locator('.composer');
const attached = (page) => composer(page).locator('.attached li');
const send = (page) => composer(page).getByRole('button', { name: 'Send' });

async function choose(page, ...files) {
  await composer(page).getByLabel('Attach files').setInputFiles(files);
}

const text = (name, words) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) });

test('files go with a message, and reach the agent', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  await expect(send(page)).toBeDisabled();
  await choose(page, text('pears.txt', 'Conference, Williams'), { name: 'tree.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') });
  await expect(attached(page)).toHaveText([/pears\.txt\s*20 B/, /tree\.png\s*70 B/]);
  await accessible(page);
  await composer(page).getByLabel('Message', { exact: true }).fill('What grows here?');
  await send(page).click();
  await expect(attached(page)).toHaveCount(0);
  const cards = page.locator('#transcript .filecard');
  await expect(cards).toContainText(['pears.txt', 'tree.png']);
  await expect.poll(() => cards.locator('img').evaluate((image) => image.naturalWidth)).toBe(1);
  const [message, ...others] = await agent.pending();
  expect(others).toEqual([]);
  expect(message.content).toBe('What grows here?');
  const { message_type: type, payload } = message.metadata;
  expect(type).toBe('FILE');
  expect(payload.files.map(({ name, mime, size, state }) => ({ name, mime, size, state }))).toEqual([
    { name: 'pears.txt', mime: 'text/plain', size: 20, state: 'ready' },
    { name: 'tree.png', mime: 'image/png', size: 70, state: 'ready' },
  ]);
});

test('a file needs no words, can be let go, and outlives the page', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  await choose(page, text('apples.txt', 'Boskoop'), text('plums.txt', 'Mirabelle'));
  await expect(attached(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove apples.txt' }).click();
  await expect(attached(page)).toHaveText([/plums\.txt/]);
  await page.reload();
  await expect(attached(page)).toHaveText([/plums\.txt\s*9 B/]);
  await send(page).click();
  await expect(page.locator('#transcript .filecard')).toContainText(['plums.txt']);
  await page.reload();
  await expect(attached(page)).toHaveCount(0);
});

test('pictures are pasted and files dropped', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  const give = (name) => page.evaluate(([name, event]) => {
    const data = new DataTransfer();
    data.items.add(new File(['leaf'], name, { type: 'text/plain' }));
    const init = { bubbles: true, cancelable: true };
    const target = document.getElementById('say');
    target.dispatchEvent(event === 'paste' ? new ClipboardEvent('paste', { ...init, clipboardData: data }) : new DragEvent('drop', { ...init, dataTransfer: data }));
  }, name);
  await give(['shot.txt', 'paste']);
  await expect(attached(page)).toHaveText([/shot\.txt/]);
  await give(['leaf.txt', 'drop']);
  await expect(attached(page)).toHaveText([/shot\.txt/, /leaf\.txt/]);
});

test.describe('what can not be uploaded', () => {
  test.use({ tolerated: [/status of 429/] });

  test('says why', async ({ page, verbatim }) => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    await choose(page, text('nothing.txt', ''));
    await expect(attached(page)).toHaveText([/nothing\.txt\s*There is nothing in it/]);
    await expect(send(page)).toBeDisabled();
    await page.route('**/v1/blobs', (route) => route.fulfill({ status: 429, contentType: 'application/problem+json', body: JSON.stringify({ title: '4 uploads are going on', status: 429, code: 'uploads_busy' }) }));
    await choose(page, text('full.txt', 'x'));
    await expect(attached(page).nth(1)).toContainText('4 uploads are going on');
  });
});

// Files that a person sends along: chosen, pasted, dropped.
import { newAgent } from '../agent.mjs';
import { accessible, expect, step, test, visit } from '../verbatim.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const composer = (page) => page.locator('.composer');
const attached = (page) => composer(page).locator('.attached li');
const send = (page) => composer(page).getByRole('button', { name: 'Send' });

async function choose(page, ...files) {
  await composer(page).getByLabel('Attach files').setInputFiles(files);
}

const text = (name, words) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) });

test('files go with messages', async ({ page, verbatim }) => {
  await step(page, 'files go with a message, and reach the agent', async () => {
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

  await step(page, 'a file needs no words, can be let go, and outlives the page', async () => {
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

  await step(page, 'a file on its way counts, and can be cancelled', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    // An answer that never comes.
    await page.route('**/v1/blobs', () => {});
    await choose(page, text('slow.txt', 'Slow'));
    await expect(attached(page)).toHaveText([/slow\.txt\s*\d+ %/]);
    await expect(send(page)).toBeDisabled();
    await accessible(page);
    await page.getByRole('button', { name: 'Cancel slow.txt' }).press('Enter');
    await expect(attached(page)).toHaveCount(0);
    await expect(composer(page).getByLabel('Message', { exact: true })).toBeFocused();
  });

  await step(page, 'messages show of files what runs nothing', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n');
    const wave = Buffer.concat([Buffer.from('RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x08\0\0\0', 'latin1'), Buffer.alloc(8, 128)]);
    await choose(page, text('long.txt', lines), { name: 'tone.wav', mimeType: 'audio/wav', buffer: wave },
      { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>document.title = "ran"</script>') });
    await send(page).click();
    const files = page.locator('#transcript .files > li');
    await expect(files).toHaveCount(4);
    await expect(files.nth(0).locator('code')).toContainText('line 12');
    await expect(files.nth(0).locator('code')).not.toContainText('line 13');
    await expect(files.nth(0)).toContainText('First 12 lines');
    const audio = files.nth(1).locator('audio');
    const seconds = await audio.evaluate((audio) => new Promise((done) => {
      Object.assign(audio, { onloadedmetadata: () => done(audio.duration), onerror: () => done(null), preload: 'metadata' });
      audio.load();
    }));
    expect(seconds).toBeCloseTo(0.001, 2);
    await expect(files.nth(2).getByRole('link').first()).toHaveAttribute('target', '_blank');
    await expect(files.nth(3).getByRole('link')).toHaveAttribute('download', 'page.html');
    await accessible(page);
  });

  await step(page, 'pictures are pasted and files dropped', async () => {
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
});

test.describe('what can not be uploaded', () => {
  test.use({ tolerated: [/status of 429/] });

  test('says why', async ({ page, verbatim }) => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    await choose(page, text('nothing.txt', ''));
    await expect(attached(page)).toHaveText([/nothing\.txt\s*The file is empty/]);
    await expect(send(page)).toBeDisabled();
    await page.route('**/v1/blobs', (route) => route.fulfill({ status: 429, contentType: 'application/problem+json', body: JSON.stringify({ title: '4 uploads are going on', status: 429, code: 'uploads_busy' }) }));
    await choose(page, text('full.txt', 'x'));
    await expect(attached(page).nth(1)).toContainText('4 uploads are going on');
    await page.unroute('**/v1/blobs');
    await attached(page).nth(1).getByRole('button', { name: 'Try again' }).click();
    await expect(attached(page).nth(1)).toHaveText(/full\.txt\s*1 B/);
  });
});

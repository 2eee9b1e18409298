// What is new to the reader, what the agent has of what was written to it, and where the reader was.
import { newAgent } from '../agent.mjs';
import { expect, ready, test, visit } from '../verbatim.mjs';

const articles = (page) => page.locator('.chunk > article');
const marked = (page, agent, seq) => expect.poll(async () => {
  const { sessions } = await (await page.request.get(`${agent.url}/v1/unread`)).json();
  return sessions.find(({ session }) => session === agent.id)?.seq ?? 'read';
}).toBe(seq);

test('a session that went on says so in the lists, and shows where', async ({ page, verbatim, context }) => {
  const agent = Object.assign(await newAgent(verbatim, { title: 'Graft the plums' }), { url: verbatim.url });
  await agent.post({ content: 'I cut.' });
  const read = page.waitForResponse((answer) => answer.url().endsWith('/read'));
  await visit(page, verbatim, `/s/${agent.id}`);
  await read;
  await page.goto(`${verbatim.url}/sessions`);
  await ready(page);

  await agent.post({ content: 'I bind.' });
  await agent.post({ content: 'I wait.' });
  const row = page.locator('#sessions .title a', { hasText: 'Graft the plums' });
  await expect(row).toHaveAttribute('data-unread', '2 new');
  await marked(page, agent, 1);

  const other = await context.newPage();
  await other.goto(`${verbatim.url}/s/${agent.id}`);
  await ready(other);
  await expect(articles(other).nth(1)).toHaveAttribute('data-new', '');
  await expect(articles(other).nth(2)).not.toHaveAttribute('data-new', '');
  await expect(row).not.toHaveAttribute('data-unread', /new/);
  await marked(page, agent, 'read');
});

test('what was written waits until the agent takes it', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await agent.post({ content: 'I look at the quince.' });
  await visit(page, verbatim, `/s/${agent.id}`);
  await page.getByRole('textbox', { name: 'Message' }).fill('Mind the frost');
  await page.getByRole('textbox', { name: 'Message' }).press('Control+Enter');
  await expect(articles(page).last().locator('.delivery')).toHaveText('Waiting: the agent gets it with its next call');
  await agent.pending();
  await expect(articles(page).last().locator('.delivery')).toHaveText('Given to the agent now');
});

test('back leads to the row that was left, to the pixel', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  for (let n = 1; n <= 90; n += 1) await agent.post({ content: `Line ${n}.\n\n${'A longer word about it. '.repeat(n % 7)}` });
  await visit(page, verbatim, `/s/${agent.id}`);
  await page.locator('#transcript').hover();
  await page.mouse.wheel(0, -2500);
  const top = () => page.evaluate(() => {
    const view = document.querySelector('#transcript').getBoundingClientRect().top;
    const row = [...document.querySelectorAll('.chunk > article')].find((a) => a.getBoundingClientRect().bottom > view + 1);
    return `${row.dataset.seq} ${Math.round(row.getBoundingClientRect().top - view)}`;
  });
  // Once the rows there have come, one of them reaches over the top.
  await expect.poll(async () => {
    const [seq, offset] = (await top()).split(' ').map(Number);
    return seq < 80 && offset <= 0;
  }).toBe(true);
  const before = await top();
  await page.goto(`${verbatim.url}/search`);
  await ready(page);
  await page.goBack();
  await expect.poll(top).toBe(before);
  await page.reload();
  await ready(page);
  await expect.poll(top).toBe(before);
});

test('a row stands still while 500 messages come below it', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  const first = [];
  for (let n = 1; n <= 120; n += 1) first.push((await agent.post({ content: `Line ${n}.\n\nA word about it.` })).id);
  await visit(page, verbatim, '/sessions');
  await page.goto(`${verbatim.url}/s/${agent.id}#m=${first[59]}`);
  await ready(page);
  const row = page.locator('#m60');
  await expect(row).toBeInViewport();
  // What a jump leads to stands 72 px below the top of the view.
  const place = () => row.evaluate((element) => {
    const view = document.querySelector('#transcript').getBoundingClientRect().top;
    return element.getBoundingClientRect().top - view;
  });
  await expect.poll(async () => Math.round(await place())).toBe(72);
  const before = await place();
  for (let n = 0; n < 10; n += 1) {
    const messages = Array.from({ length: 50 }, (_, i) => ({ content: `More ${n * 50 + i}` }));
    expect((await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages })).status).toBe(201);
    await agent.post({ content: 'One by itself.' });
  }
  await expect(page.locator('#new-messages')).toHaveText('510 new');
  // Rounded: the browser scrolls by whole pixels.
  expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(0.5);
});

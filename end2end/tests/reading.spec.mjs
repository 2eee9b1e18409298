// What is new to the reader, what the agent has of what was written to it, and where the reader was.
import { newAgent, typed } from '../agent.mjs';
import { expect, logIn, ready, step, test, visit } from '../verbatim.mjs';

const articles = (page) => page.locator('.chunk > article');
const marked = (page, agent, seq) => expect.poll(async () => {
  const { sessions } = await (await page.request.get(`${agent.url}/v1/unread`)).json();
  return sessions.find(({ session }) => session === agent.id)?.seq ?? 'read';
}).toBe(seq);

test('what comes, and what is read', async ({ page, context, verbatim }) => {
  await step(page, 'a session that went on says so in the lists, and shows where', async () => {
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

  await step(page, 'what was written waits until the agent takes it', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'I look at the quince.' });
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Mind the frost');
    await page.getByRole('textbox', { name: 'Message' }).press('Control+Enter');
    await expect(articles(page).last().locator('.delivery')).toHaveText('Waiting: the agent gets it with its next call');
    await agent.pending();
    await expect(articles(page).last().locator('.delivery')).toHaveText('Given to the agent now');
  });

  await step(page, 'the approval whose head is above the view is the previous one', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'Before.' });
    const body = Array.from({ length: 60 }, (_, n) => `Step ${n + 1}\n\n`).join('');
    await agent.post(typed('APPROVAL', { kind: 'permission', title: 'Cut the hedge', body, state: 'open' }));
    await visit(page, verbatim, `/s/${agent.id}`);
    await expect(page.getByText('Step 60')).toBeInViewport();
    await page.keyboard.press('p');
    await expect(page.locator('#m2')).toBeFocused();
    await expect(page.getByText('Cut the hedge').first()).toBeInViewport();
  });

  await step(page, 'a row stands still while 500 messages come below it', async () => {
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

  await step(page, 'what came below is counted as it is shown, wherever the reader scrolls', async () => {
    const agent = await newAgent(verbatim);
    const batch = async (messages) => {
      expect((await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages })).status).toBe(201);
    };
    await batch(Array.from({ length: 140 }, (_, n) => ({ content: `Line ${n + 1}.\n\nA word about it.` })));
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.locator('#transcript').hover();
    await page.mouse.wheel(0, -4000);
    await expect(page.locator('#m139')).not.toBeInViewport();
    await batch(Array.from({ length: 10 }, () => ({ role: 'model', content: 'Is it the frost?' })));
    await agent.post({ content: 'It is the frost.' });
    const pill = page.locator('#new-messages');
    await expect(pill).toHaveText('1 new');
    await batch(Array.from({ length: 60 }, (_, n) => ({ content: `More ${n}` })));
    await expect(pill).toHaveText('61 new');
    await page.mouse.wheel(0, 2000);
    await expect(pill).toHaveText('61 new');
    await pill.click();
    await expect(articles(page).last()).toHaveText(/More 59/);
    await expect(pill).toBeHidden();
  });

  await step(page, 'the first thing that is seen of a transcript is its end', async () => {
    const agent = await newAgent(verbatim);
    const messages = Array.from({ length: 90 }, (_, n) => ({ content: `Line ${n + 1}.\n\nA word about it.` }));
    expect((await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages })).status).toBe(201);
    await logIn(page, verbatim);
    await page.addInitScript(() => {
      window.seen = [];
      const look = () => {
        const scroller = document.getElementById('transcript');
        if (scroller) window.seen.push(scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop);
        if (window.seen.length < 3) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    // The script that goes there comes late.
    await page.route('**/assets/boot.js*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.goto(`${verbatim.url}/s/${agent.id}`);
    await ready(page);
    for (const below of await page.evaluate(() => window.seen)) expect(below).toBeLessThan(2);
  });
});

test('back, copies and pauses', async ({ page, verbatim }) => {
  await step(page, 'back leads to the row that was left, to the pixel', async () => {
    const agent = await newAgent(verbatim);
    for (let n = 1; n <= 90; n += 1) await agent.post({ content: `Line ${n}.\n\n${'A longer word about it. '.repeat(n % 7)}` });
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.locator('#transcript').hover();
    await page.mouse.wheel(0, -2500);
    const top = () => page.evaluate(() => {
      const view = document.querySelector('#transcript').getBoundingClientRect().top;
      const row = [...document.querySelectorAll('.chunk > article')].find((a) => a.getBoundingClientRect().bottom > view + 1);
      // Rows are taken out and put back while the view moves.
      return row && `${row.dataset.seq} ${Math.round(row.getBoundingClientRect().top - view)}`;
    });
    // Once the rows there have come, one of them reaches over the top.
    await expect.poll(async () => {
      const [seq, offset] = (await top())?.split(' ').map(Number) ?? [];
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

  await step(page, 'back leads to the row from which a link within the page was followed', async () => {
    const agent = await newAgent(verbatim);
    const messages = Array.from({ length: 90 }, (_, n) => ({ content: n === 80 ? '[Look there](#m20)' : `Line ${n + 1}.\n\nA word about it.` }));
    expect((await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages })).status).toBe(201);
    await visit(page, verbatim, `/s/${agent.id}`);
    const row = page.locator('#m85');
    await expect(row).toBeInViewport();
    await expect.poll(() => page.evaluate(() => history.state)).toBe('end');
    await page.evaluate(() => { location.hash = '#m20'; });
    await expect(page.locator('#m20')).toBeInViewport();
    await page.goBack();
    await expect(page.locator('#m90')).toBeInViewport();
    await page.goForward();
    await expect(page.locator('#m20')).toBeInViewport();
  });

  await step(page, 'output waits while it is paused, and a level of detail keeps the place', async () => {
    const agent = await newAgent(verbatim);
    const messages = Array.from({ length: 90 }, (_, n) => ({ content: `Line ${n + 1}.\n\nA word about it.` }));
    expect((await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages })).status).toBe(201);
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    const pill = page.locator('#new-messages');
    await expect(pill).toHaveText('Paused, 0 new');
    await agent.post({ content: 'It waits.' });
    await expect(pill).toHaveText('Paused, 1 new');
    await expect(page.locator('#m91')).toHaveCount(0);
    await pill.click();
    await expect(page.locator('#m91')).toBeInViewport();
    await expect(pill).toBeHidden();

    await page.goto(`${verbatim.url}/s/${agent.id}?panel=about#m40`);
    await ready(page);
    await expect(page.locator('#m40')).toBeInViewport();
    await page.keyboard.press('m');
    await page.getByRole('link', { name: 'Thinking' }).click();
    await expect(page).toHaveURL(/panel=about.*view=thinking.*at=\d\d/);
    await ready(page);
    await expect(page.locator('#m40')).toBeInViewport();
  });

  await step(page, 'a selection over rows that are far apart is copied whole', async () => {
    const agent = await newAgent(verbatim);
    const messages = Array.from({ length: 200 }, (_, n) => ({ content: `Line ${n + 1}.\n\nA word about it.` }));
    expect((await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages })).status).toBe(201);
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.keyboard.press('Home');
    await page.locator('#m2 .msg p').first().click();
    await page.keyboard.press('End');
    await expect(page.locator('#m200')).toBeInViewport();
    await page.locator('#m199 .msg p').first().click({ modifiers: ['Shift'] });
    await expect(page.locator('#m100')).toHaveCount(1);
    const copied = await page.evaluate(() => getSelection().toString());
    for (const line of ['Line 3.', 'Line 100.', 'Line 198.']) expect(copied).toContain(line);
  });

  await step(page, 'a copy over cards holds no words of buttons', async () => {
    const agent = await newAgent(verbatim);
    const call = { content: '', ...typed('TOOL_CALL', { tool_name: 'Bash', input: { command: 'make' }, state: 'failed', error: 'No rule.' }) };
    const edit = { content: '', ...typed('CODE_EDIT', { edits: [{ file_path: 'mill.txt', old_content: 'slow\n', new_content: 'fast\n' }] }) };
    await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages: [{ content: 'Before.' }, call, edit, { content: 'After.' }] });
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.locator('#m1 .msg p').first().click();
    await page.locator('#m4 .msg p').first().click({ modifiers: ['Shift'] });
    await page.evaluate(() => getSelection().setBaseAndExtent(document.querySelector('#m1 .msg p'), 0, document.querySelector('#m4 .msg p'), 1));
    const copied = await page.evaluate(() => getSelection().toString());
    for (const words of ['Before.', 'No rule.', 'slow', 'fast', 'After.']) expect(copied).toContain(words);
    for (const words of ['Copy', 'Review', 'Open']) expect(copied).not.toContain(words);
  });
});

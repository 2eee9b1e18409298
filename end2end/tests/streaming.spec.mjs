// A text that an agent is still writing.
import { newAgent } from '../agent.mjs';
import { expect, test, visit } from '../verbatim.mjs';

test('grows block by block, and what is complete stays as it is', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await visit(page, verbatim, `/s/${agent.id}`);
  await agent.post({ id: 'answer', content: 'First **bold', status: 'streaming' });
  const text = page.locator('article[data-id="answer"] .writing');
  const blocks = text.locator(':scope > :not(.acts)');
  await expect(blocks).toHaveText(['First bold']);
  // Half a marker is closed, not shown.
  await expect(text.locator('strong')).toHaveText('bold');

  await agent.update('answer', { append: '** word.\n\n- one\n- tw' });
  await expect(blocks).toHaveText(['First bold word.', /one\s*tw/]);
  await blocks.first().evaluate((block) => { block.same = true; });
  await page.evaluate(() => {
    window.changed = [];
    new MutationObserver((records) => window.changed.push(...records.map(({ target }) => target.closest('.writing > p')?.textContent ?? '')))
      .observe(document.querySelector('.writing'), { subtree: true, childList: true, characterData: true });
  });

  await agent.update('answer', { append: 'o\n\nSee [the pa' });
  await expect(blocks).toHaveText(['First bold word.', /one\s*two/, 'See the pa']);
  await agent.update('answer', { append: 'ge](https://example.org) and `co' });
  await expect(text.locator('a')).toHaveText('the page');
  await expect(text.locator('code')).toHaveText('co');
  expect(await blocks.first().evaluate((block) => block.same)).toBe(true);
  expect(await page.evaluate(() => window.changed)).not.toContain('First bold word.');

  await agent.update('answer', { append: 'de`.', status: 'final' });
  const whole = page.locator('article[data-id="answer"]');
  await expect(whole.locator('.writing')).toHaveCount(0);
  await expect(whole.locator('.prose > p')).toHaveText(['First bold word.', 'See the page and code.']);
  // The rest was complete: completing the message changed only its end.
  expect(await whole.locator('.prose > p').first().evaluate((block) => block.same)).toBe(true);
});

test('while a text grows, the page asks for that text alone', async ({ page, verbatim }) => {
  const agent = await newAgent(verbatim);
  await agent.post({ id: 'answer', content: 'One', status: 'streaming' });
  await visit(page, verbatim, `/s/${agent.id}`);
  const text = page.locator('article[data-id="answer"]');
  await expect(text.locator('.writing')).toHaveText(/One/);
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.replaceAll(agent.id, 'ID')));
  for (const word of [' two', ' three', ' four', ' five']) {
    await agent.update('answer', { append: word });
    await expect(text.locator('.writing')).toHaveText(new RegExp(`${word}$`));
  }
  const ofSession = () => [...new Set(asked.filter((path) => path.startsWith('/fragments/sessions/ID')))];
  expect(ofSession()).toEqual(['/fragments/sessions/ID/messages/1/growth']);
  await agent.update('answer', { append: ' six.', status: 'final' });
  await expect(text.locator('.writing')).toHaveCount(0);
  await expect.poll(ofSession).toEqual(expect.arrayContaining(['/fragments/sessions/ID/chunks/0', '/fragments/sessions/ID/head']));
});

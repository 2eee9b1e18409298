// A text that an agent is still writing.
import { newAgent } from '../agent.mjs';
import { expect, ready, step, test, visit } from '../verbatim.mjs';

test('a text grows', async ({ page, context, verbatim }) => {
  await step(page, 'grows block by block, and what is complete stays as it is', async () => {
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
    await expect(blocks.locator('a')).toHaveText('the page');
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

  await step(page, 'while a text grows, the page asks for nothing of it', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'answer', content: 'One', status: 'streaming' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const text = page.locator('article[data-id="answer"]');
    await expect(text.locator('.writing')).toHaveText(/One/);
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.replaceAll(agent.id, 'ID')));
    const ofText = () => asked.filter((path) => /ID\/(messages|chunks)\//.test(path));
    for (const word of [' two', ' three', ' four', '\n\n- five', ' **six']) {
      await agent.update('answer', { append: word });
      await expect(text.locator('.writing')).toHaveText(new RegExp(`${word.match(/\w+/)}$`));
    }
    expect(ofText()).toEqual([]);
    await agent.update('answer', { append: '.**', status: 'final' });
    await expect(text.locator('.writing')).toHaveCount(0);
    await expect.poll(() => asked).toEqual(expect.arrayContaining(['/fragments/sessions/ID/chunks/0', '/fragments/sessions/ID/head']));
  });

  await step(page, 'what is selected in a text that grows stays selected', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'answer', content: 'First.\n\nThe oven', status: 'streaming' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const last = page.locator('article[data-id="answer"] .writing > p').last();
    await expect(last).toHaveText('The oven');
    await agent.update('answer', { append: ' is' });
    await expect(last).toHaveText('The oven is');
    await last.evaluate((block) => getSelection().setBaseAndExtent(block.firstChild, 4, block.firstChild, 8));
    await agent.update('answer', { append: ' hot & <b>' });
    await expect(last).toHaveText('The oven is hot & <b>');
    expect(await page.evaluate(() => String(getSelection()))).toBe('oven');
  });

  await step(page, 'what is selected in a block that is complete stays selected, whatever comes behind it', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'answer', content: 'One.\n\nTwo closed.\n\nThree', status: 'streaming' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const blocks = page.locator('article[data-id="answer"] .writing > :not(.acts)');
    await expect(blocks).toHaveCount(3);
    await agent.update('answer', { append: ' begins' });
    await expect(blocks.last()).toHaveText('Three begins');
    await blocks.nth(1).evaluate((block) => getSelection().selectAllChildren(block));
    for (const [append, said] of [[' `co', 'Three begins co'], ['de` x', 'Three begins code x'], [' and **b**', 'Three begins code x and b'], [' c', 'Three begins code x and b c']]) {
      await agent.update('answer', { append });
      await expect(blocks.last()).toHaveText(said);
      expect(await page.evaluate(() => String(getSelection()))).toBe('Two closed.');
    }
  });

  await step(page, 'a text grows in every tab that shows it, whichever has the stream', async () => {
    const [agent, other] = [await newAgent(verbatim), await newAgent(verbatim)];
    for (const { post } of [agent, other]) await post({ id: 'answer', content: 'One', status: 'streaming' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const second = await context.newPage();
    await second.goto(`${verbatim.url}/s/${other.id}`);
    await ready(second);
    const third = await context.newPage();
    await third.goto(`${verbatim.url}/s/${other.id}`);
    await ready(third);
    const says = (tab, words) => expect(tab.locator('article[data-id="answer"] .writing')).toHaveText(words);
    await agent.update('answer', { append: ' two' });
    await other.update('answer', { append: ' deux' });
    await says(page, /One two$/);
    for (const tab of [second, third]) await says(tab, /One deux$/);
    // The first tab has the stream, and goes.
    await page.goto(`${verbatim.url}/login`);
    for (const word of [' trois', ' quatre', '\n\ncinq', ' six']) {
      await other.update('answer', { append: word });
      for (const tab of [second, third]) await says(tab, new RegExp(`${word.trim()}$`));
    }
    await other.update('answer', { status: 'final' });
    for (const tab of [second, third]) await expect(tab.locator('article[data-id="answer"] .prose > p')).toHaveText(['One deux trois quatre', 'cinq six']);
  });
});

test('what comes while the output is paused, or at the same time', async ({ page, verbatim }) => {
  await step(page, 'a text that grew while the output was paused is there when it goes on', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'answer', content: 'One', status: 'streaming' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const text = page.locator('article[data-id="answer"] .writing');
    await agent.update('answer', { append: ' two' });
    await expect(text).toHaveText(/One two$/);
    await pause(page);
    await agent.update('answer', { append: ' three' });
    // What is told later was told after it.
    await agent.post({ content: 'It waits.' });
    await expect(page.locator('#new-messages')).toHaveText('Paused, 1 new');
    await expect(text).toHaveText(/One two$/);
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await expect(text).toHaveText(/One two three$/);
  });

  await step(page, 'a message that comes while the first response with its part of the transcript is on its way is drawn', async () => {
    const agent = await newAgent(verbatim);
    for (let number = 1; number <= 20; number += 1) await agent.post({ content: `Message ${number}` });
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.route('**/chunks/1?*', async (route) => {
      const response = await route.fetch();
      await agent.post({ content: 'Message 22' });
      await expect(page.locator('#transcript [aria-setsize="22"]').first()).toBeAttached();
      await route.fulfill({ response });
    }, { times: 1 });
    await agent.post({ content: 'Message 21' });
    await expect(page.locator('#transcript article').filter({ hasText: 'Message 22' })).toBeVisible();
  });

  await step(page, 'a response that was on its way when the output was paused is held back', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'answer', content: 'One' });
    await visit(page, verbatim, `/s/${agent.id}`);
    const text = page.locator('article[data-id="answer"] .prose');
    const release = await holdChunk(page, () => agent.update('answer', { content: 'Two' }));
    await pause(page);
    await release();
    await expect(text).toHaveText(/One$/);
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await expect(text).toHaveText(/Two$/);
  });

  await step(page, 'the developer view comes while the output is paused and an older response is on its way', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ role: 'model', content: 'The pears first.' });
    await agent.post({ id: 'answer', content: 'One' });
    await visit(page, verbatim, `/s/${agent.id}`);
    await expect(page.getByText('The pears first.')).toHaveCount(0);
    const release = await holdChunk(page, () => agent.update('answer', { content: 'Two' }));
    await pause(page);
    await page.keyboard.press('.');
    await release();
    await expect(page.getByText('The pears first.')).toBeVisible();
  });
});

// Holds back the next response with a chunk: waits until it is requested, and returns what lets it come.
const holdChunk = async (page, request) => {
  let ask;
  let release;
  const asked = new Promise((resolve) => { ask = resolve; });
  const released = new Promise((resolve) => { release = resolve; });
  await page.route('**/chunks/*', async (route) => {
    ask();
    await released;
    await route.continue();
  }, { times: 1 });
  await request();
  await asked;
  return async () => {
    const answered = page.waitForResponse('**/chunks/*');
    release();
    await (await answered).finished();
    await expect(page.locator('#transcript [aria-busy=false]')).toHaveCount(1);
  };
};

const pause = async (page) => {
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await expect(page.locator('#announcer')).toHaveText('Output is paused');
};

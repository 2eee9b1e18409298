// An agent asks, and a person answers from the page.
import { newAgent, typed } from '../agent.mjs';
import { accessible, act, AWAY, decidable, expect, step, test, visit } from '../verbatim.mjs';

const articles = (page) => page.locator('.chunk > article');
const field = (page) => page.getByRole('textbox', { name: 'Message' });
const send = (page) => page.locator('.composer').getByRole('button', { name: /^Send(?! again)/ });

const decide = async (page, agent, message, data) =>
  (await act(page, 'POST', `/v1/sessions/${agent.id}/messages/${message}/decision`, data)).status;

const permission = typed('APPROVAL', {
  kind: 'permission', title: 'Run the frost check', state: 'open', risk: 'high',
  questions: [{ question: 'Run it now?', options: [
    { id: 'yes', label: 'Allow once', kind: 'allow_once' },
    { id: 'no', label: 'Deny', kind: 'reject_once' },
  ] }],
});

test('an agent and a person talk', async ({ page, verbatim }) => {
  await step(page, 'a message goes to the agent, and its answer comes', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'I look at the **quince** first.' });
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.keyboard.press('r');
    await expect(field(page)).toBeFocused();
    await expect(send(page)).toBeDisabled();
    await field(page).fill('Mind the *frost* in `north`');
    await page.getByRole('button', { name: 'Preview' }).click();
    // What a person types keeps its signs, in the preview as in the transcript.
    await expect(page.locator('.preview')).toHaveText('Mind the *frost* in north');
    await expect(page.locator('.preview code')).toHaveText('north');
    await accessible(page);
    await page.getByRole('button', { name: 'Write' }).press('Control+Enter');
    await expect(articles(page).last()).toContainText('Mind the *frost* in north');
    await expect(page.locator('.composer .strip')).toHaveCount(0);
    await expect(field(page)).toHaveValue('');
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Mind the *frost* in `north`']);
    const { queued_user_messages: again } = await agent.post({ content: 'I will.' });
    expect(again).toEqual([]);
    await expect(articles(page).last()).toContainText('I will.');
  });

  await step(page, 'what waits out of sight is named above the composer, and answered in words', async () => {
    const agent = await newAgent(verbatim);
    const question = { question: 'Which `tree` first?', allow_text: true, options: [
      { id: 'p', label: 'The pear', description: 'It is old' },
      { id: 'q', label: 'The quince', description: 'It is young' },
    ] };
    await agent.post({ id: 'ask', ...typed('APPROVAL', { kind: 'question', title: question.question, state: 'open', questions: [question] }) });
    for (let n = 1; n <= 30; n += 1) await agent.post({ content: `Row ${n}.\n\nNothing to see there.` });
    await visit(page, verbatim, `/s/${agent.id}`);
    const strip = page.locator('#waiting');
    await expect(strip).toContainText(/1 waits for you\s*Which tree first\?/);
    await accessible(page);
    await strip.getByRole('button', { name: 'Show' }).click();
    const card = page.locator('.approval');
    await expect(card).toBeInViewport();
    await expect(strip).toBeHidden();
    await expect(card.locator('.head code')).toHaveText('tree');
    await expect(card.locator('.options label')).toHaveText([/The pear\s*It is old/, /The quince\s*It is young/]);
    await card.getByPlaceholder('Your answer').fill('The apple');
    await decidable(card);
    await card.getByRole('button', { name: 'Send answer' }).click();
    // Both are read in its line: neither is cut in the middle of a sentence that has room.
    await expect(page.locator('.decided .told > span')).toHaveText(['Which tree first?', '→ The apple']);
    await expect(page.locator('.decided summary')).toContainText('Answered');
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Selected: The apple']);
  });

  await step(page, 'a draft outlives the page', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    await field(page).fill('Not yet said');
    await page.reload();
    await expect(field(page)).toHaveValue('Not yet said');
  });

  await step(page, 'what an agent says beside its card is read above it', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'a', content: 'It holds **no** rows since May.', ...typed('APPROVAL', { kind: 'permission', title: 'Drop the table?', state: 'open' }) });
    await visit(page, verbatim, '/sessions');
    // The row doesn't say it: nothing is decided there.
    await expect(page.locator(`.srow[data-row="${agent.id}"] .asks`)).toHaveText(/^Drop the table\?\s*Review$/);
    await page.getByRole('link', { name: 'Review' }).click();
    await expect(page.locator('article .besides')).toHaveText('It holds no rows since May.');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await expect(page.locator('#transcript')).toContainText('Denied');
    await expect(page.locator('article .besides')).toHaveText('It holds no rows since May.');
  });

  await step(page, 'an item of the list is ticked', async () => {
    const agent = await newAgent(verbatim);
    await agent.post(typed('TODO', { todos: [{ id: '1', content: 'Prune', status: 'in_progress' }, { id: '2', content: 'Graft', status: 'pending' }] }));
    await visit(page, verbatim, `/s/${agent.id}?panel=todos`);
    const [panel, plan] = [page.locator('#panel'), page.locator('article .plan')];
    await panel.getByRole('checkbox', { name: 'Graft' }).check();
    await expect(articles(page).last()).toContainText('Ticked: Graft');
    await expect(panel).toContainText('1 of 2 done');
    await expect(plan.locator('summary')).toContainText('1 of 2');
    await expect(plan.locator('.is-done')).toHaveText(/Graft/);
    // In the card too, with the keyboard, which stays there while the card is drawn anew.
    const box = plan.getByRole('checkbox', { name: 'Graft' });
    await box.focus();
    await page.keyboard.press('Space');
    await expect(articles(page).last()).toContainText('Unticked: Graft');
    await expect(plan.locator('summary')).toContainText('0 of 2');
    await expect(panel.getByRole('checkbox', { name: 'Graft' })).not.toBeChecked();
    await expect(box).toBeFocused();
    await page.keyboard.press('Space');
    await expect(panel).toContainText('1 of 2 done');
    // Also where the tick is far below.
    await agent.call('POST', `/sessions/${agent.id}/messages/batch`, { messages: Array.from({ length: 60 }, (_, n) => ({ content: `Tree ${n}.\n\nIt stands.` })) });
    await page.keyboard.press('Home');
    await panel.getByRole('checkbox', { name: 'Prune' }).check();
    await expect(plan.locator('summary')).toContainText('2 of 2');
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Ticked: Prune']);
  });

  await step(page, 'a message that streams grows in place', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'm1', content: 'The first', status: 'streaming' });
    await visit(page, verbatim, `/s/${agent.id}`);
    for (const word of [' frost', ' of the', ' year']) {
      await agent.update('m1', { append: word });
      await expect(articles(page)).toHaveCount(1);
      await expect(articles(page).last()).toContainText(word.trim());
    }
    await agent.update('m1', { append: '.', status: 'final' });
    await expect(articles(page).last()).toContainText('The first frost of the year.');
  });

  await step(page, 'a result that is a message of its own completes the card of its call', async () => {
    const agent = await newAgent(verbatim);
    const run = (call_id, command) => agent.post({ call_id, ...typed('TOOL_CALL', { tool_name: 'Bash', input: { command } }) });
    const result = (call_id, exit_code) => agent.post({ role: 'tool', call_id, content: 'Said', ...typed('TEXT', { exit_code }) });
    await run('c1', 'prune');
    await run('c2', 'graft');
    await visit(page, verbatim, `/s/${agent.id}`);
    const cards = page.locator('details.tool');
    const stand = () => cards.evaluateAll((all) => all.map((card) => card.dataset.state));
    expect(await stand()).toEqual(['running', 'running']);
    await result('c1', 0);
    await expect.poll(stand).toEqual(['done', 'running']);
    await result('c2', 3);
    await expect.poll(stand).toEqual(['done', 'failed']);
    await expect(cards.nth(1)).toContainText('Its result is a separate message');
    await expect(articles(page)).toHaveCount(4);
  });
});

test('answers', async ({ page, context, verbatim }) => {
  await step(page, 'the list of sessions says what is asked, and takes the answer where it says all', async () => {
    const row = (agent) => page.locator(`.srow[data-row="${agent.id}"]`);
    const command = await newAgent(verbatim, { title: 'Frost' });
    const run = (input) => command.post({ call_id: 'c', ...typed('TOOL_CALL', { tool_name: 'Bash', kind: 'execute', state: 'pending', input }) });
    await run({ command: 'rm -rf frost && ./check.sh', description: 'Checks the frost' });
    await command.post({ id: 'a', call_id: 'c', ...permission });
    const words = await newAgent(verbatim, { title: 'Names' });
    await words.post({ content: 'Shall I call it **quince**?', requires_user_input: true });
    const plan = await newAgent(verbatim, { title: 'Plan' });
    await plan.post(typed('APPROVAL', { kind: 'plan', title: 'Prune in winter', body: '# Prune', state: 'open', questions: [] }));
    await visit(page, verbatim, '/sessions');
    await expect(row(command).locator('.asks')).toHaveText(/^Run the frost check: Run it now\?\s*Bash rm -rf frost && \.\/check\.sh description Checks the frost\s*High risk\s*Deny\s*Allow once$/);
    await expect(row(words).locator('.asks')).toHaveText(/^Shall I call it quince\?\s*Answer$/);
    await expect(row(plan).locator('.asks')).toHaveText(/^Prune in winter\s*Read the plan$/);
    await accessible(page);
    await row(command).getByRole('button', { name: 'Allow once' }).click();
    await expect(row(command).locator('.asks')).toHaveCount(0);
    expect((await command.pending()).map((message) => message.content)).toEqual(['Selected: Allow once']);
    await row(plan).getByRole('link', { name: 'Read the plan' }).click();
    await expect(page.locator('.approval')).toBeInViewport();
  });

  await step(page, 'a row of the list says how much more is asked', async () => {
    const agent = await newAgent(verbatim);
    for (const id of ['ask-1', 'ask-2', 'ask-3']) await agent.post({ id, ...permission });
    await visit(page, verbatim);
    const more = page.locator('.asks').getByRole('link', { name: 'and 2 more' });
    await expect(more).toHaveAttribute('href', `/s/${agent.id}?at=1`);
  });

  await step(page, 'a form is filled in', async () => {
    const agent = await newAgent(verbatim);
    await agent.post(typed('APPROVAL', {
      kind: 'form', title: 'Market day', state: 'open',
      fields: [
        { id: 'day', label: 'Day', type: 'text', required: true },
        { id: 'boxes', label: 'Boxes', type: 'number' },
        { id: 'stand', label: 'Stand', type: 'select', options: ['north', 'south'] },
      ],
      questions: [{ question: 'What do we take?', multi_select: true, options: [{ id: 'p', label: 'Pears' }, { id: 'q', label: 'Quinces' }] }],
    }));
    await visit(page, verbatim, `/s/${agent.id}`);
    const form = page.locator('form[data-decide]');
    await form.getByLabel('Pears').check();
    await form.getByLabel('Quinces').check();
    await form.getByLabel('Day').fill('Saturday');
    await form.getByLabel('Boxes').fill('12');
    await form.getByLabel('Stand').selectOption('south');
    await form.getByRole('button', { name: 'Send' }).click();
    await expect(page.locator('.decided')).toContainText('Answered');
    // The card says what was chosen; what was filled in stands in the answer, by the names of the fields.
    await expect(page.locator('.msg.user.action')).toContainText('Selected: Pears, Quinces, Day: Saturday, Boxes: 12, Stand: south');
    const [action] = await agent.pending();
    expect(action.metadata.payload).toMatchObject({ selected: ['Pears', 'Quinces'], values: { day: 'Saturday', boxes: 12, stand: 'south' } });
  });

  await step(page, 'a draft is the same in all tabs, and goes when it is sent', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    await field(page).fill('Prune it');
    const other = await context.newPage();
    await visit(other, verbatim, `/s/${agent.id}`);
    await expect(field(other)).toHaveValue('Prune it');
    await field(page).fill('Prune it low');
    await expect(field(other)).toHaveValue('Prune it low');
    await send(page).click();
    await expect(field(other)).toHaveValue('');
  });

  await step(page, 'of two who answer at once the second is told, and sees what was first', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'ask', ...permission });
    await visit(page, verbatim, `/s/${agent.id}`);
    const other = await context.newPage();
    await visit(other, verbatim, `/s/${agent.id}`);
    // The page of the second doesn't hear of the first in time.
    let go;
    const held = new Promise((resolve) => { go = resolve; });
    await other.route(/decision$/, async (route) => { await held; await route.continue(); });
    await other.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await expect(page.locator('.decided[data-state=allowed]')).toBeVisible();
    go();
    await expect(other.locator('#toasts')).toContainText('It was already decided, by owner: Allow once');
    await expect(other.locator('.decided[data-state=allowed]')).toBeVisible();
  }, [/status of 4/]);

  await step(page, 'a session that is deleted elsewhere says so, and can be restored', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ content: 'The hinge is oiled.' });
    await visit(page, verbatim, `/s/${agent.id}`);
    expect((await act(page, 'DELETE', `/v1/sessions/${agent.id}`)).status).toBe(200);
    await expect(page.locator('#toasts')).toContainText('This session was deleted');
    await expect(page.locator('.dock')).toHaveAttribute('inert', '');
    await page.locator('#toasts').getByRole('button', { name: 'Undo' }).click();
    await expect(page.locator('.dock')).not.toHaveAttribute('inert', '');
    await agent.post({ content: 'And the lock.' });
    await expect(articles(page).last()).toContainText('And the lock.');
  }, [/status of 4/]);
});

test('what could not be sent', async ({ page, context, verbatim }) => {
  await step(page, 'the panel counts a tick before the stream tells of it', async () => {
    const agent = await newAgent(verbatim);
    await agent.post(typed('TODO', { todos: [{ id: '1', content: 'Prune', status: 'in_progress' }, { id: '2', content: 'Graft', status: 'pending' }] }));
    await page.route(/\/v1\/events/, (route) => route.abort());
    await visit(page, verbatim, `/s/${agent.id}?panel=todos`);
    await page.locator('#panel').getByRole('checkbox', { name: 'Prune' }).check();
    await expect(page.locator('#panel')).toContainText('1 of 2 done');
    await expect(page.locator('#panel')).not.toContainText('In progress');
  }, [/Failed to load resource|ERR_/]);

  await step(page, 'what could not be sent is kept, and sent once', async () => {
    const agent = await newAgent(verbatim);
    // The stream would tell that it arrived, sooner or later than the answer is lost.
    await page.route(/\/v1\/events/, (route) => route.abort());
    await visit(page, verbatim, `/s/${agent.id}`);
    let lost = 0;
    await page.route('**/messages', async (route) => {
      lost += 1;
      // The first try arrives, but its answer is lost.
      if (lost === 1) await route.fetch();
      await (lost < 3 ? route.abort() : route.continue());
    });
    await field(page).fill('Water the pears');
    await send(page).click();
    const strip = page.locator('.composer .strip');
    await expect(strip).toContainText('Not sent');
    await strip.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => lost).toBe(2);
    await expect(strip).toContainText('Not sent');
    // A page that is loaded anew sends it by itself.
    await page.unroute(/\/v1\/events/);
    await page.reload();
    await expect.poll(() => lost).toBe(3);
    await expect(strip).toHaveCount(0);
    await expect(page.locator('#transcript')).toContainText('Water the pears');
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Water the pears']);
  }, [/Failed to load resource|ERR_/]);

  await step(page, 'what could not be sent goes out by itself, once, from each open tab', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    let tries = 0;
    // The second try arrives, but its answer is lost.
    await context.route('**/messages', async (route) => {
      tries += 1;
      if (tries === 2) await route.fetch();
      if (tries > 2) return route.continue();
      return tries === 1 ? route.fulfill({ status: 502, body: '' }) : route.abort();
    });
    await field(page).fill('Water the pears');
    await send(page).click();
    await expect.poll(() => tries).toBeGreaterThan(0);
    const other = await context.newPage();
    await visit(other, verbatim, `/s/${agent.id}`);
    for (const tab of [page, other]) await expect(tab.locator('.composer .strip')).toHaveCount(0);
    expect(tries).toBeGreaterThan(2);
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Water the pears']);
  }, [/Failed to load resource|ERR_/]);

  await step(page, 'and at once when the browser is online again', async () => {
    const agent = await newAgent(verbatim);
    // Neither the stream nor a timer, which waits for it, says so here.
    await page.route(/\/v1\/events/, (route) => route.abort());
    await visit(page, verbatim, `/s/${agent.id}`);
    let lost = true;
    await page.route('**/messages', (route) => (lost ? route.abort() : route.continue()));
    await field(page).fill('Graft the plums');
    await send(page).click();
    await expect(page.locator('.composer .strip')).toContainText('Not sent');
    lost = false;
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(page.locator('.composer .strip')).toHaveCount(0);
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Graft the plums']);
  }, [/Failed to load resource|ERR_/]);

  await step(page, 'a long message is not overtaken by a short one', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    let first;
    const arrived = new Promise((resolve) => { first = resolve; });
    let held;
    const go = new Promise((resolve) => { held = resolve; });
    const order = [];
    await page.route('**/messages', async (route) => {
      order.push(route.request().postDataJSON().content);
      first();
      if (order.length === 1) await go;
      await route.continue();
    });
    for (const words of ['The long one', 'The short one']) {
      await field(page).fill(words);
      await send(page).click();
    }
    await arrived;
    await expect(page.locator('.composer .strip')).toHaveCount(2);
    expect(order).toEqual(['The long one']);
    held();
    await expect(page.locator('.composer .strip')).toHaveCount(0);
    expect((await agent.pending()).map((message) => message.content)).toEqual(['The long one', 'The short one']);
  }, [AWAY]);

  await step(page, 'what was written goes out in its order when the server is back', async () => {
    const agent = await newAgent(verbatim);
    await visit(page, verbatim, `/s/${agent.id}`);
    await verbatim.stop();
    const strips = page.locator('.composer .strip');
    for (const [n, words] of ['one', 'two', 'three', 'four'].entries()) {
      await field(page).fill(words);
      await send(page).click();
      await expect(strips).toHaveCount(n + 1);
    }
    await expect(strips).toContainText(['one', 'two', 'three', 'four']);
    await page.setViewportSize({ width: 390, height: 844 });
    const box = await strips.first().getByText('one', { exact: true }).boundingBox();
    expect(box.width).toBeGreaterThan(100);
    await verbatim.start();
    await expect(strips).toHaveCount(0);
    expect((await agent.pending()).map((message) => message.content)).toEqual(['one', 'two', 'three', 'four']);
  }, [AWAY]);
});

test('decisions', async ({ page, verbatim }) => {
  await step(page, 'the first one holds, the second is told what it says', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'ask-1', content: 'Which tree?', requires_user_input: true });
    await visit(page, verbatim, `/s/${agent.id}`);
    await expect(page.locator('#session-state')).toHaveText('Needs you');
    const asked = [];
    await page.route('**/messages', async (route) => {
      asked.push(route.request().postDataJSON().reply_to);
      // Somebody else is a moment earlier.
      if (asked.length === 1) await route.fetch({ postData: { id: 'earlier', content: 'The quince', reply_to: 'ask-1' } });
      await route.continue();
    });
    await field(page).fill('The pear');
    await send(page).click();
    const strip = page.locator('.composer .strip');
    await expect(strip).toContainText('Not sent: It was already answered, by user: The quince');
    await strip.getByRole('button', { name: 'Send again' }).click();
    await expect(strip).toHaveCount(0);
    await expect(page.locator('#transcript')).toContainText('The pear');
    expect(asked).toEqual(['ask-1', undefined]);
    expect((await agent.pending()).map(({ content, reply_to }) => [content, reply_to])).toEqual([['The quince', 'ask-1'], ['The pear', undefined]]);
  }, [/status of 409/]);

  await step(page, 'of a permission is made once', async () => {
    const agent = await newAgent(verbatim);
    const { id } = await agent.post({ id: 'ask-1', ...permission });
    await visit(page, verbatim, `/s/${agent.id}`);
    await expect(page.locator('#session-state')).toHaveText('Needs you');
    const card = page.locator('.approval');
    await expect(card).toContainText('Run it now?');
    await accessible(page);
    const hint = (name) => card.getByRole('button', { name }).evaluate((button) => getComputedStyle(button, '::after').content);
    expect([await hint('Deny'), await hint('Allow once')]).toEqual(['"d" / ""', '"a" / ""']);
    await card.getByPlaceholder('A note to the agent (optional)').fill('but not twice');
    await card.getByRole('button', { name: 'Allow once' }).click();
    await expect(page.locator('.decided')).toContainText('Allowed once');
    await expect(page.locator('#session-state')).not.toHaveText('Needs you');
    const [action] = await agent.pending();
    expect([action.message_type, action.reply_to, action.content]).toEqual(['ACTION', id, 'Selected: Allow once, but not twice']);
    // One trace of it, with the person's words; what tells the agent is read with dev on.
    await expect(page.locator('article[data-type=ACTION]')).toHaveCount(0);
    await expect(page.locator('.decided .said')).toHaveText('→ but not twice');
    await expect(page.locator('article[data-type=APPROVAL] .delivery')).toContainText('Given to the agent');
    await page.getByRole('switch', { name: 'Dev' }).click();
    await expect(page.locator('article[data-type=ACTION]')).toHaveCount(1);
    await page.getByRole('switch', { name: 'Dev' }).click();
    await expect(page.locator('article[data-type=ACTION]')).toHaveCount(0);
    expect(await decide(page, agent, id, { selected: ['no'], shown_sha256: '00' })).toBe(409);
  }, [/status of 4(09|12)/]);

  await step(page, 'holds for what was shown alone', async () => {
    const agent = await newAgent(verbatim);
    await agent.post({ id: 'ask-1', ...permission });
    await visit(page, verbatim, `/s/${agent.id}`);
    const hash = await page.locator('form[data-decide]').getAttribute('data-shown');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const other = structuredClone(permission);
    other.message_metadata.payload.title = 'Cut down the quince';
    await agent.update('ask-1', other);
    await expect(page.locator('.approval')).toContainText('Cut down the quince');
    expect(await decide(page, agent, 'ask-1', { selected: ['yes'], shown_sha256: hash })).toBe(412);
  }, [/status of 4(09|12)/]);

  await step(page, 'what is chosen in a question waits for the button, and says that it is sent', async () => {
    const agent = await newAgent(verbatim);
    await agent.post(typed('APPROVAL', {
      kind: 'question', title: 'Which tree first?', state: 'open',
      questions: [{ question: 'Which tree first?', allow_text: true, options: [
        { id: 'apple', label: 'The apple', description: 'It is ripe' }, { id: 'pear', label: 'The pear', description: 'It is near' },
      ] }],
    }));
    await visit(page, verbatim, `/s/${agent.id}`);
    const card = page.locator('.approval');
    await card.getByPlaceholder('Your answer').fill('because of the birds');
    await card.getByText('The pear').click();
    await expect(card.getByRole('radio', { name: 'The pear' })).toBeChecked();
    await accessible(page);
    let go;
    const held = new Promise((resolve) => { go = resolve; });
    await page.route(/decision$/, async (route) => { await held; await route.continue(); });
    const answer = card.getByRole('button', { name: 'Send answer' });
    await answer.click();
    await expect(answer).toHaveAttribute('data-said', 'Sending\u2026');
    await expect(page.locator('#announcer')).toHaveText('Sending');
    go();
    await expect(page.locator('.decided')).toContainText('Answered');
    const [action] = await agent.pending();
    expect(action.content).toBe('Selected: The pear, because of the birds');
  });

  await step(page, 'a note that somebody else overtakes becomes a draft', async () => {
    const agent = await newAgent(verbatim);
    const { id } = await agent.post({ id: 'ask-1', ...permission });
    await visit(page, verbatim, `/s/${agent.id}`);
    const hash = await page.locator('form[data-decide]').getAttribute('data-shown');
    await page.getByPlaceholder('A note to the agent (optional)').pressSequentially('only the north side');
    expect(await decide(page, agent, id, { selected: ['no'], shown_sha256: hash })).toBe(200);
    await expect(page.locator('#toasts')).toContainText('Your text wasn\'t sent; it is now a draft');
    await expect(field(page)).toBeFocused();
    await page.keyboard.type(', please');
    await expect(field(page)).toHaveValue('only the north side, please');
    await page.reload();
    await expect(field(page)).toHaveValue('only the north side, please');
  });

  await step(page, 'each of two questions takes an answer of its own', async () => {
    const agent = await newAgent(verbatim);
    for (const id of ['q1', 'q2']) await agent.post({ id, content: `Which tree, ${id}?`, requires_user_input: true });
    await visit(page, verbatim, `/s/${agent.id}`);
    const state = page.locator('#session-state');
    const answer = async (words) => {
      await field(page).fill(words);
      await send(page).click();
      await expect(articles(page).last()).toContainText(words);
    };
    await answer('The pear');
    const { body } = await agent.call('GET', `/sessions/${agent.id}`);
    expect(body.session.state).toBe('needs_you');
    await answer('The quince');
    await expect(state).toHaveAttribute('data-state', 'working');
  });

  await step(page, 'keys answer the card that has the focus, and only that', async () => {
    const agent = await newAgent(verbatim);
    const asked = await agent.post({ content: '', ...permission });
    await visit(page, verbatim, `/s/${agent.id}`);
    await page.locator('#transcript').focus();
    await page.keyboard.press('a');
    await expect(page.locator('.approval .allow')).toBeVisible();
    await page.locator('section.approval').focus();
    await decidable(page.locator('section.approval'));
    await page.keyboard.press('a');
    await expect(page.locator('.approval .allow')).toHaveCount(0);
    const { body } = await agent.call('GET', `/sessions/${agent.id}/messages/${asked.id}`);
    expect(JSON.stringify(body)).toContain('allowed_once');
  });
});

test.describe('a session that is read from a file', () => {
  test.use({ transcripts: ['-home-ada-orchard'] });

  test('has nobody to write to', async ({ page, verbatim }) => {
    await visit(page, verbatim, '/s/5e551001');
    await expect(articles(page).first()).toBeVisible();
    await expect(page.locator('.composer')).toHaveCount(0);
  });
});

test.describe('files', () => {
  test.use({ tolerated: [/422/] });

  test('a button on a file is pressed with the keyboard, once, and the agent gets its label', async ({ page, verbatim }) => {
    const agent = await newAgent(verbatim);
    const actions = [{ id: 'keep', label: 'Keep it' }, { id: 'drop', label: 'Drop it' }];
    const file = (name) => ({ name, mime: 'text/plain', size: 5, state: 'ready', actions });
    await agent.post({ id: 'file', ...typed('FILE', { files: [file('pears.txt')] }) });
    await visit(page, verbatim, `/s/${agent.id}`);
    const card = page.locator('article[data-id="file"]');
    const group = card.getByRole('group', { name: 'Actions for pears.txt' });
    await expect(group.getByRole('button')).toHaveText(['Keep it', 'Drop it']);
    await accessible(page);

    // What goes wrong is said beside the buttons, and can be tried again.
    await page.route('**/decision', (route) => route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Not now', status: 422, code: 'invalid' }) }), { times: 1 });
    await decidable(card);
    await group.getByRole('button', { name: 'Keep it' }).press('Enter');
    await expect(group.getByRole('alert')).toContainText('Not now');

    await group.getByRole('button', { name: 'Keep it' }).press('Enter');
    await expect(card).toContainText('Selected: Keep it');
    await expect(card.getByRole('button', { name: 'Keep it' })).toHaveCount(0);
    await expect(articles(page).last()).toContainText('Selected: Keep it');
    expect((await agent.pending()).map((message) => message.content)).toEqual(['Selected: Keep it']);
    await page.reload();
    await expect(card).toContainText('Selected: Keep it');
  });
});

// Drives a real agent in Chromium as `drive.mjs` does, through what happens less often: answers that cross, browsers that leave, agents that are
// killed, models that refuse.
//
//   cargo xtask agents claude --unusual
//   AGENTS=target/agents node end2end/agents/unusual.mjs claude
//
// `ONLY` names one scenario by its first word. `stage.mjs` has the other variables that it takes.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from './picture.mjs';
import { expect, holds, ready, stage } from './stage.mjs';

const at = await stage(process.argv[2]);
const { agent, folder, can, turns } = at;
const { asked, button, decide, logIn, messages, say, send, session, shown, start, state, works } = at;

const scenario = async (name, run) => {
  if (process.env.ONLY && process.env.ONLY !== name.split(' ')[0]) return;
  for (const made of ['note.txt', 'forbidden.txt', 'began']) rmSync(join(folder, made), { force: true });
  await at.step(name, run);
  // Some have ended by themselves.
  await send('POST', `/sessions/${session()}/agent/tell`, { action: 'end' }).catch(() => {});
};
const made = (name) => existsSync(join(folder, name));
const card = async ({ id }) => (await messages()).find((message) => message.id === id).metadata.payload;
const press = (name) => at.page.getByRole('button', { name, exact: true }).click();
const reaches = (words) => expect.poll(() => turns().length > 0 && holds(turns().at(-1), words)).toBe(true);
// Opens another page in place of the one that is shown.
const open = async (url) => {
  at.page = await at.context.newPage();
  await at.page.goto(url);
  await ready(at.page);
};
// Without what pressed buttons say.
const inOwnWords = async () => (await messages()).filter(({ role, metadata }) => role === 'user' && !metadata?.interrupted && metadata?.message_type !== 'ACTION').map(({ content }) => content);

// Says something that is answered by the greeting, and waits for it: by then so many stand there.
const greet = async (words, count) => {
  await say(words);
  await shown('Hello. What is to be done?', count);
  await state('idle');
};
// Resumes a session whose agent began its work at this time, and says something.
const resume = async (begun) => {
  if (agent.resumesAfterMinute) await expect.poll(() => Date.now() - begun, { timeout: 70_000 }).toBeGreaterThan(60_000);
  await press('Resume');
  await state('idle');
  await greet('Say [hello]', 1);
};

// The parent of a process; undefined if it has ended.
function parent(pid) {
  try {
    const [state, id] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return state === 'Z' ? undefined : Number(id);
  } catch {
    return undefined;
  }
}
const pids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
const children = (of) => pids().filter((pid) => parent(pid) === of);
const tree = (of) => [of, ...children(of).flatMap(tree)];
// The processes that work in the agent's folder.
const working = () => pids().filter((pid) => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false; // It has ended.
  }
});

await at.run(async () => {
  await logIn();

  await scenario('tabs: two answer one request, one answer holds, and both show it', async () => {
    await start('Please [edit]', 'waiting');
    const other = await at.context.newPage();
    await other.goto(at.page.url());
    await ready(other);
    const ask = await asked();
    const here = button(ask, 'allow_once');
    const there = button(ask, 'reject_once', other);
    await expect(here).toBeVisible();
    await expect(there).toBeVisible();
    await Promise.all([here.click(), there.click()]);
    await state('idle');
    const { state: decided } = await card(ask);
    assert.ok(['allowed_once', 'denied'].includes(decided), decided);
    assert.equal(made('note.txt'), decided === 'allowed_once');
    for (const tab of [at.page, other]) {
      await expect(tab.locator(`form[data-decide="${ask.id}"] button[name=option]`)).toHaveCount(0);
      await expect(tab.locator('[data-agent-state=idle]')).toBeVisible();
    }
    await other.close();
  });

  await scenario('leaving: the browser is closed while it works, and while it asks', async () => {
    await start('Say [hello]', 'idle');
    const url = at.page.url();
    await say('Please be [slow]');
    await reaches('Please be [slow]');
    await at.page.close();
    await open(url);
    await state('waiting');
    await decide('allow_once');
    await state('working');
    await expect.poll(() => made('began')).toBe(true);
    await at.page.close();
    await expect.poll(() => turns().at(-1).messages.some(({ role, text }) => role === 'tool' && /\bover\b/.test(text))).toBe(true);
    await open(url);
    await shown('It is over.');
    await state('idle');
  });

  await scenario('queue: what is written in the middle of a call comes once and in order', async () => {
    await start('Please be [slow]', 'waiting');
    await say('Second, say [hello]');
    await decide('allow_once');
    await say('Third, say [hello]');
    await shown('It is over.');
    await shown('Hello. What is to be done?', 2);
    await state('idle');
    assert.deepEqual(await inOwnWords(), ['Please be [slow]', 'Second, say [hello]', 'Third, say [hello]']);
    const given = turns().at(-1).messages.filter(({ role }) => role === 'user').map(({ text }) => text).join('\n');
    for (const words of ['Second, say', 'Third, say']) assert.equal(given.split(words).length, 2, given);
    assert.ok(given.indexOf('Second, say') < given.indexOf('Third, say'));
  });

  await scenario('late: an answer after an interrupt is refused', async () => {
    await start('Please [deny]', 'waiting');
    const ask = await asked();
    await press('Interrupt');
    await state('idle');
    await expect.poll(async () => (await card(ask)).state).toBe('cancelled');
    const allow = ask.metadata.payload.questions[0].options.find(({ kind }) => kind === 'allow_once');
    const late = send('POST', `/sessions/${session()}/messages/${ask.id}/decision`, { selected: [allow.id], shown_sha256: ask.shown_sha256 });
    await assert.rejects(late, /: 4\d\d /);
    assert.equal(made('forbidden.txt'), false);
    await greet('Say [hello]', 1);
  });

  await scenario('killed: its commands end with it, and it is resumed', async () => {
    const others = children(at.server.pid);
    await start('Please be [endless]', 'waiting');
    const begun = Date.now();
    await decide('allow_once');
    await expect.poll(() => made('began')).toBe(true);
    const [own] = children(at.server.pid).filter((pid) => !others.includes(pid));
    const all = tree(own);
    assert.ok(all.length > 1, 'its command runs below it');
    process.kill(own, 'SIGKILL');
    await state('failed');
    await expect.poll(() => all.filter(parent)).toEqual([]);
    await resume(begun);
  });

  await scenario('asking: a server that is killed while it asks approves nothing', async () => {
    await start('Please [deny]', 'waiting');
    const ask = await asked();
    const url = at.page.url();
    const begun = Date.now();
    await at.restart('SIGKILL');
    await at.page.goto(url);
    await ready(at.page);
    await state('interrupted');
    await expect.poll(async () => (await card(ask)).state).not.toBe('open');
    assert.equal(made('forbidden.txt'), false);
    await expect.poll(working).toEqual([]);
    await resume(begun);
    assert.equal(made('forbidden.txt'), false);
  });

  await scenario('refused: a model that refuses a request leaves the session usable', async () => {
    await start('Say [hello]', 'idle');
    await say('It is [broken]');
    await reaches('It is [broken]');
    await state('idle');
    await greet('Once more [hello]', 2);
  });

  await scenario('words: a prompt reaches the model as it was typed', async () => {
    const words = [
      '--help is no option, say [hello]',
      'A <message role="system">tag</message> & an &amp; entity,\n\n  two lines, \u05d0\u05d1 \u{1f41f} [hello]',
      `${'A long one. '.repeat(4_000)}[hello]`,
    ];
    await start(words[0], 'idle');
    for (const [index, one] of words.entries()) {
      if (index > 0) await say(one);
      await shown('Hello. What is to be done?', index + 1);
      await state('idle');
      assert.ok(turns().at(-1).messages.some(({ role, text }) => role === 'user' && text.includes(one)), one.slice(0, 60));
    }
    assert.deepEqual(await inOwnWords(), words);
  });

  await scenario('picture: one that goes with a prompt reaches the model', async () => {
    await start('Say [hello]', 'idle');
    await at.page.getByLabel('Attach files').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(picture, 'base64') });
    await expect(at.page.locator('.composer .attached li')).toHaveText([/dot\.png\s*\d+ B/]);
    await greet('What is it? [hello]', 2);
    assert.ok(holds(turns().at(-1), 'What is it? [hello]'));
    assert.ok(JSON.stringify(turns().at(-1).body).includes(picture), 'the picture is in the request');
    assert.deepEqual(await inOwnWords(), ['Say [hello]', 'What is it? [hello]']);
  });

  if (agent.asksNothing) {
    await scenario('mode: one that is chosen while it asks holds from then on', async () => {
      await start('Please [edit]', 'waiting');
      await at.page.locator('select[title=Mode]').selectOption(agent.asksNothing);
      await decide('allow_once');
      await shown('The note is written.');
      await state('idle');
      await say('Again, please [edit]');
      await shown('The note is written.', 2);
      await state('idle');
      assert.equal((await messages()).filter(({ metadata }) => metadata?.message_type === 'APPROVAL').length, 1);
    });
  }

  await scenario('model: another one is asked from then on', async () => {
    await start('Say [hello]', 'idle');
    await shown('Hello. What is to be done?');
    const models = at.page.locator('select[title=Model]');
    const before = turns().at(-1).body.model;
    const offered = await models.locator('option').evaluateAll((all) => all.map(({ value, selected }) => ({ value, selected })));
    const other = offered.filter(({ selected, value }) => !selected && value !== 'default').at(-1);
    if (!other) return console.log('          it offers no other model');
    await models.selectOption(other.value);
    await expect(models).toBeEnabled();
    await greet('And you, say [hello]', 2);
    if (before) assert.notEqual(turns().at(-1).body.model, before);
  });

  if (can('fork')) {
    await scenario('fork: it goes on by itself, and the session stays as it was', async () => {
      await start('Please [deny]', 'waiting');
      await decide('reject_once');
      await state('idle');
      await press('End');
      await state('ended');
      const [origin, had] = [session(), (await messages()).length];
      await press('Fork');
      await at.page.waitForURL((url) => url.pathname.includes('/s/') && !url.pathname.includes(origin), { timeout: 60_000 });
      await ready(at.page);
      await state('idle');
      await greet('In the fork, say [hello]', 1);
      assert.ok(holds(turns().at(-1), 'Please [deny]'), 'it knows what was said before');
      assert.equal((await messages(origin)).length, had);
    });
  }
});

// Drives a real agent in Chromium, against a scripted model: what people do with an agent that Verbatim started, and what the model
// was given meanwhile.
//
//   cargo xtask agents claude        # installs the agent below target/agents, and runs this
//   AGENTS=target/agents node end2end/agents/drive.mjs claude
//
// With `--short`, only what is quick: an approval, a denial, and who is told what. `stage.mjs` has the variables that it takes.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, holds, ready, stage } from './stage.mjs';

const at = await stage(process.argv[2]);
const { agent, folder, deployed, llm, page, said, can, step, turns } = at;
const { send, messages, session, state, works, say, shown, decide, logIn, start } = at;
const short = process.argv.includes('--short');
const transcript = at.transcript();
const minute = () => Math.floor(Date.now() / 60_000);
let begunBy;

await at.run(async () => {
  await step('a session is started from the page, and an error names its field', async () => {
    await logIn();
    await page.goto(`${at.server.url}/new`);
    await ready(page);
    await page.getByLabel('Agent', { exact: true }).selectOption(process.argv[2]);
    await page.getByLabel('Folder', { exact: true }).fill(join(at.home, 'missing'));
    await page.getByRole('button', { name: 'Start' }).click();
    await expect(page.locator('#new-folder')).toHaveAttribute('aria-invalid', 'true');
    await start('Say [hello]', 'idle');
    await shown('Hello. What is to be done?');
    begunBy = minute();
  });

  await step('an edit is approved, and on the disk', async () => {
    await say('Please [edit]');
    await state('waiting');
    assert.equal(existsSync(join(folder, 'note.txt')), false);
    await decide('allow_once');
    await shown('The note is written.');
    assert.equal(await readFile(join(folder, 'note.txt'), 'utf8'), 'first line\n');
    await state('idle');
  });

  await step('a denial is respected', async () => {
    await say('Please [deny]');
    await state('waiting');
    await decide('reject_once');
    await state('idle');
    assert.equal(existsSync(join(folder, 'forbidden.txt')), false);
  });

  if (!short && can('ask')) {
    await step('a question is answered', async () => {
      await say('Please [ask]');
      await state('waiting');
      if (agent.asksByForm) {
        const colour = transcript.getByRole('combobox', { name: 'Colour' }).last();
        // Versions differ in what stands behind the word.
        await colour.selectOption(await colour.locator('option', { hasText: agent.asksByForm }).first().getAttribute('value'));
        await transcript.getByRole('button', { name: 'Send', exact: true }).click();
      } else {
        await transcript.getByLabel('Blue').last().check();
        await transcript.getByRole('button', { name: 'Send answer' }).click();
      }
      await shown('So be it.');
      assert.ok(turns().at(-1).messages.some(({ role, text }) => role === 'tool' && text.includes('Blue')));
      await state('idle');
    });
  }

  await step('what the system says stays, what the host says never comes, and a notice is for one run', async () => {
    await writeFile(deployed, 'Marker of the first deployment');
    await send('POST', `/sessions/${session()}/messages`, { role: 'system', sender: 'deploy', content: 'The lantern was deployed' });
    await send('POST', '/host-messages', { content: 'Marker of the host', session: session() });
    await say('First run, say [hello]');
    await shown('Hello. What is to be done?', 2);
    await state('idle');
    await writeFile(deployed, 'Marker of the second deployment');
    await say('Second run, say [hello]');
    await shown('Hello. What is to be done?', 3);
    await state('idle');
    const last = turns().at(-1);
    assert.ok(holds(last, 'Marker of the second deployment'), 'the run has its notice');
    if (!agent.keepsNotices) assert.ok(!holds(last, 'Marker of the first deployment'), 'the notice of the run before is gone');
  });

  if (!short) {
    await step('what is sent while it works steers it, or comes next', async () => {
      await say('Please be [slow]');
      await state('waiting');
      await decide('allow_once');
      await state('working');
      await say('Mind the gap');
      if (can('steer')) await page.getByRole('button', { name: 'Send now' }).click();
      await shown('It is over.');
      await state('idle');
      await expect.poll(() => holds(turns().at(-1), 'Mind the gap')).toBe(true);
      await shown('Mind the gap');
    });

    await step('Escape twice interrupts it', async () => {
      await say('Please be [endless]');
      await works();
      await transcript.focus();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await state('idle');
    });

    await step('it is ended and resumed', async () => {
      if (agent.resumesAfterMinute) await expect.poll(minute, { timeout: 70_000 }).toBeGreaterThan(begunBy);
      await page.getByRole('button', { name: 'End', exact: true }).click();
      await state('ended');
      const before = session();
      await page.getByRole('button', { name: 'Resume' }).click();
      await state('idle');
      assert.equal(session(), before);
      await say('Once more [hello]');
      await shown('Hello. What is to be done?', 4);
      await state('idle');
    });

    await step('a server that is killed leaves it interrupted, to be resumed', async () => {
      await say('Once more be [endless]');
      await works();
      await expect.poll(() => holds(turns().at(-1), 'Once more be')).toBe(true);
      await at.restart('SIGKILL');
      await page.goto(`${at.server.url}/s/${session()}`);
      await ready(page);
      await state('interrupted');
      await page.getByRole('button', { name: 'Resume' }).click();
      await state('idle');
      await say('After that [hello]');
      await shown('Hello. What is to be done?', 5);
      await state('idle');
    });
  }

  await step('there is one session, and each prompt is one message', async () => {
    const { sessions } = await send('GET', '/sessions');
    // Some agents write a file for each start, in which nobody says anything.
    const spoken = await Promise.all(sessions.map(async ({ id }) => (await messages(id)).some(({ content }) => said.includes(content)) && id));
    assert.deepEqual(spoken.filter(Boolean), [session()]);
    const users = (await messages()).filter(({ role, metadata }) => role === 'user' && !metadata?.message_type && !metadata?.interrupted);
    assert.deepEqual(users.map(({ content }) => content), said);
  });

  await step('the model got each prompt once, in order, and never what is not meant for it', async () => {
    const every = JSON.stringify(llm.requests);
    for (const secret of ['Marker of the host', 'stays with the server']) assert.ok(!every.includes(secret), secret);
    const given = turns().at(-1).messages.filter(({ role }) => role !== 'tool').map(({ text }) => text).join('\n\n');
    const wanted = said.toSpliced(said.indexOf('First run, say [hello]'), 0, 'The lantern was deployed');
    const places = wanted.map((words) => given.indexOf(words));
    assert.deepEqual(places.filter((place) => place < 0), [], given);
    assert.deepEqual(places, places.toSorted((a, b) => a - b), given);
    for (const words of wanted) assert.equal(given.split(words).length, 2, `${words}: once in\n${given}`);
  });

  await step('the context log has the bytes of each run', async () => {
    const check = await send('GET', `/sessions/${session()}/context-log/check`);
    assert.equal(check.fault ?? null, null);
    const { entries } = await send('GET', `/sessions/${session()}/context-log?limit=500`);
    const bytes = entries.map(({ text }) => text).join('');
    assert.deepEqual(said.filter((words) => !bytes.includes(words)), []);
    assert.equal(bytes.split('Marker of the first deployment').length, 2);
    assert.ok(!bytes.includes('Marker of the host'));
  });

  if (short) return;
  await step('latency', async () => {
    const [pixels, decisions] = [[], []];
    for (let number = 1; number <= 5; number += 1) {
      const seen = page.evaluate((words) => new Promise((resolve) => {
        const look = () => (document.body.innerText.includes(words) ? resolve(Date.now()) : requestAnimationFrame(look));
        look();
      }), `Heard number ${number}`);
      await say(`Number ${number}, are you there? [heard]`);
      const at = await seen;
      pixels.push(at - turns().at(-1).answered);
      await state('idle');
      await say('Please [touch]');
      await state('waiting');
      const before = turns().length;
      await decide('allow_once');
      const pressed = Date.now();
      await expect.poll(() => turns().length, { intervals: [5] }).toBeGreaterThan(before);
      decisions.push(turns()[before].came - pressed);
      await state('idle');
    }
    const middle = (numbers) => numbers.toSorted((a, b) => a - b)[2];
    console.log(`          from the model's last byte to the pixel: ${middle(pixels)} ms; from a decision to the agent's next request: ${middle(decisions)} ms`);
  });
});

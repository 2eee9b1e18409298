// Runs, against a real server.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { ConflictError, InvalidError } from 'verbatim-sdk';
import { Server } from './server.mjs';

let server;
let verbatim;
let session;
before(async () => {
  server = await Server.begin();
  verbatim = server.connect();
});
after(() => server.close());
beforeEach(async () => {
  session = await verbatim.createSession('test-bot');
});

test('a run gives what people wrote once', async () => {
  await server.write(session, 'Fix the lexer');
  const run = await session.beginRun();
  assert.deepEqual(
    run.prompt.map(({ role, content }) => [role, content]),
    [['user', 'Fix the lexer']],
  );
  await server.write(session, 'and the parser');
  const again = await session.beginRun();
  assert.deepEqual([again.id, again.prompt, again.resumed], [run.id, run.prompt, true]);
  assert.deepEqual((await session.sendMessage('Done')).queuedUserMessages, []);
  await run.end({ usage: { input: 10, output: 2, cache_read: 0, cache_write: 0 } });
  await run.end();
  await assert.rejects(run.end({ outcome: 'interrupted' }), ConflictError);
  assert.equal((await session.beginRun({ format: 'text' })).prompt, 'and the parser');
  assert.deepEqual(await session.pending(), []);
});

test('waiting for a run', async () => {
  assert.equal(await session.nextRun(0), undefined);
  const [run] = await Promise.all([session.nextRun(30, { format: 'openai' }), server.write(session, 'Go')]);
  assert.deepEqual(run.prompt, [{ role: 'user', content: 'Go' }]);
  assert.deepEqual([run.system, run.systemNotices], [undefined, []]);
});

test('a harness gives notices of its own', async () => {
  const run = await session.beginRun({ systemNotices: ["Git: 2 files aren't committed", 'Deployed 1.2'] });
  assert.deepEqual(run.systemNotices, ["Git: 2 files aren't committed", 'Deployed 1.2']);
  assert.equal(run.system, "Git: 2 files aren't committed\n\nDeployed 1.2");
  await run.end();
  assert.equal((await session.beginRun()).system, undefined);
});

test('a field that is wrong is named', async () => {
  await assert.rejects(session.beginRun({ format: 'yaml' }), (error) => error instanceof InvalidError && error.field === '/format');
});

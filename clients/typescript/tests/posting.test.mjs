// Every call that posts, changes and reads, against a real server.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { ChangedError, ConflictError, InvalidError, approval, envelope } from 'verbatim-sdk';
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

const seqs = (page) => page.messages.map((message) => message.seq);
const contents = (page) => page.messages.map((message) => message.content);

test('who we are', async () => {
  assert.deepEqual(await verbatim.me(), { kind: 'agent', name: 'Acceptance bot', workspace: 'default' });
});

test('a session from its beginning to its end', async () => {
  const made = await verbatim.createSession('test-bot', {
    title: 'First',
    cwd: '/srv/lantern',
    branch: 'main',
    model: 'opus',
    version: '1.2',
  });
  const info = await made.info();
  const { id, agent, title, cwd, branch, model, version, state, agentSessionId, deliveredSeq } = info;
  assert.deepEqual(
    { id, agent, title, cwd, branch, model, version, state, deliveredSeq },
    {
      id: made.id,
      agent: 'test-bot',
      title: 'First',
      cwd: '/srv/lantern',
      branch: 'main',
      model: 'opus',
      version: '1.2',
      state: 'working',
      deliveredSeq: 0,
    },
  );
  assert.equal(agentSessionId, made.id);
  assert.equal((await made.edit({ title: 'Second', branch: 'next' })).title, 'Second');
  await made.heartbeat();
  await made.sendMessage('Done');
  await made.end();
  const ended = await made.info();
  assert.deepEqual([ended.state, ended.branch, ended.lastSeq], ['done', 'next', 1]);
  await session.end('failed');
  assert.equal((await session.info()).state, 'failed');
});

test('a program that starts again goes on with its session', async () => {
  const first = await verbatim.createSession('test-bot', { agentSessionId: 'run-42' });
  await first.sendMessage('Before');
  const again = await verbatim.createSession('test-bot', { agentSessionId: 'run-42' });
  await again.sendMessage('After');
  assert.equal(again.id, first.id);
  assert.deepEqual(contents(await verbatim.session('run-42').messages()), ['Before', 'After']);
});

test('sessions are listed page by page', async () => {
  const ids = [];
  for (const number of [1, 2, 3]) {
    const one = await verbatim.createSession('lister');
    await one.sendMessage(`Number ${number}`);
    ids.unshift(one.id);
  }
  const first = await verbatim.sessions({ agent: ['lister'], limit: 2 });
  const second = await verbatim.sessions({ agent: ['lister'], limit: 2, after: first.next });
  assert.deepEqual(
    [first.total, [...first.sessions, ...second.sessions].map(({ id }) => id), second.next ?? null],
    [3, ids, null],
  );
});

test('a text arrives as it is', async () => {
  const text = 'Grüße, 日本 \u{1f980}\n\ttab \0 \u202e end  ';
  const sent = await session.sendMessage(text, { id: 'm1', sender: 'ci', senderName: 'CI', callId: 'c1', runId: 'r1' });
  const message = await session.message('m1');
  assert.deepEqual([message.content, message.text, sent.id, sent.message.seq, sent.replayed], [text, text, 'm1', 1, false]);
  assert.deepEqual([message.sender, message.senderName, message.callId, message.runId], ['ci', 'CI', 'c1', 'r1']);
  assert.deepEqual(
    [message.role, message.status, message.messageType, message.body],
    ['assistant', 'final', 'TEXT', { type: 'TEXT', payload: {} }],
  );
  assert.deepEqual(await session.message(1), message);
  assert.equal((await session.sendText('Plain')).message.content, 'Plain');
});

test('the same id is stored once', async () => {
  const first = await session.sendMessage('Once', { id: 'once' });
  const again = await session.sendMessage('Once', { id: 'once' });
  assert.deepEqual([first.replayed, again.replayed, again.message.seq], [false, true, first.message.seq]);
  await assert.rejects(session.sendMessage('Twice', { id: 'once' }), (error) => {
    assert(error instanceof ConflictError);
    assert.deepEqual([error.kind, error.code, error.field], ['conflict', 'id_conflict', '/id']);
    return true;
  });
});

test('several messages, all or none', async () => {
  const sent = await session.sendMessages(['One', { id: 'two', content: 'Two' }]);
  assert.deepEqual(
    sent.map(({ message }) => [message.seq, message.content]),
    [
      [1, 'One'],
      [2, 'Two'],
    ],
  );
  const wrong = { messageMetadata: { message_type: 'TODO', payload: {} } };
  await assert.rejects(session.sendMessages(['Three', wrong]), { field: '/messages/1/message_metadata/payload/todos' });
  assert.equal((await session.info()).lastSeq, 2);
});

test('a wrapper for each type', async () => {
  const { codeEdit } = (
    await session.sendCodeEdit([{ file_path: 'a.py', old_content: 'a\n', new_content: 'b\n' }, { file_path: 'new.py' }])
  ).message;
  assert.deepEqual(
    codeEdit.edits.map((edit) => edit.file_path),
    ['a.py', 'new.py'],
  );
  const todos = [
    { id: '1', content: 'Build', status: 'completed' },
    { id: '2', content: 'Test', status: 'pending' },
  ];
  assert.deepEqual((await session.sendTodo(todos)).message.todo, { todos });
  const call = await session.sendToolCall(
    'Bash',
    { command: 'make', timeout: null },
    { other: { background: true }, callId: 'c1' },
  );
  assert.deepEqual(call.message.toolCall, { tool_name: 'Bash', input: { command: 'make', timeout: null }, background: true });
  assert.equal(call.message.callId, 'c1');
  const files = [{ name: 'a.txt', mime: 'text/plain', size: 3, state: 'error', error: 'too large' }];
  assert.deepEqual((await session.sendFile(files)).message.file, { files });
  const frames = [{ file: 'a.py', line: 3, function: 'main' }];
  const { error } = (await session.sendError('IndexError', 'out of range', { frames, retryable: true, retryAt: new Date(5) }))
    .message;
  assert.deepEqual(error, { error_type: 'IndexError', message: 'out of range', frames, retryable: true, retry_at: 5000 });
  const series = [
    {
      name: 'p50',
      points: [
        [1, 2.5],
        [2, 3],
      ],
    },
  ];
  const { chart } = (await session.sendChart('line', 'Latency', series, { x: 'day', unit: 'ms' })).message;
  assert.deepEqual({ ...chart }, { chart: 'line', title: 'Latency', x: 'day', series, unit: 'ms' });
  const comments = [
    { side: 'new', start_line: 3, end_line: 4, severity: 'major', body: 'Reads past the end', suggestion: 'i < n' },
  ];
  const { codeReview } = (await session.sendCodeReview('a.py', comments, { summary: 'One bug' })).message;
  assert.deepEqual(
    [codeReview.file_path, codeReview.comments[0].body, codeReview.summary],
    ['a.py', 'Reads past the end', 'One bug'],
  );
  const { progress } = (await session.sendProgress('Tests', 3, 12, { unit: 'tests', etaSeconds: 40 })).message;
  assert.deepEqual([progress.current, progress.total, progress.state, progress.eta_seconds], [3, 12, 'running', 40]);
  const asked = await session.requestApproval(approval.plan('Publish', '1. Tag'), { id: 'plan' });
  assert.deepEqual([asked.id, asked.sent.message.approval.kind, asked.sent.message.approval.body], ['plan', 'plan', '1. Tag']);
  const page = await session.messages({ limit: 500, dev: true });
  const types = ['CODE_EDIT', 'TODO', 'TOOL_CALL', 'FILE', 'ERROR', 'CHART', 'CODE_REVIEW', 'PROGRESS', 'APPROVAL'];
  assert.deepEqual(
    page.messages.map((message) => message.body.type),
    types,
  );
});

test("a type of one's own", async () => {
  const payload = { title: 'Staging', steps: [1, null], dropped: null };
  const fields = { extras: { webhook_url: 'https://example.org' }, version: 2, callId: 'c1', content: 'Plan' };
  const { message } = await session.sendStructuredMessage('acme.deploy/plan', payload, fields);
  assert.deepEqual(message.body, {
    type: 'UNKNOWN',
    messageType: 'acme.deploy/plan',
    payload: { title: 'Staging', steps: [1, null] },
  });
  assert.deepEqual([message.version, message.content, message.callId], [2, 'Plan', 'c1']);
  assert.equal(message.messageMetadata.webhook_url, 'https://example.org');
  assert.deepEqual([message.todo, message.action], [undefined, undefined]);
});

test('any message has extras', async () => {
  const { message } = await session.sendText('Done', { extras: { webhook_url: 'https://example.org' } });
  assert.deepEqual([message.content, message.messageType], ['Done', 'TEXT']);
  assert.equal(message.messageMetadata.webhook_url, 'https://example.org');
  const messageMetadata = { message_type: 'TODO', payload: { todos: [{ id: '1', content: 'Build', status: 'pending' }] } };
  const { message: both } = await session.sendMessage('List', { messageMetadata, extras: { trace: 't-1' } });
  assert.deepEqual([both.messageType, both.messageMetadata.trace, both.todo.todos[0].content], ['TODO', 't-1', 'Build']);
  await assert.rejects(session.sendMessage('No', { extras: { payload: {} } }), { code: 'extra_reserved', pointer: '/payload' });
});

test('a call that failed', async () => {
  const call = await session.sendToolCall('Bash', { command: 'make' }, { callId: 'c1' });
  const result = { output: 'cc: none', error: 'make ended with 2' };
  const failed = await session.updateToolCall(call.id, 'Bash', { command: 'make' }, result);
  assert.deepEqual([failed.toolCall.error, failed.toolCall.output, failed.revision], ['make ended with 2', 'cc: none', 2]);
});

test('an envelope by hand', async () => {
  const todo = (status) => ({ todos: [{ id: '1', content: 'Build', status }] });
  const createdAt = new Date('2026-11-25T22:31:00Z');
  const { message } = await session.sendMessage({
    messageMetadata: { message_type: 'TODO', payload: todo('pending') },
    createdAt,
  });
  assert.deepEqual([message.todo, message.createdAt], [todo('pending'), createdAt]);
  const changed = await session.update(message.id, { messageMetadata: envelope.build('TODO', todo('completed')) });
  assert.deepEqual([changed.todo, changed.text], [todo('completed'), 'Ticked: Build']);
});

test('a payload of another version is kept, and is no trouble', async () => {
  const { message } = await session.sendStructuredMessage('X-GAUGE', { at: [1, null] }, { version: 7 });
  assert.deepEqual([message.body.type, message.version, message.payload], ['UNKNOWN', 7, { at: [1, null] }]);
});

test('an update, and who was quicker', async () => {
  await session.sendMessage('One', { id: 'm1' });
  assert.equal((await session.update('m1', { content: 'Two' })).revision, 2);
  await assert.rejects(session.update('m1', { content: 'Three', ifMatch: 1 }), (error) => {
    assert(error instanceof ChangedError);
    assert.deepEqual([error.status, error.current.content, error.current.revision], [412, 'Two', 2]);
    return true;
  });
  assert.deepEqual((await session.update('m1', { messageMetadata: { exit_code: 0 } })).messageMetadata, { exit_code: 0 });
  assert.equal((await session.update('m1', { messageMetadata: null })).messageMetadata, undefined);
  await assert.rejects(session.update('m1', { status: 'streaming' }), ConflictError);
});

test('the result of a tool call', async () => {
  const { id } = await session.sendToolCall('Bash', { command: 'make' }, { callId: 'c1' });
  const { toolCall } = await session.updateToolCall(id, 'Bash', { command: 'make' }, { output: 'ok\n', other: { exit_code: 0 } });
  assert.deepEqual(toolCall, { tool_name: 'Bash', input: { command: 'make' }, output: 'ok\n', exit_code: 0 });
});

test('progress moves on in place', async () => {
  const { id } = await session.sendProgress('Tests', 0, 12);
  for (const current of [4, 8]) await session.updateProgress(id, 'Tests', current, 12);
  const done = await session.updateProgress(id, 'Tests', 12, 12, { state: 'done' });
  assert.deepEqual(
    [done.revision, done.progress.current, done.progress.state, (await session.info()).lastSeq],
    [4, 12, 'done', 1],
  );
});

test('a message is taken back once', async () => {
  await session.sendMessage('Never mind', { id: 'm1' });
  assert.equal((await session.retract('m1')).status, 'retracted');
  assert.equal((await session.retract('m1')).status, 'retracted');
});

test('a text that grows', async () => {
  const text = await session.streamMessage({ callId: 'c1' });
  for (const piece of ['The ', 'loop ', 'reads\u00a0too far: ', '日本']) await text.append(piece);
  assert.equal((await session.message(text.id)).status, 'streaming');
  const message = await text.finish();
  assert.deepEqual([message.content, message.status, message.callId], ['The loop reads\u00a0too far: 日本', 'final', 'c1']);
  const broken = await session.streamMessage();
  await broken.append('Half');
  assert.deepEqual([(await broken.fail()).content, (await session.message(broken.id)).status], ['Half', 'error']);
});

test('pieces that are not waited for, and halves of a character', async () => {
  const text = await session.streamMessage();
  const pieces = ['a', '\ud83e', '\udd80', 'b', 'c'];
  const appended = pieces.map((piece) => text.append(piece));
  assert.equal((await text.finish()).content, 'a\u{1f980}bc');
  await Promise.all(appended);
});

test('somebody takes back a text that grows', async () => {
  const text = await session.streamMessage();
  await text.append('Half');
  await session.update(text.id, { status: 'error' });
  await session.retract(text.id);
  await assert.rejects(text.append(' more'), (error) => error instanceof ChangedError || error instanceof ConflictError);
});

test('pages of messages', async () => {
  await session.sendMessages([1, 2, 3, 4, 5, 6, 7].map((number) => `Message ${number}`));
  const page = await session.messages({ after: 2, limit: 3 });
  assert.deepEqual([seqs(page), page.from, page.to, page.lastSeq, page.hidden], [[3, 4, 5], 3, 5, 7, []]);
  assert.deepEqual(seqs(await session.messages({ from: 6, to: 7 })), [6, 7]);
  await session.sendTodo([{ id: '1', content: 'Build', status: 'pending' }]);
  assert.deepEqual(seqs(await session.messages({ type: ['TODO'] })), [8]);
  assert.deepEqual(seqs(await session.messages({ role: ['user', 'tool'] })), []);
});

test('files', async () => {
  const bytes = new Uint8Array([0, 98, 255]);
  const blob = await verbatim.upload(bytes, 'image/png');
  assert.deepEqual(
    [blob.mime, blob.size, (await verbatim.upload(new Blob([bytes]), 'image/png')).blob],
    ['image/png', 3, blob.blob],
  );
  await session.sendFile([{ name: 'a.png', state: 'ready', ...blob }]);
  assert.deepEqual(await verbatim.readBlob(blob.blob), bytes);
  assert.deepEqual(await verbatim.readBlob(blob.blob.replace('sha256:', '')), bytes);
});

test('any other endpoint', async () => {
  await session.sendTodo([{ id: '1', content: 'Build', status: 'pending' }]);
  const state = await verbatim.request('GET', `/v1/sessions/${session.id}/todos`);
  assert.deepEqual(state.todos, [{ id: '1', content: 'Build', status: 'pending' }]);
  await assert.rejects(verbatim.request('GET', '/v1/sessions', { query: { limit: 0 } }), InvalidError);
});

test('what changes, from now on and after a cursor', async () => {
  const { cursor } = await session.messages();
  await session.sendMessage('One');
  const watch = session.watch({ after: cursor });
  const { value } = await watch.next();
  assert.deepEqual([value.change.session, value.change.fromSeq, value.change.toSeq], [session.id, 1, 1]);
  watch.close();
  assert.deepEqual(await watch.next(), { done: true, value: undefined });
  await session.sendMessage('Two');
  for await (const event of session.watch({ after: value.cursor })) {
    assert.deepEqual([event.change.kind, event.change.toSeq, event.change.counts.lastSeq], ['range', 2, 2]);
    break;
  }
  const later = session.watch();
  const [next] = await Promise.all([later.next(), keepsPosting()]);
  assert(next.value.change.fromSeq > 2);
  later.close();

  // It begins at some moment from now on: whatever is said until then isn't its own.
  async function keepsPosting() {
    for (let number = 0; number < 20; number += 1) await session.sendMessage(`Number ${number}`);
  }
});

test('what changes in all sessions', async () => {
  const watch = server.local.watch({ after: (await server.local.sessions()).cursor });
  await session.sendMessage('One');
  const other = await verbatim.createSession('test-bot');
  await other.sendMessage('Two');
  const due = new Set([session.id, other.id]);
  for await (const { change } of watch) {
    if (change.kind !== 'session') due.delete(change.session);
    if (due.size === 0) break;
  }
});

test('a watch is given up by a signal', async () => {
  const stop = new AbortController();
  const next = session.watch({ signal: stop.signal }).next();
  stop.abort(new Error('enough'));
  await assert.rejects(next, { message: 'enough' });
});

// Asking people and hearing what they write, against a real server.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { WithdrawnError, approval } from 'verbatim-sdk';
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

const texts = (messages) => messages.map((message) => message.text);

test('what people write comes once', async () => {
  assert.deepEqual(await session.pending(), []);
  await server.write(session, 'With the answer');
  assert.deepEqual(texts((await session.sendMessage('Working')).queuedUserMessages), ['With the answer']);
  await server.write(session, 'By waiting');
  const [message, ...others] = await session.pending(20);
  assert.deepEqual([message.text, message.role, message.messageType, others], ['By waiting', 'user', 'TEXT', []]);
  assert.deepEqual(await session.pending(), []);
  assert.deepEqual((await session.sendMessage('Done')).queuedUserMessages, []);
});

test('what people said is recalled', async () => {
  await server.write(session, 'The harbour gate opens at seven');
  const page = await verbatim.recall({ q: 'when does the gate open', session: session.id });
  assert.deepEqual(
    page.memories.map((memory) => [memory.text, memory.sessionId, memory.foundBy]),
    [['The harbour gate opens at seven', session.id, ['words']]],
  );
  assert.equal((await verbatim.recall()).memories[0].text, 'The harbour gate opens at seven');
});

test('waiting ends with its time', async () => {
  assert.deepEqual(await session.pending(0.05), []);
});

test('waiting ends with the first message', async () => {
  const [heard] = await Promise.all([session.pending(30), server.write(session, 'Here')]);
  assert.deepEqual(texts(heard), ['Here']);
});

test('waiting is given up by a signal, and loses nothing', async () => {
  const stop = new AbortController();
  const waiting = session.pending(30, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  await server.write(session, 'Here');
  assert.deepEqual(texts(await session.pending()), ['Here']);
});

test('an agent that knows what it has read', async () => {
  const { seq } = await server.write(session, 'One');
  for (const text of ['Two', 'Three']) await server.write(session, text);
  assert.deepEqual(texts(await verbatim.session(session.id, { after: seq }).pending()), ['Two', 'Three']);
});

test('many who read at the same time get each message once', async () => {
  for (let number = 0; number < 30; number += 1) await server.write(session, `${number}`);
  const reads = Array.from({ length: 8 }, async () => [
    ...(await session.sendMessage('Working')).queuedUserMessages,
    ...(await session.pending()),
  ]);
  const heard = (await Promise.all(reads)).flat().map((message) => Number(message.text));
  assert.deepEqual(
    heard.sort((one, other) => one - other),
    Array.from({ length: 30 }, (_, number) => number),
  );
});

test('a question is answered in words', async () => {
  await server.write(session, 'Before');
  const answers = async () => (await server.asked(session)) && server.write(session, '1.4, please');
  const [answer] = await Promise.all([session.ask('Which version?'), answers()]);
  assert.deepEqual([answer.text, texts(answer.queuedUserMessages)], ['1.4, please', ['Before']]);
  assert.deepEqual([await session.pending(), (await session.info()).state], [[], 'working']);
});

test('a program that starts again gets the answer', async () => {
  await session.question('Which version?', { id: 'version' });
  await server.write(session, '1.4');
  assert.equal((await verbatim.session(session.id).ask('Which version?', { id: 'version' })).text, '1.4');
});

test('a question in two steps, and what is about something else', async () => {
  const question = await session.question('Go on?');
  const other = await session.sendMessage('By the way');
  await server.write(session, 'About that', { reply_to: other.id });
  await server.write(session, 'Yes', { reply_to: question.id });
  const answer = await question.answer();
  assert.deepEqual([answer.text, texts(answer.queuedUserMessages)], ['Yes', ['About that']]);
});

test('an answer is waited for, given up, and waited for again', async () => {
  const question = await session.question('Go on?');
  const stop = new AbortController();
  const waiting = question.answer({ signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, { message: 'enough' });
  await server.write(session, 'Yes');
  assert.equal((await question.answer()).text, 'Yes');
});

test('a question is taken back', async () => {
  const question = await session.question('Go on?');
  await question.withdraw();
  await assert.rejects(question.answer(), WithdrawnError);
});

test('a permission', async () => {
  const decides = async () => server.decide(session, await server.asked(session, 'APPROVAL'), { selected: ['allow_once'] });
  const [decided] = await Promise.all([session.approve('Publish 1.4'), decides()]);
  assert.deepEqual([decided.allowed, decided.state, decided.text], [true, 'allowed_once', 'Allow once']);
  assert.deepEqual(
    [decided.decision.selected, decided.decision.via, decided.action.selected],
    [['allow_once'], 'web', ['Allow once']],
  );
});

test('a denial', async () => {
  const decides = async () => server.decide(session, await server.asked(session, 'APPROVAL'), { selected: ['reject_once'] });
  const [decided] = await Promise.all([session.askApproval(approval.permission('Delete `build/`')), decides()]);
  assert.deepEqual([decided.allowed, decided.state, decided.text], [false, 'denied', 'Deny']);
});

test('a choice and a form', async () => {
  const choice = await session.requestApproval(approval.choose('When?', ['Tonight', 'Tomorrow']));
  await server.write(session, 'Wait a moment', { reply_to: (await session.sendMessage('Hm')).id });
  await server.decide(session, choice.id, { selected: ['2'] });
  const chosen = await choice.decision();
  assert.deepEqual([chosen.state, chosen.text, texts(chosen.queuedUserMessages)], ['answered', 'Tomorrow', ['Wait a moment']]);
  const fields = [
    { id: 'name', label: 'Name', type: 'text', required: true },
    { id: 'n', label: 'N', type: 'number' },
  ];
  const form = await session.requestApproval(approval.form('Deploy', fields));
  await server.decide(session, form.id, { values: { name: 'Ada', n: 3 } });
  const filled = await form.decision();
  assert.deepEqual([filled.state, filled.action.values, filled.text], ['answered', { name: 'Ada', n: 3 }, 'name: Ada, n: 3']);
});

test('a request is taken back, and one that is decided stays so', async () => {
  const request = await session.requestApproval(approval.permission('Run `make`'), { extras: { trace: 't-1' } });
  await request.withdraw();
  const { messageMetadata, approval: cancelled } = await session.message(request.id);
  assert.deepEqual([cancelled.state, messageMetadata.trace], ['cancelled', 't-1']);
  const decided = await session.requestApproval(approval.permission('Run `make`'));
  await server.decide(session, decided.id, { selected: ['allow_once'] });
  await decided.withdraw();
  assert.equal((await decided.decision()).allowed, true);
});

test('a box that a person ticks', async () => {
  await session.sendTodo([{ id: '1', content: 'Bake', status: 'pending' }]);
  await server.owner('POST', `/v1/sessions/${session.id}/ticks`, { id: '1', status: 'completed' });
  const [tick] = await session.pending();
  assert.deepEqual([tick.text, tick.todo.todos[0].status, tick.body.type], ['Ticked: Bake', 'completed', 'TODO']);
});

test('a button on a file', async () => {
  const blob = await verbatim.upload(new TextEncoder().encode('log'), 'text/plain');
  const { id } = await session.sendFile([
    { name: 'log.txt', state: 'ready', ...blob, actions: [{ id: 'keep', label: 'Keep it' }] },
  ]);
  await server.decide(session, id, { selected: ['0:keep'] });
  const [press] = await session.pending(20);
  assert.deepEqual([press.action.reply_to, press.text.includes('Keep it')], [id, true]);
});

// Lost answers, restarts of the server, refusals: what a call does when something goes wrong.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import {
  BusyError,
  EnvelopeError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  ServerError,
  SetupError,
  UnauthorizedError,
  UnreachableError,
  Verbatim,
  approval,
} from 'verbatim-sdk';
import { Server, lossy } from './server.mjs';

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

const restart = async () => {
  await server.kill();
  await server.start();
};
const contents = async () => (await session.messages({ limit: 500 })).messages.map((message) => message.content);

// A session on whose way the answer to the next call gets lost.
async function losing(meanwhile) {
  const relay = lossy(meanwhile);
  const on = server.connect({ fetch: relay.fetch });
  const lost =
    (of, name) =>
    async (...given) => {
      const before = relay.requests;
      relay.left = 1;
      const result = await of[name](...given);
      assert(relay.left === 0 && relay.requests > before + 1, `${name} was repeated`);
      return result;
    };
  return { relay, lost, session: on.session(session.id), verbatim: on };
}

test('a lost answer doubles nothing', async () => {
  const { lost, session: own } = await losing();
  const call = (name, ...given) => lost(own, name)(...given);
  await server.write(session, 'Before');
  const sent = await call('sendMessage', 'Once');
  assert.deepEqual([sent.replayed, sent.queuedUserMessages.map(({ text }) => text)], [true, ['Before']]);
  await call('sendMessages', ['Two', 'Three']);
  await call('sendTodo', [{ id: '1', content: 'Build', status: 'pending' }]);
  assert.equal((await call('update', sent.id, { content: 'Changed' })).revision, 2);
  const { revision } = await own.message(sent.id);
  assert.equal((await call('update', sent.id, { append: ' more', ifMatch: revision })).content, 'Changed more');
  const { id } = await call('sendToolCall', 'Bash', { command: 'make' });
  assert.equal(
    (await call('updateToolCall', id, 'Bash', { command: 'make', dry: null }, { output: 'ok' })).toolCall.output,
    'ok',
  );
  const progress = await call('sendProgress', 'Tests', 0, 4);
  assert.equal((await call('updateProgress', progress.id, 'Tests', 4, 4, { state: 'done' })).progress.state, 'done');
  assert.equal((await call('retract', sent.id)).status, 'retracted');
  const text = await call('streamMessage');
  for (const piece of ['One ', 'two ']) await lost(text, 'append')(piece);
  assert.deepEqual([(await lost(text, 'finish')()).content, (await own.message(text.id)).revision], ['One two ', 4]);
  await server.write(session, 'After');
  assert.deepEqual(
    (await call('pending')).map(({ text: said }) => said),
    ['After'],
  );
  await call('requestApproval', approval.permission('Run `make`'));
  for (const name of ['info', 'heartbeat', 'messages', 'end']) await call(name);
  const all = await contents();
  assert.deepEqual([all.length, all.slice(0, 5)], [10, ['Before', 'Changed more', 'Two', 'Three', '- [ ] Build']]);
});

test('a session is made once', async () => {
  const { lost, verbatim: own } = await losing();
  const made = await lost(own, 'createSession')('once');
  await made.sendMessage('Here');
  assert.equal((await verbatim.sessions({ agent: ['once'] })).total, 1);
});

test('the server restarts between the write and the answer', async () => {
  const { lost, session: own } = await losing(restart);
  const sent = await lost(own, 'sendMessage')('Kept');
  assert.deepEqual([sent.message.content, sent.replayed, await contents()], ['Kept', true, ['Kept']]);
  const text = await own.streamMessage();
  await lost(text, 'append')('Grown');
  assert.deepEqual([(await text.finish()).content, await contents()], ['Grown', ['Kept', 'Grown']]);
});

test('the server is away while a message is sent', async () => {
  await server.kill();
  const [sent] = await Promise.all([session.sendMessage('Patient'), server.start()]);
  assert.deepEqual([sent.message.content, await contents()], ['Patient', ['Patient']]);
});

test('the server restarts while changes are watched', async () => {
  const watch = session.watch({ after: (await session.messages()).cursor });
  const seen = [];
  const watched = (async () => {
    for await (const { change } of watch) {
      if (change.kind !== 'session') seen.push([change.fromSeq, change.toSeq]);
      if (change.toSeq === 4) break;
    }
  })();
  await session.sendMessage('One');
  await restart();
  await session.sendMessage('Two');
  await restart();
  await session.sendMessages(['Three', 'Four']);
  await watched;
  const covered = seen.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  assert.deepEqual(covered, [1, 2, 3, 4], 'each once, in order');
});

test('the server restarts while a question is open', async () => {
  const answers = async () => {
    await server.asked(session);
    await restart();
    await server.write(session, 'Yes');
  };
  const [answer] = await Promise.all([session.ask('Go on?'), answers()]);
  assert.equal(answer.text, 'Yes');
});

test('the server restarts while a permission is waited for', async () => {
  const decides = async () => {
    const id = await server.asked(session, 'APPROVAL');
    await restart();
    await server.decide(session, id, { selected: ['allow_once'] });
  };
  const [decided] = await Promise.all([session.approve('Publish'), decides()]);
  assert.deepEqual([decided.allowed, decided.text], [true, 'Allow once']);
});

test('nobody answers', async () => {
  const nobody = new Verbatim('http://127.0.0.1:9', 'vbt_1_x', { patience: 0 });
  await assert.rejects(nobody.me(), (error) => {
    assert(error instanceof UnreachableError && error instanceof Error);
    assert.deepEqual([error.kind, error.status, error.code, error.name], ['unreachable', 0, 'transport', 'UnreachableError']);
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:9 can't be reached: ./);
    return true;
  });
});

test('a key that is replaced', async () => {
  const key = await server.makeKey('New');
  const replaced = new Verbatim(server.url, 'vbt_1_old', { newerKey: () => key });
  assert.equal((await replaced.me()).name, 'New');
  await assert.rejects(new Verbatim(server.url, 'vbt_1_old', { newerKey: async () => undefined }).me(), UnauthorizedError);
});

test('a key that is revoked ends the watch', async () => {
  const made = await server.local.request('POST', '/v1/keys', { body: { name: 'Short' } });
  const own = await new Verbatim(server.url, made.key).createSession('short');
  const watch = own.watch({ after: (await own.messages()).cursor });
  await own.sendMessage('One');
  await watch.next();
  await server.local.request('DELETE', `/v1/keys/${made.id}`);
  await assert.rejects(async () => {
    for await (const event of watch) assert(event);
  }, UnauthorizedError);
  assert.deepEqual(await watch.next(), { done: true, value: undefined });
});

test('a cursor of another history is reported once', async () => {
  const watch = session.watch({ after: '1.ffffff' });
  await assert.rejects(watch.next(), { status: 410, code: 'cursor_gone', kind: 'invalid' });
  await session.sendMessage('After');
  assert.equal((await watch.next()).value.change.toSeq, 1);
  watch.close();
});

const WRONG = [
  ['TODO', { todos: [{ id: '1', content: 'a', status: 'done' }] }, '/todos/0/status'],
  ['TODO', { todos: [] }, '/todos'],
  ['CODE_EDIT', { edits: [{ file_path: 'a', line: 1 }] }, '/edits/0/line'],
  ['CODE_EDIT', { edits: 'a' }, '/edits'],
  ['TOOL_CALL', { input: {} }, '/tool_name'],
  ['TOOL_CALL', { tool_name: 'x', input: [1] }, '/input'],
  ['APPROVAL', { kind: 'poll', title: 'x', state: 'open' }, '/kind'],
  ['APPROVAL', { kind: 'form', title: 'x', state: 'open', fields: [{ id: 'a' }] }, '/fields/0/label'],
  ['ACTION', { selected: [] }, '/approval_id'],
  ['FILE', { files: [{ name: 'a', mime: 'b', size: 'c', state: 'ready' }] }, '/files/0/size'],
  ['ERROR', { message: 'x' }, '/error_type'],
];
for (const [type, payload, field] of WRONG) {
  test(`a wrong ${type} names its field: ${field}`, async () => {
    await assert.rejects(session.sendStructuredMessage(type, payload), (error) => {
      assert(error instanceof InvalidError);
      assert.deepEqual([error.status, error.code, error.pointer], [400, 'payload_invalid', `/payload${field}`]);
      assert.equal(error.field, `/message_metadata/payload${field}`);
      assert(error.expected && error.message.startsWith(`\`${error.field}\` `));
      return true;
    });
    assert.equal((await session.info()).lastSeq, 0);
  });
}

test('parts that make no envelope are not sent', async () => {
  const wrong = [
    [['', {}], 'message_type_invalid', '/message_type'],
    [['x'.repeat(201), {}], 'message_type_invalid', '/message_type'],
    [['X', [1]], 'payload_not_an_object', '/payload'],
    [['X', {}, { version: 0 }], 'version_invalid', '/version'],
    [['X', {}, { version: 1.5 }], 'version_invalid', '/version'],
    [['X', {}, { extras: { payload: 1 } }], 'extra_reserved', '/payload'],
  ];
  for (const [given, code, pointer] of wrong) {
    await assert.rejects(session.sendStructuredMessage(...given), (error) => {
      assert(error instanceof EnvelopeError && error instanceof InvalidError);
      assert.deepEqual([error.kind, error.code, error.pointer, error.status], ['envelope', code, pointer, 0]);
      return true;
    });
  }
  assert.equal((await session.info()).lastSeq, 0);
});

test('what a key may not do', async () => {
  const own = new Verbatim(server.url, await server.makeKey('Writes', ['post']));
  const writer = await own.createSession('writer');
  await writer.sendMessage('One');
  for (const call of [() => writer.pending(), () => writer.info(), () => writer.messages(), () => own.sessions()]) {
    await assert.rejects(call(), ForbiddenError);
  }
  await assert.rejects(own.session(session.id).sendMessage('Foreign'), NotFoundError);
  await assert.rejects(session.message('nothing'), NotFoundError);
  await assert.rejects(session.sendStructuredMessage('ACTION', { reply_to: 'm1', selected: ['Yes'] }), {
    code: 'not_yours_to_decide',
  });
});

test('what is no address and no key', () => {
  for (const name of ['VERBATIM_URL', 'VERBATIM_KEY']) {
    delete process.env[name];
    assert.throws(() => Verbatim.fromEnv(), { name: 'SetupError', title: `\`${name}\` isn't set in the environment` });
    process.env[name] = name === 'VERBATIM_URL' ? 'http://127.0.0.1:7117/#c=code' : ' vbt_1_x\n';
  }
  assert.equal(Verbatim.fromEnv().url, 'http://127.0.0.1:7117');
  assert.equal(new Verbatim(' http://[::1]:80/verbatim/ ', 'vbt_1_x').url, 'http://[::1]/verbatim');
  for (const url of ['', '127.0.0.1:7117', 'ftp://host', 'http://', 'http://host:port']) {
    assert.throws(
      () => new Verbatim(url, 'vbt_1_x'),
      (error) => error instanceof SetupError && / is no server's address/.test(error.message),
    );
  }
  for (const key of ['', '  ', 'vbt\n1', 'vbt_ä']) {
    assert.throws(
      () => new Verbatim('http://127.0.0.1:7117', key),
      (error) => error instanceof SetupError && /^The key is missing/.test(error.message),
    );
  }
});

test('another server', async () => {
  const other = (body, init) =>
    new Verbatim('http://127.0.0.1:7117', 'vbt_1_x', { patience: 0, fetch: async () => new Response(body, init) });
  for (const body of ['<html>', '[]', '{"name": 1}']) {
    await assert.rejects(
      other(body).me(),
      (error) => error instanceof ServerError && error.status === 0 && error.code === 'unreadable',
    );
  }
  const busy = other('down', { status: 503, headers: { 'retry-after': '7' } });
  await assert.rejects(busy.me(), (error) => error instanceof BusyError && error.code === 'bad_answer' && error.retryAfter === 7);
  await assert.rejects(other('', { status: 302, headers: { location: 'http://example.org' } }).me(), ServerError);
});

test('a redirection is not followed, and the key stays here', async () => {
  const asked = [];
  const elsewhere = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: `/elsewhere` }).end();
  });
  await new Promise((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  await assert.rejects(new Verbatim(`http://127.0.0.1:${elsewhere.address().port}`, 'vbt_1_x').me(), ServerError);
  assert.deepEqual(asked, ['/v1/me']);
  elsewhere.close();
});

test('the key is not shown', () => {
  assert(!JSON.stringify(verbatim).includes(server.key));
});

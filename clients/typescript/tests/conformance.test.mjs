// Replays `fixtures/sdk`: what each call sends, and what each answer becomes.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { Message, Verbatim, VerbatimError, approval } from 'verbatim-sdk';

const FIXTURES = new URL('../../../fixtures/sdk/', import.meta.url);
const BASE = 'http://127.0.0.1:7117';
const KEY = 'vbt_1_secret';

// The arguments that have a place; all others are fields of the last one.
const PLACES = {
  create_session: ['agent'],
  send_message: [],
  send_messages: ['messages'],
  send_structured_message: ['message_type', 'payload'],
  send_text: ['content'],
  send_code_edit: ['edits'],
  send_todo: ['todos'],
  send_tool_call: ['tool_name', 'input'],
  send_file: ['files'],
  send_error: ['error_type', 'message'],
  send_chart: ['chart', 'title', 'series'],
  send_code_review: ['file_path', 'comments'],
  send_progress: ['label', 'current', 'total'],
  context: ['at'],
  update: ['message'],
  update_tool_call: ['message', 'tool_name', 'input'],
  update_progress: ['message', 'label', 'current', 'total'],
  retract: ['message'],
  message: ['id'],
  ask: ['question'],
  ask_approval: ['approval'],
  approve: ['what'],
  request_approval: ['approval'],
  pending: ['wait'],
  end: ['outcome'],
};
const OF_THE_SERVER = ['create_session', 'sessions', 'me'];

async function replay(one) {
  const script = new Script(one.exchanges ?? (one.request ? [{ request: one.request, answer: one.answer }] : []));
  const verbatim = new Verbatim(BASE, KEY, { fetch: script.fetch });
  const result = await call(verbatim, one).catch((error) => error);
  if (script.failure) throw script.failure;
  if (result instanceof Error && !(result instanceof VerbatimError)) throw result;
  contains(plain(result), one.result, 'result');
  assert.deepEqual(script.left, [], 'everything that is due was sent');
}

// Answers requests as recorded, and compares each with the one that is due.
class Script {
  constructor(exchanges) {
    this.left = [...exchanges];
  }

  fetch = async (url, init) => {
    try {
      return await this.#answer(url, init);
    } catch (error) {
      if (!(error instanceof TypeError)) this.failure ??= error;
      // In place of a request that is repeated for a minute.
      if (this.failure) return new Response('{}', { status: 400 });
      throw error;
    }
  };

  async #answer(url, { method, headers, body, signal }) {
    const exchange = this.left.shift();
    assert(exchange, `nothing more should be sent: ${method} ${url}`);
    signal.throwIfAborted();
    const { request: due, answer } = exchange;
    const [sent, expected] = [new URL(url), new URL(BASE + due.path)];
    assert.equal(headers.authorization, `Bearer ${KEY}`);
    assert.equal(`${method} ${sent.pathname}`, `${due.method} ${expected.pathname}`);
    assert.deepEqual([...sent.searchParams].sort(), [...expected.searchParams].sort());
    const json = body == null ? null : JSON.parse(body);
    if (!(method === 'DELETE' && Object.keys(json ?? {}).length === 0)) matches(json, due.body);
    if (answer === null) throw new TypeError('fetch failed', { cause: new Error('the connection broke') });
    if ('stream' in answer) return new Response(answer.stream, { status: answer.status });
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    return new Response(text, { status: answer.status, headers: { 'content-type': 'application/json', ...answer.headers } });
  }
}

function matches(json, due) {
  const any = (value, at) => {
    if (at === '$ANY') return typeof value === 'string' && value !== '' ? '$ANY' : value;
    if (Array.isArray(value) && Array.isArray(at)) return value.map((item, index) => any(item, at[index]));
    if (value === null || typeof value !== 'object' || at === null || typeof at !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, any(inner, at[key])]));
  };
  assert.deepEqual(any(json, due), due);
}

async function call(verbatim, one) {
  const { function: name, arguments: named } = one.call;
  if (name.startsWith('approval.')) return approval[name.slice('approval.'.length)](...Object.values(named));
  const session = verbatim.session(one.session ?? 's1', { after: one.after ?? undefined });
  if (name === 'watch') return watched(session.watch({ after: named.after }), named.count);
  if (name === 'stream_message') {
    const text = await session.streamMessage();
    for (const piece of named.pieces) await text.append(piece);
    return text[named.end]();
  }
  const places = PLACES[name] ?? [];
  const rest = Object.entries(named).filter(([argument]) => !places.includes(argument));
  const fields = Object.fromEntries(rest.map(([argument, value]) => [camelName(argument), value]));
  const given = [...places.map((argument) => (name === 'send_messages' ? named[argument].map(camelFields) : named[argument]))];
  if (rest.length > 0 || name === 'sessions' || name === 'messages') given.push(fields);
  const result = await (OF_THE_SERVER.includes(name) ? verbatim : session)[camelName(name)](...given);
  return name === 'request_approval' ? { sent: result.sent } : result;
}

async function watched(watch, count) {
  const items = [];
  while (items.length < count) {
    const next = await watch.next().catch((error) => error);
    if (next.done) break;
    items.push(next instanceof Error ? next : next.value);
  }
  watch.close();
  return items;
}

// A result as the fixtures write it.
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Message) {
    const { id, seq, revision, role, status, requiresUserInput, content, text, messageType, payload, body } = value;
    return {
      id,
      seq,
      revision,
      role,
      status,
      requires_user_input: requiresUserInput,
      content,
      text,
      message_type: messageType,
      payload,
      body: body.type,
    };
  }
  if (value instanceof VerbatimError) {
    const { kind, status, code, title, hint, field, pointer, expected, retryAfter, current } = value;
    return {
      error: { kind, status, code, title, hint, field, pointer, expected, retry_after: retryAfter, current: plain(current) },
    };
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snakeName(key), plain(inner)]));
}

// Compares field by field what the fixture names; null equals absent.
function contains(result, expected, at) {
  if (Array.isArray(expected) && Array.isArray(result)) {
    assert.equal(result.length, expected.length, at);
    expected.forEach((due, index) => contains(result[index], due, `${at}/${index}`));
  } else if (expected !== null && typeof expected === 'object' && !Array.isArray(expected)) {
    assert(result !== null && typeof result === 'object', `${at}: ${result}`);
    for (const [key, due] of Object.entries(expected)) contains(result[key], due, `${at}/${key}`);
  } else {
    assert.deepEqual(result ?? null, expected, at);
  }
}

function camelFields(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [camelName(name), value]));
}

function camelName(name) {
  return name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

function snakeName(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

for (const file of (await readdir(FIXTURES)).filter((name) => name.endsWith('.json')).sort()) {
  const cases = JSON.parse(await readFile(new URL(file, FIXTURES), 'utf8'));
  describe(file, { concurrency: true }, () => {
    for (const one of cases) test(one.name, () => replay(one));
  });
}

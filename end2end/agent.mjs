// An agent that posts by itself, with a key of its own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from './verbatim.mjs';

const sender = (verbatim, key) => async (method, path, body) => {
  const answer = await fetch(`${verbatim.url}/v1${path}`, {
    method,
    // A kept connection may be closed by the server in the moment in which it is used again.
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body,
  });
  return { status: answer.status, body: await answer.json() };
};
const caller = (verbatim, key) => (method, path, body) => sender(verbatim, key)(method, path, body && JSON.stringify(body));

// What sends requests as the commands of the server's machine do.
export async function asMachine(verbatim) {
  const { key } = JSON.parse(await readFile(join(verbatim.folder, 'data/server.json'), 'utf8'));
  return caller(verbatim, key);
}

// What sends requests with a new key.
export async function withKey(verbatim, scopes) {
  const made = await (await asMachine(verbatim))('POST', '/keys', { name: 'orchard', scopes });
  expect(made.status).toBe(201);
  return caller(verbatim, made.body.key);
}

// `{ id, post, update, pending, call, raw }`: a new session of the agent `orchard-bot`.
export async function newAgent(verbatim, session = {}) {
  const made = await (await asMachine(verbatim))('POST', '/keys', { name: 'orchard', scopes: ['post', 'read', 'mirror'] });
  expect(made.status).toBe(201);
  const asAgent = caller(verbatim, made.body.key);
  const { status, body: { id } } = await asAgent('POST', '/sessions', { agent: 'orchard-bot', cwd: '/home/ada/orchard', ...session });
  expect(status).toBe(201);
  return {
    id,
    call: asAgent,
    raw: sender(verbatim, made.body.key),
    post: async (message) => {
      const posted = await asAgent('POST', `/sessions/${id}/messages`, message);
      expect(posted.status, JSON.stringify(posted.body)).toBe(201);
      return posted.body;
    },
    update: async (message, change) => {
      const updated = await asAgent('PATCH', `/sessions/${id}/messages/${message}`, change);
      expect(updated.status, JSON.stringify(updated.body)).toBe(200);
      return updated.body;
    },
    pending: async (wait = 10) => (await asAgent('POST', `/sessions/${id}/pending`, { wait })).body.messages,
  };
}

export const typed = (message_type, payload) => ({ message_metadata: { message_type, payload } });

// An agent that posts by itself, with a key of its own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from './verbatim.mjs';

// `{ id, post, update, pending, call, raw }`: a new session of the agent `orchard-bot`.
export async function newAgent(verbatim, session = {}) {
  const { key: local } = JSON.parse(await readFile(join(verbatim.folder, 'data/server.json'), 'utf8'));
  const raw = (key) => async (method, path, body) => {
    const answer = await fetch(`${verbatim.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    return { status: answer.status, body: await answer.json() };
  };
  const call = (key) => (method, path, body) => raw(key)(method, path, body && JSON.stringify(body));
  const made = await call(local)('POST', '/keys', { name: 'orchard', scopes: ['post', 'read', 'mirror'] });
  expect(made.status).toBe(201);
  const asAgent = call(made.body.key);
  const { status, body: { id } } = await asAgent('POST', '/sessions', { agent: 'orchard-bot', cwd: '/home/ada/orchard', ...session });
  expect(status).toBe(201);
  return {
    id,
    call: asAgent,
    raw: raw(made.body.key),
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

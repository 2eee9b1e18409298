// The other sides of channels, on this machine. A server takes `--channel-host 127.0.0.1` to reach them.
import { createServer } from 'node:http';

async function listen(answer) {
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => answer(request, response, Buffer.concat(parts).toString()));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

// Takes what is posted: `{ url, came, answers, stop }`. The statuses in `answers` are given first, then 200.
export async function receiver() {
  const came = [];
  const answers = [];
  const server = await listen((_, response, body) => {
    came.push(JSON.parse(body));
    response.writeHead(answers.shift() ?? 200, { 'content-type': 'application/json' }).end('{}');
  });
  return { ...server, came, answers };
}

// A Matrix homeserver with one bot: `{ url, sent, entered, isHeard, write, invite, stop }`. `sent` has `{ room, text }` of what the
// bot wrote, `entered` has `join !room` and `leave !room`. `write(room, sender, text)` and `invite(room, sender, name)` are what a
// person does. `isHeard()` says whether the bot waits for that.
export async function homeserver() {
  const sent = [];
  const entered = [];
  const events = [];
  let waiting = [];
  const reply = (response, json) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  const sync = (response, since) => {
    const join = {};
    const invite = {};
    for (const { room, event, state } of events.slice(since)) {
      if (state) invite[room] = { invite_state: { events: state } };
      else (join[room] ??= { timeline: { events: [] } }).timeline.events.push(event);
    }
    reply(response, { next_batch: `${events.length}`, rooms: { join, invite } });
  };
  const server = await listen((request, response, body) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    const [, , , , what, room, action] = url.pathname.split('/').map(decodeURIComponent);
    const since = url.searchParams.get('since');
    if (what === 'account') return reply(response, { user_id: '@bot:test' });
    if (what === 'createRoom') return reply(response, { room_id: `!${JSON.parse(body).room_alias_name}:test` });
    if (what === 'sync' && since === null) return sync(response, events.length);
    if (what === 'sync' && Number(since) < events.length) return sync(response, Number(since));
    if (what === 'sync') return waiting.push({ response, since: Number(since) });
    if (action === 'join' || action === 'leave') {
      entered.push(`${action} ${room}`);
      return reply(response, {});
    }
    sent.push({ room, text: JSON.parse(body).body });
    return reply(response, { event_id: `$sent${sent.length}` });
  });
  const happens = (event) => {
    events.push(event);
    for (const one of waiting) sync(one.response, one.since);
    waiting = [];
  };
  const write = (room, sender, text) => {
    const content = { msgtype: 'm.text', body: text };
    happens({ room, event: { type: 'm.room.message', event_id: `$said${events.length}`, sender, content } });
  };
  const invite = (room, sender, name) => {
    const member = { type: 'm.room.member', state_key: '@bot:test', sender, content: { membership: 'invite' } };
    happens({ room, state: [{ type: 'm.room.name', state_key: '', sender, content: { name } }, member] });
  };
  return { ...server, sent, entered, write, invite, isHeard: () => waiting.length > 0 };
}

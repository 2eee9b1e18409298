// Writes a small session of Claude Code line by line, while a test looks on.
//
//   const session = await newSession(verbatim, { cwd: '/home/ada/bakery' });
//   await session.prompt('Is the oven hot?');
//   const call = await session.call('Bash', { command: 'cat /dev/oven' });
//   await session.result(call, '230 C');
//   await session.answer('It is.');
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

// `at` is the time of the first line, in milliseconds; each further one is a second later.
export async function newSession({ projects }, { cwd = '/home/ada/bakery', branch = 'main', at = Date.now() } = {}) {
  const id = randomUUID();
  const path = join(projects, cwd.replaceAll(/[^a-z0-9]/gi, '-'), `${id}.jsonl`);
  await mkdir(dirname(path), { recursive: true });
  let parent = null;
  let lines = 0;

  const line = async (type, fields) => {
    const own = randomUUID();
    const timestamp = new Date(at + lines * 1000).toISOString();
    const all = {
      parentUuid: parent, isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.205',
      gitBranch: branch, type, ...fields, uuid: own, timestamp,
    };
    lines += 1;
    parent = own;
    await appendFile(path, `${JSON.stringify(all)}\n`);
  };
  const assistant = (block, stop) => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 90, output_tokens: 20 };
    return line('assistant', {
      requestId: `req_${randomUUID()}`,
      message: {
        model: 'claude-sonnet-4-5-20250929', id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', content: [block],
        stop_reason: stop, stop_sequence: null, usage,
      },
    });
  };

  return {
    id,
    path,
    prompt: (text) => line('user', { message: { role: 'user', content: text } }),
    answer: (text) => assistant({ type: 'text', text }, 'end_turn'),
    think: (thinking) => assistant({ type: 'thinking', thinking, signature: 'c2lnbmVk' }, null),
    call: async (name, input) => {
      const call = `toolu_${randomUUID()}`;
      await assistant({ type: 'tool_use', id: call, name, input }, 'tool_use');
      return call;
    },
    result: (call, text) => {
      const block = { tool_use_id: call, type: 'tool_result', content: text };
      const result = { stdout: text, stderr: '', interrupted: false, isImage: false };
      return line('user', { message: { role: 'user', content: [block] }, toolUseResult: result });
    },
  };
}

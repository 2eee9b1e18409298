// A client of the Agent Client Protocol, for running an agent through a conversation.
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// Starts an agent and goes through `steps`: a prompt as a text or as blocks, or a function that gets `{ call, tell, session }`. All it asks is
// allowed. `meanwhile` is called with the same as soon as the file `began` is there, which a command makes that takes long. `resume` is the
// session to go on with, `mode` the mode to work in. Returns the session.
export async function converse([program, ...args], { cwd, env, steps, meanwhile, resume, mode }) {
  const agent = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', process.env.DETAILS ? 'inherit' : 'ignore'] });
  const ended = new Promise((resolve) => { agent.on('close', resolve); });
  agent.stdin.on('error', () => {}); // It has ended: its answers say so.
  const answers = new Map();
  let number = 0;
  let at;
  rmSync(join(cwd, 'began'), { force: true });
  const watch = meanwhile && setInterval(() => {
    if (!existsSync(join(cwd, 'began'))) return;
    clearInterval(watch);
    meanwhile(at);
  }, 50);
  const send = (message) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const tell = (method, params) => send({ method, params });
  const call = (method, params) => new Promise((resolve, reject) => {
    number += 1;
    answers.set(number, ({ error, result }) => (error ? reject(new Error(`${method}: ${error.message} ${JSON.stringify(error.data ?? '')}`)) : resolve(result)));
    send({ id: number, method, params });
  });
  ended.then(() => answers.forEach((answer) => answer({ error: { message: 'the agent ended' } })));
  createInterface({ input: agent.stdout }).on('line', (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // Some agents write words between the lines of the protocol.
    }
    const { id, method, params } = message;
    if (method === 'session/request_permission') {
      const allow = params.options.find(({ kind }) => kind === 'allow_once') ?? params.options[0];
      send({ id, result: { outcome: { outcome: 'selected', optionId: allow.optionId } } });
    } else if (method && id !== undefined) {
      send({ id, error: { code: -32601, message: `No method ${method}` } });
    } else if (id !== undefined) {
      answers.get(id)?.(message);
      answers.delete(id);
    }
  });
  try {
    await call('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const where = { cwd, mcpServers: [] };
    const opened = await call(...(resume ? ['session/load', { sessionId: resume, ...where }] : ['session/new', where]));
    const session = resume ?? opened.sessionId;
    at = { call, tell, session };
    if (mode) await call('session/set_mode', { sessionId: session, modeId: mode });
    for (const step of steps) {
      const prompt = typeof step === 'string' ? [{ type: 'text', text: step }] : step;
      await (typeof step === 'function' ? step(at) : call('session/prompt', { sessionId: session, prompt }));
    }
    return session;
  } finally {
    clearInterval(watch);
    agent.stdin.end();
    const timer = setTimeout(() => agent.kill('SIGKILL'), 3_000);
    await ended;
    clearTimeout(timer);
  }
}

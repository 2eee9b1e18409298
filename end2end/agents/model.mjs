// A scripted model service on loopback, for running real agents without a network. `dialects.mjs` has the APIs that it speaks.
//
// A prompt names a script by its word in brackets, as `[edit]`. The service plays the turns of the last script that was named:
// which one is next follows from the conversation alone. `requests` has what agents sent, in order: as the agent wrote it, and as
// `{ tools, messages: [{ role, text }] }`, with the milliseconds at which each `came` and was `answered`.
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { dialect } from './dialects.mjs';

const text = (words) => ({ type: 'text', text: words });
// The first of these tools that the agent offers, by name.
const tool = (inputs) => ({ type: 'tool', inputs });

const write = (folder, name, content) =>
  tool({
    Write: { file_path: `${folder}/${name}`, content },
    write_file: { file_path: `${folder}/${name}`, content },
    write: { filePath: `${folder}/${name}`, content },
    apply_patch: `*** Begin Patch\n*** Add File: ${name}\n+${content.trimEnd()}\n*** End Patch\n`,
  });

const shell = (command, description) =>
  tool({
    Bash: { command, description },
    run_shell_command: { command, description, is_background: false },
    bash: { command, description },
    exec_command: { cmd: command, sandbox_permissions: 'require_escalated', justification: description },
    shell_command: { command, sandbox_permissions: 'require_escalated', justification: description },
  });

const questions = [{
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [{ label: 'Green', description: 'As grass' }, { label: 'Blue', description: 'As the sea' }],
}];

const scripts = {
  heard: (_, prompt) => [[text(`Heard number ${prompt.match(/\d+/)}`)]],
  touch: () => [[shell('touch measured', 'Touch')], [text('Touched.')]],
  hello: () => [[text('Hello. What is to be done?')]],
  edit: (folder) => [[text('I write a note.'), write(folder, 'note.txt', 'first line\n')], [text('The note is written.')]],
  deny: () => [[text('Now something risky.'), shell('touch forbidden.txt', 'Make a file')], [text('Then I leave it.')]],
  ask: () => [[tool({ AskUserQuestion: { questions } })], [text('So be it.')]],
  slow: () => [[text('It takes a while.'), shell('touch began; for n in 1 2 3 4 5; do sleep 1; done; echo over', 'Wait')], [text('It is over.')]],
  endless: () => [[text('It takes for ever.'), shell('touch began; while :; do sleep 1; done', 'Wait')], [text('Never said.')]],
  // Two that never end.
  stuck: () => [
    [text('Two at once.'), shell('touch began; while :; do sleep 1; done', 'Wait'), shell('while :; do sleep 2; done', 'Wait longer')],
    [text('Never said.')],
  ],
  parallel: () => [
    [text('Two at once.'), shell('echo first', 'Say first'), shell('echo second', 'Say second')],
    [text('Both ran.')],
  ],
  // One of two fails.
  failing: () => [
    [text('Two at once.'), shell('echo first', 'Say first'), shell('echo lost >&2; exit 3', 'Fail')],
    [text('One failed.')],
  ],
  // More than an agent gives to the model.
  flood: () => [[text('It is long.'), shell('seq 1 30000', 'Count')], [text('Too long.')]],
  look: (folder) => [[tool({ Read: { file_path: `${folder}/dot.png` }, read_file: { file_path: `${folder}/dot.png` }, read: { filePath: `${folder}/dot.png` }, view_image: { path: `${folder}/dot.png` } })], [text('A dot.')]],
  weigh: () => [[tool({ mcp__scales__weigh: { stone: 'basalt' }, mcp_scales_weigh: { stone: 'basalt' }, scales_weigh: { stone: 'basalt' } })], [text('12 kg.')]],
  background: () => [
    [tool({ Bash: { command: 'sleep 1; echo ready', description: 'Wait', run_in_background: true } })],
    [text('It runs.')],
  ],
  plan: () => [[text('I plan.'), tool({ ExitPlanMode: { plan: 'Grind the corn' } })], [text('As planned.')]],
  deep: () => [
    [tool({ Agent: { description: 'Go deeper', prompt: '[delegate] Have somebody look', subagent_type: 'general-purpose', run_in_background: false } })],
    [text('It is done down there.')],
  ],
  delegate: () => [
    [tool({ Agent: { description: 'Look', prompt: '[hello] Look around', subagent_type: 'general-purpose', run_in_background: false } })],
    [text('It is done.')],
  ],
  // Refused once, by the first server that it is asked of.
  busy: () => [[text('At the second attempt.')]],
  // Its first answer breaks off, once by server.
  torn: () => [[text('It is a long story, and it is told to its end.'), shell('echo told', 'Tell')], [text('Told.')]],
  // Refused for good.
  broken: () => [[text('Never said.')]],
};

const named = ({ role, text }) => (role === 'user' ? text.match(/\[(\w+)\]/g)?.at(-1)?.slice(1, -1) : undefined);

// A small value that fits a JSON schema.
function filled(schema) {
  const type = String([schema.type ?? 'object'].flat()[0]).toLowerCase();
  if (schema.enum) return schema.enum[0];
  if (type !== 'object') return { array: [], boolean: false, integer: 1, number: 1 }[type] ?? 'Scripted';
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, value]) => [key, filled(value)]));
}

// The blocks of the next answer. What offers no tools is a side call, as for a title.
function answer({ tools, messages, schema }, folder) {
  if (schema) return [text(JSON.stringify(filled(schema)))];
  if (!tools.length) return [text('Scripted')];
  const at = messages.findLastIndex((message) => named(message) in scripts);
  if (at < 0) return [text('No script is named.')];
  let [turn, before] = [0, 'user'];
  for (const { role } of messages.slice(at + 1)) {
    if (role === 'assistant' && before !== 'assistant') turn += 1;
    if (role !== 'system') before = role;
  }
  const blocks = scripts[named(messages[at])](folder, messages[at].text)[turn] ?? [text('Done.')];
  return blocks.map((block) => {
    if (block.type === 'text') return block;
    const name = Object.keys(block.inputs).find((name) => tools.includes(name));
    return name ? { type: 'tool', name, input: block.inputs[name] } : text(`No such tool: ${tools.join(', ')}`);
  });
}

// Starts the service for an agent that works in `folder`: `{ url, requests, stop }`.
export async function model(folder) {
  const requests = [];
  let [refused, torn] = [false, false];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const json = (value, status = 200) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const path = request.url.split('?')[0];
    if (path.endsWith('count_tokens') || path.endsWith(':countTokens')) return json({ input_tokens: 100, totalTokens: 100 });
    const speaks = dialect(path);
    if (request.method !== 'POST' || !speaks) return json({ object: 'list', data: [], models: [] }, request.method === 'POST' ? 404 : 200);
    const body = JSON.parse((request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString());
    const read = speaks.read(body);
    const entry = { ...read, body, came: Date.now() };
    requests.push(entry);
    if (!refused && read.messages.at(-1)?.text.includes('[busy]')) {
      refused = true;
      return json({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529);
    }
    if (read.messages.at(-1)?.text.includes('[broken]')) {
      return json({ type: 'error', error: { type: 'invalid_request_error', message: 'It is broken' } }, 400);
    }
    const { whole, events } = speaks.write(answer(read, folder), body.model ?? 'scripted', requests.length);
    if (!body.stream && !path.includes(':stream')) return json(whole);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const breaks = !torn && read.messages.at(-1)?.text.includes('[torn]');
    torn ||= breaks;
    for (const [name, data] of breaks ? events.slice(0, Math.min(5, events.length - 2)) : events) {
      response.write(`${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    }
    if (breaks) return response.destroy();
    response.end();
    entry.answered = Date.now();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); });
  return { url: `http://127.0.0.1:${server.address().port}`, requests, stop };
}

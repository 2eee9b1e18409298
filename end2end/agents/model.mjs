// A scripted model service on loopback, for running real agents without a network: Anthropic's Messages API, streamed.
//
// A prompt names a script by its word in brackets, as `[edit]`. The service plays the turns of the last script that was named:
// which one is next follows from the conversation alone. `requests` has what the agent sent, in order, without headers.
import { createServer } from 'node:http';

const text = (words) => ({ type: 'text', text: words });
const tool = (name, input) => ({ type: 'tool_use', name, input });

const scripts = {
  hello: () => [[text('Hello. What is to be done?')]],
  edit: (folder) => [
    [text('I write a note.'), tool('Write', { file_path: `${folder}/note.txt`, content: 'first line\n' })],
    [text('The note is written.')],
  ],
  deny: () => [
    [text('Now something risky.'), tool('Bash', { command: 'touch forbidden.txt', description: 'Make a file' })],
    [text('Then I leave it.')],
  ],
  ask: () => [
    [
      tool('AskUserQuestion', {
        questions: [{
          question: 'Which colour?',
          header: 'Colour',
          multiSelect: false,
          options: [{ label: 'Green', description: 'As grass' }, { label: 'Blue', description: 'As the sea' }],
        }],
      }),
    ],
    [text('So be it.')],
  ],
  slow: () => [
    [text('It takes a while.'), tool('Bash', { command: 'sleep 4; echo over', description: 'Wait' })],
    [text('It is over.')],
  ],
  endless: () => [[text('It takes for ever.'), tool('Bash', { command: 'sleep 600', description: 'Wait' })], [text('Never said.')]],
};

const words = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join('\n');

// The blocks of the next answer. What offers no tools is a side call, as for a title.
function answer(body, folder) {
  if (!body.tools?.length) return [text('Scripted')];
  const named = (message) =>
    message.role === 'assistant' ? undefined : words(message.content).match(/\[(\w+)\]/g)?.at(-1)?.slice(1, -1);
  const at = body.messages.findLastIndex((message) => named(message) in scripts);
  if (at < 0) return [text('No script is named.')];
  const turn = body.messages.slice(at).filter(({ role }) => role === 'assistant').length;
  return scripts[named(body.messages[at])](folder)[turn] ?? [text('Done.')];
}

function events(blocks, model, number) {
  const message = { id: `msg_scripted_${number}`, type: 'message', role: 'assistant', model, content: [] };
  const usage = { input_tokens: 100, output_tokens: 1 };
  const stop = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const events = [{ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } }];
  for (const [index, block] of blocks.entries()) {
    const begins = block.type === 'text'
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: `toolu_scripted_${number}_${index}`, name: block.name, input: {} };
    events.push({ type: 'content_block_start', index, content_block: begins });
    const pieces = block.type === 'text'
      ? block.text.split(/(?<= )/).map((piece) => ({ type: 'text_delta', text: piece }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
    events.push(...pieces.map((delta) => ({ type: 'content_block_delta', index, delta })));
    events.push({ type: 'content_block_stop', index });
  }
  events.push({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 20 } });
  return [...events, { type: 'message_stop' }];
}

// Starts the service for an agent that works in `folder`: `{ url, requests, stop }`.
export async function model(folder) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (request.url.includes('count_tokens')) return json({ input_tokens: 100 });
    if (!request.url.startsWith('/v1/messages')) return response.writeHead(404).end();
    const body = JSON.parse(Buffer.concat(chunks).toString());
    requests.push(body);
    const told = events(answer(body, folder), body.model, requests.length);
    if (!body.stream) {
      const { message } = told[0];
      return json({ ...message, content: answer(body, folder), stop_reason: 'end_turn' });
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of told) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); });
  return { url: `http://127.0.0.1:${server.address().port}`, requests, stop };
}

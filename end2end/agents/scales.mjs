// A server of the Model Context Protocol with one tool, for driving agents: `weigh` answers with words and a picture.
//
//   { "mcpServers": { "scales": { "command": "node", "args": ["scales.mjs"] } } }
import { createInterface } from 'node:readline';
import { picture } from './picture.mjs';

const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scales', version: '1' } }),
  'tools/list': () => ({
    tools: [{ name: 'weigh', description: 'Weighs a stone', inputSchema: { type: 'object', properties: { stone: { type: 'string' } } } }],
  }),
  'tools/call': ({ arguments: { stone } }) => ({
    content: [{ type: 'text', text: `The ${stone} weighs 12 kg` }, { type: 'image', data: picture, mimeType: 'image/png' }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: `No method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}

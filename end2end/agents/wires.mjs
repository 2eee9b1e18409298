// The words in which contexts are compared with requests, by the API of the requests. Each is `{ sent, read, inexact }`, as `compareAll` takes it.
//
// How to add one: `wire` with a function that makes `{ blocks, whole }` of a request's body, undefined of one that isn't a turn, and one that
// makes the same text as there of a context's block and its role.
import { canonical } from './compare.mjs';

const every = (context) => context.messages.flatMap(({ role, blocks }) => blocks.map((block) => [role, block]));
const wire = (sent, text, whole = () => '') => ({
  sent,
  read: (context) => ({ blocks: every(context).flatMap(([role, { content }]) => text(role, content)), whole: whole(context) }),
  inexact: (context) => new Set(every(context).filter(([, { inexact }]) => inexact).flatMap(([role, { content }]) => text(role, content))),
});
const contents = (blocks) => blocks.map(({ content }) => content);
const asList = (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content ?? []);

// Without what is added on the way out: marks for the cache, the billing line, a lone text that is written as a string.
const unmarked = (value) => canonical(value, (key) => key !== 'cache_control');
const ofBody = ({ messages, system, tools }) => unmarked({
  messages: messages.map(({ role, content }) => ({ role, content: asList(content) })),
  system: asList(system).filter(({ text }) => !text?.startsWith('x-anthropic-billing-header')),
  tools: tools ?? [],
});
const wholeOf = ({ messages, system, tools }) => JSON.stringify([messages, system, tools]);
const inAnthropic = (role, block) => JSON.stringify([role, unmarked(block)]);

export const anthropic = wire(
  (body) => {
    const request = ofBody(body);
    return { blocks: request.messages.flatMap(({ role, content }) => content.map((block) => inAnthropic(role, block))), whole: wholeOf(request) };
  },
  inAnthropic,
  ({ messages, system, tools }) => wholeOf(ofBody({
    messages: messages.map(({ role, blocks }) => ({ role, content: contents(blocks) })),
    system: contents(system),
    tools: contents(tools),
  })),
);

// An item without what only says which it is. Where instructions are the first item of the input, the context has them as the system prompt.
const NAMES = ['id', 'status', 'internal_chat_message_metadata_passthrough'];
const inResponses = (_, item) => JSON.stringify(canonical(item, (key, field) => !NAMES.includes(key) && field !== null));

export const responses = wire(
  ({ input, tools }) => input && { blocks: input.map((item) => inResponses('', item)), whole: JSON.stringify(tools) },
  inResponses,
);

// A part without the signature of what the model thought.
const inGemini = (role, part) => JSON.stringify([role === 'assistant' ? 'model' : role, canonical(part, (key) => key !== 'thoughtSignature')]);

export const gemini = wire(
  ({ contents, tools }) =>
    tools && { blocks: contents.flatMap(({ role, parts }) => parts.map((part) => inGemini(role, part))), whole: JSON.stringify(tools) },
  inGemini,
);

// Chat completions are compared by what they say, since no context is in their words: texts, pictures, calls and results.
const said = (...words) => [JSON.stringify(words)];
const values = (input) => canonical(typeof input === 'string' ? JSON.parse(input || '{}') : input ?? {}, () => true);
const parts = (role, content) => asList(content).flatMap((part) => {
  if (part.type === 'text') return part.text ? said(role, 'text', part.text) : [];
  return said(role, part.type, part.image_url?.url ?? part);
});
const ofResult = (id, content) => {
  const texts = asList(content).filter(({ type }) => type === 'text').map(({ text }) => text);
  return said('tool', id, texts.join('\n'));
};
const ofChat = ({ role, content, tool_calls = [], tool_call_id }) => {
  if (role === 'system' || role === 'developer') return [];
  if (role === 'tool') return ofResult(tool_call_id, content);
  const calls = tool_calls.flatMap(({ id, function: { name, arguments: input } }) => said('assistant', 'call', id, name, values(input)));
  return [...parts(role, content), ...calls];
};

function inChat(role, block) {
  const { functionCall, functionResponse, inlineData } = block;
  if (functionCall) return said(role, 'call', functionCall.id, functionCall.name, values(functionCall.args));
  if (functionResponse) {
    const { response } = functionResponse;
    return said('tool', functionResponse.id, response.output ?? response.error ?? JSON.stringify(response));
  }
  if (inlineData) return said(role, 'image_url', `data:${inlineData.mimeType};base64,${inlineData.data}`);
  switch (block.type) {
    case 'tool_use': return said(role, 'call', block.id, block.name, values(block.input));
    case 'tool_result': return ofResult(block.tool_use_id, block.content);
    case 'image': case 'document': {
      const { url, media_type: type, data } = block.source;
      return said(role, 'image_url', url ?? `data:${type};base64,${data}`);
    }
    default: return parts(role, [{ type: 'text', text: block.text ?? block.thinking }]);
  }
}

export const chat = wire(
  ({ messages, tools }) => (tools?.length ? { blocks: messages.flatMap(ofChat), whole: JSON.stringify(tools) } : undefined),
  inChat,
);

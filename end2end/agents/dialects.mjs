// The APIs of model services that agents speak, as far as the scripted model needs them. `read` turns a request into
// `{ tools, messages: [{ role, text }], schema? }`, `write` blocks of text and calls of tools into the whole answer and its events.
//
// How to add one: an object like these, and its line in `dialect`.

const joined = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').filter(Boolean).join('\n');
const pieces = (words) => words.split(/(?<= )/);
const argumentsOf = (input) => (typeof input === 'string' ? input : JSON.stringify(input));

// Each block of text is a message: what stands around a prompt isn't part of it.
const texts = (role, content) =>
  typeof content === 'string'
    ? [{ role, text: content }]
    : (content ?? []).filter((part) => typeof part.text === 'string').map((part) => ({ role, text: part.text }));

const anthropic = {
  read: ({ system, tools = [], messages = [] }) => ({
    tools: tools.map(({ name }) => name),
    messages: [
      ...texts('system', system),
      ...messages.flatMap(({ role, content }) => {
        const results = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result');
        const said = texts(role, content);
        const called = role === 'assistant' && !said.length ? [{ role, text: '' }] : [];
        return [...results.map((result) => ({ role: 'tool', text: joined(result.content) })), ...said, ...called];
      }),
    ],
  }),
  write: (blocks, model, number) => {
    const stop_reason = blocks.some(({ type }) => type === 'tool') ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 100, output_tokens: 20 };
    const head = { id: `msg_scripted_${number}`, type: 'message', role: 'assistant', model, stop_sequence: null };
    const content = blocks.map((block, index) =>
      block.type === 'text' ? block : { type: 'tool_use', id: `toolu_scripted_${number}_${index}`, name: block.name, input: block.input });
    const events = [{ type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } }];
    for (const [index, block] of content.entries()) {
      const is_text = block.type === 'text';
      events.push({ type: 'content_block_start', index, content_block: is_text ? { type: 'text', text: '' } : { ...block, input: {} } });
      const deltas = is_text
        ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
        : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
      events.push(...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })), { type: 'content_block_stop', index });
    }
    events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }, { type: 'message_stop' });
    return { whole: { ...head, content, stop_reason, usage }, events: events.map((event) => [event.type, event]) };
  },
};

const chat = {
  read: ({ tools = [], messages = [] }) => ({
    tools: tools.map((tool) => tool.function?.name),
    messages: messages.flatMap(({ role, content }) => {
      const said = texts(role === 'developer' ? 'system' : role, content);
      return role === 'assistant' && !said.length ? [{ role, text: '' }] : said;
    }),
  }),
  write: (blocks, model, number) => {
    // Qwen Code compresses only what it counts as shorter afterwards, and takes 1,000 tokens of a request for its own words.
    const usage = { prompt_tokens: 5_000, completion_tokens: 20, total_tokens: 5_020 };
    const base = { id: `chatcmpl-${number}`, created: 1_700_000_000, model };
    const content = blocks.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n');
    const tool_calls = blocks.filter(({ type }) => type === 'tool').map(({ name, input }, index) =>
      ({ id: `call_scripted_${number}_${index}`, type: 'function', function: { name, arguments: argumentsOf(input) } }));
    const finish_reason = tool_calls.length ? 'tool_calls' : 'stop';
    const deltas = [
      { role: 'assistant', content: '' },
      ...pieces(content).map((content) => ({ content })),
      ...tool_calls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
    ];
    const chunk = (choices, more = {}) => ['', { ...base, object: 'chat.completion.chunk', choices, ...more }];
    const events = [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], { usage }),
      ['', '[DONE]'],
    ];
    const message = { role: 'assistant', content, ...(tool_calls.length && { tool_calls }) };
    return { whole: { ...base, object: 'chat.completion', usage, choices: [{ index: 0, message, finish_reason }] }, events };
  },
};

const responses = {
  read: ({ instructions = '', tools = [], input = [] }) => {
    const offered = [...tools, ...(typeof input === 'string' ? [] : input.flatMap((item) => item.tools ?? []))];
    const messages = (typeof input === 'string' ? [{ role: 'user', content: input }] : input).flatMap((item) => {
      if (item.type?.endsWith('_call_output')) return [{ role: 'tool', text: argumentsOf(item.output ?? '') }];
      if (item.type?.endsWith('_call')) return [{ role: 'assistant', text: '' }];
      return item.role ? texts(item.role === 'developer' ? 'system' : item.role, item.content) : [];
    });
    return { tools: offered.map(({ name, type }) => name ?? type), messages: [{ role: 'system', text: instructions }, ...messages] };
  },
  write: (blocks, model, number) => {
    const usage = {
      input_tokens: 100, input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 120,
    };
    const head = { id: `resp_${number}`, object: 'response', created_at: 1_700_000_000, model };
    const events = [{ type: 'response.created', response: { ...head, status: 'in_progress', output: [], usage: null } }];
    const output = blocks.map((block, index) => {
      const id = `item_${number}_${index}`;
      if (block.type === 'text') {
        return { type: 'message', id, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: block.text, annotations: [] }] };
      }
      const [type, key] = typeof block.input === 'string' ? ['custom_tool_call', 'input'] : ['function_call', 'arguments'];
      return { type, id, status: 'completed', call_id: `call_scripted_${number}_${index}`, name: block.name, [key]: argumentsOf(block.input) };
    });
    for (const [output_index, item] of output.entries()) {
      events.push({ type: 'response.output_item.added', output_index, item });
      if (item.type === 'message') {
        const at = { item_id: item.id, output_index, content_index: 0 };
        events.push({ type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '' } });
        events.push(...pieces(item.content[0].text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta })));
      }
      events.push({ type: 'response.output_item.done', output_index, item });
    }
    const whole = { ...head, status: 'completed', output, usage };
    events.push({ type: 'response.completed', response: whole });
    return { whole, events: events.map((event, sequence_number) => [event.type, { ...event, sequence_number }]) };
  },
};

const gemini = {
  read: ({ systemInstruction, tools = [], contents = [], generationConfig }) => ({
    schema: generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    messages: [
      ...texts('system', systemInstruction?.parts),
      ...contents.flatMap(({ role, parts = [] }) => {
        const said = texts(role === 'model' ? 'assistant' : 'user', parts);
        const results = parts.filter((part) => part.functionResponse);
        const called = role === 'model' && !said.length ? [{ role: 'assistant', text: '' }] : [];
        return [...results.map((part) => ({ role: 'tool', text: JSON.stringify(part.functionResponse.response) })), ...said, ...called];
      }),
    ],
  }),
  write: (blocks, model, number) => {
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
    const parts = blocks.map(({ type, text, name, input }) =>
      type === 'text' ? { text } : { functionCall: { name, args: input }, thoughtSignature: 'c2NyaXB0ZWQ=' });
    const chunk = (parts, more) =>
      ({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }], usageMetadata, modelVersion: model, responseId: `r${number}` });
    const events = [...parts.map((part) => ['', chunk([part])]), ['', chunk([{ text: '' }], { finishReason: 'STOP' })]];
    return { whole: chunk(parts, { finishReason: 'STOP' }), events };
  },
};

// The API of a path; undefined if it is none of these.
export function dialect(path) {
  if (path.endsWith('/messages')) return anthropic;
  if (path.endsWith('/chat/completions')) return chat;
  if (path.endsWith('/responses')) return responses;
  return path.includes('enerateContent') ? gemini : undefined;
}

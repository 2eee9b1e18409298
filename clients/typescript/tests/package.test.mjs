// The package itself: what is made from the API's description is fresh, and what is built runs anywhere.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EventParser } from '../dist/watch.js';
import { generate } from '../../generate.mjs';

const root = new URL('../', import.meta.url);

test('what both SDKs have from docs/api/openapi.json is fresh; else: cargo xtask openapi', async () => {
  const files = generate();
  const types = Object.keys(files).filter((path) => path.startsWith('typescript/src/api/'));
  assert.deepEqual((await readdir(new URL('src/api/', root))).sort(), types.map((path) => path.split('/').at(-1)).sort());
  for (const [path, text] of Object.entries(files)) assert.equal(await readFile(new URL(`../${path}`, root), 'utf8'), text, path);
});

test('there is no dependency at run time', async () => {
  const { dependencies, peerDependencies } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
  for (const name of (await readdir(new URL('dist/', root))).filter((one) => one.endsWith('.js'))) {
    const text = await readFile(new URL(`dist/${name}`, root), 'utf8');
    const foreign = [...text.matchAll(/^(?:import|export) .* from ['"]([^'"]+)['"]/gm)]
      .map(([, from]) => from)
      .filter((from) => !from.startsWith('./'));
    assert.deepEqual(foreign, [], name);
    assert(!/\b(Buffer|require)\b/.test(text), name);
  }
});

test('strict TypeScript understands its declarations', () => {
  execFileSync('npx', ['tsc', '--project', 'tests/tsconfig.json'], { cwd: fileURLToPath(root), stdio: 'inherit' });
});

test('a stream of events is read however it is cut', () => {
  const text = ': alive\n\nevent: feed\r\nid: 1.2\r\ndata: {"a":\r\ndata: "é"}\r\n\r\nretry: 1500\rdata:x\r\r';
  const due = [
    { name: 'feed', data: '{"a":\n"é"}', id: '1.2', retry: undefined },
    { name: '', data: 'x', id: '', retry: 1.5 },
  ];
  const bytes = new TextEncoder().encode(`${text}\n`);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < bytes.length; at += size) events.push(...parser.feed(bytes.slice(at, at + size)));
    assert.deepEqual(events, due, `${size} bytes at a time`);
  }
});

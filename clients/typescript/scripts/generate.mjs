// Writes `src/api/`: the types of the API that this package uses, from `docs/api/openapi.json`.
//
//   node scripts/generate.mjs
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// By file: these schemas, and every schema that they name and that no file before has.
const FILES = {
  payloads: ['Action', 'Approval', 'CodeEdit', 'EditInfo', 'Error', 'File', 'Todo', 'TodoInfo', 'ToolCall'],
  contract: [
    'BlobMade',
    'EditSession',
    'EndOutcome',
    'Entry',
    'FeedEvent',
    'HiddenRow',
    'ListMessages',
    'ListSessions',
    'Me',
    'NewSession',
    'PostMessage',
    'Problem',
    'SessionPage',
    'UpdateMessage',
  ],
};
// Queries, by the operation that takes them.
const QUERIES = { ListMessages: 'list_messages', ListSessions: 'list_sessions' };
// Names that JavaScript has already.
const RENAMED = { Error: 'ErrorReport' };
// Any object, so that an interface can be given as well.
const REPLACED = { Envelope: 'object' };

const description = new URL('../../../docs/api/openapi.json', import.meta.url);
export const folder = new URL('../src/api/', import.meta.url);

/** Returns the files' texts by name. */
export async function generate() {
  const { components, paths } = JSON.parse(await readFile(description, 'utf8'));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const schema = (name) =>
    name in QUERIES ? query(operations.find((one) => one.operationId === QUERIES[name])) : components.schemas[name];
  const homes = new Map();
  return Object.fromEntries(
    Object.entries(FILES).map(([file, roots]) => {
      const names = [...roots];
      for (const name of names) {
        if (homes.has(name) || name in REPLACED) continue;
        homes.set(name, file);
        names.push(...named(schema(name)));
      }
      const own = [...homes]
        .filter(([, home]) => home === file)
        .map(([name]) => name)
        .sort();
      const foreign = [...new Set(names)].filter((name) => homes.has(name) && homes.get(name) !== file).sort();
      const imports = foreign.length > 0 ? `\nimport type { ${foreign.map(renamed).join(', ')} } from './payloads.js';\n` : '';
      const text = own.map((name) => declaration(name, schema(name))).join('');
      return [`${file}.ts`, `// Made by scripts/generate.mjs from docs/api/openapi.json.\n${imports}${text}`];
    }),
  );
}

const renamed = (name) => RENAMED[name] ?? REPLACED[name] ?? name;

function query({ parameters }) {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(inQuery.map(({ name, schema, description }) => [name, { ...schema, description }])),
  };
}

function named(schema) {
  if (schema === null || typeof schema !== 'object') return [];
  const own = typeof schema.$ref === 'string' ? [schema.$ref.split('/').at(-1)] : [];
  return [...own, ...Object.values(schema).flatMap(named)];
}

function declaration(name, schema) {
  const head = `\n${comment(schema.description, '')}export `;
  if (schema.properties === undefined) return `${head}type ${renamed(name)} = ${type(schema)};\n`;
  return `${head}interface ${renamed(name)} {\n${fields(schema)}}\n`;
}

function fields({ properties, required = [], additionalProperties }) {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema.description, '  ')}  ${name}${mark}: ${type(schema)};\n`;
  });
  return lines.join('') + (additionalProperties === true ? '  [key: string]: unknown;\n' : '');
}

function type(schema) {
  if (schema === true || Object.keys(schema).every((key) => key === 'description')) return 'unknown';
  if (schema.$ref !== undefined) return renamed(schema.$ref.split('/').at(-1));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map(type));
  return union([schema.type].flat().map((one) => ofType(one, schema)));
}

function ofType(name, schema) {
  switch (name) {
    case 'array':
      return `Array<${schema.items === undefined ? 'unknown' : type(schema.items)}>`;
    case 'integer':
      return 'number';
    case 'object':
      if (schema.properties !== undefined) return `{\n${fields(schema)}}`;
      return typeof schema.additionalProperties === 'object'
        ? `Record<string, ${type(schema.additionalProperties)}>`
        : 'Record<string, unknown>';
    case undefined:
      return 'unknown';
    default:
      return name;
  }
}

function union(types) {
  const all = [...new Set(types)];
  return all.includes('unknown') ? 'unknown' : all.join(' | ');
}

function comment(text, indent) {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('\n', ' ').replaceAll('*/', '*\\/')} */\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(await generate())) await writeFile(new URL(name, folder), text);
}

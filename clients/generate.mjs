// Writes what the SDKs have from `docs/api/openapi.json`: the types of the API that the TypeScript SDK uses, the payloads of both SDKs,
// and what the fields of a payload should be. `cargo xtask openapi` runs it.
//
//   node clients/generate.mjs
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const HEAD = 'Made by clients/generate.mjs from docs/api/openapi.json.';
const API = 'typescript/src/api';
// What the envelope says beside a payload.
const EXTRAS = ['EditInfo', 'TodoInfo'];
// These schemas, and every schema that they name and that isn't of a payload.
const CONTRACT = [
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
];
// Queries, by the operation that takes them.
const QUERIES = { ListMessages: 'list_messages', ListSessions: 'list_sessions' };
// Names that a language or an SDK has already.
const RENAMED = { Answer: 'ApprovalAnswer', Error: 'ErrorReport', Question: 'ApprovalQuestion' };
// Any object, so that an interface can be given as well.
const REPLACED = { Envelope: 'object' };
// Payloads with methods, by the class of `_body.py` that has them.
const PYTHON_BASES = { Action: 'Answered', Todo: 'Ticked' };

const description = JSON.parse(await readFile(new URL('../docs/api/openapi.json', import.meta.url), 'utf8'));
const { schemas } = description.components;
const PAYLOADS = Object.entries(description['x-message-types']).map(([tag, schema]) => [tag, nameOf(schema)]);

/** Returns the texts of the files by their paths below `clients`. */
export function generate() {
  const ofPayloads = closure(PAYLOADS.map(([, name]) => name));
  const payloads = closure([...ofPayloads, ...EXTRAS]);
  const contract = closure(CONTRACT).filter((name) => !payloads.includes(name));
  const foreign = payloads.filter((name) => contract.flatMap((own) => named(schema(own))).includes(name));
  const imports = `\nimport type { ${foreign.map(renamed).join(', ')} } from './payloads.js';\n`;
  return {
    [`${API}/contract.ts`]: `// ${HEAD}\n${imports}${contract.map(declaration).join('')}`,
    [`${API}/payloads.ts`]: `// ${HEAD}\n${payloads.map(declaration).join('')}${table()}`,
    [`${API}/shapes.ts`]: `// ${HEAD}\n\n${shapes()}`,
    'python/src/verbatim_sdk/payloads.py': python(ofPayloads),
  };
}

/** Returns these schemas and all that they name, sorted. */
function closure(roots) {
  const names = new Set(roots);
  for (const name of names) named(schema(name)).forEach((one) => one in REPLACED || names.add(one));
  return [...names].sort();
}

function named(part) {
  if (part === null || typeof part !== 'object') return [];
  const own = typeof part.$ref === 'string' ? [nameOf(part)] : [];
  return [...own, ...Object.values(part).flatMap(named)];
}

function nameOf({ $ref }) {
  return $ref.split('/').at(-1);
}

function renamed(name) {
  return RENAMED[name] ?? REPLACED[name] ?? name;
}

function schema(name) {
  if (!(name in QUERIES)) return schemas[name];
  const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));
  const { parameters } = operations.find((one) => one.operationId === QUERIES[name]);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const properties = inQuery.map((parameter) => [parameter.name, { ...parameter.schema, description: parameter.description }]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

// TypeScript

function declaration(name) {
  const own = schema(name);
  const head = `\n${comment(own.description, '')}export `;
  if (own.properties === undefined) return `${head}type ${renamed(name)} = ${type(own)};\n`;
  return `${head}interface ${renamed(name)} {\n${fields(own)}}\n`;
}

function fields({ properties, required = [], additionalProperties }) {
  const lines = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(field.description, '  ')}  ${name}${mark}: ${type(field)};\n`;
  });
  return lines.join('') + (additionalProperties === true ? '  [key: string]: unknown;\n' : '');
}

function type(part) {
  if (part === true || Object.keys(part).every((key) => key === 'description')) return 'unknown';
  if (part.$ref !== undefined) return renamed(nameOf(part));
  if (part.const !== undefined) return JSON.stringify(part.const);
  if (part.enum !== undefined) return part.enum.map((one) => JSON.stringify(one)).join(' | ');
  const choices = part.anyOf ?? part.oneOf;
  if (choices !== undefined) return union(choices.map(type));
  return union([part.type].flat().map((one) => ofType(one, part)));
}

function ofType(name, part) {
  switch (name) {
    case 'array':
      if (part.prefixItems !== undefined) return `[${part.prefixItems.map(type).join(', ')}]`;
      return `Array<${part.items === undefined ? 'unknown' : type(part.items)}>`;
    case 'integer':
      return 'number';
    case 'object':
      if (part.properties !== undefined) return `{\n${fields(part)}}`;
      return typeof part.additionalProperties === 'object'
        ? `Record<string, ${type(part.additionalProperties)}>`
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

function table() {
  const lines = PAYLOADS.map(([tag, name]) => `  ${tag}: ${renamed(name)};\n`);
  return `\n/** The payload of each built-in type, by its tag. */\nexport interface Payloads {\n${lines.join('')}}\n`;
}

function shapes() {
  const lines = PAYLOADS.map(([tag, name]) => `  ${tag}: ${JSON.stringify(shape(schemas[name]))},\n`);
  return `/** What is checked of each built-in payload, by its tag. */\nexport const SHAPES = {\n${lines.join('')}} as const;\n`;
}

/** Words are strings, since a newer server may have others. */
function shape(part) {
  const it = held(part);
  if (it.type === 'array') return [it.items === undefined ? 'unknown' : shape(it.items)];
  if (it.properties === undefined) return it.type === 'integer' ? 'number' : (it.type ?? 'unknown');
  const entries = Object.entries(it.properties).map(([name, field]) => [
    it.required?.includes(name) ? name : `${name}?`,
    shape(field),
  ]);
  return Object.fromEntries(entries.filter(([, one]) => one !== 'unknown'));
}

// Both

/** Returns the schema of a value that isn't null, behind references: without a type where it may be of several. */
function held(part) {
  if (part.$ref !== undefined) {
    const it = held(schemas[nameOf(part)]);
    return it.properties === undefined ? it : { ...it, name: renamed(nameOf(part)) };
  }
  const choices = (part.anyOf ?? part.oneOf)?.filter((choice) => choice.type !== 'null');
  if (choices?.every((choice) => choice.const !== undefined)) return { type: 'string', words: choices.map((one) => one.const) };
  if (choices !== undefined) return choices.length === 1 ? held(choices[0]) : {};
  const types = [part.type].flat().filter((one) => one !== 'null');
  return { ...part, type: types.length === 1 ? types[0] : undefined };
}

// Python

function python(names) {
  const classes = names.filter((name) => schemas[name].properties || PAYLOADS.some(([, payload]) => payload === name));
  const own = PAYLOADS.map(([, name]) => renamed(name));
  const exported = [...classes.map(renamed), 'Body', 'Invalid', 'Unknown'].sort();
  const bases = classes.flatMap((name) => PYTHON_BASES[name] ?? []);
  return `# ${HEAD}
# ruff: noqa: E501
"""The payload of each message type, as a dataclass.

Words such as states and kinds are strings, so that a word of a newer server survives. Fields that this version doesn't know
are in \`other\`. Times are microseconds since 1970. Wherever a function takes such a dataclass, a plain \`dict\` works too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Type, Union

from ._body import ${[...bases, 'Invalid', 'Unknown', 'other_fields'].sort().join(', ')}
from ._json import OMIT_EMPTY

__all__ = [
${exported.map((name) => `    "${name}",\n`).join('')}]
${classes.map(dataclass).join('')}

Body = Union[${[...own, 'Unknown', 'Invalid'].join(', ')}]

BUILT_IN: Mapping[str, Type[Any]] = {
${PAYLOADS.map(([tag, name]) => `    "${tag}": ${renamed(name)},\n`).join('')}}
"""The dataclass of each built-in type."""
`;
}

function dataclass(name) {
  const { description, properties = {}, required = [] } = schemas[name];
  const [tag] = PAYLOADS.find(([, payload]) => payload === name) ?? [];
  const base = PYTHON_BASES[name] === undefined ? '' : `(${PYTHON_BASES[name]})`;
  const head = `\n\n@dataclass\nclass ${renamed(name)}${base}:\n${docstring(tag && `${tag}: ${description}`, description)}\n`;
  // A field without a value of its own can't stand behind one that has one.
  let isBehind = false;
  const lines = Object.entries(properties).map(([field, part]) => {
    const [type, value] = dataclassField(part, required.includes(field), isBehind);
    isBehind ||= value !== undefined;
    const { words } = held(part);
    const oneOf = words && `One of ${words.map((word) => `\`${word}\``).join(', ')}.`;
    const text = [part.description, oneOf].filter(Boolean).join(' ');
    return `    ${field}: ${type}${value === undefined ? '' : ` = ${value}`}\n${docstring(text)}`;
  });
  return `${head}${lines.join('')}    other: Dict[str, Any] = other_fields()\n`;
}

/** Returns the type and the value if absent, if there is one. */
function dataclassField(part, isRequired, isBehind) {
  const { type: kind, minItems } = held(part);
  const type = pythonType(part);
  const preset = part['x-default'] ?? part.default;
  const isNullable = [part.type].flat().includes('null');
  if (kind === 'array' && !isNullable && (isRequired ? minItems === undefined : true)) {
    const metadata = isRequired || preset !== undefined ? '' : ', metadata=OMIT_EMPTY';
    return [type, `field(default_factory=list${metadata})`];
  }
  if (kind === 'object' && preset !== undefined) return [type, 'field(default_factory=dict)'];
  if (preset !== undefined) return [type, { true: 'True', false: 'False' }[preset] ?? JSON.stringify(preset)];
  return isRequired && !isBehind ? [type] : [`Optional[${type}]`, 'None'];
}

function pythonType(part) {
  const it = held(part);
  switch (it.type) {
    case 'array':
      return `List[${it.items === undefined ? 'Any' : pythonType(it.items)}]`;
    case 'object':
      return it.name ?? 'Dict[str, Any]';
    default:
      return { string: 'str', integer: 'int', number: 'float', boolean: 'bool' }[it.type] ?? 'Any';
  }
}

function docstring(...texts) {
  const text = texts.find(Boolean);
  return text === undefined ? '' : `    """${text.replaceAll('\n', ' ').replaceAll('\\', '\\\\')}"""\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(generate())) await writeFile(new URL(path, import.meta.url), text);
}

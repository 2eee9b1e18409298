// The payload of each message type, typed. What is read is read leniently: unknown fields are kept, and so are unknown words.
import type { Action, Payloads, Todo } from './api/payloads.js';
import { SHAPES } from './api/shapes.js';
import { isObject } from './names.js';

export type * from './api/payloads.js';

/** The tag of a built-in type. */
export type BuiltIn = keyof Payloads;

/** A typed payload: `switch (message.body.type)`. */
export type Body =
  | { [Type in BuiltIn]: { type: Type; payload: Payloads[Type] } }[BuiltIn]
  /** A type that isn't built in. */
  | { type: 'UNKNOWN'; messageType: string; payload: Record<string, unknown> }
  /** A payload that doesn't fit its type, unchanged. `problem` says which field, and what it should be. */
  | { type: 'INVALID'; messageType: string; payload: Record<string, unknown>; problem: string };

// What a value should be: the name of a type; an array of such; an object of such, where `?` marks a field that may be absent.
type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

/** Reads a payload. Never fails: what doesn't fit is `INVALID`, a type that isn't built in `UNKNOWN`. */
export function bodyOf(messageType: string, payload: Record<string, unknown>): Body {
  if (!Object.hasOwn(SHAPES, messageType)) return { type: 'UNKNOWN', messageType, payload };
  const problem = mismatch(SHAPES[messageType as BuiltIn], payload, '');
  if (problem !== undefined) return { type: 'INVALID', messageType, payload, problem };
  return { type: messageType, payload } as unknown as Body;
}

/** Returns what was chosen, filled in and typed, joined by commas. */
export function answerOf(action: Action): string {
  const values = Object.entries(action.values ?? {}).map(
    ([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...(action.selected ?? []), ...values, ...(action.text == null ? [] : [action.text])].join(', ');
}

/** Returns a tick as a model should read it, one line for each item: `Ticked: item`, `Unticked: item`. */
export function tickedOf(todo: Todo): string {
  return todo.todos.map((item) => `${item.status === 'completed' ? 'Ticked' : 'Unticked'}: ${item.content}`).join('\n');
}

function mismatch(shape: Shape, value: unknown, pointer: string): string | undefined {
  if (typeof shape === 'string') {
    const fits = shape === 'unknown' || (shape === 'object' ? isObject(value) : typeof value === shape);
    return fits ? undefined : `\`${pointer}\` should be ${shape === 'object' ? 'an' : 'a'} ${shape}`;
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return `\`${pointer}\` should be an array`;
    return first(value.map((item, index) => mismatch(shape[0], item, `${pointer}/${index}`)));
  }
  if (!isObject(value)) return `\`${pointer}\` should be an object`;
  return first(
    Object.entries(shape).map(([key, inner]) => {
      const field = key.replace('?', '');
      const absent = key.endsWith('?') && value[field] == null;
      return absent ? undefined : mismatch(inner, value[field], `${pointer}/${field}`);
    }),
  );
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function first(problems: Array<string | undefined>): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

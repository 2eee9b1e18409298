// Names of fields: `call_id` in the API, `callId` here. Payloads, extras and metadata keep the names of the API, since anybody may
// define them.

/** `call_id` as `callId`. */
export type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/** An object with camelCase names, at every depth. */
export type Camel<T> =
  T extends Array<infer Item>
    ? Array<Camel<Item>>
    : T extends object
      ? { [Key in keyof T as Key extends string ? CamelName<Key> : Key]: Camel<T[Key]> }
      : T;

/** An object with camelCase names, whose values stay as they are. */
export type CamelFields<T> = { [Key in keyof T as Key extends string ? CamelName<Key> : Key]: T[Key] };

/** A word that is known, or one of a newer server. */
export type Open<Word extends string> = Word | (string & {});

/** Returns JSON with camelCase names, at every depth. */
export function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelName(name), camel(inner)]));
}

/** Returns fields with the names of the API, whose values stay as they are. */
export function snakeFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeName(name), value]));
}

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function camelName(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

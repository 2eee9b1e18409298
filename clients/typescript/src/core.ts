// A server and the key to it: one request, and its repetition.
import { BusyError, SetupError, UnreachableError, errorOf, unreadable } from './errors.js';
import { isObject } from './names.js';

/** Seconds for which a request is repeated, unless stated otherwise. */
const PATIENCE = 60;
/** Patience of what waits for people anyway. */
export const ENDLESS = Infinity;
/** Seconds that an ordinary answer may take. The largest requests have 16 MiB. */
const ORDINARY = 60;
/** Seconds that the answer to a request that waits may take: the longest wait is a minute. */
export const LONG = 90;
/** Pauses in seconds grow from the first to the second, each longer by chance, so that many clients don't come back at once. */
const FIRST = 0.1;
const LONGEST = 10;
/** Milliseconds of the longest timer. */
const MAX_TIMER = 2 ** 31 - 1;

/** How to connect. */
export interface Options {
  /**
   * Seconds for which a request is repeated that fails for the moment: the sum of its pauses, 60 if absent. What waits for people is
   * repeated without end.
   */
  patience?: number;
  /** Returns the key that holds now, when the present one is refused. */
  newerKey?: () => string | null | undefined | Promise<string | null | undefined>;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** For calls that wait. */
export interface Waiting {
  /** Gives up waiting. Nothing is lost: what people wrote comes with the next call. */
  signal?: AbortSignal | undefined;
}

/** A body and its type. */
interface Content {
  data: string | Uint8Array | ArrayBuffer | Blob;
  type: string;
}

interface Call extends Waiting {
  patience?: number;
  timeout?: number;
}

export class Core {
  readonly url: string;
  readonly patience: number;
  #key: string;
  readonly #newerKey: Options['newerKey'];
  readonly #fetch: typeof globalThis.fetch;

  constructor(url: string, key: string, { patience = PATIENCE, newerKey, fetch }: Options) {
    this.url = address(url);
    this.patience = patience;
    this.#key = usable(key);
    this.#newerKey = newerKey;
    // Called as a method of anything else, the browser's own throws.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Calls an endpoint with JSON, and again while it fails for the moment. The body has its ids. */
  call(method: string, path: string, body?: object, { patience = this.patience, ...call }: Call = {}): Promise<unknown> {
    return repeated(patience, call.signal, () => this.once(method, path, body, call));
  }

  /** Calls an endpoint once. */
  async once(method: string, path: string, body?: object, call: Call = {}): Promise<unknown> {
    const content = body && { data: JSON.stringify(body), type: 'application/json' };
    const text = await this.send(method, path, content, call, (response) => response.text());
    try {
      return JSON.parse(text);
    } catch (error) {
      throw unreadable(String(error));
    }
  }

  /** Sends one request and reads the body of a success, within its time. */
  async send<T>(
    method: string,
    path: string,
    content: Content | undefined,
    { signal, timeout = ORDINARY }: Call,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const deadline = new Deadline(timeout * 1000, signal);
    try {
      const response = await this.exchange(method, path, content, deadline.signal);
      return await read(response).catch((error: unknown) => {
        throw this.#lost(error);
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      deadline.release();
    }
  }

  /** Sends one request with the key; if that is refused, once more with a newer one. Returns a success, whose body isn't read yet. */
  async exchange(method: string, path: string, content: Content | undefined, signal: AbortSignal): Promise<Response> {
    const used = this.#key;
    let response = await this.#authorized(used, method, path, content, signal);
    if (response.status === 401 && this.#newerKey !== undefined) {
      const newer = (await this.#newerKey())?.trim();
      if (newer && newer !== used) {
        this.#key = usable(newer);
        await response.body?.cancel();
        response = await this.#authorized(newer, method, path, content, signal);
      }
    }
    if (response.ok) return response;
    const body = await response.text().catch((error: unknown) => {
      throw this.#lost(error);
    });
    throw errorOf(response.status, body, response.headers.get('retry-after'));
  }

  /** Returns where the event stream is now: of a session, or of all. */
  async cursor(session: string | undefined, signal: AbortSignal): Promise<string> {
    const path = session === undefined ? '/v1/sessions?limit=1' : `/v1/sessions/${encodeURIComponent(session)}`;
    return stringOf(await this.call('GET', path, undefined, { signal }), 'cursor');
  }

  async #authorized(
    key: string,
    method: string,
    path: string,
    content: Content | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...(content && { 'content-type': content.type }) };
    try {
      return await this.#fetch(this.url + path, {
        method,
        headers,
        signal,
        body: (content?.data as BodyInit | undefined) ?? null,
        redirect: 'manual',
        cache: 'no-store',
        // A person who is logged in in the same browser is somebody else.
        credentials: 'omit',
      });
    } catch (error) {
      throw this.#lost(error);
    }
  }

  #lost(error: unknown): UnreachableError {
    return new UnreachableError(`${this.url} can't be reached: ${reason(error)}`, error);
  }
}

/** Sends a request until it is answered, or refused for good. */
export async function repeated<T>(patience: number, signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
  const pauses = new Pauses();
  let waited = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!passes(error)) throw error;
      const seconds = pauses.next() + (error.retryAfter ?? 0);
      waited += seconds;
      if (waited > patience) throw error;
      await pause(seconds, signal);
    }
  }
}

/** Returns whether it comes from the moment, and not from the request. */
export function passes(error: unknown): error is BusyError | UnreachableError {
  return error instanceof BusyError || error instanceof UnreachableError;
}

/** Growing pauses, in seconds. */
export class Pauses {
  #next = FIRST;

  next(): number {
    const seconds = this.#next * (1 + Math.random());
    this.#next = Math.min(this.#next * 2, LONGEST);
    return seconds;
  }
}

/** Waits for so many seconds. Rejects with the signal's reason. */
export async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  const deadline = new Deadline(seconds * 1000, signal);
  await new Promise<void>((resolve) => {
    if (deadline.signal.aborted) resolve();
    else deadline.signal.addEventListener('abort', () => resolve());
  });
  deadline.release();
  signal?.throwIfAborted();
}

/** A signal that is aborted after so many milliseconds, or with another one. To be released. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);
  /** The time is over. */
  expired = false;

  constructor(milliseconds: number, outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#abort();
    outer?.addEventListener('abort', this.#abort);
    if (milliseconds <= MAX_TIMER) this.#timer = setTimeout(() => this.#expire(), milliseconds);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }

  #expire(): void {
    this.expired = true;
    this.#controller.abort(new DOMException('timeout', 'TimeoutError'));
  }
}

/** Returns an id for something new, a UUIDv7: it sorts by time. What has an id can be sent again. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  const now = Date.now();
  view.setUint32(0, Math.floor(now / 2 ** 16));
  view.setUint16(4, now % 2 ** 16);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Returns a path with a query of the fields that aren't null. An array repeats its parameter. */
export function withQuery(path: string, fields: object): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    const values: unknown[] = Array.isArray(value) ? value : value == null ? [] : [value];
    return values.map((one): [string, string] => [name, String(typeof one === 'boolean' ? Number(one) : one)]);
  });
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

/** Returns an object of an answer, or the answer itself. */
export function objectOf(answer: unknown, name?: string): Record<string, unknown> {
  const value = name === undefined ? answer : isObject(answer) ? answer[name] : undefined;
  if (!isObject(value)) throw unreadable(name === undefined ? 'it is no object' : `it has no \`${name}\``);
  return value;
}

/** Returns a string of an answer. */
export function stringOf(answer: unknown, name: string): string {
  const value = objectOf(answer)[name];
  if (typeof value !== 'string') throw unreadable(`it has no \`${name}\``);
  return value;
}

/** Returns an array of objects of an answer. */
export function listOf(answer: unknown, name: string): Array<Record<string, unknown>> {
  const value = objectOf(answer)[name];
  if (!Array.isArray(value)) throw unreadable(`it has no \`${name}\``);
  return value.filter(isObject);
}

/** Returns the innermost reason of a failed `fetch`, which itself says little. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reason(error.cause);
  const code: unknown = 'code' in error ? error.code : undefined;
  return error.message || String(code ?? error.name);
}

/** Returns the address without a slash at its end. Query and fragment, as in a log-in link, are no part of it. */
function address(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new SetupError(`\`${text}\` is no server's address: it should look like \`http://127.0.0.1:7117\``);
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function usable(key: string): string {
  const trimmed = key.trim();
  // The key stays out of the message, which may end in a log.
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new SetupError('The key is missing or contains characters that no key has', '`verbatim key create` makes one');
  }
  return trimmed;
}

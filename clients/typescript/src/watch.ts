// The event stream, which resumes itself.
import type { Core } from './core.js';
import { Deadline, Pauses, pause, passes, withQuery } from './core.js';
import { VerbatimError, unreadable } from './errors.js';
import type { Change, Event } from './message.js';
import { camel, isObject } from './names.js';

/** Milliseconds without a byte after which a stream is dead: the server sends a comment every 15 seconds. */
const SILENCE = 45_000;
/** The status of a cursor of another history. */
const GONE = 410;

/**
 * A stream of every change, once and in order, across lost connections and restarts of the server.
 *
 * It ends after an error that won't pass, as when the key was revoked. If the server's database was put back to an earlier state, it
 * throws the error `cursor_gone` once: read again what you follow. Then the same `Watch` goes on from that moment.
 *
 * ```ts
 * for await (const { change } of session.watch()) console.log(`message ${change.fromSeq} changed`);
 * ```
 */
export class Watch implements AsyncIterableIterator<Event> {
  readonly #core: Core;
  readonly #session: string | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #closing: Deadline;
  /** Everything up to here was given. */
  #cursor: string | undefined;
  #live: Live | undefined;
  /** The server's wish in seconds: how long to wait before coming back. Besides our own pauses, longer each time that nothing came. */
  #retry = 0;
  #pauses = new Pauses();
  #over = false;
  #last: Promise<unknown> = Promise.resolve();
  readonly #close = new AbortController();

  /** Use `watch` of a session or of a server. */
  constructor(core: Core, session: string | undefined, after: string | undefined, signal: AbortSignal | undefined) {
    this.#core = core;
    this.#session = session;
    this.#cursor = after;
    this.#signal = signal;
    this.#closing = new Deadline(Infinity, signal);
    this.#closing.signal.addEventListener('abort', () => this.#close.abort());
    if (signal?.aborted) this.#close.abort();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next change. Calls are answered in their order. */
  next(): Promise<IteratorResult<Event, undefined>> {
    const next = this.#last.then(() => this.#next());
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Ends the stream, as `break` in a loop does. */
  return(): Promise<IteratorResult<Event, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the stream. */
  close(): void {
    this.#over = true;
    this.#close.abort();
    this.#closing.release();
    this.#drop();
  }

  async #next(): Promise<IteratorResult<Event, undefined>> {
    while (!this.#over) {
      try {
        this.#live ??= await this.#open();
        const event = await this.#live.next();
        if (event === undefined) {
          // Silence, the end of the stream and a broken connection are treated alike: connect again at the cursor.
          this.#drop();
          await pause(this.#retry + this.#pauses.next(), this.#close.signal);
          continue;
        }
        this.#pauses = new Pauses();
        this.#retry = event.retry ?? this.#retry;
        if (event.name !== 'feed') continue;
        const change = changeOf(event.data);
        this.#cursor = event.id;
        return { done: false, value: { cursor: event.id, change } };
      } catch (error) {
        if (this.#signal?.aborted) this.close();
        this.#signal?.throwIfAborted();
        if (this.#over) break;
        // The cursor belongs to a history that is gone: report it once, so that the caller reads again, then go on from now.
        const goesOn = error instanceof VerbatimError && error.status === GONE && (await this.#beginAgain());
        if (!goesOn) this.close();
        throw error;
      }
    }
    return { done: true, value: undefined };
  }

  /** Opens the stream where it was, and tries for as long as that may help. */
  async #open(): Promise<Live> {
    for (;;) {
      try {
        // From now on, even if the connection breaks before the first event.
        this.#cursor ??= await this.#core.cursor(this.#session, this.#close.signal);
        const path = withQuery('/v1/events', { after: this.#cursor, session: this.#session });
        return await Live.open(this.#core, path, this.#close.signal);
      } catch (error) {
        if (this.#close.signal.aborted || !passes(error)) throw error;
        await pause((error.retryAfter ?? 0) + this.#pauses.next(), this.#close.signal);
      }
    }
  }

  /** Takes now as the place to go on from, before whoever listens reads again: nothing lies between the two. */
  async #beginAgain(): Promise<boolean> {
    try {
      this.#cursor = await this.#core.cursor(this.#session, this.#close.signal);
      return true;
    } catch {
      return false;
    }
  }

  #drop(): void {
    this.#live?.close();
    this.#live = undefined;
  }
}

/** An open connection. */
class Live {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #connection: AbortController;
  readonly #release: () => void;
  readonly #parser = new EventParser();
  #events: ServerEvent[] = [];

  private constructor(reader: ReadableStreamDefaultReader<Uint8Array>, connection: AbortController, release: () => void) {
    this.#reader = reader;
    this.#connection = connection;
    this.#release = release;
  }

  static async open(core: Core, path: string, closing: AbortSignal): Promise<Live> {
    const connection = new AbortController();
    const end = () => connection.abort();
    closing.addEventListener('abort', end);
    const release = () => closing.removeEventListener('abort', end);
    const opening = setTimeout(end, SILENCE);
    try {
      closing.throwIfAborted();
      const { body } = await core.exchange('GET', path, undefined, connection.signal);
      if (body === null) throw unreadable('it is no stream');
      return new Live(body.getReader(), connection, release);
    } catch (error) {
      release();
      throw error;
    } finally {
      clearTimeout(opening);
    }
  }

  /** Returns the next event; undefined once the connection is over. */
  async next(): Promise<ServerEvent | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      const bytes = await this.#read();
      if (bytes === undefined) return undefined;
      this.#events = this.#parser.feed(bytes);
    }
  }

  close(): void {
    this.#release();
    this.#connection.abort();
  }

  async #read(): Promise<Uint8Array | undefined> {
    const silence = setTimeout(() => this.#connection.abort(), SILENCE);
    try {
      return (await this.#reader.read()).value;
    } catch {
      return undefined;
    } finally {
      clearTimeout(silence);
    }
  }
}

/** A server-sent event. */
export interface ServerEvent {
  name: string;
  data: string;
  id: string;
  /** In seconds. */
  retry: number | undefined;
}

/** Splits the bytes of a stream into server-sent events. */
export class EventParser {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #lines: string[] = [];

  /** Returns the events that are complete with these bytes. */
  feed(bytes: Uint8Array): ServerEvent[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    const events: ServerEvent[] = [];
    for (const line of lines) {
      if (line !== '') {
        this.#lines.push(line);
        continue;
      }
      const event = eventOf(this.#lines);
      this.#lines = [];
      if (event !== undefined) events.push(event);
    }
    return events;
  }
}

/** Returns the event of these lines; undefined if they are comments: a sign of life. */
function eventOf(lines: string[]): ServerEvent | undefined {
  const fields: Record<string, string[]> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name !== '') (fields[name] ??= []).push(value);
  }
  if (Object.keys(fields).length === 0) return undefined;
  const last = (name: string) => fields[name]?.at(-1) ?? '';
  const retry = /^\d+$/.test(last('retry')) ? Number(last('retry')) / 1000 : undefined;
  return { name: last('event'), data: (fields['data'] ?? []).join('\n'), id: last('id'), retry };
}

function changeOf(data: string): Change {
  let read: unknown;
  try {
    read = JSON.parse(data);
  } catch (error) {
    throw unreadable(String(error));
  }
  if (!isObject(read) || typeof read['pos'] !== 'number') throw unreadable('it is no event of the feed');
  return camel(read) as Change;
}

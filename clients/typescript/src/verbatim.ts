// A server, as an agent with a key sees it.
import type { Options, Waiting } from './core.js';
import { Core, LONG, listOf, newId, repeated, stringOf, withQuery } from './core.js';
import { SetupError } from './errors.js';
import type { ListSessions, Me, NewSession, SessionPage, StoredBlob } from './message.js';
import { infoOf } from './message.js';
import { camel, snakeFields } from './names.js';
import { Session } from './session.js';
import { Watch } from './watch.js';

/** A document that says how the messages of a type are shown: `docs/user/message-types.md`. */
export interface TypeDocument {
  type: string;
  title: string;
  /** Version of the payload; 1 if absent. */
  version?: number;
  icon?: string;
  summary?: string;
  markdown?: string;
  /** A component, or an array of them. This or `schema` is needed. */
  view?: object;
  /** JSON Schema of the payload. */
  schema?: object;
}

/** What the server says of a document. */
export interface DeclaredType {
  type: string;
  version: number;
  title: string;
  /** Of the canonical document, in hex. */
  sha256: string;
  /** Size of the canonical document. */
  bytes: number;
  /** Name of a key, a person or a file. */
  declaredBy: string;
  /** Microseconds since 1970. */
  declaredAt: number;
  /** A file in the data directory declares it. */
  fromFile: boolean;
  /** The same document was declared before. */
  replayed?: boolean;
}

/** What to recall: parameters of `GET /v1/memory`. */
export interface RecallQuery {
  /** Words or a question. */
  q?: string;
  /** Only what was said in this session. */
  session?: string;
  /** Only what was said in sessions of this project. */
  project?: string;
  /** `next` of the previous page, without `q`. */
  after?: string;
  /** 1 to 100; 20 if absent. */
  limit?: number;
}

/** Something that a person said. */
export interface Memory {
  sessionId: string;
  sessionTitle: string;
  project: string;
  messageId: string;
  seq: number;
  role: string;
  senderName?: string;
  /** Microseconds since 1970. */
  createdAt: number;
  text: string;
  /** 0 to 1, for comparing within one answer. */
  score: number;
  /** `words`, `meaning`, or both. */
  foundBy: string[];
}

/** Memories, and how far meanings can be compared: `off`, `ready`, `pending` or `failing`. */
export interface MemoryPage {
  memories: Memory[];
  next: string | null;
  total: number;
  embedded: number;
  vectors: string;
  model?: string;
  error?: string;
}

/**
 * A server and the key to it.
 *
 * ```ts
 * const verbatim = new Verbatim('http://127.0.0.1:7117', 'vbt_...');
 * // A program that starts again goes on with the session of the same `agentSessionId`.
 * const session = await verbatim.createSession('nightly-bot', { agentSessionId: 'run-42' });
 * ```
 */
export class Verbatim {
  readonly #core: Core;

  /** Sets up a client of the server at `url`, with an agent's key. Sends nothing yet. Throws a `SetupError`. */
  constructor(url: string, key: string, options: Options = {}) {
    this.#core = new Core(url, key, options);
  }

  /**
   * Sets up a client from the environment: `VERBATIM_URL` is the server, `VERBATIM_KEY` the key. A browser has no environment. Throws a
   * `SetupError`.
   */
  static fromEnv(options: Options = {}): Verbatim {
    return new Verbatim(variable('VERBATIM_URL'), variable('VERBATIM_KEY'), options);
  }

  /** The server's address, without a slash at its end. */
  get url(): string {
    return this.#core.url;
  }

  /**
   * Makes a session of an agent. Goes on with the session of the same `agentSessionId` if this key made it. Throws a `ConflictError` if
   * another key made that session (`session_taken`) or a person deleted it (`session_deleted`).
   */
  async createSession(agent: string, fields: NewSession = {}): Promise<Session> {
    const body = snakeFields({ ...fields, id: fields.id ?? newId(), agent });
    const made = await this.#core.call('POST', '/v1/sessions', body);
    return new Session(this.#core, stringOf(made, 'id'), infoOf(made).deliveredSeq);
  }

  /**
   * Names a session that exists: by our id, the agent's own, or a unique beginning of either. Sends nothing yet. With `after`,
   * `pending` begins after this `seq`: for an agent that starts again and knows what it has read.
   */
  session(id: string, { after }: { after?: number | undefined } = {}): Session {
    return new Session(this.#core, id, after);
  }

  /** Returns a page of the sessions that the key may see. Throws a `ForbiddenError` for a key without the scope `read`. */
  async sessions(query: ListSessions = {}): Promise<SessionPage> {
    const answer = await this.#core.call('GET', withQuery('/v1/sessions', snakeFields(query)));
    return { ...(camel(answer) as SessionPage), sessions: listOf(answer, 'sessions').map(infoOf) };
  }

  /**
   * Recalls what people said, the best first; without `q` the newest first. Throws a `ForbiddenError` for a key without the scope `read`,
   * and an `InvalidError` for a too long `q`.
   */
  async recall(query: RecallQuery = {}): Promise<MemoryPage> {
    const answer = await this.#core.call('GET', withQuery('/v1/memory', snakeFields(query)));
    listOf(answer, 'memories');
    return camel(answer) as MemoryPage;
  }

  /**
   * Returns who the server takes us for: a way to try address and key. Throws an `UnreachableError` if the address is wrong, an
   * `UnauthorizedError` if the key is.
   */
  async me(): Promise<Me> {
    const answer = await this.#core.call('GET', '/v1/me');
    stringOf(answer, 'kind');
    return camel(answer) as Me;
  }

  /** Stores the bytes of a file, up to 64 MiB. What it returns goes into a file of `sendFile`. The same bytes are stored once. */
  async upload(data: Uint8Array | ArrayBuffer | Blob, mime = 'application/octet-stream'): Promise<StoredBlob> {
    const content = { data, type: mime };
    const answer = await repeated(this.#core.patience, undefined, () =>
      this.#core.send('POST', '/v1/blobs', content, { timeout: LONG }, (response) => response.json() as Promise<unknown>),
    );
    stringOf(answer, 'blob');
    return camel(answer) as StoredBlob;
  }

  /**
   * Returns the bytes of a file that a message of the agent's sessions names. `blob` is the field of a FILE's item: `sha256:` and the
   * digest in hex, or the digest alone. Throws a `NotFoundError`.
   */
  async readBlob(blob: string): Promise<Uint8Array> {
    const path = `/v1/blobs/${encodeURIComponent(blob.replace(/^sha256:/, ''))}`;
    const read = (response: Response) => response.arrayBuffer();
    const bytes = await repeated(this.#core.patience, undefined, () =>
      this.#core.send('GET', path, undefined, { timeout: LONG }, read),
    );
    return new Uint8Array(bytes);
  }

  /**
   * Declares how the messages of a type are shown. The same document again changes nothing: call this whenever the agent starts. Throws an
   * `InvalidError` with the pointer of the first problem, and a `ForbiddenError` if another key or a person declared the type first.
   */
  async declareType(document: TypeDocument): Promise<DeclaredType> {
    const answer = await this.#core.call('PUT', `/v1/types/${encodeURIComponent(document.type)}`, document);
    stringOf(answer, 'sha256');
    return camel(answer) as DeclaredType;
  }

  /**
   * Watches what changes from now on, or after a cursor; in one session, as an agent's key must, or in all. `signal` ends it with an
   * error.
   */
  watch({ session, after, signal }: { session?: string; after?: string | undefined } & Waiting = {}): Watch {
    return new Watch(this.#core, session, after, signal);
  }

  /**
   * Calls any endpoint once, with the API's own names of fields: for what has no method here. `query` goes into the address, `body` is
   * sent as JSON.
   */
  request(method: string, path: string, { query = {}, body }: { query?: object; body?: object } = {}): Promise<unknown> {
    return this.#core.once(method, withQuery(path, query), body);
  }
}

function variable(name: string): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  if (value === undefined) {
    throw new SetupError(
      `\`${name}\` isn't set in the environment`,
      '`verbatim serve` prints the address, `verbatim key create` makes a key',
    );
  }
  return value;
}

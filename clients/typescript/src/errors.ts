// Why a call failed, by what one may do about it.
import type { Entry, Problem as RawProblem } from './api/contract.js';
import { Message } from './message.js';
import { isObject } from './names.js';

const METADATA = '/message_metadata';

/** The name of an error, the same in every SDK. */
export type ErrorKind =
  | 'setup'
  | 'unreachable'
  | 'busy'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'changed'
  | 'invalid'
  | 'server'
  | 'withdrawn'
  | 'envelope';

/** A call failed. What is worth repeating was repeated before. */
export class VerbatimError extends Error {
  /** The name of the same error in every SDK. */
  readonly kind: ErrorKind = 'server';
  /** The HTTP status. 0: no answer came, it couldn't be read, or nothing was sent. */
  readonly status: number;
  /** Stable, for programs: `payload_invalid`, `id_conflict`. */
  readonly code: string;
  /** One sentence, for people. */
  readonly title: string;
  /** What to do next. */
  readonly hint: string | undefined;
  /** The offending field: a JSON pointer into the request, or the name of a query parameter. */
  readonly field: string | undefined;
  /** What the field should contain. */
  readonly expected: string | undefined;
  /** Seconds after which a repeat may succeed. */
  readonly retryAfter: number | undefined;
  /** The message as it is, where the request was based on another state of it. */
  readonly current: Message | undefined;

  constructor(problem: RawProblem, options?: ErrorOptions) {
    super(problem.hint ? `${problem.title}\n${problem.hint}` : problem.title, options);
    this.name = new.target.name;
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.hint = problem.hint ?? undefined;
    this.field = problem.field ?? undefined;
    this.expected = problem.expected ?? undefined;
    this.retryAfter = problem.retry_after ?? undefined;
    const { current } = problem;
    this.current = isObject(current) && typeof current['id'] === 'string' ? new Message(current as unknown as Entry) : undefined;
  }

  /** The offending field as a JSON pointer into the metadata: `/payload/todos/0/status`. Undefined if it isn't there. */
  get pointer(): string | undefined {
    return this.field?.startsWith(METADATA) ? this.field.slice(METADATA.length) : undefined;
  }
}

/** The address or the key is missing or unusable. */
export class SetupError extends VerbatimError {
  override readonly kind = 'setup';

  constructor(title: string, hint?: string) {
    super({ status: 0, code: 'setup', title, hint: hint ?? null });
  }
}

/** No answer came. What the request did isn't known: repeat it with the same ids. */
export class UnreachableError extends VerbatimError {
  override readonly kind = 'unreachable';

  constructor(title: string, cause?: unknown) {
    super({ status: 0, code: 'transport', title }, { cause });
  }
}

/** The server can't do it now: 429, 502, 503 or 504. */
export class BusyError extends VerbatimError {
  override readonly kind = 'busy';
}

/** The key isn't valid, or not any more: 401. */
export class UnauthorizedError extends VerbatimError {
  override readonly kind = 'unauthorized';
}

/** The key may not do that: 403. */
export class ForbiddenError extends VerbatimError {
  override readonly kind = 'forbidden';
}

/** There is no such thing, or it belongs to another key: 404. */
export class NotFoundError extends VerbatimError {
  override readonly kind = 'not_found';
}

/** It doesn't fit what is there: 409. */
export class ConflictError extends VerbatimError {
  override readonly kind = 'conflict';
}

/** The message was changed in between: 412. `current` is the message as it is. */
export class ChangedError extends VerbatimError {
  override readonly kind = 'changed';
}

/** The request is wrong: any other 4xx. `field`, `pointer` and `expected` say where and why. */
export class InvalidError extends VerbatimError {
  override readonly kind: 'invalid' | 'envelope' = 'invalid';
}

/** The parts of a structured message make no envelope. Nothing was sent. */
export class EnvelopeError extends InvalidError {
  override readonly kind = 'envelope';

  constructor(code: string, pointer: string, expected: string) {
    const field = METADATA + pointer;
    super({ status: 0, code, title: `\`${field}\` should be ${expected}`, field, expected });
  }
}

/** The server failed, or what answered isn't Verbatim. */
export class ServerError extends VerbatimError {
  override readonly kind = 'server';
}

/** The question was taken back while its answer was waited for. */
export class WithdrawnError extends VerbatimError {
  override readonly kind = 'withdrawn';

  constructor() {
    super({ status: 0, code: 'withdrawn', title: 'The question was taken back: nobody answers it any more' });
  }
}

const BY_STATUS: Record<number, new (problem: RawProblem) => VerbatimError> = {
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: ChangedError,
  429: BusyError,
  502: BusyError,
  503: BusyError,
  504: BusyError,
};

/** Returns the error of an answer that is no success. A proxy in between says less than the server: `bad_answer`. */
export function errorOf(status: number, body: string, retryAfter: string | null): VerbatimError {
  const problem = problemOf(body) ?? {
    status,
    code: 'bad_answer',
    title: `The server answered ${status}`,
    // Verbatim's own 404 has a problem as its body: this one came from another server.
    hint: status === 404 ? "Check that the address is that of a Verbatim server, with its path if it has one" : null,
  };
  const seconds = /^\s*\d+\s*$/.test(retryAfter ?? '') ? Number(retryAfter) : null;
  const Kind = BY_STATUS[problem.status] ?? (problem.status >= 400 && problem.status < 500 ? InvalidError : ServerError);
  return new Kind({ ...problem, retry_after: problem.retry_after ?? seconds });
}

/** Returns the error of an answer that isn't what was asked for. Asking again gives the same. */
export function unreadable(why: string): ServerError {
  return new ServerError({ status: 0, code: 'unreadable', title: `The server's response is invalid: ${why}` });
}

function problemOf(body: string): RawProblem | undefined {
  try {
    const said: unknown = JSON.parse(body);
    const fits =
      isObject(said) &&
      typeof said['status'] === 'number' &&
      typeof said['code'] === 'string' &&
      typeof said['title'] === 'string';
    return fits ? (said as unknown as RawProblem) : undefined;
  } catch {
    return undefined;
  }
}

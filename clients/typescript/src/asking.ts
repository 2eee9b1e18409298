// Asking people, and waiting for what they say.
import type { Waiting } from './core.js';
import { ENDLESS } from './core.js';
import * as envelope from './envelope.js';
import { ConflictError, WithdrawnError } from './errors.js';
import type { Answer, Decided, Message, Sent } from './message.js';
import type { Approval } from './payloads.js';
import { answerOf } from './payloads.js';
import type { Session } from './session.js';

/** Seconds of one request that waits; then it is seen whether the question still stands. */
const WAIT = 25;

/** What asking needs of a session. */
export interface Asked {
  take(after: number, wait: number, signal: AbortSignal | undefined): Promise<Message | undefined>;
  read(id: string, patience: number, signal: AbortSignal | undefined): Promise<Message>;
  give(messages: Message[]): Message[];
}

/** A question that was posted. `answer` waits for what a person says to it. */
export class Question {
  /** The question as it was stored, and what people wrote before it. */
  readonly sent: Sent;
  readonly #session: Session;
  readonly #asked: Asked;

  /** Use `question` of a session. */
  constructor(session: Session, asked: Asked, sent: Sent) {
    this.#session = session;
    this.#asked = asked;
    this.sent = sent;
  }

  /** Message id of the question. */
  get id(): string {
    return this.sent.id;
  }

  /**
   * Waits for the answer, however long it takes, or until the question is taken back. A server that can't be reached is asked again
   * without end. Giving up by `signal` loses nothing: call it again. Throws a `WithdrawnError` once the question is taken back.
   */
  async answer({ signal }: Waiting = {}): Promise<Answer> {
    const queue = new Queue(this.#asked, this.sent, signal);
    // The first request doesn't wait: the answer may be there already.
    let stands = true;
    let wait = 0;
    for (;;) {
      const message = await queue.next(wait);
      if (message?.answers(this.id)) return { text: message.text, message, queuedUserMessages: queue.give(message) };
      if (message !== undefined) {
        queue.others.push(message);
        continue;
      }
      // An answer may have come before it was taken back: it was looked for once more.
      if (!stands) throw new WithdrawnError();
      const question = await this.#asked.read(this.id, ENDLESS, signal);
      stands = question.status !== 'retracted' && question.requiresUserInput;
      wait = stands ? WAIT : 0;
    }
  }

  /** Takes the question back: the session no longer waits for its answer. Does nothing if it was taken back already. */
  async withdraw(): Promise<void> {
    await this.#session.retract(this.id);
  }
}

/** An APPROVAL that was posted. `decision` waits until somebody decides it. */
export class ApprovalRequest {
  /** The APPROVAL as it was stored, and what people wrote before it. */
  readonly sent: Sent;
  readonly #session: Session;
  readonly #asked: Asked;

  /** Use `requestApproval` of a session. */
  constructor(session: Session, asked: Asked, sent: Sent) {
    this.#session = session;
    this.#asked = asked;
    this.sent = sent;
  }

  /** Message id of the APPROVAL. */
  get id(): string {
    return this.sent.id;
  }

  /**
   * Waits for the decision, however long it takes: also until it expires, is taken back or is decided elsewhere. A server that can't be
   * reached is asked again without end. Giving up by `signal` loses nothing: call it again.
   */
  async decision({ signal }: Waiting = {}): Promise<Decided> {
    const queue = new Queue(this.#asked, this.sent, signal);
    let told: Message | undefined;
    let outcome: Outcome | undefined;
    while (told === undefined && outcome === undefined) {
      told = await queue.find(WAIT, (message) => this.#isDecidedBy(message));
      // Nobody pressed a button, but it may be over: expired, taken back, decided elsewhere.
      if (told === undefined) outcome = await this.#outcome(signal);
    }
    // The approval has the state and the ids; the ACTION has the labels.
    const { state = 'open', decision } = (await this.#outcome(signal)) ?? {};
    // It was decided between two requests: its ACTION is in the queue by now.
    if (decision !== undefined) told ??= await queue.find(0, (message) => this.#isDecidedBy(message));
    const action = told?.action;
    return {
      allowed: state === 'allowed_once' || state === 'allowed_always',
      state,
      text: action === undefined ? '' : answerOf(action),
      decision,
      action,
      queuedUserMessages: queue.give(told),
    };
  }

  /** Takes the request back: it becomes `cancelled`. One that is decided stays so, which is no error. */
  async withdraw(): Promise<void> {
    const message = await this.#session.message(this.id);
    if (message.approval?.state !== 'open') return;
    const extras = envelope.extrasOf(message.messageMetadata);
    const messageMetadata = envelope.build('APPROVAL', { ...message.approval, state: 'cancelled' }, extras);
    try {
      await this.#session.update(this.id, { messageMetadata });
    } catch (error) {
      // Somebody was quicker.
      if (!(error instanceof ConflictError && error.code === 'decided')) throw error;
    }
  }

  #isDecidedBy(message: Message): boolean {
    return message.action?.approval_id === this.id;
  }

  /** Returns state and decision, unless it is open. */
  async #outcome(signal: AbortSignal | undefined): Promise<Outcome | undefined> {
    const { approval } = await this.#asked.read(this.id, ENDLESS, signal);
    if (approval === undefined) return { state: 'superseded', decision: undefined };
    return approval.state === 'open' ? undefined : { state: approval.state, decision: approval.decision ?? undefined };
  }
}

interface Outcome {
  state: Approval['state'];
  decision: Decided['decision'];
}

/** What people write after a message, one by one. What comes after the one that is waited for stays in the queue. */
class Queue {
  /** What was read and isn't it. */
  readonly others: Message[] = [];
  readonly #asked: Asked;
  readonly #signal: AbortSignal | undefined;
  #after: number;

  constructor(asked: Asked, sent: Sent, signal: AbortSignal | undefined) {
    this.#asked = asked;
    this.#signal = signal;
    this.#after = sent.message.seq;
  }

  /** Returns the next message; undefined if none came within these seconds. */
  async next(wait: number): Promise<Message | undefined> {
    const message = await this.#asked.take(this.#after, wait, this.#signal);
    this.#after = message?.seq ?? this.#after;
    return message;
  }

  /** Returns the first message that fits; undefined if the queue was empty for these seconds before. */
  async find(wait: number, fits: (message: Message) => boolean): Promise<Message | undefined> {
    for (;;) {
      const message = await this.next(wait);
      if (message === undefined || fits(message)) return message;
      this.others.push(message);
    }
  }

  /**
   * Marks all that was read as given. Only now: who gives up waiting before reads it again. Returns those beside `it` that were given to
   * nobody yet.
   */
  give(it: Message | undefined): Message[] {
    this.#asked.give(it === undefined ? [] : [it]);
    return this.#asked.give(this.others);
  }
}

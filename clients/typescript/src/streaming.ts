// A text that grows while it is written.
import { ChangedError } from './errors.js';
import type { Message, Sent, UpdateMessage } from './message.js';
import type { Session } from './session.js';

/**
 * A message that isn't finished. Its text is what was appended, whatever gets lost on the way: each piece is sent with the revision that
 * it is meant for, and what the server lacks is sent with the next piece.
 */
export class Streaming {
  /** The message as it was when it began, and what people wrote before it. */
  readonly sent: Sent;
  readonly #session: Session;
  /** All that was appended. */
  #text: string;
  /** How much of it the server has, and its revision. */
  #stored: number;
  #revision: number;
  #last: Promise<unknown> = Promise.resolve();

  /** Use `streamMessage` of a session. */
  constructor(session: Session, sent: Sent) {
    this.#session = session;
    this.sent = sent;
    this.#text = sent.message.content;
    this.#stored = this.#text.length;
    this.#revision = sent.message.revision;
  }

  /** Id of the message that grows. */
  get id(): string {
    return this.sent.id;
  }

  /**
   * Adds to the text. Calls that aren't waited for keep their order. Throws a `ChangedError` if somebody else changed or took back the
   * message. After any other error the text is kept, and sent with the next piece.
   */
  async append(text: string): Promise<void> {
    this.#text += text;
    await this.#inTurn(() => this.#send());
  }

  /** Sends what is left and sets the status `final`. */
  finish(): Promise<Message> {
    return this.#inTurn(() => this.#send('final'));
  }

  /** Breaks the text off: what is there stays, with the status `error`. */
  fail(): Promise<Message> {
    return this.#inTurn(() => this.#send('error'));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #send(status?: 'final' | 'error'): Promise<Message> {
    for (;;) {
      // Half a character waits for its other half.
      const whole = status === undefined && /[\uD800-\uDBFF]$/.test(this.#text) ? this.#text.length - 1 : this.#text.length;
      const append = this.#text.slice(this.#stored, whole);
      const update: UpdateMessage = { ...(append !== '' && { append }), ...(status && { status }), ifMatch: this.#revision };
      const message = await this.#session.update(this.id, update).catch((error: unknown) => {
        // An earlier piece arrived, and we never heard of it.
        const current = error instanceof ChangedError ? error.current : undefined;
        const ours = current !== undefined && this.#text.startsWith(current.content) && current.revision > this.#revision;
        if (!ours) throw error;
        return current;
      });
      this.#stored = message.content.length;
      this.#revision = message.revision;
      if (this.#stored >= whole && (status === undefined || message.status === status)) return message;
    }
  }
}

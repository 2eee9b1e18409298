// What people wrote, given once, although it may come twice: with the answer to a post, and by waiting.
import type { Message } from './message.js';

export class Inbox {
  /** Everything after the first `seq`, up to the second, was given. */
  #covered: { from: number; to: number } | undefined;
  /** What was given beyond. */
  readonly #given = new Set<number>();

  constructor(after?: number) {
    if (after !== undefined) this.begin(after);
  }

  /** What to ask for: all messages after this `seq`. Asking so, a lost answer loses no message. */
  get after(): number | undefined {
    return this.#covered?.to;
  }

  /** Says where to begin, unless that is known. */
  begin(seq: number): number {
    this.#covered ??= { from: seq, to: seq };
    return this.#covered.to;
  }

  /** Returns those that weren't given before. */
  give(messages: Message[]): Message[] {
    const fresh = messages.filter(({ seq }) => !this.#has(seq));
    for (const { seq } of fresh) this.#given.add(seq);
    return fresh;
  }

  /** Does the same with an answer that holds everything from `after` to `last`. */
  giveAll(messages: Message[], last: number): Message[] {
    const fresh = this.give(messages);
    if (this.#covered !== undefined) {
      this.#covered.to = Math.max(this.#covered.to, last);
      for (const seq of this.#given) if (this.#covers(seq)) this.#given.delete(seq);
    }
    return fresh;
  }

  #has(seq: number): boolean {
    return this.#given.has(seq) || this.#covers(seq);
  }

  #covers(seq: number): boolean {
    return this.#covered !== undefined && this.#covered.from < seq && seq <= this.#covered.to;
  }
}

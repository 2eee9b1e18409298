// A run: what an agent is given for one turn, and its end.
import type { Core } from './core.js';
import { isObject, snakeFields } from './names.js';

/** How a run begins. */
export interface BeginRun {
  /** How the prompt is written; `messages` if absent. */
  format?: 'messages' | 'anthropic' | 'openai' | 'text' | undefined;
  /** Where the notices of this run go; `system_prompt` if absent. */
  notices?: 'system_prompt' | 'prompt' | undefined;
  /** Notices of your own, for this run alone, behind those of the server. */
  systemNotices?: string[] | undefined;
  /** For an agent that keeps no conversation: everything that was said after this `seq`, its own messages included; 0 for all. */
  historyAfter?: number | undefined;
}

/** How a run ended. */
export interface EndRun {
  /** `done` if absent. */
  outcome?: 'done' | 'interrupted' | 'failed' | undefined;
  /** Of a run that failed: what went wrong. People see it, the model never does. */
  error?: string | undefined;
  /** The model that answered. */
  model?: string | undefined;
  /** Numbers of tokens. */
  usage?: { input: number; output: number; cache_read: number; cache_write: number } | undefined;
  /** In US dollars. */
  costUsd?: number | undefined;
}

/** A run that began. While it is open, beginning one gives the same again, byte for byte: an agent that crashes reads it anew. */
export class Run {
  /** Id of the run. */
  readonly id: string;
  /** The messages in the format that was asked for: an array, or a string for `text`. */
  readonly prompt: unknown;
  /** The text for the system prompt parameter, in this run only. Undefined without notices. */
  readonly system: string | undefined;
  /** The notices of this run, one by one. */
  readonly systemNotices: string[];
  /** Whether it was begun before and hadn't ended. */
  readonly resumed: boolean;
  readonly #core: Core;
  readonly #path: string;

  /** Use `beginRun` of a session. */
  constructor(core: Core, path: string, id: string, input: Record<string, unknown>) {
    this.#core = core;
    this.#path = `${path}/${encodeURIComponent(id)}/end`;
    this.id = id;
    this.prompt = input['prompt'];
    this.system = typeof input['system'] === 'string' ? input['system'] : undefined;
    const notices = input['system_notices'];
    this.systemNotices = Array.isArray(notices) ? notices.map(String) : [];
    this.resumed = input['resumed'] === true;
  }

  /** Ends the run. The first outcome holds: another one throws a `ConflictError`. */
  async end({ outcome, error, model, usage, costUsd }: EndRun = {}): Promise<void> {
    await this.#core.call('POST', this.#path, snakeFields({ outcome, error, model, usage, costUsd }));
  }
}

/** The run of an answer; undefined if none began. */
export function runOf(core: Core, path: string, answer: unknown): Run | undefined {
  if (!isObject(answer) || typeof answer['run'] !== 'string') return undefined;
  return new Run(core, path, answer['run'], answer);
}

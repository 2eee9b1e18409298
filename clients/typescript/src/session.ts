// One session of an agent: posting, changing, and hearing what people write.
import type { EndOutcome, Entry, HiddenRow } from './api/contract.js';
import { permission } from './approval.js';
import type { Asked } from './asking.js';
import { ApprovalRequest, Question } from './asking.js';
import type { Core, Waiting } from './core.js';
import { Deadline, LONG, listOf, newId, objectOf, repeated, withQuery } from './core.js';
import * as envelope from './envelope.js';
import { ChangedError, ConflictError, unreadable } from './errors.js';
import { Inbox } from './inbox.js';
import type {
  Answer,
  Decided,
  EditSession,
  ListMessages,
  MessageFields,
  MessagePage,
  PostMessage,
  Sent,
  SessionInfo,
  StructuredFields,
  UpdateMessage,
} from './message.js';
import { Message, infoOf } from './message.js';
import type { Camel } from './names.js';
import { camel, isObject, snakeFields } from './names.js';
import type {
  Approval,
  BuiltIn,
  Chart,
  Edit,
  FileItem,
  Frame,
  Payloads,
  Progress,
  ReviewComment,
  Series,
  TodoItem,
} from './payloads.js';
import type { BeginRun, Run } from './run.js';
import { runOf } from './run.js';
import { Streaming } from './streaming.js';
import { Watch } from './watch.js';

/** Longest wait of one request in seconds; the server allows 60. */
const WAIT = 50;
/** Messages of one answer. */
const LIMIT = 500;

/** What a tool call has beside its name and input. */
export interface ToolCallResult {
  /** Any JSON. */
  output?: unknown;
  error?: string | null | undefined;
  /** More keys of the payload, such as `exit_code`. */
  other?: object | undefined;
}

/** What a PROGRESS has beside its label and its figures. */
export interface ProgressFields {
  unit?: string | undefined;
  /** `running` if absent. */
  state?: Progress['state'];
  etaSeconds?: number | undefined;
}

/**
 * A session. Each message of a person is given once.
 *
 * ```ts
 * await session.sendMessage('Working on it.');
 * for (const message of await session.pending(30)) console.log(`${message.sender}: ${message.text}`);
 * ```
 */
export class Session {
  /** The id as it was made or named: it may be the agent's own, or a unique beginning. */
  readonly id: string;
  readonly #core: Core;
  readonly #inbox: Inbox;
  readonly #asked: Asked;

  /** Use `createSession` or `session` of a server. */
  constructor(core: Core, id: string, after: number | undefined) {
    this.id = id;
    this.#core = core;
    this.#inbox = new Inbox(after);
    this.#asked = {
      take: async (seq, wait, signal) => (await this.#take(seq, wait, 1, Infinity, signal)).messages[0],
      read: (message, patience, signal) => this.#read(message, patience, signal),
      give: (messages) => this.#inbox.give(messages),
    };
  }

  /** Returns the session as it is now. Throws a `NotFoundError` if it isn't there or another key made it. */
  async info(): Promise<SessionInfo> {
    return infoOf(objectOf(await this.#core.call('GET', this.#path()), 'session'));
  }

  /** Renames the session, or changes its working folder, branch, model or version. Absent fields stay. */
  async edit(changes: EditSession): Promise<SessionInfo> {
    return infoOf(objectOf(await this.#core.call('PATCH', this.#path(), snakeFields(changes))));
  }

  /**
   * Reports that the agent is alive. Posts, updates and waiting do so too. After a minute without any the session counts as idle, or as
   * lost if a tool call runs or a text is being written: while a tool runs long, call this about every 30 seconds.
   */
  async heartbeat(): Promise<void> {
    await this.#core.call('POST', this.#path('/heartbeat'), {});
  }

  /** Reports that the session is over. The first outcome holds; a person's message opens the session again. */
  async end(outcome: EndOutcome = 'done'): Promise<void> {
    await this.#core.call('POST', this.#path('/end'), { outcome });
  }

  /**
   * Posts a text, or any message: with a ready `messageMetadata`, as streaming, as a reply.
   *
   * It gets an id before it is sent, so sending it again after a lost answer adds nothing. With an `id` of your own that holds for a
   * program that starts again, too. Throws an `InvalidError`, which names the field that is wrong, and a `ConflictError` if the id was
   * used for another content.
   */
  async sendMessage(message: string | PostMessage, fields: MessageFields = {}): Promise<Sent> {
    return this.#post({ ...postOf(message), ...fields });
  }

  /** Posts up to 256 messages, all or none. */
  async sendMessages(messages: Iterable<string | PostMessage>): Promise<Sent[]> {
    const posts = Array.from(messages, (message) => bodyOf(postOf(message)));
    const answer = await this.#core.call('POST', this.#path('/messages/batch'), { messages: posts });
    return listOf(answer, 'messages').map((posted) => this.#sent(posted));
  }

  /**
   * Posts a message of any type, built in or one of your own. Null fields of the payload are left out.
   *
   * ```ts
   * await session.sendStructuredMessage('acme.deploy/plan', { title: 'Staging' }, { extras: { trace: 't-1' }, version: 2 });
   * ```
   *
   * Throws an `EnvelopeError` if type, version or extras make no envelope, and an `InvalidError` with `pointer` and `expected` if a
   * built-in type's payload is wrong.
   */
  sendStructuredMessage<Type extends BuiltIn>(
    messageType: Type,
    payload: Payloads[Type],
    fields?: StructuredFields,
  ): Promise<Sent>;
  sendStructuredMessage(messageType: string, payload: object | null, fields?: StructuredFields): Promise<Sent>;
  async sendStructuredMessage(messageType: string, payload: object | null, fields: StructuredFields = {}): Promise<Sent> {
    const { extras, version, ...rest } = fields;
    return this.#post({ ...rest, messageMetadata: envelope.build(messageType, payload, extras, version) });
  }

  /** Posts a TEXT: markdown. */
  sendText(content: string, fields: MessageFields = {}): Promise<Sent> {
    return this.sendMessage(content, fields);
  }

  /** Posts a CODE_EDIT: changes of files, shown as diffs. Without old content an edit creates its file, without new content it deletes it. */
  sendCodeEdit(edits: Iterable<Edit>, fields: StructuredFields = {}): Promise<Sent> {
    return this.sendStructuredMessage('CODE_EDIT', { edits: [...edits] }, fields);
  }

  /** Posts a TODO, the whole list as it is now. It replaces the one before. People may tick its boxes; a tick arrives like their messages. */
  sendTodo(todos: Iterable<TodoItem>, fields: StructuredFields = {}): Promise<Sent> {
    return this.sendStructuredMessage('TODO', { todos: [...todos] }, fields);
  }

  /**
   * Posts a TOOL_CALL: the use of a tool. Its result comes later, by `updateToolCall`, or as a message of the role `tool` with the same
   * `callId`. Until then, or until the agent posts a text, it runs: see `heartbeat`.
   */
  async sendToolCall(toolName: string, input: object = {}, fields: ToolCallResult & StructuredFields = {}): Promise<Sent> {
    const { output, error, other, ...rest } = fields;
    return this.sendStructuredMessage('TOOL_CALL', toolCall(toolName, input, { output, error, other }), rest);
  }

  /** Posts a FILE: files by name and content. `upload` of the server stores their bytes. */
  sendFile(files: Iterable<FileItem>, fields: StructuredFields = {}): Promise<Sent> {
    return this.sendStructuredMessage('FILE', { files: [...files] }, fields);
  }

  /** Posts an ERROR. A number as `retryAt` counts microseconds since 1970. */
  async sendError(
    errorType: string,
    message: string,
    fields: { frames?: Iterable<Frame>; retryable?: boolean; retryAt?: Date | number } & StructuredFields = {},
  ): Promise<Sent> {
    const { frames = [], retryable, retryAt, ...rest } = fields;
    const retry_at = retryAt instanceof Date ? retryAt.getTime() * 1000 : retryAt;
    const payload = {
      error_type: errorType,
      message,
      frames: [...frames],
      retryable: retryable ?? null,
      retry_at: retry_at ?? null,
    };
    return this.sendStructuredMessage('ERROR', payload, rest);
  }

  /** Posts a CHART of series of points. */
  async sendChart(
    chart: Chart['chart'],
    title: string,
    series: Iterable<Series>,
    fields: { x?: Chart['x']; unit?: string } & StructuredFields = {},
  ): Promise<Sent> {
    const { x, unit, ...rest } = fields;
    const payload = { chart, title, x: x ?? null, series: [...series], unit: unit ?? null };
    return this.sendStructuredMessage('CHART', payload, rest);
  }

  /** Posts a CODE_REVIEW: comments on the lines of a file. */
  async sendCodeReview(
    filePath: string,
    comments: Iterable<ReviewComment>,
    fields: { summary?: string } & StructuredFields = {},
  ): Promise<Sent> {
    const { summary, ...rest } = fields;
    return this.sendStructuredMessage(
      'CODE_REVIEW',
      { file_path: filePath, comments: [...comments], summary: summary ?? null },
      rest,
    );
  }

  /** Posts a PROGRESS: how far something has got. `updateProgress` moves it on. */
  async sendProgress(
    label: string,
    current?: number,
    total?: number,
    fields: ProgressFields & StructuredFields = {},
  ): Promise<Sent> {
    const { unit, state, etaSeconds, ...rest } = fields;
    return this.sendStructuredMessage('PROGRESS', progress(label, current, total, { unit, state, etaSeconds }), rest);
  }

  /** Begins a text that grows while it is written. Finish it with `finish` or `fail`: dropped, it stays `streaming`. */
  async streamMessage(fields: MessageFields = {}): Promise<Streaming> {
    return new Streaming(this, await this.#post({ ...fields, status: 'streaming' }));
  }

  /**
   * Changes a message that this agent posted. Absent fields stay.
   *
   * An `append` is done once, even if it is sent again: it goes out with the revision that it is meant for. Throws a `ChangedError` if
   * the message isn't at the revision `ifMatch` any more, a `ConflictError` if its status doesn't allow the change: a `final` message
   * only becomes `retracted`.
   */
  async update(message: string, changes: UpdateMessage): Promise<Message> {
    const body = snakeFields(changes);
    if (body['append'] != null && body['if_match'] == null) body['if_match'] = (await this.message(message)).revision;
    let sentBefore = false;
    return repeated(this.#core.patience, undefined, async () => {
      const again = sentBefore;
      sentBefore = true;
      try {
        return messageOf(await this.#core.once('PATCH', this.#messagePath(message), body));
      } catch (error) {
        const current = error instanceof ConflictError || error instanceof ChangedError ? error.current : undefined;
        if (again && current !== undefined && isDone(body, current)) return current;
        throw error;
      }
    });
  }

  /**
   * Adds the result of a tool call that was posted before. What is given is the whole call. With an `error` the call failed, whatever its
   * `output`; with an `output` alone it succeeded.
   */
  async updateToolCall(
    message: string,
    toolName: string,
    input: object = {},
    fields: ToolCallResult & { extras?: object } = {},
  ): Promise<Message> {
    return this.update(message, {
      messageMetadata: envelope.build('TOOL_CALL', toolCall(toolName, input, fields), fields.extras),
    });
  }

  /** Moves a PROGRESS on, in place. */
  async updateProgress(
    message: string,
    label: string,
    current?: number,
    total?: number,
    fields: ProgressFields & { extras?: object } = {},
  ): Promise<Message> {
    return this.update(message, {
      messageMetadata: envelope.build('PROGRESS', progress(label, current, total, fields), fields.extras),
    });
  }

  /** Takes a message back. It keeps its place. Taking it back again is no error. */
  async retract(message: string): Promise<Message> {
    try {
      return messageOf(await this.#core.call('DELETE', this.#messagePath(message)));
    } catch (error) {
      if (error instanceof ConflictError && error.current?.status === 'retracted') return error.current;
      throw error;
    }
  }

  /**
   * Asks a question and waits for the answer, however long it takes, across restarts of the server. The session shows that it needs
   * somebody. With an `id` of your own, a program that starts again and asks again gets the answer that came in the meantime. Throws a
   * `WithdrawnError` once the question is taken back. To wait for a while only, use `question`, whose waiting can be taken up again.
   */
  async ask(question: string | PostMessage, fields: MessageFields & Waiting = {}): Promise<Answer> {
    const { signal, ...rest } = fields;
    const asked = await this.question(question, rest);
    const answer = await asked.answer({ signal });
    return { ...answer, queuedUserMessages: [...asked.sent.queuedUserMessages, ...answer.queuedUserMessages] };
  }

  /** Asks a question, and doesn't wait yet. */
  async question(question: string | PostMessage, fields: MessageFields = {}): Promise<Question> {
    const sent = await this.sendMessage(question, { ...fields, requiresUserInput: true });
    return new Question(this, this.#asked, sent);
  }

  /** Asks for the permission to do something, and waits as `ask` does: `if ((await session.approve('Publish 1.4')).allowed)`. */
  approve(what: string, fields: StructuredFields & Waiting = {}): Promise<Decided> {
    return this.askApproval(permission(what), fields);
  }

  /**
   * Asks for a permission, a choice, a plan's acceptance or a form's values, with buttons, and waits as `ask` does. The module
   * `approval` makes the usual ones. With the `callId` of a TOOL_CALL, its input is shown beside the buttons, and the decision holds for
   * that input alone.
   */
  async askApproval(approval: Approval, fields: StructuredFields & Waiting = {}): Promise<Decided> {
    const { signal, ...rest } = fields;
    const request = await this.requestApproval(approval, rest);
    const decided = await request.decision({ signal });
    return { ...decided, queuedUserMessages: [...request.sent.queuedUserMessages, ...decided.queuedUserMessages] };
  }

  /** Posts an APPROVAL, and doesn't wait yet. */
  async requestApproval(approval: Approval, fields: StructuredFields = {}): Promise<ApprovalRequest> {
    return new ApprovalRequest(this, this.#asked, await this.sendStructuredMessage('APPROVAL', approval, fields));
  }

  /**
   * Returns what people wrote that wasn't given yet, oldest first. Waits for the first one, `wait` seconds at most; empty if none came.
   * Throws a `ForbiddenError` for a key without the scope `read`.
   */
  async pending(wait = 0, { signal }: Waiting = {}): Promise<Message[]> {
    const until = Date.now() + wait * 1000;
    // Returns what is there already, even if `wait` is 0.
    let fresh = await this.#takeNew(0, signal);
    while (fresh.length === 0 && Date.now() < until) {
      const left = until - Date.now();
      // The server waits for whole seconds, so this may give up first. Nothing is lost: the next request asks the same.
      const deadline = new Deadline(left, signal);
      try {
        fresh = await this.#takeNew(Math.min(Math.ceil(left / 1000), WAIT), deadline.signal);
      } catch (error) {
        if (!deadline.expired) throw error;
      } finally {
        deadline.release();
      }
    }
    return fresh;
  }

  /**
   * Begins a run: what people and the system said since the last one, with the notices of this run. A run that is open is given again
   * instead. Throws a `ConflictError` if that one was begun in another format.
   */
  async beginRun(begin: BeginRun = {}, waiting: Waiting = {}): Promise<Run> {
    const run = await this.#begin(begin, undefined, waiting.signal);
    if (run === undefined) throw unreadable('a run has no id');
    return run;
  }

  /** Waits for something that wakes the agent, and begins a run with it. Undefined if nothing came within `wait` seconds. */
  async nextRun(wait: number, begin: BeginRun = {}, { signal }: Waiting = {}): Promise<Run | undefined> {
    const until = Date.now() + wait * 1000;
    for (;;) {
      const left = Math.max(until - Date.now(), 0);
      const run = await this.#begin(begin, Math.min(Math.ceil(left / 1000), WAIT), signal);
      if (run !== undefined || Date.now() >= until) return run;
    }
  }

  async #begin(begin: BeginRun, wait: number | undefined, signal: AbortSignal | undefined): Promise<Run | undefined> {
    const path = this.#path('/runs');
    const answer = await this.#core.call('POST', path, snakeFields({ ...begin, wait }), { timeout: LONG, signal });
    const run = runOf(this.#core, path, answer);
    // The run gave it: the queue goes on behind.
    if (run !== undefined) this.#inbox.giveAll([], Number(objectOf(answer)['to']));
    return run;
  }

  /**
   * Returns a page of its messages: the last ones, or those `after`, `before` or `around` a `seq`. Where they are long it has fewer than
   * `limit`: go on after its `to` until that is `lastSeq`.
   */
  async messages(query: ListMessages = {}): Promise<MessagePage> {
    const answer = await this.#core.call('GET', withQuery(this.#path('/messages'), snakeFields(query)));
    const messages = listOf(answer, 'messages').map(messageOf);
    const page = camel({ ...objectOf(answer), messages: [], hidden: [] }) as Omit<MessagePage, 'messages' | 'hidden'>;
    return { ...page, messages, hidden: camel(listOf(answer, 'hidden')) as Array<Camel<HiddenRow>> };
  }

  /** Returns one message, by its id or its `seq`. Throws a `NotFoundError`. */
  message(id: string | number): Promise<Message> {
    return this.#read(String(id), this.#core.patience, undefined);
  }

  /**
   * Returns what the model's context held when it wrote a message, or its last one, with the names of fields that the API has. Of a
   * message of a person, it is the first request that held it. Throws a `NotFoundError`.
   */
  async context(at?: string | number): Promise<Record<string, unknown>> {
    return objectOf(await this.#core.call('GET', withQuery(this.#path('/context'), { at })));
  }

  /** Watches what changes in it from now on, or after a cursor. `signal` ends it with an error. */
  watch({ after, signal }: { after?: string | undefined } & Waiting = {}): Watch {
    return new Watch(this.#core, this.id, after, signal);
  }

  #path(rest = ''): string {
    return `/v1/sessions/${encodeURIComponent(this.id)}${rest}`;
  }

  #messagePath(message: string): string {
    return this.#path(`/messages/${encodeURIComponent(message)}`);
  }

  async #post(message: PostMessage): Promise<Sent> {
    return this.#sent(await this.#core.call('POST', this.#path('/messages'), bodyOf(message)));
  }

  #sent(posted: unknown): Sent {
    const message = messageOf(posted);
    const { pos, replayed } = objectOf(posted);
    const queuedUserMessages = this.#inbox.give(listOf(posted, 'queued_user_messages').map(messageOf));
    return { id: message.id, message, pos: Number(pos ?? 0), replayed: replayed === true, queuedUserMessages };
  }

  async #read(message: string, patience: number, signal: AbortSignal | undefined): Promise<Message> {
    return messageOf(
      objectOf(await this.#core.call('GET', this.#messagePath(message), undefined, { patience, signal }), 'entry'),
    );
  }

  /** Makes one request of the queue: everything after `after`, even if it was given before. */
  async #take(after: number, wait: number, limit: number, patience: number, signal: AbortSignal | undefined) {
    const answer = await this.#core.call(
      'POST',
      this.#path('/pending'),
      { after, wait, limit },
      { patience, signal, timeout: LONG },
    );
    return { messages: listOf(answer, 'messages').map(messageOf), last: Number(objectOf(answer)['after'] ?? after) };
  }

  async #takeNew(wait: number, signal: AbortSignal | undefined): Promise<Message[]> {
    const after = this.#inbox.after ?? this.#inbox.begin(await this.#delivered(signal));
    const { messages, last } = await this.#take(after, wait, LIMIT, this.#core.patience, signal);
    return this.#inbox.giveAll(messages, last);
  }

  async #delivered(signal: AbortSignal | undefined): Promise<number> {
    return infoOf(objectOf(await this.#core.call('GET', this.#path(), undefined, { signal }), 'session')).deliveredSeq;
  }
}

function postOf(message: string | PostMessage): PostMessage {
  return typeof message === 'string' ? { content: message } : message;
}

/** Returns the body of a post, with an id: what has one can be sent again. */
function bodyOf({ extras, ...message }: PostMessage): Record<string, unknown> {
  const metadata = extras === undefined ? {} : { messageMetadata: envelope.withExtras(message.messageMetadata, extras) };
  return snakeFields({ ...message, ...metadata, id: message.id ?? newId() });
}

function messageOf(answer: unknown): Message {
  if (!isObject(answer) || typeof answer['id'] !== 'string' || typeof answer['seq'] !== 'number')
    throw unreadable('it is no message');
  return new Message(answer as unknown as Entry);
}

function toolCall(toolName: string, input: object, { output, error, other }: ToolCallResult): Payloads['TOOL_CALL'] {
  return { ...other, tool_name: toolName, input: input as Record<string, unknown>, output, error: error ?? null };
}

function progress(
  label: string,
  current: number | undefined,
  total: number | undefined,
  { unit, state, etaSeconds }: ProgressFields,
): Progress {
  const figures = { current: current ?? null, total: total ?? null, unit: unit ?? null };
  return { label, ...figures, state: state ?? 'running', eta_seconds: etaSeconds ?? null };
}

/** Returns whether the message was changed so by the request before, whose answer was lost. */
function isDone(changes: Record<string, unknown>, { raw }: Message): boolean {
  const same = (name: string, stored: unknown) => changes[name] == null || changes[name] === stored;
  const { if_match: was, append, message_metadata: metadata } = changes;
  return (
    (was == null || was === raw.revision - 1) &&
    same('content', raw.content) &&
    same('status', raw.status) &&
    same('requires_user_input', raw.requires_user_input) &&
    (typeof append !== 'string' || raw.content.endsWith(append)) &&
    (metadata === undefined || (metadata === null ? raw.metadata == null : holds(metadata, raw.metadata)))
  );
}

/** Returns whether the stored metadata is the sent one. The server leaves out nulls and adds defaults. */
function holds(sent: unknown, stored: unknown): boolean {
  if (Array.isArray(sent))
    return Array.isArray(stored) && sent.length === stored.length && sent.every((one, at) => holds(one, stored[at]));
  if (!isObject(sent)) return sent === stored;
  return isObject(stored) && Object.entries(sent).every(([key, value]) => value == null || holds(value, stored[key]));
}

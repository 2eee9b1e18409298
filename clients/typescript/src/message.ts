// Messages as an agent's program handles them.
import type * as api from './api/contract.js';
import type { Context, Entry, Role, Status } from './api/contract.js';
import type { Camel, CamelFields, Open } from './names.js';
import { camel, isObject } from './names.js';
import type {
  Action,
  Approval,
  ApprovalState,
  Body,
  BuiltIn,
  Chart,
  CodeEdit,
  CodeReview,
  Decision,
  ErrorReport,
  File,
  Payloads,
  Progress,
  Todo,
  ToolCall,
} from './payloads.js';
import { answerOf, bodyOf, tickedOf } from './payloads.js';

/** A stored message with its typed payload. Words and fields that this version doesn't know are kept. */
export class Message {
  /** The message as the API sends it. */
  readonly raw: Entry;
  #body: Body | undefined;

  constructor(raw: Entry) {
    this.raw = raw;
  }

  /** Its id, unique in its session for ever. */
  get id(): string {
    return this.raw.id;
  }

  /** Id of its session. */
  get sessionId(): string {
    return this.raw.session_id;
  }

  /** Its position in the session, from 1, without gaps. It is the only order. */
  get seq(): number {
    return this.raw.seq;
  }

  /** 1 when it was posted, one more with each accepted change. `ifMatch` of `update` takes it. */
  get revision(): number {
    return this.raw.revision;
  }

  get role(): Open<Role> {
    return this.raw.role;
  }

  /** Who exactly: `bot`. */
  get sender(): string {
    return this.raw.sender;
  }

  /** The sender's name, for people. */
  get senderName(): string | undefined {
    return this.raw.sender_name ?? undefined;
  }

  get status(): Open<Status> {
    return this.raw.status;
  }

  get context(): Open<Context> {
    return this.raw.context;
  }

  /** Whether the session waits for a person's answer to it. */
  get requiresUserInput(): boolean {
    return this.raw.requires_user_input === true;
  }

  /** Its markdown, as it was written or as the server made it from the payload. Never cut. */
  get content(): string {
    return this.raw.content ?? '';
  }

  /** One line. */
  get summary(): string {
    return this.raw.summary ?? '';
  }

  /** The agent's own id of a tool call. */
  get callId(): string | undefined {
    return this.raw.call_id ?? undefined;
  }

  /** Id of the message that it answers. */
  get replyTo(): string | undefined {
    return this.raw.reply_to ?? undefined;
  }

  /** The agent's own id of the turn that it belongs to. */
  get runId(): string | undefined {
    return this.raw.run_id ?? undefined;
  }

  /** When its writer says that it was written. Never used for order. */
  get createdAt(): Date {
    return new Date(this.raw.created_at / 1000);
  }

  /** Its envelope, any other object, or undefined. */
  get messageMetadata(): Record<string, unknown> | undefined {
    return isObject(this.raw.metadata) ? this.raw.metadata : undefined;
  }

  /** The tag of its type: `TEXT` where the metadata names none. */
  get messageType(): Open<BuiltIn> {
    const tag = this.messageMetadata?.['message_type'];
    return typeof tag === 'string' ? tag : 'TEXT';
  }

  /** Version of the payload's format. */
  get version(): number {
    const version = this.messageMetadata?.['version'];
    return typeof version === 'number' ? version : 1;
  }

  /** Its payload as JSON, empty if there is none. `body` is the same, typed. */
  get payload(): Record<string, unknown> {
    const metadata = this.messageMetadata ?? {};
    const payload = 'message_type' in metadata ? metadata['payload'] : undefined;
    return isObject(payload) ? payload : {};
  }

  /** Its typed payload. A type that isn't built in is `UNKNOWN`, a payload that doesn't fit its type `INVALID`. */
  get body(): Body {
    return (this.#body ??= bodyOf(this.messageType, this.payload));
  }

  #as<Type extends BuiltIn>(type: Type): Payloads[Type] | undefined {
    return this.body.type === type ? (this.body.payload as Payloads[Type]) : undefined;
  }

  /** The payload of a CODE_EDIT. */
  get codeEdit(): CodeEdit | undefined {
    return this.#as('CODE_EDIT');
  }

  /** The payload of a TODO. From a person: the boxes that were ticked. */
  get todo(): Todo | undefined {
    return this.#as('TODO');
  }

  /** The payload of a TOOL_CALL. */
  get toolCall(): ToolCall | undefined {
    return this.#as('TOOL_CALL');
  }

  /** The payload of an APPROVAL. */
  get approval(): Approval | undefined {
    return this.#as('APPROVAL');
  }

  /** The payload of an ACTION: the buttons that a person pressed. */
  get action(): Action | undefined {
    return this.#as('ACTION');
  }

  /** The payload of a FILE. */
  get file(): File | undefined {
    return this.#as('FILE');
  }

  /** The payload of an ERROR. */
  get error(): ErrorReport | undefined {
    return this.#as('ERROR');
  }

  /** The payload of a CHART. */
  get chart(): Chart | undefined {
    return this.#as('CHART');
  }

  /** The payload of a CODE_REVIEW. */
  get codeReview(): CodeReview | undefined {
    return this.#as('CODE_REVIEW');
  }

  /** The payload of a PROGRESS. */
  get progress(): Progress | undefined {
    return this.#as('PROGRESS');
  }

  /** What a model should read: what was typed, chosen or ticked. Empty for what the host says, which none may. */
  get text(): string {
    if (this.role === 'host') return '';
    if (this.action !== undefined) return answerOf(this.action);
    return this.todo === undefined ? this.content : tickedOf(this.todo);
  }

  /** Returns whether a person answers this question with it: their words do, unless they are about another message. */
  answers(question: string): boolean {
    const approval = this.action?.approval_id ?? undefined;
    if (this.role !== 'user' || (this.raw.part ?? 'whole') !== 'whole' || this.messageType === 'TODO' || approval !== undefined)
      return false;
    return (this.action?.reply_to ?? this.replyTo ?? question) === question;
  }

  /** Returns the message as the API sends it. */
  toJSON(): Entry {
    return this.raw;
  }
}

/** A message that was stored, and what people wrote before it. */
export interface Sent {
  /** Id of the stored message. */
  readonly id: string;
  /** As it is stored. */
  readonly message: Message;
  /** Position in the workspace's feed: an event with this `pos` or a higher one comes after it. */
  readonly pos: number;
  /** It was stored already: the same id was sent before, with the same content. */
  readonly replayed: boolean;
  /** What people wrote to the agent since its last call, oldest first. Given once. */
  readonly queuedUserMessages: Message[];
}

/** What a person answered to a question. */
export interface Answer {
  /** What was typed or chosen, as a model should read it. */
  readonly text: string;
  /** The person's message: a TEXT, or an ACTION if a button was pressed. */
  readonly message: Message;
  /** What else people wrote, before the question and while it was open. Given once. */
  readonly queuedUserMessages: Message[];
}

/** What became of an APPROVAL. */
export interface Decided {
  /** Whether a person allowed it. Any other outcome is no permission. */
  readonly allowed: boolean;
  /** How it ended: `allowed_once`, `denied`, `expired`. Never `open`. */
  readonly state: Open<ApprovalState>;
  /** What was chosen, typed or filled in; empty if nobody answered. */
  readonly text: string;
  /** Who decided what, by ids. Undefined if nobody did, as when it expired. */
  readonly decision: Decision | undefined;
  /** The person's ACTION: labels of what was chosen, a form's values, a text. Undefined if nobody decided it in Verbatim. */
  readonly action: Action | undefined;
  /** What else people wrote, before it was asked and while it was open. Given once. */
  readonly queuedUserMessages: Message[];
}

/** Messages of a session, in their order. */
export interface MessagePage {
  messages: Message[];
  /** What the dev toggle hides between `from` and `to`, without content. */
  hidden: Array<Camel<api.HiddenRow>>;
  /** The first `seq` that the page covers. */
  from: number;
  /** The last one: the rest comes `after` it, until it is `lastSeq`. */
  to: number;
  /** Highest `seq` of the session. */
  lastSeq: number;
  /** Where the event stream is at the time of this answer. */
  cursor: string;
}

/** A session as it is. Times are microseconds since 1970. */
export type SessionInfo = Camel<api.Session> & {
  /** What people wrote up to this `seq` was given to the agent. */
  deliveredSeq: number;
};
/** A page of sessions. */
export type SessionPage = Omit<Camel<api.SessionPage>, 'sessions'> & { sessions: SessionInfo[] };
/** Who the server takes us for. */
export type Me = Camel<api.Me>;
/** Bytes that are stored. The fields go into a file of `sendFile` as they are. */
export type StoredBlob = Camel<api.BlobMade>;
/** What changed: read it with `messages({from, to})`. */
export type Change = Camel<api.FeedEvent>;

/** One change, and the cursor after it. */
export interface Event {
  /** Keep it to go on from here later. */
  cursor: string;
  change: Change;
}

/** Reads a session. */
export function infoOf(session: unknown): SessionInfo {
  const info = camel(session) as Camel<api.Session>;
  return { ...info, deliveredSeq: info.deliveredSeq ?? 0 };
}

/** What a new session states. */
export type NewSession = CamelFields<Omit<api.NewSession, 'agent'>>;
/** What changes in a session. Absent fields stay. */
export type EditSession = CamelFields<Omit<api.EditSession, 'archived' | 'pinned'>>;
/** Filters, order and page of the sessions list. */
export type ListSessions = CamelFields<api.ListSessions>;
/** Place, filters and size of a page of messages. */
export type ListMessages = CamelFields<Omit<api.ListMessages, 'dev'>> & {
  /** With what the dev toggle hides. */
  dev?: boolean;
};

/** Fields of every message beside its content. */
export type MessageFields = CamelFields<Omit<api.PostMessage, 'content' | 'message_metadata' | 'created_at'>> & {
  /** An envelope, or any object. */
  messageMetadata?: object | null;
  /** Extra keys of the envelope beside the payload. Without `messageMetadata`, the envelope is that of a TEXT. */
  extras?: object | undefined;
  /** When it was said: shown, never used for order. A number counts microseconds since 1970, a string is RFC 3339. */
  createdAt?: Date | string | number | null;
};

/** A message: its content and its fields. */
export type PostMessage = MessageFields & {
  /** Markdown. Made from the payload where it is missing. */
  content?: string | null;
};

/** What a structured message has beside its type and payload. */
export type StructuredFields = Omit<PostMessage, 'messageMetadata'> & {
  /** Extra keys of the envelope beside the payload, such as `edit_info`. */
  extras?: object | undefined;
  /** Version of the payload's format. 1 if absent. */
  version?: number | undefined;
};

/** What changes in a message. Absent fields stay. */
export type UpdateMessage = CamelFields<Omit<api.UpdateMessage, 'message_metadata'>> & {
  /** Replaces the metadata as a whole; null clears it. */
  messageMetadata?: object | null;
};

// Made by clients/generate.mjs from docs/api/openapi.json.

import type { Edit, EditInfo, Micros } from './payloads.js';

/** A tool call that an approval asks about. The approval's `shown_sha256` covers all of it. */
export interface AskedCall {
  /** Id of the message. */
  message_id: MessageId;
  /** `seq` of the message. */
  seq: number;
  /** Name of the tool, as the agent uses it. */
  tool_name: string;
  /** Input, as the agent sent it. Never shortened. */
  input: Record<string, unknown>;
  /** File changes that the agent's request shows in addition to the input. */
  changes?: Array<AskedChange>;
  /** Files and folders in the request: `/work/src/main.rs:12`. */
  paths?: Array<string>;
  /** Texts in the request. */
  texts?: Array<string>;
}

/** A file change in a request, in the form of a `CODE_EDIT`. */
export interface AskedChange {
  /** Changed parts of the file, in order. */
  edits: Array<Edit>;
  /** One entry for each edit. */
  edit_info: Array<EditInfo>;
}

/** A stored file. `blob`, `mime` and `size` can be copied to a FILE message. */
export interface BlobMade {
  /** `sha256:` and the digest in hex. */
  blob: string;
  /** The `Content-Type` of the upload; `application/octet-stream` if it had none. */
  mime: string;
  /** Size in bytes. */
  size: number;
}

/** Whether a prompt that Verbatim builds can contain the message. Ordered: a sender can lower the policy's default, not raise it. */
export type Context = "none" | "ephemeral" | "turn";

/** Whether the agent has received a person's message: `{"state": "waiting"}`, or `{"state": "given", "at": ...}`. */
export type Delivery = {
  state: "waiting";
} | {
  state: "given";
  /** When it received it, in microseconds since 1970. */
  at: Micros;
};

/** How the dashboard shows a message. */
export type Display = "shown" | "collapsed" | "dev";

/** Changes to a session. Absent fields stay unchanged. */
export interface EditSession {
  /** Title. A person's title has priority over the agent's; an empty one removes it. */
  title?: string | null;
  /** Key of the project; an absolute path if known. */
  project?: string | null;
  /** The working folder. */
  cwd?: string | null;
  /** Git branch. */
  branch?: string | null;
  /** Name of the model. */
  model?: string | null;
  /** Version of the agent. */
  version?: string | null;
  /** True to archive it, false to take it back. People only. */
  archived?: boolean | null;
  /** True to pin it to the top of the list. People only. */
  pinned?: boolean | null;
}

/** Outcome of a session. */
export type EndOutcome = "done" | "failed";

/** A message with derived data. */
export interface Entry {
  /** Id of its session. */
  session_id: SessionId;
  /** Position in the session, from 1 without gaps. It defines the order, and updates don't change it. */
  seq: number;
  /** Number of the revision, from 1, incremented by each update. */
  revision: number;
  /** Id, unique within the session. */
  id: MessageId;
  /** Role of the message. The policy depends on it, the type and the provenance. */
  role: Role;
  /** Sender, verbatim: `bot`, `tui-user`, `command_output`, an address. */
  sender: string;
  /** Display name of the sender: `Nightly bot`. */
  sender_name?: string | null;
  /** Context, at most the policy's value for role and type. */
  context: Context;
  /** Progress of the message. */
  status: Status;
  /** True for a question in text that waits for a person. Set to false by the answer or by the sender. */
  requires_user_input: boolean;
  /** Readable text: markdown, or a preview of one paragraph. */
  content: string;
  /** Absent, an object of an older client, or an envelope: `message_type`, `version`, `payload`. */
  metadata: Record<string, unknown> | null;
  /** The agent's own id of a tool call. */
  call_id?: string | null;
  /** Id of the message that this one answers. Set by the sender. */
  reply_to?: MessageId | null;
  /** The agent's own id of the turn that it belongs to. */
  run_id?: string | null;
  /** True if a person rewound the conversation to before it, so that the agent's current context doesn't contain it. */
  left_behind?: boolean;
  /** Relation to a tool call. Set by readers; a posted message is `whole`. */
  part: Part;
  /** Who wrote the message to the store. If it is absent in JSON: `reader`. */
  provenance?: Provenance;
  /** Time, as the sender states it. Only shown; the order is by `seq`. */
  created_at: Micros;
  /** Circumstances of the message. Empty for a posted message. */
  origin: Origin;
  /** The lines of a transcript that it was read from. Empty for a posted message. */
  records?: Array<RecordRef>;
  /** When the server received it. */
  received_at: Micros;
  /** Message type; `TEXT` if the metadata has none. */
  message_type: string;
  /** Summary in one line. */
  summary: string;
  /** How the transcript shows it. */
  display: Display;
  /** True if it was copied from the session that this one was forked from. */
  copied?: boolean;
  /** True if the content is withheld: the message is of the host, or a notice of one run, and this reply may go to a model. The other fields are unchanged. */
  withheld?: boolean;
  /** Hash of what a person is shown, to be sent with the decision. Of an open APPROVAL, and of a FILE with buttons. Absent if this reply doesn't contain all that the hash covers; then `not_shown` has the reason. */
  shown_sha256?: string | null;
  /** Tool calls with the `call_id` of an open APPROVAL, as hashed by `shown_sha256`. */
  calls?: Array<AskedCall>;
  /** Why an open APPROVAL without a `shown_sha256` has no content in this reply. */
  not_shown?: NotShown | null;
  /** Whether an agent that posts by itself has received a person's message. */
  delivery?: Delivery | null;
  /** Outcome of a `TOOL_CALL` without a result of its own: `done` or `failed`, by the message of the role `tool` with its `call_id`. */
  outcome?: ToolState | null;
}

/** A filter value. */
export interface Facet {
  /** The value, as the filter accepts it. */
  value: string;
  /** Number of sessions with it. */
  sessions: number;
}

/** Filter values of all sessions, most frequent first. */
export interface Facets {
  /** Project keys. */
  projects: Array<Facet>;
  /** Agent names. */
  agents: Array<Facet>;
  /** Names of machines; `local` is the server's own. Empty if there are no others. */
  machines?: Array<Facet>;
}

/** Counts of a session for lists and badges, so that they need no request. */
export interface FeedCounts {
  /** Highest `seq`. */
  last_seq: number;
  /** Number of messages that people see by default. */
  messages: number;
  /** Open items of the latest todo list. */
  todos_open: number;
  /** Completed items of the latest todo list. */
  todos_done: number;
  /** Cancelled items of the latest todo list. */
  todos_cancelled?: number;
  /** Number of open approvals. */
  approvals_open: number;
}

/** A change in the workspace. A page reloads what it shows of it. */
export interface FeedEvent {
  /** Position in the workspace's feed: strictly increasing, with gaps. */
  pos: number;
  /** Kind of the change. */
  kind: FeedKind;
  /** Our id of the changed session. `.` if a setting of all sessions changed, such as the assistant's name. */
  session: string;
  /** First changed `seq`; 0 if `kind` is `session`. */
  from_seq: number;
  /** Last changed `seq`; equal to `from_seq` for one message, 0 if `kind` is `session`. */
  to_seq: number;
  /** Revision of a changed message after the change; otherwise 0. */
  revision: number;
  /** The session's counts when the event was sent, which may be later than the change. Absent if it was deleted. */
  counts?: FeedCounts | null;
}

/** The kind of a change. */
export type FeedKind = "message" | "range" | "session";

/** A hidden message, without its content. */
export interface HiddenRow {
  /** `seq` of the message. */
  seq: number;
  /** Role of the message. */
  role: Role;
  /** Sender of the message: `bot`. */
  sender: string;
  /** Message type; `TEXT` if the metadata has none. */
  message_type: string;
  /** True for a tool call that is shown as cards derived from it. It isn't counted as hidden. */
  replaced: boolean;
  /** Duration of a thought in microseconds, since the previous message. */
  took?: Micros | null;
  /** Number of context tokens that a compaction replaced. */
  compacted_from?: number | null;
  /** Set if the message belongs to a turn that a person left behind by rewinding the conversation. */
  left_behind?: LeftBehind | null;
}

/** The part of a message in a turn that was left behind. */
export type LeftBehind = "prompt" | "part";

export interface ListMessages {
  /** The page around this `seq`. */
  around?: number;
  /** The page that ends before this `seq`. */
  before?: number;
  /** The page that begins after this `seq`. */
  after?: number;
  /** With `to`: the first `seq`. */
  from?: number;
  /** With `from`: the last `seq`, inclusive, at most 500 after it. */
  to?: number;
  /** Messages created at this time or later, in the order of `seq`: RFC 3339, or microseconds since 1970. Continue with `after`, so that messages with equal times aren't lost. */
  since?: string;
  /** Only messages of these types. */
  type?: Array<string>;
  /** Only messages of these roles. */
  role?: Array<Role>;
  /** `1`: includes messages that the dev toggle hides. */
  dev?: number;
  /** Page size, 1 to 500; 60 if absent. A page has fewer if they are longer than about 8 MiB, but at least one. */
  limit?: number;
}

export interface ListSessions {
  /** Words in the title, project or branch. At most 500 characters. */
  q?: string;
  /** Only sessions of these projects. */
  project?: Array<string>;
  /** Only sessions of these agents. */
  agent?: Array<string>;
  /** Only sessions of these machines, by their names; `local` is the server's own. */
  machine?: Array<string>;
  /** A view. If absent, all sessions that have messages and aren't archived; sessions that match `q` need no messages. */
  show?: SessionShow;
  /** First day or time of the last activity: `2026-11-01` or RFC 3339. */
  since?: string;
  /** Last day (inclusive) or time of the last activity. */
  until?: string;
  /** Time zone of the days, like `Europe/Berlin`; the server's if absent. */
  zone?: string;
  /** Sort key; last activity if absent. */
  sort?: SessionSort;
  /** Direction. If absent: newest or most first, names from A. */
  order?: Order;
  /** Cursor: `next` of the previous page. */
  after?: string;
  /** Page size, 1 to 500; 100 if absent. */
  limit?: number;
  /** `1`: includes the agent's last text in each session. */
  said?: number;
}

/** The latest report of the agent's hooks. */
export interface Live {
  /** State of the agent. */
  state: LiveState;
  /** Reason in a few words: `Runs Bash`. */
  reason: string;
  /** When it was reported. */
  at: Micros;
}

/** State of an agent, as its hooks report it. */
export type LiveState = "working" | "waiting" | "idle" | "failed" | "done";

/** The caller. */
export interface Me {
  /** `owner`: a person in a browser, whatever their role. `local`: a command on the server's machine. `agent`: a program with a key. */
  kind: string;
  /** Display name. For an agent's key, the name of the key. */
  name: string;
  /** Always `default`. */
  workspace: string;
  /** Role of a person. */
  role?: PersonRole | null;
}

/** Whether a message may be remembered beyond its session, regardless of its role and type. */
export type MemoryWish = "always" | "never";

/** Id of a message, unique within its session. The id of an imported message is derived from the agent's own ids. */
export type MessageId = string;

/** A session to create, for an agent that posts by itself. */
export interface NewSession {
  /** Our id of the session; a `UUIDv7` if absent. An id makes the request repeatable. */
  id?: string | null;
  /** Name of the agent: `claude_code`, `nightly-bot`. 1 to 255 characters. */
  agent: string;
  /** The agent's own id. If it is known, the key that created the session continues it; another key gets 409 `session_taken`. If a person deleted the session: 409 `session_deleted`. */
  agent_session_id?: string | null;
  /** Title; derived from the first prompt if absent. */
  title?: string | null;
  /** Key of the project; the working folder if absent. */
  project?: string | null;
  /** The working folder. */
  cwd?: string | null;
  /** Git branch. */
  branch?: string | null;
  /** Name of the model. */
  model?: string | null;
  /** Version of the agent. */
  version?: string | null;
  /** Our id of the session that started this one. It must have the same `agent`, and be created with the same key. */
  parent?: string | null;
  /** The parent's tool call that started it. */
  call_id?: string | null;
}

/** Why a reply omits what an approval asks about. */
export interface NotShown {
  /** The reason, for programs. */
  reason: NotShownReason;
  /** Size of the omitted data, in bytes of JSON. Tool calls after the first MiB aren't counted. */
  bytes: number;
  /** `seq` of the first 20 tool calls with the approval's `call_id`. */
  calls: Array<number>;
}

/** Why the hash of what a person is shown is missing. */
export type NotShownReason = "too_large" | "left_out" | "no_content";

/** Direction of the order. */
export type Order = "asc" | "desc";

/** Circumstances of a message. Each of them can change within a session. */
export interface Origin {
  /** The working folder. */
  cwd?: string | null;
  /** Git branch. */
  branch?: string | null;
  /** Name of the model, as the provider uses it. */
  model?: string | null;
  /** Version of the agent. */
  version?: string | null;
  /** For messages of an agent's program in a transcript: the role in the record (`user`, `system`), or the type of its line (`attachment`). */
  record?: string | null;
}

/** Relation of a message to its tool call. A call and its derived messages count once. */
export type Part = "whole" | "derived" | "replaced";

/** The role of a person. Each one includes those before it. */
export type PersonRole = "viewer" | "member" | "owner";

/** A message to post. All fields are optional, but `content` or an envelope is required.  An `id` makes the request repeatable: the same id with the same content returns the stored message (200, `Idempotent-Replayed: true`); with different content it is refused (409). Without one, each request stores a message. */
export interface PostMessage {
  /** Id of the message, 1 to 128 characters, unique in its session. */
  id?: string | null;
  /** Role: `assistant` for an agent, `user` for a person. `tools`, `tool_result` and `bot` of older products are accepted too. */
  role?: Role | null;
  /** Sender, verbatim: `bot`, `tui-user`. With the role `assistant`, `thinking` changes the role to `model`, and `tool_use` and `tool_result` to `tool`. A sender that claims to be the host or the system is shown as the agent's own notice, and isn't part of any prompt. */
  sender?: string | null;
  /** Display name of the sender; the key's name if absent. */
  sender_name?: string | null;
  /** Markdown; made from the payload if absent. */
  content?: string | null;
  /** An envelope `{message_type, version, payload, ...}`, or any object. Replies call it `metadata`; that name is accepted too. */
  message_metadata?: object | null;
  /** True if the session waits for a person's answer. */
  requires_user_input?: boolean | null;
  /** The agent's own id of a tool call. The result comes as an update of the call's message, or as a message of the role `tool` with the same `call_id`: failed if it has the status `error` or an `exit_code` other than 0, otherwise done. */
  call_id?: string | null;
  /** Id of the message that this one answers. Without it, an answer of a person is for the open question, whichever it is. */
  reply_to?: string | null;
  /** The agent's own id of the turn. */
  run_id?: string | null;
  /** `final`, `streaming` or `error`. */
  status?: Status | null;
  /** Context of the message. It can restrict the policy's value, not extend it. */
  context?: Context | null;
  /** Whether the message may be remembered beyond its session. */
  memory?: MemoryWish | null;
  /** True to give a message of a person or of the system to the agent. If absent: true, unless an agent's key that isn't a bridge posts it, or the message can't be part of a prompt. */
  deliver?: boolean | null;
  /** Time of the message, RFC 3339 or microseconds since 1970. It is only shown; the order is by `seq`. */
  created_at?: unknown;
}

/** An error, with a title for people and a stable `code` for programs. Internal details are logged, never sent. */
export interface Problem {
  /** HTTP status. 0 if no response came, or it couldn't be read. */
  status: number;
  /** Stable code in `snake_case`: `not_found`, `invalid_field`, `database_newer`. */
  code: string;
  /** One sentence without a period at its end. */
  title: string;
  /** How to fix it. */
  hint?: string | null;
  /** The invalid field: name of a query parameter, or JSON pointer into the body. */
  field?: string | null;
  /** The values that the field accepts. */
  expected?: string | null;
  /** Seconds after which a retry may succeed. */
  retry_after?: number | null;
  /** The current message, if the request was based on an older state of it. */
  current?: unknown;
}

/** Who wrote a message to the store. Set by the importer and the hub, never by a request. */
export type Provenance = "reader" | "key" | "person" | "ourselves";

/** The verbatim bytes that a message was read from: `len` bytes at `offset` of a file, including line ends. */
export interface RecordRef {
  /** Id of the file. */
  source: SourceId;
  /** Offset in the file. */
  offset: number;
  /** Number of bytes. */
  len: number;
}

/** The author of a message. */
export type Role = "user" | "assistant" | "model" | "tool" | "system" | "host";

/** A stored session, with the counts that lists show. */
export interface Session {
  /** Our id. It never changes. */
  id: SessionId;
  /** Name of the agent: `claude_code`, `demo`. */
  agent: string;
  /** The agent's own id. For a sub-agent: `<parent's own id>/<agent id>`. */
  agent_session_id: string | null;
  /** For a sub-agent: the session that started it. */
  parent: SessionId | null;
  /** For a sub-agent: true if the session that started it isn't stored, so that this one has no parent. */
  parent_missing?: boolean;
  /** The session whose messages this one begins with, because it was forked or resumed to another file. */
  forked_from: SessionId | null;
  /** For a sub-agent: the parent's tool call that started it. */
  call_id: string | null;
  /** Title; otherwise the first prompt, otherwise the agent's own id. Never empty. */
  title: string;
  /** The machine that it is from. Absent for the server's own sessions. */
  machine?: SessionMachine | null;
  /** Key of the project: the folder in which the agent was started, if known. */
  project: string;
  /** The latest working folder. */
  cwd: string | null;
  /** The latest git branch. */
  branch: string | null;
  /** Name of the latest model. */
  model: string | null;
  /** The agent's latest version. */
  version: string | null;
  /** State, computed when it is read. */
  state: SessionState;
  /** The earliest time of its messages, or when it was created. */
  created_at: Micros;
  /** The latest time of its messages, never in the future. */
  last_activity_at: Micros;
  /** When a person archived it. Null if it isn't archived. */
  archived_at: Micros | null;
  /** When a person pinned it to the top of the list. */
  pinned_at?: Micros | null;
  /** When a person deleted it. It can be restored for some time. */
  deleted_at: Micros | null;
  /** When the agent reported its end. */
  ended_at?: Micros | null;
  /** Last heartbeat of an agent that posts by itself. */
  heartbeat_at?: Micros | null;
  /** The latest report of the agent's hooks, if it is newer than all messages. */
  live?: Live | null;
  /** True if its agent posts by itself, and gets people's messages. Others are read from files. */
  registered?: boolean;
  /** Id of the agent key that created it. */
  key_id?: string | null;
  /** Messages of people up to this `seq` were given to the agent. */
  delivered_seq?: number;
  /** Highest `seq`. */
  last_seq: number;
  /** Number of messages that people see by default: without system, model, note and replaced messages. */
  message_count: number;
  /** Number of lines that applied edits added. */
  lines_added: number;
  /** Number of lines that applied edits removed. */
  lines_removed: number;
  /** Open items of the latest todo list. */
  todos_open: number;
  /** Completed items of the latest todo list. */
  todos_done: number;
  /** Cancelled items of the latest todo list, which are neither open nor completed. */
  todos_cancelled?: number;
  /** Number of direct sub-agents' sessions. */
  child_count: number;
  /** Sum over its turns. Each API message counts once. */
  usage: Usage2;
  /** US dollars of all tokens with a known price: as agents report it, otherwise from the price table. Messages that it shares with another session count there. */
  cost_usd: number | null;
  /** The part of `cost_usd` that was computed from the price table. Absent if agents reported all of it. */
  computed_usd?: number | null;
}

/** Our id of a session: a `UUIDv7`. */
export type SessionId = string;

/** The machine that a session is from, where that isn't the server's own. */
export interface SessionMachine {
  /** Its name. */
  name: string;
  /** When it was last heard of, if it is offline: for 90 seconds, nothing came from it. */
  offline_since?: Micros | null;
}

/** A page of top-level sessions. */
export interface SessionPage {
  /** At most `limit`, in the requested order. */
  sessions: Array<Session>;
  /** Number of matching sessions on all pages. */
  total: number;
  /** Number of sessions without any filter. */
  all: number;
  /** Cursor of the next page. Null on the last page. */
  next: string | null;
  /** Values for the filters. */
  facets: Facets;
  /** The agent's last text by session id, as one line, if it is among the session's latest messages. Only if requested. */
  said?: Record<string, string> | null;
  /** Cursor of the event stream at the time of this reply. */
  cursor: string;
}

/** Views of the session list. */
export type SessionShow = "needs_you" | "pinned" | "archived";

/** Sort key of the session list. */
export type SessionSort = "activity" | "created" | "title" | "project" | "messages" | "tokens";

/** State of a session, computed from its messages and runs. */
export type SessionState = "needs_you" | "working" | "lost" | "quiet" | "failed" | "done" | "idle";

/** Id of an imported or followed file. */
export type SourceId = string;

/** Progress of a message. `sending` exists only in the browser. */
export type Status = "sending" | "streaming" | "final" | "error" | "retracted";

/** State of a tool call. */
export type ToolState = "running" | "done" | "failed" | "denied" | "cancelled" | "orphaned";

/** Changes to a message. Absent fields stay unchanged. `streaming` can become `final` or `error`; `final` and `error` can become `retracted`. Other changes of the status are refused (409). */
export interface UpdateMessage {
  /** Replaces the text. Can't be combined with `append`. */
  content?: string | null;
  /** Text to append to the content. A retry would append it twice: set `if_match` to the revision before, and the retry is refused (412) with the current message. */
  append?: string | null;
  /** Replaces the whole metadata; null removes it. Replies call it `metadata`; that name is accepted too. */
  message_metadata?: object | null;
  /** New status. */
  status?: Status | null;
  /** True to ask a person. A question that was answered can't be asked again (409 `answered`). */
  requires_user_input?: boolean | null;
  /** Revision that the caller knows, as in the `If-Match` header. If it differs: 412 with the current message. */
  if_match?: number | null;
}

/** Tokens as the provider counts them. `input` excludes cached tokens. */
export interface Usage2 {
  /** Uncached tokens that the model read. */
  input: number;
  /** Tokens that the model wrote, including reasoning. */
  output: number;
  /** Tokens read from the provider's cache. */
  cache_read: number;
  /** Tokens written to the provider's cache. */
  cache_write: number;
}

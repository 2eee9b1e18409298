// Made by clients/generate.mjs from docs/api/openapi.json.

import type { Edit, EditInfo, Micros } from './payloads.js';

/** A tool call that an approval asks about. All of it is covered by the approval's `shown_sha256`. */
export interface AskedCall {
  /** Id of the message. */
  message_id: MessageId;
  /** Its place in the session. */
  seq: number;
  /** As the agent calls the tool. */
  tool_name: string;
  /** As the agent sent it. Never cut. */
  input: Record<string, unknown>;
  /** Changes of files that the agent's request shows, beside the input. */
  changes?: Array<AskedChange>;
  /** Files and folders that the request names: `/work/src/main.rs:12`. */
  paths?: Array<string>;
  /** Texts that the request shows. */
  texts?: Array<string>;
}

/** The change of a file that a request shows, as a `CODE_EDIT` has it. */
export interface AskedChange {
  /** Parts of the file, in its order. */
  edits: Array<Edit>;
  /** One entry for each edit. */
  edit_info: Array<EditInfo>;
}

/** Bytes that are kept now, or were already. `blob`, `mime` and `size` go into a FILE message as they are. */
export interface BlobMade {
  /** `sha256:` and the digest in hex. */
  blob: string;
  /** The type that was said with the upload; `application/octet-stream` if none was. */
  mime: string;
  /** In bytes. */
  size: number;
}

/** Whether a prompt that Verbatim builds may hold the message. Ordered: a writer may lower the policy's default, never raise it. */
export type Context = "none" | "ephemeral" | "turn";

/** Whether the agent has got what a person wrote: `{"state": "waiting"}`, or `{"state": "given", "at": ...}`. */
export type Delivery = {
  state: "waiting";
} | {
  state: "given";
  /** When it was given. */
  at: Micros;
};

/** How the dashboard shows a message. */
export type Display = "shown" | "collapsed" | "dev";

/** What changes in a session. Absent fields stay. */
export interface EditSession {
  /** A person's title wins over the agent's; an empty one takes it back. */
  title?: string | null;
  /** Key of the project, an absolute path where known. */
  project?: string | null;
  /** The working folder. */
  cwd?: string | null;
  /** The branch that is checked out. */
  branch?: string | null;
  /** The model that answers. */
  model?: string | null;
  /** The agent's version. */
  version?: string | null;
  /** Put away, or taken back. People only. */
  archived?: boolean | null;
  /** Kept at the top of the list. People only. */
  pinned?: boolean | null;
}

/** How the agent reports its end. */
export type EndOutcome = "done" | "failed";

/** A message with what follows from it. */
export interface Entry {
  /** The session that it belongs to. */
  session_id: SessionId;
  /** Position in the session, from 1, gap-free; the only order. Updates keep it. */
  seq: number;
  /** Grows with each accepted update, from 1. */
  revision: number;
  /** Unique within the session, for ever. */
  id: MessageId;
  /** Whose voice it is. Decides, with type and provenance, how it is treated. */
  role: Role;
  /** Verbatim: `bot`, `tui-user`, `command_output`, an address. */
  sender: string;
  /** The sender for people: `Nightly bot`. */
  sender_name?: string | null;
  /** At most what the policy gives to role and type. */
  context: Context;
  /** How far it has got. */
  status: Status;
  /** A question in words, which waits for a person. The answer, or its writer, sets it to false. */
  requires_user_input: boolean;
  /** Always readable: markdown, or a preview of one paragraph. */
  content: string;
  /** None, a legacy object, or an envelope. `Envelope` says what stands in it. */
  metadata: Record<string, unknown> | null;
  /** The agent's own id of a tool call. */
  call_id?: string | null;
  /** The message that this one answers; the writer sets it. */
  reply_to?: MessageId | null;
  /** The agent's own id of the turn that it belongs to. */
  run_id?: string | null;
  /** A person rewound the conversation to before it: it was said, but the agent's present context lacks it. */
  left_behind?: boolean;
  /** Whether it stands for itself, or for a tool call. Readers set it; a posted message is `whole`. */
  part: Part;
  /** Who wrote the message into the store. Absent in JSON: `reader`. */
  provenance?: Provenance;
  /** The provider's time: shown, never used for order. */
  created_at: Micros;
  /** Where and with what it was made. Empty for a posted message. */
  origin: Origin;
  /** The lines of a transcript that it was read from. Empty for a posted message. */
  records?: Array<RecordRef>;
  /** When we got it, by our clock. */
  received_at: Micros;
  /** The tag of its type: `TEXT` where the metadata names none. */
  message_type: string;
  /** One line. */
  summary: string;
  /** Where the transcript shows it. */
  display: Display;
  /** Copied from the session that this one was forked from. */
  copied?: boolean;
  /** Its content isn't for this reader: a message of the host, or a notice of one run, read where it may go to a model. Place, role, status and times are as they are stored. */
  withheld?: boolean;
  /** Of an open APPROVAL, and of a FILE with buttons: hash of what a person is shown of it, to be sent with the decision. Absent where this reply doesn't hold all that the hash covers: `not_shown` says why. */
  shown_sha256?: string | null;
  /** Of an open APPROVAL: the tool calls with its `call_id`, as they were when `shown_sha256` was computed. */
  calls?: Array<AskedCall>;
  /** Of an open APPROVAL without a `shown_sha256`: why this reply leaves out what it asks about. */
  not_shown?: NotShown | null;
  /** Of what a person wrote to an agent that posts by itself: whether the agent has it. */
  delivery?: Delivery | null;
  /** Of a `TOOL_CALL` that has no result of its own: `done` or `failed`, as a message of the role `tool` with its `call_id` says. */
  outcome?: ToolState | null;
}

/** A value to filter by. */
export interface Facet {
  /** As the filter takes it. */
  value: string;
  /** How many sessions have it. */
  sessions: number;
}

/** Values to filter by, most frequent first, over all sessions. */
export interface Facets {
  /** By the project's key. */
  projects: Array<Facet>;
  /** By the agent's name. */
  agents: Array<Facet>;
}

/** What lists and badges show of a session, so that nothing has to be asked for it. */
export interface FeedCounts {
  /** Highest `seq`. */
  last_seq: number;
  /** As people count them. */
  messages: number;
  /** Items of the latest to-do list that aren't completed. */
  todos_open: number;
  /** Items of the latest to-do list that are completed. */
  todos_done: number;
  /** Items of the latest to-do list that were given up. */
  todos_cancelled?: number;
  /** Approvals that wait for a person. */
  approvals_open: number;
}

/** One change of the workspace. A page re-reads what it shows of it. */
export interface FeedEvent {
  /** Position in the workspace's feed: strictly increasing, with holes. */
  pos: number;
  /** What to read anew. */
  kind: FeedKind;
  /** Our id of the session that changed. `.` where a setting of all sessions did, as the name of the assistant. */
  session: string;
  /** First and last `seq` concerned; equal for one message, 0 for a session. */
  from_seq: number;
  /** Equal to `from_seq` for one message, 0 for a session. */
  to_seq: number;
  /** Of a changed message its revision after the change; else 0. */
  revision: number;
  /** The session's figures when the event was sent, which may be later than the change; absent once it is gone. */
  counts?: FeedCounts | null;
}

/** What a change of the feed is about. */
export type FeedKind = "message" | "range" | "session";

/** A message that is hidden, without its content. */
export interface HiddenRow {
  /** Its place in the session. */
  seq: number;
  /** Whose voice it is. */
  role: Role;
  /** The sender's word: `bot`. */
  sender: string;
  /** The tag of its type: `TEXT` where the metadata names none. */
  message_type: string;
  /** A tool call that its derived cards stand for: it isn't counted as hidden. */
  replaced: boolean;
  /** How long the agent thought, in microseconds: since the message before. Absent for everything but thoughts. */
  took?: Micros | null;
  /** Of a compaction: how many tokens of context it replaced. */
  compacted_from?: number | null;
  /** What it is of turns that a person left behind by rewinding the conversation. */
  left_behind?: LeftBehind | null;
}

/** What a message is of a turn that was left behind. */
export type LeftBehind = "prompt" | "part";

export interface ListMessages {
  /** A page around this `seq`. */
  around?: number;
  /** The page that ends before this `seq`. */
  before?: number;
  /** The page that begins after this `seq`. */
  after?: number;
  /** All from this `seq` ... */
  from?: number;
  /** ... to this one, both included; at most 500 apart. */
  to?: number;
  /** RFC 3339, or microseconds since 1970: messages created then or later, in the order of `seq`. Continue with `after`: equal timestamps are never lost. */
  since?: string;
  /** Of any of these message types. */
  type?: Array<string>;
  /** Of any of these roles. */
  role?: Array<Role>;
  /** `1`: with what the dev toggle hides. */
  dev?: number;
  /** 1 to 500; 60 if absent. A page has fewer messages where they are long: about 8 MiB of them, and at least one. */
  limit?: number;
}

export interface ListSessions {
  /** Words of the title, project or branch. At most 500 characters. */
  q?: string;
  /** Of any of these projects. */
  project?: Array<string>;
  /** Of any of these agents. */
  agent?: Array<string>;
  /** One of the views; if absent, all that aren't put away and in which something was said. What `q` names is found even if nothing was said in it. */
  show?: SessionShow;
  /** First day or moment of last activity: `2026-11-01` or RFC 3339. */
  since?: string;
  /** Last day (inclusive) or moment of last activity. */
  until?: string;
  /** The time zone whose days are meant, like `Europe/Berlin`; the server's if absent. */
  zone?: string;
  /** By last activity if absent. */
  sort?: SessionSort;
  /** The sort's own direction if absent: newest, or most, first; names from A. */
  order?: Order;
  /** Cursor: `next` of the previous page. */
  after?: string;
  /** 1 to 500; 100 if absent. */
  limit?: number;
  /** `1`: with what the agent said last in each session. */
  said?: number;
}

/** What the agent's hooks reported last. */
export interface Live {
  /** What the agent does. */
  state: LiveState;
  /** Why, in a few words: `Runs Bash`. */
  reason: string;
  /** When it was reported. */
  at: Micros;
}

/** What an agent's hooks report of it. */
export type LiveState = "working" | "waiting" | "idle" | "failed" | "done";

/** The caller. */
export interface Me {
  /** `owner` for a person in a browser, `local` for a command on the server's machine, `agent` for a key. */
  kind: string;
  /** For people: an agent's key has a name of its own. */
  name: string;
  /** Always `default`. */
  workspace: string;
}

/** Whether a message may be remembered beyond its session, whatever its role and type say. */
export type MemoryWish = "always" | "never";

/** Id of a message, unique within its session for ever. Of an imported message it is a function of the agent's own ids. */
export type MessageId = string;

/** A session of an agent that posts by itself. */
export interface NewSession {
  /** Ours; give one to be able to repeat the request. A `UUIDv7` if absent. */
  id?: string | null;
  /** Which agent: `claude_code`, `nightly-bot`. 1 to 255 characters. */
  agent: string;
  /** The agent's own id. Known already: that session is gone on with, by the key that made it. To another key the name is taken (409 `session_taken`); one that a person deleted is told of (409 `session_deleted`). */
  agent_session_id?: string | null;
  /** Made of the first prompt if absent. */
  title?: string | null;
  /** Key of the project; the working folder if absent. */
  project?: string | null;
  /** The working folder. */
  cwd?: string | null;
  /** The branch that is checked out. */
  branch?: string | null;
  /** The model that answers. */
  model?: string | null;
  /** The agent's version. */
  version?: string | null;
  /** Our id of the session that this one was started by: one of the same `agent`, made with the same key. Agents of other names have sessions of their own. */
  parent?: string | null;
  /** The parent's tool call that started it. */
  call_id?: string | null;
}

/** Why a reply leaves out what an approval asks about. */
export interface NotShown {
  /** For programs. */
  reason: NotShownReason;
  /** Size of what is covered, in bytes of JSON. Tool calls after the first MiB aren't counted. */
  bytes: number;
  /** `seq` of the first 20 tool calls with its `call_id`. */
  calls: Array<number>;
}

/** Why the hash of what a person is shown is missing. */
export type NotShownReason = "too_large" | "left_out" | "no_content";

/** Direction of an order. */
export type Order = "asc" | "desc";

/** Where and with what a message was made; each may change within a session. */
export interface Origin {
  /** The working folder. */
  cwd?: string | null;
  /** The git branch that was checked out. */
  branch?: string | null;
  /** The model that answered, as the provider names it. */
  model?: string | null;
  /** The agent's version. */
  version?: string | null;
  /** Of what a transcript's program wrote around the conversation: the role that the record gives it (`user`, `system`), or the type of its line where that is something else (`attachment`). */
  record?: string | null;
}

/** What a message is to its tool call. A pair counts once. */
export type Part = "whole" | "derived" | "replaced";

/** A message to be stored. Everything is optional but something to show: `content`, or an envelope.  Give an `id` of your own to be able to repeat the request: the same id with the same content is answered again (200, `Idempotent-Replayed: true`), with another content it is refused (409). Without one, each request is a message. */
export interface PostMessage {
  /** 1 to 128 characters, unique in its session for ever. */
  id?: string | null;
  /** `assistant` for an agent, `user` for a person. The older products' `tools`, `tool_result` and `bot` are taken too. */
  role?: Role | null;
  /** Who exactly, verbatim: `bot`, `tui-user`. With the role `assistant`, a word of the older products gives a text its voice: `thinking` the role `model`, `tool_use` and `tool_result` the role `tool`. What claims to be the host or the system is shown as the agent's own notice, and no prompt holds it. */
  sender?: string | null;
  /** For people: the key's name if absent. */
  sender_name?: string | null;
  /** Markdown. Made from the payload where it is missing. */
  content?: string | null;
  /** An envelope `{message_type, version, payload, ...}`, or any object. Replies call it `metadata`, and that is taken here too. */
  message_metadata?: object | null;
  /** The session waits for a person's answer. */
  requires_user_input?: boolean | null;
  /** The agent's own id of a tool call. Its result comes by an update of the call's message, or as a message of the role `tool` with the same `call_id`: it is done, or failed if that one has the status `error` or an `exit_code` other than 0. */
  call_id?: string | null;
  /** Id of the message that this one answers. Of several questions it answers that one; without it, a person answers whatever is asked. */
  reply_to?: string | null;
  /** The agent's own id of the turn that it belongs to. */
  run_id?: string | null;
  /** `final`, `streaming` or `error`. */
  status?: Status | null;
  /** Less than what the policy would give; never more. */
  context?: Context | null;
  /** Whether it may be remembered beyond its session. */
  memory?: MemoryWish | null;
  /** Of a message of a person or of the system: give it to the agent? If absent, unless an agent's key passes it on that is no bridge, or no prompt may hold it. */
  deliver?: boolean | null;
  /** RFC 3339, or microseconds since 1970: when it was said. Shown, never used for order. */
  created_at?: unknown;
}

/** What went wrong, in words for people and a stable `code` for programs. Internals are logged, never sent. */
export interface Problem {
  /** The HTTP status; 0 where no answer came or it couldn't be read. */
  status: number;
  /** Stable, in `snake_case`: `not_found`, `invalid_field`, `database_newer`. */
  code: string;
  /** One sentence without a trailing period. */
  title: string;
  /** What to do next. */
  hint?: string | null;
  /** The offending field: a query parameter's name, or a JSON pointer into the body. */
  field?: string | null;
  /** What the field should have held. */
  expected?: string | null;
  /** Seconds after which a repeat may succeed. */
  retry_after?: number | null;
  /** The message as it is, where the request went out from another state of it. */
  current?: unknown;
}

/** Who wrote a message into the store. The importer and the hub set it; no request can. */
export type Provenance = "reader" | "key" | "person" | "ourselves";

/** The verbatim bytes that a message came from: `len` bytes at `offset` of a source, line ends included. */
export interface RecordRef {
  /** The file that the bytes were read from. */
  source: SourceId;
  /** Bytes of the source before them. */
  offset: number;
  /** How many bytes. */
  len: number;
}

/** Whose voice. */
export type Role = "user" | "assistant" | "model" | "tool" | "system" | "host";

/** A stored session, with the sums that lists show. */
export interface Session {
  /** Our id. It never changes. */
  id: SessionId;
  /** Which agent: `claude_code`, `demo`. */
  agent: string;
  /** The agent's own id. Of a sub-agent: `<parent's own id>/<agent id>`. */
  agent_session_id: string | null;
  /** Of a sub-agent: the session that started it. */
  parent: SessionId | null;
  /** Of a sub-agent: the session that started it isn't stored, so this one stands by itself. */
  parent_missing?: boolean;
  /** The session whose messages this one begins with, as it was forked or resumed into another file. */
  forked_from: SessionId | null;
  /** Of a child: the parent's tool call that started it. */
  call_id: string | null;
  /** Never empty: a title, else the first prompt, else the agent's own id. */
  title: string;
  /** Key of the project, a path where known: the folder in which the agent was started. */
  project: string;
  /** The latest working folder. */
  cwd: string | null;
  /** The git branch that was checked out last. */
  branch: string | null;
  /** The model that answered last. */
  model: string | null;
  /** The agent's latest version. */
  version: string | null;
  /** Computed when it is read. */
  state: SessionState;
  /** The earliest time of its messages, or when it was made. */
  created_at: Micros;
  /** The latest time of its messages, never in the future. */
  last_activity_at: Micros;
  /** When a person put it away. Null while it is in the list. */
  archived_at: Micros | null;
  /** Kept at the top of the list. */
  pinned_at?: Micros | null;
  /** When a person deleted it. It can be restored for a while. */
  deleted_at: Micros | null;
  /** When the agent said that it is done. */
  ended_at?: Micros | null;
  /** The last sign of life of an agent that posts by itself. */
  heartbeat_at?: Micros | null;
  /** What the agent's hooks reported last, if it is newer than all messages. */
  live?: Live | null;
  /** Its agent posts by itself, and takes what people write. Others are read from files. */
  registered?: boolean;
  /** The agent key that made it. */
  key_id?: string | null;
  /** People's messages up to this `seq` were given to the agent. */
  delivered_seq?: number;
  /** Highest `seq`. */
  last_seq: number;
  /** Messages as people count them: without system, model, note and replaced rows. */
  message_count: number;
  /** Lines added and removed by applied edits. */
  lines_added: number;
  /** Lines removed by applied edits. */
  lines_removed: number;
  /** Items of the latest to-do list that aren't completed. */
  todos_open: number;
  /** Items of the latest to-do list that are completed. */
  todos_done: number;
  /** Items of the latest to-do list that were given up: they are neither open nor completed. */
  todos_cancelled?: number;
  /** Sessions of its sub-agents, without theirs. */
  child_count: number;
  /** Sum over its turns, each API message counted once. */
  usage: Usage2;
  /** US dollars of all tokens whose price is known: as agents say, else by the price table. What it has in common with another session counts there. */
  cost_usd: number | null;
  /** Of these, dollars that the price table gives; absent where agents said all of it. */
  computed_usd?: number | null;
}

/** Our id of a session: a `UUIDv7`. */
export type SessionId = string;

/** A page of top-level sessions. */
export interface SessionPage {
  /** At most `limit`, in the order that was asked for. */
  sessions: Array<Session>;
  /** Sessions that match, on all pages. */
  total: number;
  /** Sessions there are without any filter. */
  all: number;
  /** Cursor of the next page. Null at the end. */
  next: string | null;
  /** What the list can be filtered by. */
  facets: Facets;
  /** By the id of its session, as one line: the last text of the agent, if it is among the latest messages there. Only if it was asked for. */
  said?: Record<string, string> | null;
  /** Cursor of the event stream at the time of this answer. */
  cursor: string;
}

/** Which sessions a list is about. */
export type SessionShow = "needs_you" | "pinned" | "archived";

/** What a list of sessions is ordered by. */
export type SessionSort = "activity" | "created" | "title" | "project" | "messages" | "tokens";

/** The state of a session: a function of its messages and runs. */
export type SessionState = "needs_you" | "working" | "lost" | "quiet" | "failed" | "done" | "idle";

/** Id of an imported or followed file. */
export type SourceId = string;

/** How far a message has got. `sending` exists only in the browser. */
export type Status = "sending" | "streaming" | "final" | "error" | "retracted";

/** What became of a tool call. */
export type ToolState = "running" | "done" | "failed" | "denied" | "cancelled" | "orphaned";

/** What changes in a message. Absent fields stay. `streaming` becomes `final` or `error`; `final` and `error` become `retracted`; anything else is refused (409). */
export interface UpdateMessage {
  /** The whole new text. Not together with `append`. */
  content?: string | null;
  /** Text that goes on at the end of the content. Sent again after a lost answer it would stand there twice: give the revision that it goes on from in `if_match`, and a repeat is refused (412) with the message as it is. */
  append?: string | null;
  /** Replaces the metadata as a whole; null clears it. Replies call it `metadata`, and that is taken here too. */
  message_metadata?: object | null;
  /** The next status. */
  status?: Status | null;
  /** True asks a person; a question that was answered isn't asked again (409 `answered`). */
  requires_user_input?: boolean | null;
  /** The revision that the writer knows; as the header `If-Match` too. Another one: 412 with the message as it is. */
  if_match?: number | null;
}

/** Tokens as the provider counts them. Input excludes what the cache held. */
export interface Usage2 {
  /** Tokens read by the model that no cache held. */
  input: number;
  /** Tokens written by the model, reasoning included. */
  output: number;
  /** Tokens read from the provider's cache. */
  cache_read: number;
  /** Tokens written into the provider's cache. */
  cache_write: number;
}

// Made by scripts/generate.mjs from docs/api/openapi.json.

/** Names the approval or the message that it answers. Two options of one label are told apart by their ids, in the approval's `decision.selected`. */
export interface Action {
  /** Message id of the approval. */
  approval_id?: string | null;
  /** Message id of anything else that had buttons. */
  reply_to?: string | null;
  /** Labels of what was chosen. */
  selected?: Array<string>;
  /** Values of a form by field id. */
  values?: Record<string, unknown> | null;
  text?: string | null;
}

/** The answer to one question. */
export interface Answer {
  /** The question's own words. Absent for an answer to all that was asked. */
  question?: string | null;
  /** Ids of the chosen options. */
  selected?: Array<string>;
  /** What was typed. */
  text?: string | null;
  /** What was noted beside the answer. */
  note?: string | null;
}

export interface Approval {
  kind: ApprovalKind;
  title: string;
  /** Markdown: the plan, or what is asked in full. */
  body?: string | null;
  questions?: Array<Question>;
  fields?: Array<Field>;
  /** In the agent's own words: `low`, `high`. */
  risk?: string | null;
  state: ApprovalState;
  decision?: Decision | null;
}

export type ApprovalKind = "permission" | "question" | "plan" | "form";

/** All but `open` are final. An unknown outcome is never an approval. */
export type ApprovalState = "open" | "allowed_once" | "allowed_always" | "denied" | "answered" | "expired" | "cancelled" | "superseded" | "decided_elsewhere";

/** One option of a question. */
export interface Choice {
  id: string;
  label: string;
  description?: string | null;
  kind?: OptionKind | null;
}

/** One or more edits. What these strict keys can't say is in the envelope's `edit_info`. */
export interface CodeEdit {
  edits: Array<Edit>;
}

/** Who decided what. What a transcript doesn't tell stays absent. */
export interface Decision {
  state: ApprovalState;
  /** Ids of the chosen options. */
  selected?: Array<string>;
  text?: string | null;
  /** What was answered to each question, where that is known apart. `selected` and `text` hold all of it together. */
  answers?: Array<Answer>;
  /** The tool's input as the person changed it. */
  edited_input?: unknown;
  /** The rule that "always" made, in the agent's syntax. */
  rule?: string | null;
  by?: string | null;
  at?: Micros | null;
  /** `web`, `terminal`, `chat`. */
  via?: string | null;
  /** Name of the key that reports it. Set by the server; such a decision has `by: key`. */
  reported_by?: string | null;
  /** SHA-256 of what the person was shown, in hex. Set by the server, where it was decided in Verbatim. */
  shown_sha256?: string | null;
}

/** A file is created without old text and deleted without new text; both may be absent. */
export interface Edit {
  file_path: string;
  old_content?: string | null;
  new_content?: string | null;
  /** `rust`, `python`; for colouring. */
  language?: string | null;
}

/** What the strict keys of an edit can't say. On reading, what is absent or not understood is None. */
export interface EditInfo {
  state?: EditState | null;
  scope?: EditScope | null;
  /** Line of the fragment's first line, from 1. */
  start_line?: number | null;
  moved_from?: string | null;
  /** A unified diff, of an edit whose texts aren't known. */
  patch?: string | null;
  /** Why it isn't applied, in a line: `String to replace not found in file.` */
  note?: string | null;
}

/** What the two texts of an edit are. */
export type EditScope = "fragment" | "file";

export type EditState = "proposed" | "applied" | "partly_applied" | "failed" | "reverted" | "rejected";

export interface ErrorReport {
  /** `rate_limit`, `TypeError`. */
  error_type: string;
  message: string;
  /** Innermost call first. */
  frames?: Array<Frame>;
  retryable?: boolean | null;
  retry_at?: Micros | null;
}

/** One input of a form. */
export interface Field {
  id: string;
  label: string;
  type: FieldKind;
  required?: boolean | null;
  options?: Array<string> | null;
}

export type FieldKind = "text" | "number" | "date" | "select" | "checkbox";

/** At least one file. */
export interface File {
  files: Array<FileItem>;
}

/** A button on a file. */
export interface FileAction {
  id: string;
  label: string;
}

export interface FileItem {
  name: string;
  /** `image/png`. */
  mime: string;
  /** In bytes. */
  size: number;
  /** Content address: `sha256:` and the digest in hex. Absent where the bytes aren't there (yet). */
  blob?: string | null;
  state: FileState;
  error?: string | null;
  actions?: Array<FileAction>;
}

/** Whether a file can be read yet. */
export type FileState = "processing" | "ready" | "error";

export interface Frame {
  file?: string | null;
  /** From 1. */
  line?: number | null;
  function?: string | null;
  code?: string | null;
}

/** Microseconds since 1970-01-01T00:00:00Z. The model never asks a clock: whoever needs "now" passes it in. */
export type Micros = number;

/** What choosing an option means. */
export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export interface Question {
  question: string;
  /** A word or two, for a tab. */
  header?: string | null;
  options?: Array<Choice>;
  multi_select?: boolean | null;
  allow_text?: boolean | null;
}

/** At least one item. */
export interface Todo {
  todos: Array<TodoItem>;
}

/** On reading, what is absent or not understood is None. */
export interface TodoInfo {
  state?: TodoInfoState | null;
  /** In the agent's own words: `high`. */
  priority?: string | null;
  /** The item while it is worked on: `Fixing the parser`. */
  active_form?: string | null;
  /** What the agent calls it by: `2`. */
  number?: string | null;
  /** Who works on it. */
  owner?: string | null;
  /** Ids of items that must be done before. */
  blocked_by?: Array<string>;
  started_at?: Micros | null;
  ended_at?: Micros | null;
}

export type TodoInfoState = "blocked" | "cancelled" | "deleted";

export interface TodoItem {
  id: string;
  content: string;
  status: TodoStatus;
}

/** How far an item has got. What these three can't say is in the envelope's `todo_info`. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** Keys beyond the first four are kept; readers add the ones that the accessors name. */
export interface ToolCall {
  tool_name: string;
  /** As the agent sent it, nulls included. */
  input?: Record<string, unknown>;
  output?: unknown;
  error?: string | null;
  [key: string]: unknown;
}

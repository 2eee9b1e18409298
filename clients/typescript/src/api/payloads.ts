// Made by clients/generate.mjs from docs/api/openapi.json.

/** A person's answer to an approval or message. Options with equal labels can be distinguished by their ids in the approval's `decision.selected`. */
export interface Action {
  /** Id of the approval's message. */
  approval_id?: string | null;
  /** Id of another message with buttons. */
  reply_to?: string | null;
  /** Labels of the chosen options. */
  selected?: Array<string>;
  /** Values of a form by field id. */
  values?: Record<string, unknown> | null;
  /** Typed text. */
  text?: string | null;
}

/** The answer to one question. */
export interface ApprovalAnswer {
  /** Text of the question. Absent for an answer to the whole request. */
  question?: string | null;
  /** Ids of the chosen options. */
  selected?: Array<string>;
  /** Typed text. */
  text?: string | null;
  /** Note beside the answer. */
  note?: string | null;
}

/** A request that a person decides once. */
export interface Approval {
  /** Kind of the request. */
  kind: ApprovalKind;
  /** The request in one line, also for lists and notifications. */
  title: string;
  /** The plan or the full request, in markdown. */
  body?: string | null;
  /** Questions with options. A permission or a plan has one, usually with the text of the title. */
  questions?: Array<ApprovalQuestion>;
  /** Inputs of a form. */
  fields?: Array<Field>;
  /** Risk, by the agent's own name: `low`, `high`. */
  risk?: string | null;
  /** State; `open` if absent. An agent can't set states that are a person's decision. */
  state?: ApprovalState;
  /** The decision. Absent while it is open, and if nobody decided. */
  decision?: Decision | null;
}

/** Kind of the request. It determines how the request is drawn; the options determine the possible answers. */
export type ApprovalKind = "permission" | "question" | "plan" | "form";

/** State of a request. All states except `open` are final. An unknown outcome is never a permission. */
export type ApprovalState = "open" | "allowed_once" | "allowed_always" | "denied" | "answered" | "expired" | "cancelled" | "superseded" | "decided_elsewhere";

/** The horizontal axis of a chart. */
export type Axis = string | Array<Coordinate>;

/** A chart. */
export interface Chart {
  /** The kind of chart. */
  chart: ChartKind;
  /** The title, at most 200 characters. */
  title: string;
  /** The horizontal axis: an array of values, for each of which each series has a point; or the name of the axis, if points have an `x` of their own. */
  x?: Axis | null;
  /** At most 24 series with 20,000 points in total. An empty chart shows `No data`. */
  series: Array<Series>;
  /** The unit of the numbers: `ms`, `boats`. At most 40 characters. */
  unit?: string | null;
}

/** The kind of chart. */
export type ChartKind = "line" | "bar" | "area" | "scatter" | "pie";

/** One option of a question. */
export interface Choice {
  /** Id of the option, unique in the request. */
  id: string;
  /** Label of the button. */
  label: string;
  /** Description in one or two sentences, shown beside the option. */
  description?: string | null;
  /** Effect for a permission or a plan. Absent for a plain answer. */
  kind?: OptionKind | null;
}

/** One or more edits of files, shown as diffs. Further data is in the envelope's `edit_info`. */
export interface CodeEdit {
  /** In the order in which they were made. `edit_info` has one entry for each. */
  edits: Array<Edit>;
}

/** A review of one file. People's answers to its comments are in the envelope's `review_info`. */
export interface CodeReview {
  /** The path of the file, as in the edits of the session. */
  file_path: string;
  /** May be empty if there is a `summary`. */
  comments: Array<ReviewComment>;
  /** The overall verdict, in markdown. */
  summary?: string | null;
}

/** A value of `x`. */
export type Coordinate = number | string;

/** A decision. Fields that a transcript doesn't record are absent. */
export interface Decision {
  /** The decided state. */
  state: ApprovalState;
  /** Ids of the chosen options. */
  selected?: Array<string>;
  /** Typed text. */
  text?: string | null;
  /** Answer to each question, if known separately. `selected` and `text` contain all of them. */
  answers?: Array<ApprovalAnswer>;
  /** The tool's input after the person's changes. */
  edited_input?: unknown;
  /** The rule that "always" created, in the agent's syntax. */
  rule?: string | null;
  /** `owner` for a decision in Verbatim, `key` for one that an agent reports, otherwise the name that the sender gave. */
  by?: string | null;
  /** When it was decided. */
  at?: Micros | null;
  /** `web`, `terminal`, `chat`; `archive` for a decision from an imported archive. */
  via?: string | null;
  /** Name of the key that reported it. Set by the server; such a decision has `by: key`. */
  reported_by?: string | null;
  /** SHA-256 of what the person was shown, in hex. Set by the server for a decision in Verbatim. */
  shown_sha256?: string | null;
}

/** An edit of a file. Without old text it creates the file, without new text it deletes it; both may be absent. */
export interface Edit {
  /** Path of the file, as the agent names it: absolute, or relative to the working folder. */
  file_path: string;
  /** Text before the edit: the changed fragment or the whole file, see `edit_info`. Absent for a new file. */
  old_content?: string | null;
  /** Text after the edit. Absent for a deleted file. */
  new_content?: string | null;
  /** Language for syntax highlighting: `rust`, `python`. */
  language?: string | null;
}

/** Further information about an edit. When it is read, absent and invalid fields are None. */
export interface EditInfo {
  /** Outcome of the edit; `applied` if absent. */
  state?: EditState | null;
  /** Scope of `old_content` and `new_content`. Required when it is written. */
  scope?: EditScope | null;
  /** Line number of the fragment's first line, from 1. */
  start_line?: number | null;
  /** Path of the file before this edit renamed it. */
  moved_from?: string | null;
  /** A unified diff, if the texts are unknown. */
  patch?: string | null;
  /** Why it wasn't applied, in one line: `String to replace not found in file.` */
  note?: string | null;
}

/** Meaning of the two texts of an edit. */
export type EditScope = "fragment" | "file";

/** Outcome of an edit. */
export type EditState = "proposed" | "applied" | "partly_applied" | "rejected" | "failed" | "reverted";

/** An error of the agent or its provider. */
export interface ErrorReport {
  /** Kind of the error: `rate_limit`, `TypeError`. */
  error_type: string;
  /** Error message for people. */
  message: string;
  /** Stack trace, innermost call first. */
  frames?: Array<Frame>;
  /** Whether a retry may help; unknown if absent. */
  retryable?: boolean | null;
  /** When the agent retries. */
  retry_at?: Micros | null;
}

/** One input of a form. */
export interface Field {
  /** Id of the value, unique in the request. */
  id: string;
  /** Label of the input. */
  label: string;
  /** Kind of the value. */
  type: FieldKind;
  /** True if a value is required, and a checkbox must be ticked; false if absent. */
  required?: boolean | null;
  /** Options of a `select`. */
  options?: Array<string> | null;
}

/** Kind of a form's field, and the JSON type of its value. */
export type FieldKind = "text" | "number" | "date" | "select" | "checkbox";

/** One or more files, shown with previews and buttons. */
export interface File {
  /** Files, in display order. */
  files: Array<FileItem>;
}

/** A button on a file. */
export interface FileAction {
  /** Id of the button in the answer. */
  id: string;
  /** Label of the button; the id if it is blank. */
  label: string;
}

/** One file of a message. */
export interface FileItem {
  /** Name without a folder. */
  name: string;
  /** Media type: `image/png`. */
  mime: string;
  /** Size in bytes. */
  size: number;
  /** Content hash: `sha256:` and the digest in hex. Absent if the content isn't stored (yet). */
  blob?: string | null;
  /** State of the file. */
  state: FileState;
  /** Error message for people. */
  error?: string | null;
  /** Buttons, of which a person can press one per file. */
  actions?: Array<FileAction>;
}

/** State of a file. */
export type FileState = "processing" | "ready" | "error";

/** One call of a stack trace. */
export interface Frame {
  /** Path of the source file. */
  file?: string | null;
  /** Line number, from 1. */
  line?: number | null;
  /** Name of the function. */
  function?: string | null;
  /** The line of source code. */
  code?: string | null;
}

/** Microseconds since 1970-01-01T00:00:00Z. The model never asks a clock: whoever needs "now" passes it in. */
export type Micros = number;

/** Effect of an option. */
export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

/** A point of a series. */
export type Point = number | null | [Coordinate, number | null];

/** The progress of a task. */
export interface Progress {
  /** The name of the task: `Tests`. */
  label: string;
  /** The amount that is done. It may exceed `total`, which is an estimate. */
  current?: number | null;
  /** The amount at which the task is complete. Unknown if absent or 0. */
  total?: number | null;
  /** The unit of both amounts, in the plural: `files`. `bytes` are shown as KB, MB and so on. */
  unit?: string | null;
  /** The state of the task. */
  state: ProgressState;
  /** The remaining time in seconds. If absent, it is computed from the progress since the message was created. */
  eta_seconds?: number | null;
}

/** The state of the task. */
export type ProgressState = "running" | "done" | "failed";

/** One question of a request, with its options. */
export interface ApprovalQuestion {
  /** Full text of the question, by which its answer names it. */
  question: string;
  /** A word or two, for a tab. */
  header?: string | null;
  /** Options. If there are none, a person types the answer. */
  options?: Array<Choice>;
  /** True if several options can be chosen; false if absent. */
  multi_select?: boolean | null;
  /** True if a person can type an answer instead. If absent: only if there are no options. */
  allow_text?: boolean | null;
}

/** A comment on lines of the file. */
export interface ReviewComment {
  /** The comment, in markdown. */
  body: string;
  /** The side of the diff whose lines are meant; `new` if absent. */
  side?: Side;
  /** The first line, from 1. */
  start_line: number;
  /** The last line, included; `start_line` if absent. */
  end_line?: number | null;
  /** The severity. */
  severity: Severity;
  /** The text to replace the lines with. If it is empty, they are to be deleted. */
  suggestion?: string | null;
}

/** A series of numbers. */
export interface Series {
  /** The name, at most 200 characters. */
  name: string;
  /** Numbers, or pairs `[x, y]`; all points of a chart have the same form. Null instead of a number is a gap. */
  points: Array<Point>;
}

/** The severity of a comment, the highest first. */
export type Severity = "blocker" | "major" | "minor" | "nit";

/** A side of a diff. */
export type Side = "old" | "new";

/** Empty payload. Further keys of the sender are kept. */
export type Text = Record<string, unknown>;

/** The whole list as it is now, of at least one item. From a person: the items that were ticked. */
export interface Todo {
  /** Items, in display order. */
  todos: Array<TodoItem>;
}

/** Further information about an item. When it is read, absent and invalid fields are None. */
export interface TodoInfo {
  /** Further state, if `status` isn't enough. */
  state?: TodoInfoState | null;
  /** Priority, by the agent's own name: `high`. */
  priority?: string | null;
  /** Description while it is in progress: `Fixing the parser`. */
  active_form?: string | null;
  /** Number or name that the agent uses for it: `2`. */
  number?: string | null;
  /** Name of the agent or person that works on it. */
  owner?: string | null;
  /** Ids of items that must be completed first. */
  blocked_by?: Array<string>;
  /** When it was first in progress, as the agent states it. */
  started_at?: Micros | null;
  /** When it was completed, as the agent states it. */
  ended_at?: Micros | null;
}

/** A state of an item that `status` doesn't have. */
export type TodoInfoState = "cancelled" | "blocked" | "deleted";

/** One item of the list. */
export interface TodoItem {
  /** Id of the item in ticks and in `todo_info`. If several items share it, the last is meant. Another list can reuse ids. */
  id: string;
  /** Description of the task. */
  content: string;
  /** State of the item. */
  status: TodoStatus;
}

/** State of an item. Further states are in the envelope's `todo_info`. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** A call of a tool. Further keys are kept; the accessors name those that readers add. */
export interface ToolCall {
  /** Name of the tool, as the agent uses it: `Bash`, `mcp__board__add`. */
  tool_name: string;
  /** Input, as the agent sent it, including nulls. */
  input?: Record<string, unknown>;
  /** Output of the tool: a string, blocks of a model's API, or any JSON. Absent until the call has completed. */
  output?: unknown;
  /** Error message. Absent if it didn't fail. */
  error?: string | null;
  [key: string]: unknown;
}

/** The payload of each built-in type, by its tag. */
export interface Payloads {
  TEXT: Text;
  CODE_EDIT: CodeEdit;
  TODO: Todo;
  TOOL_CALL: ToolCall;
  APPROVAL: Approval;
  ACTION: Action;
  FILE: File;
  CODE_REVIEW: CodeReview;
  ERROR: ErrorReport;
  PROGRESS: Progress;
  CHART: Chart;
}

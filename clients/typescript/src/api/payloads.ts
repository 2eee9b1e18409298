// Made by clients/generate.mjs from docs/api/openapi.json.

/** A person's answer to buttons or inputs. It names the approval or the message that it answers. Two options of one label are told apart by their ids, in the approval's `decision.selected`. */
export interface Action {
  /** Message id of the approval. */
  approval_id?: string | null;
  /** Message id of anything else that had buttons. */
  reply_to?: string | null;
  /** Labels of what was chosen. */
  selected?: Array<string>;
  /** Values of a form by field id. */
  values?: Record<string, unknown> | null;
  /** What the person typed. */
  text?: string | null;
}

/** The answer to one question. */
export interface ApprovalAnswer {
  /** The question's own words. Absent for an answer to all that was asked. */
  question?: string | null;
  /** Ids of the chosen options. */
  selected?: Array<string>;
  /** What was typed. */
  text?: string | null;
  /** What was noted beside the answer. */
  note?: string | null;
}

/** A request that a person decides, once. */
export interface Approval {
  /** What is asked for. */
  kind: ApprovalKind;
  /** What is asked, in one line: also in lists and notifications. */
  title: string;
  /** Markdown: the plan, or what is asked in full. */
  body?: string | null;
  /** Questions with options. A permission or a plan has one, whose words are usually the title's. */
  questions?: Array<ApprovalQuestion>;
  /** Inputs of a form. */
  fields?: Array<Field>;
  /** In the agent's own words: `low`, `high`. */
  risk?: string | null;
  /** `open` until it is decided or over; if absent, too. An agent can't set what only a person may say. */
  state?: ApprovalState;
  /** Who decided what; absent while it is open, and where nobody decided. */
  decision?: Decision | null;
}

/** What is asked for. It decides how the request is drawn; the options decide what can be answered. */
export type ApprovalKind = "permission" | "question" | "plan" | "form";

/** All but `open` are final. An unknown outcome is never an approval. */
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
  /** Names the option in a decision. Unique in the request. */
  id: string;
  /** What stands on the button. */
  label: string;
  /** What the option means, in a sentence or two. Shown beside it. */
  description?: string | null;
  /** What choosing it means for a permission or a plan; absent for a mere answer. */
  kind?: OptionKind | null;
}

/** One or more changes of files, shown as diffs. What these strict keys can't say is in the envelope's `edit_info`. */
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

/** Who decided what. What a transcript doesn't tell stays absent. */
export interface Decision {
  /** What was decided. */
  state: ApprovalState;
  /** Ids of the chosen options. */
  selected?: Array<string>;
  /** What was typed. */
  text?: string | null;
  /** What was answered to each question, where that is known apart. `selected` and `text` hold all of it together. */
  answers?: Array<ApprovalAnswer>;
  /** The tool's input as the person changed it. */
  edited_input?: unknown;
  /** The rule that "always" made, in the agent's syntax. */
  rule?: string | null;
  /** `owner` for a decision made in Verbatim, `key` for one that an agent reports, else whom the writer named. */
  by?: string | null;
  /** When it was decided. */
  at?: Micros | null;
  /** `web`, `terminal`, `chat`. `archive` of a decision that came with an imported archive: it wasn't made here. */
  via?: string | null;
  /** Name of the key that reports it. Set by the server; such a decision has `by: key`. */
  reported_by?: string | null;
  /** SHA-256 of what the person was shown, in hex. Set by the server, where it was decided in Verbatim. */
  shown_sha256?: string | null;
}

/** A file is created without old text and deleted without new text; both may be absent. */
export interface Edit {
  /** As the agent names the file: absolute, or relative to the working folder. */
  file_path: string;
  /** The text before: the changed fragment, or the whole file, as `edit_info` says. Absent where the file is created. */
  old_content?: string | null;
  /** The text after. Absent where the file is deleted. */
  new_content?: string | null;
  /** `rust`, `python`; for colouring. */
  language?: string | null;
}

/** What the strict keys of an edit can't say. On reading, what is absent or not understood is None. */
export interface EditInfo {
  /** What became of it. A reader takes an absent state for `applied`. */
  state?: EditState | null;
  /** What `old_content` and `new_content` are. Required on writing. */
  scope?: EditScope | null;
  /** Line of the fragment's first line, from 1. */
  start_line?: number | null;
  /** The file's path before it was renamed by this edit. */
  moved_from?: string | null;
  /** A unified diff, of an edit whose texts aren't known. */
  patch?: string | null;
  /** Why it isn't applied, in a line: `String to replace not found in file.` */
  note?: string | null;
}

/** What the two texts of an edit are. */
export type EditScope = "fragment" | "file";

/** What became of an edit. */
export type EditState = "proposed" | "applied" | "partly_applied" | "rejected" | "failed" | "reverted";

/** Something that went wrong in the agent or at its provider. */
export interface ErrorReport {
  /** `rate_limit`, `TypeError`. */
  error_type: string;
  /** What went wrong, for people. */
  message: string;
  /** Innermost call first. */
  frames?: Array<Frame>;
  /** Trying again may help; unknown if absent. */
  retryable?: boolean | null;
  /** When the agent tries again. */
  retry_at?: Micros | null;
}

/** One input of a form. */
export interface Field {
  /** Names the value in an answer. Unique in the request. */
  id: string;
  /** What stands before the input. */
  label: string;
  /** What can be typed or chosen. */
  type: FieldKind;
  /** It can't be left empty, and a checkbox must be ticked; not if absent. */
  required?: boolean | null;
  /** What a `select` offers. */
  options?: Array<string> | null;
}

/** What a form's field takes, and the JSON of its value. */
export type FieldKind = "text" | "number" | "date" | "select" | "checkbox";

/** One or more files, shown with previews and buttons. */
export interface File {
  /** In the order in which they are shown. */
  files: Array<FileItem>;
}

/** A button on a file. */
export interface FileAction {
  /** Names the button in the answer. */
  id: string;
  /** What stands on the button; the id where it is blank. */
  label: string;
}

/** One file of a message. */
export interface FileItem {
  /** Its name for people, without a folder. */
  name: string;
  /** `image/png`. */
  mime: string;
  /** In bytes. */
  size: number;
  /** Content address: `sha256:` and the digest in hex. Absent where the bytes aren't there (yet). */
  blob?: string | null;
  /** Whether it can be read yet. */
  state: FileState;
  /** Why it can't be read, for people. */
  error?: string | null;
  /** Buttons that a person can press, once for each file. */
  actions?: Array<FileAction>;
}

/** Whether a file can be read yet. */
export type FileState = "processing" | "ready" | "error";

/** One call of a stack trace. */
export interface Frame {
  /** Path of the source file. */
  file?: string | null;
  /** From 1. */
  line?: number | null;
  /** Name of the function. */
  function?: string | null;
  /** The line of source that was running. */
  code?: string | null;
}

/** Microseconds since 1970-01-01T00:00:00Z. The model never asks a clock: whoever needs "now" passes it in. */
export type Micros = number;

/** What choosing an option means. */
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
  /** The question in full. Its answer names it by these words. */
  question: string;
  /** A word or two, for a tab. */
  header?: string | null;
  /** What can be chosen. Without any, a person types the answer. */
  options?: Array<Choice>;
  /** Several options can be chosen; one if absent. */
  multi_select?: boolean | null;
  /** A person may type an answer instead; not if absent, unless there are no options. */
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

/** Of a difference. */
export type Side = "old" | "new";

/** No payload of its own. Keys that a writer adds are kept. */
export type Text = Record<string, unknown>;

/** The whole list as it is now, of at least one item. From a person: the boxes that were ticked. */
export interface Todo {
  /** In the order in which they are shown. */
  todos: Array<TodoItem>;
}

/** On reading, what is absent or not understood is None. */
export interface TodoInfo {
  /** What `status` can't say; absent where it says all. */
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
  /** When it was first in progress, as the agent says. */
  started_at?: Micros | null;
  /** When it was completed, as the agent says. */
  ended_at?: Micros | null;
}

/** A state of an item that `status` doesn't have. */
export type TodoInfoState = "cancelled" | "blocked" | "deleted";

/** One item of the list. */
export interface TodoItem {
  /** Names the item in ticks and in `todo_info`: of several with the same id the last. Another list may number anew. */
  id: string;
  /** What is to be done. */
  content: string;
  /** How far it has got. */
  status: TodoStatus;
}

/** How far an item has got. What these three can't say is in the envelope's `todo_info`. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** One use of a tool, with its result once there is one. Keys beyond the first four are kept; readers add the ones that the accessors name. */
export interface ToolCall {
  /** As the agent calls the tool: `Bash`, `mcp__board__add`. */
  tool_name: string;
  /** As the agent sent it, nulls included. */
  input?: Record<string, unknown>;
  /** What the tool returned: a string, blocks of a model's API, or any JSON. Absent until then. */
  output?: unknown;
  /** Why it failed. Absent where it didn't. */
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

// The payload of each message type, typed. What is read is read leniently: unknown fields are kept, and so are unknown words.
import type { Action, Approval, CodeEdit, ErrorReport, File, Todo, ToolCall } from './api/payloads.js';
import { isObject } from './names.js';

export type {
  Action,
  Answer as ApprovalAnswer,
  Approval,
  ApprovalKind,
  ApprovalState,
  Choice,
  CodeEdit,
  Decision,
  Edit,
  EditInfo,
  ErrorReport,
  Field,
  FieldKind,
  File,
  FileAction,
  FileItem,
  FileState,
  Frame,
  OptionKind,
  Question as ApprovalQuestion,
  Todo,
  TodoInfo,
  TodoItem,
  TodoStatus,
  ToolCall,
} from './api/payloads.js';

/** One line, row of bars, area, cloud of points or pie of a chart. */
export interface Series {
  name: string;
  /** Numbers, or pairs of `x` and a number; null is a gap. */
  points: Array<number | null | [string | number, number | null]>;
}

/** A chart, shown with its data as a table. */
export interface Chart {
  chart: 'line' | 'bar' | 'area' | 'scatter' | 'pie';
  title: string;
  /** The values that the points are of; or the name of the axis, where points are pairs. */
  x?: string | Array<string | number> | null;
  series: Array<Series>;
  unit?: string | null;
}

/** A comment on lines of a file. */
export interface ReviewComment {
  /** The file before (`old`) or after (`new`) the change; `new` if absent. */
  side?: 'old' | 'new';
  /** From 1. */
  start_line: number;
  /** `start_line` if absent. */
  end_line?: number | null;
  severity: 'blocker' | 'major' | 'minor' | 'nit';
  /** Markdown. */
  body: string;
  /** What should stand there instead. */
  suggestion?: string | null;
}

/** Comments on the lines of a file. */
export interface CodeReview {
  file_path: string;
  comments: Array<ReviewComment>;
  summary?: string | null;
}

/** How far something has got. It is updated in place. */
export interface Progress {
  label: string;
  current?: number | null;
  total?: number | null;
  unit?: string | null;
  /** What runs without an update for 30 seconds is shown as stalled. */
  state: 'running' | 'done' | 'failed';
  eta_seconds?: number | null;
}

/** The payload of each built-in type, by its tag. */
export interface Payloads {
  TEXT: Record<string, unknown>;
  CODE_EDIT: CodeEdit;
  TODO: Todo;
  TOOL_CALL: ToolCall;
  APPROVAL: Approval;
  ACTION: Action;
  FILE: File;
  ERROR: ErrorReport;
  CHART: Chart;
  CODE_REVIEW: CodeReview;
  PROGRESS: Progress;
}

/** The tag of a built-in type. */
export type BuiltIn = keyof Payloads;

/** A typed payload: `switch (message.body.type)`. */
export type Body =
  | { [Type in BuiltIn]: { type: Type; payload: Payloads[Type] } }[BuiltIn]
  /** A type that isn't built in. */
  | { type: 'UNKNOWN'; messageType: string; payload: Record<string, unknown> }
  /** A payload that doesn't fit its type, unchanged. `problem` says which field, and what it should be. */
  | { type: 'INVALID'; messageType: string; payload: Record<string, unknown>; problem: string };

// What a field should be: the name of a type, with `?` if it may be absent; an array of such; an object of such.
type Shape = string | readonly [Shape] | { readonly [field: string]: Shape };

const CHOICE = { id: 'string', label: 'string', description: 'string?', kind: 'string?' };
const SHAPES: Record<BuiltIn, { readonly [field: string]: Shape }> = {
  TEXT: {},
  CODE_EDIT: { edits: [{ file_path: 'string', old_content: 'string?', new_content: 'string?', language: 'string?' }] },
  TODO: { todos: [{ id: 'string', content: 'string', status: 'string' }] },
  TOOL_CALL: { tool_name: 'string', input: 'object?', error: 'string?' },
  APPROVAL: {
    kind: 'string',
    title: 'string',
    body: 'string?',
    'questions?': [
      { question: 'string', header: 'string?', 'options?': [CHOICE], multi_select: 'boolean?', allow_text: 'boolean?' },
    ],
    'fields?': [{ id: 'string', label: 'string', type: 'string', required: 'boolean?', 'options?': ['string'] }],
    risk: 'string?',
    state: 'string',
    'decision?': { state: 'string', 'selected?': ['string'], text: 'string?' },
  },
  ACTION: { approval_id: 'string?', reply_to: 'string?', 'selected?': ['string'], values: 'object?', text: 'string?' },
  FILE: {
    files: [
      {
        name: 'string',
        mime: 'string',
        size: 'number',
        blob: 'string?',
        state: 'string',
        error: 'string?',
        'actions?': [{ id: 'string', label: 'string' }],
      },
    ],
  },
  ERROR: {
    error_type: 'string',
    message: 'string',
    'frames?': [{ file: 'string?', line: 'number?', function: 'string?', code: 'string?' }],
    retryable: 'boolean?',
    retry_at: 'number?',
  },
  CHART: { chart: 'string', title: 'string', series: [{ name: 'string', points: 'array' }], unit: 'string?' },
  CODE_REVIEW: {
    file_path: 'string',
    comments: [
      { body: 'string', side: 'string?', start_line: 'number', end_line: 'number?', severity: 'string', suggestion: 'string?' },
    ],
    summary: 'string?',
  },
  PROGRESS: { label: 'string', current: 'number?', total: 'number?', unit: 'string?', state: 'string', eta_seconds: 'number?' },
};

/** Reads a payload. Never fails: what doesn't fit is `INVALID`, a type that isn't built in `UNKNOWN`. */
export function bodyOf(messageType: string, payload: Record<string, unknown>): Body {
  if (!Object.hasOwn(SHAPES, messageType)) return { type: 'UNKNOWN', messageType, payload };
  const problem = mismatch(SHAPES[messageType as BuiltIn], payload, '');
  if (problem !== undefined) return { type: 'INVALID', messageType, payload, problem };
  return { type: messageType, payload } as unknown as Body;
}

/** Returns what was chosen, filled in and typed, joined by commas. */
export function answerOf(action: Action): string {
  const values = Object.entries(action.values ?? {}).map(
    ([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...(action.selected ?? []), ...values, ...(action.text == null ? [] : [action.text])].join(', ');
}

/** Returns a tick as a model should read it, one line for each item: `Ticked: item`, `Unticked: item`. */
export function tickedOf(todo: Todo): string {
  return todo.todos.map((item) => `${item.status === 'completed' ? 'Ticked' : 'Unticked'}: ${item.content}`).join('\n');
}

function mismatch(shape: Shape, value: unknown, pointer: string): string | undefined {
  if (typeof shape === 'string') {
    const name = shape.replace('?', '');
    if (shape.endsWith('?') && value == null) return undefined;
    const fits = name === 'object' ? isObject(value) : name === 'array' ? Array.isArray(value) : typeof value === name;
    return fits ? undefined : `\`${pointer}\` should be ${/^[ao]/.test(name) ? 'an' : 'a'} ${name}`;
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return `\`${pointer}\` should be an array`;
    return first(value.map((item, index) => mismatch(shape[0], item, `${pointer}/${index}`)));
  }
  if (!isObject(value)) return `\`${pointer}\` should be an object`;
  return first(
    Object.entries(shape).map(([key, inner]) => {
      const field = key.replace('?', '');
      const absent = key.endsWith('?') && value[field] == null;
      return absent ? undefined : mismatch(inner, value[field], `${pointer}/${field}`);
    }),
  );
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function first(problems: Array<string | undefined>): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

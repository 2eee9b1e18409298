/**
 * The TypeScript client of Verbatim: an agent posts typed messages, asks people, and waits for what they say.
 *
 * ```ts
 * import { Verbatim } from 'verbatim-sdk';
 *
 * // VERBATIM_URL and VERBATIM_KEY; `verbatim key create --name nightly-bot` makes a key.
 * const session = await Verbatim.fromEnv().createSession('nightly-bot');
 * await session.sendMessage('All **412** tests pass.');
 * const answer = await session.ask('Shall I publish version 1.4?');
 * await session.sendMessage(`Understood: ${answer.text}`);
 * await session.end();
 * ```
 *
 * - `Verbatim` is a server and the key to it, `Session` one conversation of an agent.
 * - `sendMessage` posts anything; `sendStructuredMessage` any type, with a wrapper for each built-in one; `update` changes what was
 *   posted; `streamMessage` begins a text that grows.
 * - `ask`, `approve` and `askApproval` ask people. Their waiting survives a restart of the server. `approval` has approvals that are
 *   ready to be asked.
 * - What people write comes with the answer to each post, as `queuedUserMessages`, and by `pending`; each `Message` once. `body` and the
 *   accessors beside it are typed.
 * - `beginRun` gives the agent its input for one run, once and in order, after a crash as well.
 * - `watch` is the event stream, which resumes itself.
 * - `VerbatimError` and its subclasses say what went wrong, by what one may do about it.
 *
 * Names are camelCase, but for what anybody may define: payloads, extras and metadata are JSON as the API has it. Times that last are in
 * seconds.
 *
 * @module
 */
export * as approval from './approval.js';
export * as envelope from './envelope.js';
export type { EndOutcome, MemoryWish, Role, Status } from './api/contract.js';
export { ApprovalRequest, Question } from './asking.js';
export type { Options, Waiting } from './core.js';
export {
  BusyError,
  ChangedError,
  ConflictError,
  EnvelopeError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  ServerError,
  SetupError,
  UnauthorizedError,
  UnreachableError,
  VerbatimError,
  WithdrawnError,
} from './errors.js';
export type { ErrorKind } from './errors.js';
export { Message } from './message.js';
export type {
  Answer,
  Change,
  Decided,
  EditSession,
  Event,
  ListMessages,
  ListSessions,
  Me,
  MessageFields,
  MessagePage,
  NewSession,
  PostMessage,
  Sent,
  SessionInfo,
  SessionPage,
  StoredBlob,
  StructuredFields,
  UpdateMessage,
} from './message.js';
export type * from './payloads.js';
export { Run } from './run.js';
export type { BeginRun, EndRun } from './run.js';
export { Session } from './session.js';
export type { ProgressFields, ToolCallResult } from './session.js';
export { Streaming } from './streaming.js';
export { Verbatim } from './verbatim.js';
export type { DeclaredType, Memory, MemoryPage, RecallQuery, TypeDocument } from './verbatim.js';
export { Watch } from './watch.js';

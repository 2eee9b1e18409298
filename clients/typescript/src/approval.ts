// Approvals that are ready to be asked.
import type { Approval, ApprovalKind, Choice, Field } from './payloads.js';

/** Returns a permission for `what` with three options: allow once, always allow, deny. */
export function permission(what: string): Approval {
  return withOptions('permission', what, [
    { id: 'allow_once', label: 'Allow once', kind: 'allow_once' },
    { id: 'allow_always', label: 'Always allow', kind: 'allow_always' },
    { id: 'reject_once', label: 'Deny', kind: 'reject_once' },
  ]);
}

/** Returns a question with one option for each label. Its answer is one of the labels. */
export function choose(question: string, labels: Iterable<string>): Approval {
  return withOptions(
    'question',
    question,
    Array.from(labels, (label, index) => ({ id: String(index + 1), label })),
  );
}

/** Returns a plan to accept or reject. `body` is the plan, in markdown. */
export function plan(title: string, body: string): Approval {
  const options: Choice[] = [
    { id: 'accept', label: 'Accept', kind: 'allow_once' },
    { id: 'reject', label: 'Reject', kind: 'reject_once' },
  ];
  return { ...withOptions('plan', title, options), body };
}

/** Returns a form. A person sends a value for each field, or a text. */
export function form(title: string, fields: Iterable<Field>): Approval {
  return { kind: 'form', title, questions: [], fields: [...fields], state: 'open' };
}

function withOptions(kind: ApprovalKind, title: string, options: Choice[]): Approval {
  return { kind, title, questions: [{ question: title, options }], state: 'open' };
}

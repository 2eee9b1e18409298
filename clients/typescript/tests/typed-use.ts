// How a strict program uses the package: it only has to compile.
import type { Message, PostMessage, SessionInfo } from 'verbatim-sdk';
import { ConflictError, Verbatim, VerbatimError, approval } from 'verbatim-sdk';

export async function use(verbatim: Verbatim): Promise<void> {
  const session = await verbatim.createSession('nightly-bot', { agentSessionId: 'run-42', title: 'Nightly' });
  const post: PostMessage = { content: 'Done', callId: 'c1', requiresUserInput: false, createdAt: new Date() };
  const { queuedUserMessages, message } = await session.sendMessage(post);
  await session.sendTodo([{ id: '1', content: 'Build', status: 'in_progress' }], { extras: { todo_info: {} } });
  // @ts-expect-error `done` is no status of an item.
  await session.sendTodo([{ id: '1', content: 'Build', status: 'done' }]);
  // @ts-expect-error The payload of a built-in type is checked.
  await session.sendCodeEdit([{ path: 'a.py' }]);
  await session.sendStructuredMessage('acme.deploy/plan', { anything: [1] });
  const decided = await session.askApproval(
    approval.form('Deploy', [{ id: 'zone', label: 'Zone', type: 'select', options: ['eu'] }]),
  );
  const zone: unknown = decided.action?.values?.['zone'];
  const info: SessionInfo = await session.info();
  const seq: number = info.lastSeq;
  for (const one of [message, ...queuedUserMessages]) told(one);
  for await (const { cursor, change } of session.watch())
    console.log(cursor, change.fromSeq, change.counts?.todosOpen, zone, seq);
  await session.retract(message.id).catch((error: unknown) => {
    if (error instanceof ConflictError) console.log(error.current?.status);
    else if (error instanceof VerbatimError && error.kind === 'busy') console.log(error.retryAfter);
    else throw error;
  });
}

function told(message: Message): string {
  const { body } = message;
  switch (body.type) {
    case 'ACTION':
      return (body.payload.selected ?? []).join();
    case 'TODO':
      return body.payload.todos.map((item) => item.content).join();
    case 'UNKNOWN':
      return body.messageType;
    case 'INVALID':
      return body.problem;
    default:
      return message.text;
  }
}

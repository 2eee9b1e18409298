//! Changing a message: streaming its text, adding what came later, taking it back.

use super::messages::entry;
use super::{blobs, refusal, session};
use crate::{Caller, Scoped, posting};
use api::Problem;
use api::keys::Scope;
use api::messages::MessagePath;
use api::posting::{UpdateMessage, Updated};
use api::sessions::SessionPath;
use model::{Body, Draft, Role, Status, markdown};
use serde_json::{Map, Value};
use store::{Changed, LiveChange, LiveDone, LiveWrite, NewMessage, Refusal, StoredMessage, Sums};

pub async fn update(scoped: &Scoped, path: &MessagePath, input: UpdateMessage) -> Result<Updated, Problem> {
    scoped.caller.require(Scope::Post)?;
    let session = session(scoped, &SessionPath { session: path.session.clone() }).await?;
    if input.content.is_some() && input.append.is_some() {
        return Err(Problem::field("/append", "absent where `content` is given"));
    }
    let metadata = posting::metadata(input.message_metadata)?;
    let message = posting::id_of("message", path.message.clone())?;
    let change = Change {
        content: input.content,
        append: input.append,
        metadata,
        status: input.status,
        requires_user_input: input.requires_user_input,
        by_agent: matches!(scoped.caller, Caller::Agent(_)),
    };
    let rule = Box::new(move |current: &StoredMessage| change.apply(current));
    let change = LiveChange { session: session.id, message, if_match: input.if_match, rule };
    match scoped.hub.writer.write(LiveWrite::Change(Box::new(change))).await.map_err(refusal)? {
        (LiveDone::Changed { message, .. }, pos) => {
            blobs::attach(scoped, &message.message).await?;
            Ok(Updated { message: entry(*message), pos })
        }
        _ => Err(Problem::internal()),
    }
}

struct Change {
    content: Option<String>,
    append: Option<String>,
    metadata: Option<Map<String, Value>>,
    status: Option<Status>,
    requires_user_input: Option<bool>,
    by_agent: bool,
}

impl Change {
    fn apply(&self, current: &StoredMessage) -> Result<Changed, Refusal> {
        let refuse = |code| Err(Refusal::Rule(code, Some(Box::new(current.clone()))));
        let old = &current.message.draft;
        if self.by_agent && old.role == Role::User {
            return refuse("not_yours");
        }
        let status = self.status.unwrap_or(old.status);
        if !follows(old.status, status) {
            return refuse("status_conflict");
        }
        let mut draft = Draft { status, ..old.clone() };
        if let Some(content) = &self.content {
            draft.content.clone_from(content);
        }
        if let Some(more) = &self.append {
            draft.content.push_str(more);
        }
        if let Some(metadata) = &self.metadata {
            if final_approval(old) {
                return refuse("decided");
            }
            draft.metadata = Some(metadata.clone());
            let generated = |draft: &Draft| draft.message_type() != "TEXT";
            let untold = self.content.is_none() && self.append.is_none();
            // What was made from the payload says what was true before: a tool call that runs.
            if untold && generated(old) && generated(&draft) && old.content == markdown::to_markdown(old) {
                draft.content.clear();
            }
        }
        if let Some(requires) = self.requires_user_input {
            if requires && draft.role == Role::User {
                return refuse("not_yours");
            }
            draft.requires_user_input = requires;
        }
        posting::complete(&mut draft);
        if self.by_agent && posting::agents_own(&draft).is_err() && self.metadata.is_some() {
            return refuse("not_yours_to_decide");
        }
        let message = posting::new_message(draft);
        // What it counted before goes; a retracted edit counts no more.
        let before = posting::new_message(old.clone()).sums;
        let after = if status == Status::Retracted { Sums::default() } else { message.sums.clone() };
        let sums = Sums {
            lines_added: after.lines_added - before.lines_added,
            lines_removed: after.lines_removed - before.lines_removed,
            todos: after.todos.filter(|_| after.todos != before.todos),
            first_prompt: after.first_prompt,
        };
        Ok(Changed { message: NewMessage { sums, ..message }, follow_up: None })
    }
}

fn final_approval(draft: &Draft) -> bool {
    use model::message_type::approval::ApprovalState::Open;
    matches!(Body::of(draft), Body::Approval(approval) if approval.state != Open)
}

/// May a message in one state come into the other?
fn follows(old: Status, new: Status) -> bool {
    use Status::{Error, Final, Retracted, Streaming};
    match old {
        Streaming => matches!(new, Streaming | Final | Error | Retracted),
        Final => matches!(new, Final | Retracted),
        Error => matches!(new, Error | Retracted),
        Retracted | Status::Sending => false,
    }
}

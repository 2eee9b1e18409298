//! A decision leaves one trace: the card that asked says what was decided, in the person's words. The message that
//! tells the agent is read with dev on; whether the agent has it is said below the card. What was filled into a form is
//! read in that message alone, so it stays.

use api::messages::{Delivery, Entry, MessagePage};
use model::{Body, MessageType, Role, Status, message_type::approval::ApprovalState};
use std::collections::{HashMap, HashSet};

/// The page without the messages that tell the agent of a decision whose card is there.
pub(super) fn project(mut page: MessagePage) -> MessagePage {
    let decided: HashSet<&str> = page.messages.iter().filter(|entry| is_decided(entry)).map(id).collect();
    let told: HashMap<String, Option<Delivery>> = page
        .messages
        .iter()
        .filter_map(|entry| Some((answers(entry).filter(|id| decided.contains(id.as_str()))?, entry.delivery)))
        .collect();
    if told.is_empty() {
        return page;
    }
    page.messages.retain(|entry| answers(entry).is_none_or(|id| !told.contains_key(&id)));
    for entry in &mut page.messages {
        if let Some(delivery) = told.get(id(entry)) {
            entry.delivery = *delivery;
        }
    }
    page
}

fn id(entry: &Entry) -> &str {
    entry.message.draft.id.as_str()
}

fn is_decided(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    let is_final = entry.message_type == MessageType::Approval && draft.status != Status::Retracted;
    is_final && matches!(entry.body(), Body::Approval(approval) if approval.state != ApprovalState::Open)
}

/// Which approval a message of a person decides whose card says all of it.
pub(super) fn answers(entry: &Entry) -> Option<String> {
    let draft = &entry.message.draft;
    if entry.message_type != MessageType::Action || draft.role != Role::User || draft.status == Status::Retracted {
        return None;
    }
    match entry.body() {
        Body::Action(action) if action.values.is_none() => action.approval_id.clone(),
        _ => None,
    }
}

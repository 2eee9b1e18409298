//! Changing a message: streaming its text, adding what came later, taking it back.

use crate::basics::{clock, problem};
use crate::caller::Caller;
use crate::context::Scoped;
use crate::context::pages::Pages;
use crate::context::quotas::usage;
use crate::context::writer::Written;
use crate::may::{message_id, session_id};
use crate::messages::message_edit::{Changer, MessageEdit, Replacement};
use crate::messages::pace;
use crate::routing::RoutingTable;
use crate::settings::type_settings::CurrentTypeSettings;
use crate::writing::entries::entry;
use crate::writing::refusal::refusal;
use crate::writing::{blobs, posting};
use api::messages::MessagePath;
use api::posting::{UpdateMessage, Updated};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::routing::Place;
use model::{MessageId, Role, SessionId, Status};
use serde_json::Value;
use std::sync::Arc;
use store::{LiveDone, MessageQuery, Range, StoredMessage, Usage};

/// Maximum number of later messages that are searched for the answer to a question.
const LATER: usize = 100;

pub async fn retract_message(scoped: &Scoped, path: &MessagePath) -> Result<Updated, Problem> {
    let retracted = UpdateMessage { status: Some(Status::Retracted), ..UpdateMessage::default() };
    update_message(scoped, path, retracted).await
}

pub async fn update_message(scoped: &Scoped, path: &MessagePath, input: UpdateMessage) -> Result<Updated, Problem> {
    let session = session_id(scoped, &SessionPath { session: path.session.clone() }).await?;
    if input.content.is_some() && input.append.is_some() {
        return Err(Problem::field("/append", "absent if `content` is given"));
    }
    let mut bytes = [&input.content, &input.append].into_iter().flatten().map(|text| text.len() as u64).sum();
    let metadata = match input.message_metadata {
        Some(given) => {
            let (metadata, size): (Replacement, u64) = replacement(scoped, given).await?;
            bytes += size;
            Some(metadata)
        }
        None => None,
    };
    let message = message_id(scoped, &session, &path.message).await?;
    let change = MessageEdit {
        content: input.content,
        append: input.append,
        metadata,
        status: input.status,
        requires_user_input: input.requires_user_input,
        by: Changer::of(&scoped.caller),
        at: clock::now(),
        types: scoped.hub.types().await?,
        rules: scoped.hub.state::<RoutingTable>().rules(&session, Place::Own),
    };
    if change.asks_alone() {
        still_open(scoped, &session, &message).await?;
    }
    let wanted = usage(0, bytes);
    let write = async {
        match input.if_match {
            None => pace::write(&scoped.hub, (session, message), change).await,
            if_match => pace::write_all(&scoped.hub, &(session, message), if_match, Arc::new([change])).await,
        }
    };
    let used = |written: &Written| if written.is_ok() { wanted } else { Usage::default() };
    match scoped.hub.quotas.pay(&scoped.caller, wanted, write, used).await?.map_err(refusal)? {
        (LiveDone::Changed { message, .. }, pos) => {
            blobs::attach(scoped, &message.message).await?;
            // This machine's own commands change what the host says, too.
            Ok(Updated { message: scoped.readable(entry(*message)), pos })
        }
        _ => Err(Problem::internal()),
    }
}

async fn replacement(scoped: &Scoped, given: Value) -> Result<(Replacement, u64), Problem> {
    let types = scoped.hub.state::<CurrentTypeSettings>().get();
    let read = move |caller: &Caller, given: Value| {
        let bytes = given.to_string().len() as u64;
        posting::metadata(caller, &types, Some(given)).map(|(metadata, _)| (Replacement(metadata), bytes))
    };
    if posting::is_small(Some(&given)) {
        return read(&scoped.caller, given);
    }
    let caller = scoped.caller.clone();
    scoped.compute(move |_| read(&caller, given)).await?
}

/// A question that was answered stays so: who waited for another answer would wait for ever.
async fn still_open(scoped: &Scoped, session: &SessionId, message: &MessageId) -> Result<(), Problem> {
    let workspace = &scoped.hub.workspace;
    let Some(question) = workspace.message(session, message).await.map_err(problem)? else { return Ok(()) };
    if !question.message.draft.requires_user_input {
        return Ok(());
    }
    let query = MessageQuery { roles: vec![Role::User], ..MessageQuery::new(Range::After(0, 0)) };
    let answers = |said: &StoredMessage| {
        let draft = &said.message.draft;
        draft.status != Status::Retracted
            && draft.answers_in_words()
            && draft.is_about().is_none_or(|id| id == message.as_str())
    };
    if Pages::after(scoped, session, question.message.seq, query).find(LATER, answers).await?.is_none() {
        return Ok(());
    }
    Err(Problem {
        field: Some("/requires_user_input".to_owned()),
        ..Problem::new(ProblemCode::Answered, "It was already answered").hint("Post a new message to ask again")
    })
}

//! The next prompt of an agent that the server drives.

use super::queue::{self, Waiting};
use super::{Answer, load};
use crate::context_log;
use crate::read::listing::Room;
use crate::step::Step;
use crate::write::changes::Changes;
use crate::write::sessions::{self, Sessions};
use crate::write::{feed, reading};
use crate::{GivenRun, LiveBegin, LiveDone, MessageQuery, StoreError, StoredMessage, Takes};
use model::policy::wakes;
use model::run_prompt::{NoticePlacement, Piece, RunFormat, is_plain, render};
use model::sdk_format::{RunInput, format_for_sdk};
use model::{Body, Message, Role};

/// Gives what waits up to the next words of a person, which is nothing where nobody said something.
pub(super) async fn give(step: &mut Step<'_>, begin: &LiveBegin) -> Result<Answer, StoreError> {
    let mut sessions = match load(step, &begin.session).await? {
        Ok(sessions) => sessions,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let index = sessions.index(begin.session.as_str())?;
    let row = sessions.row(index);
    let (rid, after) = (row.rid, row.delivered_seq);
    let mut room = Room::new(MessageQuery::BYTES);
    let Waiting { messages: mut waiting, has_more } = queue::within(step, rid, after, u32::MAX, &mut room).await?;
    let is_read = |stored: &StoredMessage| begin.senders.may_be_read(&stored.message.draft);
    let is_said = |stored: &&StoredMessage| is_read(stored) && given(stored).is_some_and(|role| role == Role::User);
    // Messages that don't wake the agent are given with one that does, or alone if somebody requests it.
    let prompt = waiting.iter().position(|stored| is_said(&stored) && wakes(&stored.message.draft));
    let prompt = prompt.or_else(|| waiting.iter().position(|stored| is_said(&stored)));
    // So much waits that the words of a person are out of reach: it is given by itself, so that they come next.
    let prompt = prompt.or_else(|| waiting.len().checked_sub(1).filter(|_| has_more));
    let taken = prompt.map_or_else(
        // Messages that aren't given to anybody no longer wait. Messages of the system do.
        || waiting.iter().take_while(|stored| stored.message.draft.role == Role::User).count(),
        |index| index + 1,
    );
    waiting.truncate(taken);
    let to = waiting.last().map_or(after, |last| last.message.seq);
    let mut run = GivenRun {
        id: begin.run.clone(),
        resumed: false,
        format: RunFormat::Text,
        placement: begin.placement,
        after,
        to,
        omitted_to: None,
        logged: 0,
        pieces: Vec::new(),
    };
    if prompt.is_some()
        && let Some(last) = waiting.last()
    {
        run.id = last.message.draft.id.to_string();
        let messages: Vec<Message> = waiting
            .iter()
            .filter(|stored| !is_decision(stored) && is_read(stored))
            .map(|stored| stored.message.clone())
            .collect();
        let RunInput { messages, system_notices } = RunInput::of(&messages);
        let input = RunInput { messages, system_notices: [begin.notices.clone(), system_notices].concat() };
        let has_notices = begin.placement == NoticePlacement::Prompt && !input.system_notices.is_empty();
        if has_notices || !matches!(input.messages.as_slice(), [only] if is_plain(only)) {
            run.format = RunFormat::Anthropic;
        }
        run.pieces = render(&input, run.format, begin.placement).pieces;
        let joins = (begin.takes == Takes::Joining).then(context_log::joining);
        let logged: Vec<Piece> = joins.into_iter().chain(run.pieces.iter().cloned()).collect();
        run.logged = context_log::append(step, rid, &run.id, &logged).await?;
    }
    store(step, sessions, index, &waiting, &run).await?;
    Ok(Ok(LiveDone::Begun(Box::new(run))))
}

async fn store(
    step: &mut Step<'_>,
    mut sessions: Sessions,
    index: usize,
    taken: &[StoredMessage],
    run: &GivenRun,
) -> Result<(), StoreError> {
    if taken.is_empty() {
        return Ok(());
    }
    let row = sessions.row(index);
    row.reopen();
    row.delivered_seq = row.delivered_seq.max(run.to);
    if !run.pieces.is_empty() {
        row.heartbeat_at = Some(step.now.0);
    }
    let rid = row.rid;
    reading::delivered(step, rid, run.after, taken).await?;
    sessions::store(step, &mut sessions).await?;
    feed::write(step, &sessions, &Changes::default()).await
}

/// Whose words a message gives to an agent. None if it gives none.
fn given(stored: &StoredMessage) -> Option<Role> {
    let message = format_for_sdk(std::slice::from_ref(&stored.message)).pop()?;
    (!is_decision(stored) && !model::text::is_blank(&message.content)).then_some(message.role)
}

/// Decisions on what the agent asked go back as answers.
fn is_decision(stored: &StoredMessage) -> bool {
    matches!(Body::of(&stored.message.draft), Body::Action(action) if action.approval_id.is_some())
}

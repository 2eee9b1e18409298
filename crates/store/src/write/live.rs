//! Live writes: many in one transaction, each answered by itself.

mod begun;
mod due;
mod posts;
mod prompts;
mod queue;
mod todos;

use super::changes::Changes;
use super::messages::Copies;
use super::sessions::{self, Sessions};
use super::{feed, forgotten, messages, reading, rollup};
use crate::channels::events;
use crate::columns::text;
use crate::live::{Changed, NewMessage};
use crate::pack::{unpacked_len, with_packer};
use crate::prepare::{self, PreparedMessage};
use crate::read::calls::{Calls, calls_sql};
use crate::read::listing::{Listed, Room, row_sql};
use crate::read::messages::{COLUMNS, MessageRow};
use crate::session_row::SessionRow;
use crate::step::Step;
use crate::store::on_step;
use crate::{
    ChannelEvent, Ended, LiveChange, LiveDone, LiveEdit, LivePost, LiveTake, LiveWrite, LiveWritten, MessageQuery,
    MessageUpsert, NewSession, Objection, Origin, Refusal, SessionUpsert, SignOfLife, StoreError, StoredMessage, Takes,
    Workspace,
};
use model::session::SessionState;
use model::{CopyMarks, Draft, Micros, RunOutcome, SessionId};
use posts::Together;
use sqlx::QueryBuilder;
use std::collections::BTreeSet;

type Answer = Result<LiveDone, Refusal>;

impl LivePost {
    pub fn new(session: SessionId, message: NewMessage, create_hash: Vec<u8>) -> Result<Self, StoreError> {
        let sums = message.sums.clone();
        let (prepared, draft) = prepared(&session, message)?;
        Ok(Self {
            session,
            draft,
            create_hash,
            queued: false,
            answers: None,
            takes_queue: false,
            tells_results: true,
            sums,
            prepared,
        })
    }

    /// Bytes of the message in the store, before they are packed.
    pub fn bytes(&self) -> u64 {
        unpacked_len(&self.prepared.body)
    }
}

fn prepared(session: &SessionId, message: NewMessage) -> Result<(PreparedMessage, Draft), StoreError> {
    let upsert = MessageUpsert {
        session_key: session.to_string(),
        draft: message.draft,
        display: message.display,
        records: Vec::new(),
        search_text: message.search_text,
        remembered: message.remembered,
        files: message.files,
        marks: CopyMarks::default(),
    };
    let (prepared, draft) = with_packer(|packer| prepare::prepare_message(upsert, message.body, packer))?;
    // Its session sums up the lines when it is posted.
    Ok((PreparedMessage { lines: (0, 0), ..prepared }, draft))
}

impl Workspace {
    /// Writes all of them in one transaction. Those that are refused leave nothing; an error leaves nothing of any.
    pub async fn write_live(&self, writes: &[LiveWrite], now: Micros) -> Result<LiveWritten, StoreError> {
        let mut tx = self.store.begin().await?;
        let mut step = Step::begin(&mut tx, self.id(), now).await?;
        let written = self.store.monitor().observe(write_all(&mut step, writes).await)?;
        let notes = step.notes;
        self.commit_noting(tx, &notes).await?;
        Ok(written)
    }
}

async fn write_all(step: &mut Step<'_>, writes: &[LiveWrite]) -> Result<LiveWritten, StoreError> {
    let mut answers: Vec<Answer> = Vec::with_capacity(writes.len());
    while let Some(write) = writes.get(answers.len()) {
        match write {
            LiveWrite::Post(_) => {
                let together = posts::together(&writes[answers.len()..]);
                let done = posts::write(step, &together, Together::EachByItself).await?;
                answers.extend(done.into_iter().map(|done| done.map(|done| LiveDone::Posted(Box::new(done)))));
            }
            LiveWrite::PostAll(posts) => {
                let posts: Vec<&LivePost> = posts.iter().collect();
                let done = posts::write(step, &posts, Together::AllOrNone).await?;
                answers.push(done.into_iter().collect::<Result<_, _>>().map(LiveDone::PostedAll));
            }
            LiveWrite::Create(new) => answers.push(create(step, new).await?),
            LiveWrite::Edit(edit) => answers.push(edit_session(step, edit).await?),
            LiveWrite::Change(change) => answers.push(change_message(step, change).await?),
            LiveWrite::Once(event, change) => answers.push(change_once(step, event, change).await?),
            LiveWrite::Take(take) => answers.push(take_queue(step, take).await?),
            LiveWrite::Begin(begin) if matches!(begin.takes, Takes::Prompt | Takes::Joining) => {
                answers.push(prompts::give(step, begin).await?);
            }
            LiveWrite::Begin(begin) => answers.push(begun::begin(step, begin).await?),
            LiveWrite::EndRun(end) => answers.push(begun::end(step, end).await?),
            LiveWrite::Due(due) => answers.push(due::run(step, due).await?),
        }
    }
    step.end().await?;
    Ok(LiveWritten { answers, pos: step.feed_pos, has_deliveries: step.has_deliveries })
}

/// Stores what changed, and tells the feed.
async fn finish(step: &mut Step<'_>, sessions: &mut Sessions, changes: &Changes) -> Result<(), StoreError> {
    messages::store_counts(step, sessions, changes).await?;
    sessions.finish(step.now, changes, step.next_pos());
    sessions::store(step, sessions).await?;
    feed::write(step, sessions, changes).await
}

/// The session, unless it doesn't exist or was deleted.
async fn load(step: &mut Step<'_>, id: &SessionId) -> Result<Result<Sessions, Refusal>, StoreError> {
    let mut sessions = sessions::load_by_id(step, &BTreeSet::from([id.as_str()])).await?;
    Ok(match sessions.find(id.as_str()) {
        None => Err(Refusal::NoSession),
        Some(index) if sessions.row(index).deleted_at.is_some() => Err(Refusal::Deleted { field: None }),
        Some(_) => Ok(sessions),
    })
}

async fn create(step: &mut Step<'_>, new: &NewSession) -> Result<Answer, StoreError> {
    let mut same = sessions::load_by_id(step, &BTreeSet::from([new.id.as_str()])).await?;
    if let Some(index) = same.find(new.id.as_str()) {
        let refusal = match gone(same.row(index), new, "/id") {
            None if same.row(index).create_hash == new.create_hash => None,
            refusal => Some(refusal.unwrap_or(Refusal::Conflict)),
        };
        return match refusal {
            Some(refusal) => Ok(Err(refusal)),
            None => begin_anew(step, same, index, &new.id).await,
        };
    }
    if new.origin == Origin::Posts
        && let Some(refusal) = forgotten::taken(step, new).await?
    {
        return Ok(Err(refusal));
    }
    let upsert = SessionUpsert {
        key: new.key.clone(),
        agent: new.agent.clone(),
        parent_key: new.parent_key.clone(),
        facts: new.facts.clone(),
        new_id: new.id.clone(),
    };
    let mut sessions = sessions::load(step, &[upsert], new.origin, new.machine.as_deref()).await?;
    let index = sessions.index(&new.key)?;
    let row = sessions.row(index);
    if row.id != new.id.as_str() {
        // The agent's own id is known: the same agent goes on with its session.
        if let Some(refusal) = gone(row, new, "/agent_session_id") {
            return Ok(Err(refusal));
        }
        let id = SessionId::parse(row.id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        // As it is stored: the facts of this request change nothing.
        let known = sessions::load_by_id(step, &BTreeSet::from([id.as_str()])).await?;
        let index = known.find(id.as_str()).ok_or_else(|| StoreError::Corrupt("a session vanished".to_owned()))?;
        return begin_anew(step, known, index, &id).await;
    }
    row.key_id.clone_from(&new.key_id);
    row.create_hash.clone_from(&new.create_hash);
    row.heartbeat_at = new.create_hash.as_ref().map(|_| step.now.0);
    row.seen(step.now.0);
    finish(step, &mut sessions, &Changes::default()).await?;
    Ok(Ok(LiveDone::Session { id: new.id.clone(), created: true }))
}

/// The agent comes again to its session: what it left behind won't go on.
async fn begin_anew(
    step: &mut Step<'_>,
    mut sessions: Sessions,
    index: usize,
    id: &SessionId,
) -> Result<Answer, StoreError> {
    sessions.row(index).leave_work();
    sessions::store(step, &mut sessions).await?;
    feed::write(step, &sessions, &Changes::default()).await?;
    Ok(Ok(LiveDone::Session { id: id.clone(), created: false }))
}

/// Why a session that is there isn't there for whoever would make it. Of another one's nothing else is told.
fn gone(row: &SessionRow, new: &NewSession, field: &'static str) -> Option<Refusal> {
    if row.key_id != new.key_id {
        return Some(Refusal::Taken { field });
    }
    row.deleted_at.is_some().then_some(Refusal::Deleted { field: Some(field) })
}

async fn edit_session(step: &mut Step<'_>, edit: &LiveEdit) -> Result<Answer, StoreError> {
    let mut sessions = sessions::load_by_id(step, &BTreeSet::from([edit.session.as_str()])).await?;
    let Some(index) = sessions.find(edit.session.as_str()) else { return Ok(Err(Refusal::NoSession)) };
    let now = step.now;
    let row = sessions.row(index);
    if row.purged_at.is_some() {
        return Ok(Err(Refusal::NoSession));
    }
    if row.deleted_at.is_some() && edit.deleted_at.is_none() {
        return Ok(Err(Refusal::Deleted { field: None }));
    }
    let before = row.clone();
    let closed = apply(row, edit, now);
    if let Some(hash) = edit.registers.as_ref().filter(|_| before.create_hash.is_none()) {
        let rid = row.rid;
        on_step!(step, c => {
            sqlx::query("UPDATE session SET create_hash = $1 WHERE rid = $2").bind(hash).bind(rid).execute(c).await.map(drop)
        })?;
    }
    // A sign of life that changes nothing to be seen isn't news.
    let unseen = SessionRow { heartbeat_at: before.heartbeat_at, beats: before.beats, ..row.clone() } == before
        && row.state(now) == before.state(now);
    if let Some(outcome) = closed {
        begun::end_with_session(step, &mut sessions, index, outcome).await?;
    }
    let row = sessions.row(index);
    if let Some(at) = edit.deleted_at {
        let (rid, agent, key) = (row.rid, row.agent.clone(), row.key.clone());
        delete_children(step, rid, (&agent, key), at).await?;
        if before.deleted_at.is_some() != at.is_some() {
            step.notes.extend(edit.note.clone());
        }
    }
    sessions::store(step, &mut sessions).await?;
    if !unseen {
        feed::write(step, &sessions, &Changes::default()).await?;
    }
    Ok(Ok(LiveDone::Session { id: edit.session.clone(), created: false }))
}

/// Changes the row of a session. Returns how its open run ends, if the session ends.
fn apply(row: &mut SessionRow, edit: &LiveEdit, now: Micros) -> Option<RunOutcome> {
    let mut closed = None;
    row.apply(&edit.facts, None, now);
    if let Some(title) = &edit.own_title {
        row.own_title = title.as_deref().map(|title| text(title).into_owned());
    }
    if let Some(at) = edit.archived_at {
        row.archived_at = at.map(|at| at.0);
    }
    if let Some(at) = edit.pinned_at {
        row.pinned_at = at.map(|at| at.0);
    }
    if let Some(at) = edit.deleted_at {
        row.deleted_at = at.map(|at| at.0);
    }
    if let Some(ended) = edit.ended
        && row.ended_at.is_none()
    {
        row.end(now, ended == Ended::Failed);
        closed = Some(if ended == Ended::Failed { RunOutcome::Failed } else { RunOutcome::Done });
    }
    if edit.reopens {
        row.reopen();
    }
    if let Some(hash) = edit.registers.as_ref().filter(|_| row.create_hash.is_none()) {
        row.create_hash = Some(hash.clone());
    }
    if edit.rests {
        row.heartbeat_at = None;
    }
    if edit.sign.is_some() && row.ended_at.is_none() {
        row.heartbeat_at = Some(now.0);
    }
    if edit.sign == Some(SignOfLife::Heartbeat) {
        row.beats = 1;
    }
    if let Some(driven) = edit.driven {
        row.driven = i64::from(driven);
    }
    if let Some(live) = &edit.live
        && (edit.driven.is_some() || row.driven == 0)
    {
        row.report(live);
    }
    closed
}

/// Sessions of sub-agents go, and come back, with their parent.
async fn delete_children(
    step: &mut Step<'_>,
    session_rid: i64,
    (agent, key): (&str, String),
    deleted_at: Option<Micros>,
) -> Result<(), StoreError> {
    let mut above = vec![key];
    while let Some(parent) = above.pop() {
        let children: Vec<(String, i64, String)> = on_step!(step, c => {
            sqlx::query_as(
                "UPDATE session SET deleted_at = $4 WHERE workspace_id = $1 AND agent = $2 AND parent_key = $3 \
                 AND (deleted_at IS NULL) <> ($4 IS NULL) RETURNING key, rid, COALESCE(project, '')",
            )
            .bind(step.workspace).bind(agent).bind(&parent).bind(deleted_at.map(|at| at.0)).fetch_all(c).await
        })?;
        for (key, rid, project) in children {
            let sign = if deleted_at.is_some() { -1 } else { 1 };
            // In a circle of parents the session itself is among them: its row is stored later.
            if rid != session_rid {
                rollup::moved(step, rid, &(project, agent.to_owned()), sign).await?;
            }
            above.push(key);
        }
    }
    Ok(())
}

async fn change_message(step: &mut Step<'_>, change: &LiveChange) -> Result<Answer, StoreError> {
    let mut sessions = match load(step, &change.session).await? {
        Ok(sessions) => sessions,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let index = sessions.index(change.session.as_str())?;
    let rid = sessions.row(index).rid;
    let found = stored(step, rid, &[change.message.as_str()]).await?;
    let Some(current) = found.into_iter().next() else { return Ok(Err(Refusal::NoMessage)) };
    if change.if_match.is_some_and(|revision| revision != current.message.revision) {
        return Ok(Err(Refusal::Revision(Box::new(current))));
    }
    let calls = match &current.message.draft.call_id {
        Some(call_id) if change.needs_calls => calls(step, rid, call_id).await?,
        _ => Vec::new(),
    };
    let Changed { message, follow_up, grows, alive } = match (change.rule)(&current, &calls) {
        Ok(changed) => changed,
        Err(refusal) => return Ok(Err(refusal)),
    };
    // It may be as large as a message gets: from here on there is what it becomes.
    let told = todos::tells(&current.message.draft);
    drop(current.message.draft);
    let row = sessions.row(index);
    let before = row.state(step.now);
    if alive && row.queue().sleeps(step.now) {
        row.heartbeat_at = Some(step.now.0);
    }
    // That an agent is back is told to those, too, who don't follow its texts.
    let grows = grows && row.state(step.now) == before;
    let (sums, display) = (message.sums.clone(), message.display);
    let (changed, draft) = prepared(&change.session, message)?;
    let mut batch = vec![changed];
    let mut answer = None;
    if let Some(post) = &follow_up {
        batch.push(posts::columns(post, None));
        let row = sessions.row(index);
        let seq = row.last_seq + 1;
        answer = Some(Box::new(posts::added(post, seq, step.now)));
        row.reopen();
        posts::queue(row, post, seq);
    }
    sessions.row(index).add(&sums);
    let mut changes = Changes::default();
    messages::write(step, &mut sessions, batch, Copies::Never, &mut changes).await?;
    if grows {
        changes.grows(rid);
    }
    if told || todos::tells(&draft) {
        let sums = todos::counted(step, rid).await?;
        sessions.row(index).add(&sums);
    }
    finish(step, &mut sessions, &changes).await?;
    step.notes.extend(change.note.clone());
    let revision = changes.revision(rid, current.message.seq).unwrap_or(current.message.revision);
    let message = model::Message { revision, draft, ..current.message };
    let outcome = current.outcome;
    let message = Box::new(StoredMessage { message, display, copied: current.copied, outcome });
    Ok(Ok(LiveDone::Changed { message, follow_up: answer }))
}

async fn change_once(step: &mut Step<'_>, event: &ChannelEvent, change: &LiveChange) -> Result<Answer, StoreError> {
    if events::is_known(step, event).await? {
        return Ok(Err(Refusal::Repeated));
    }
    let answer = change_message(step, change).await?;
    if let Ok(LiveDone::Changed { message, .. }) = &answer {
        events::put(step, event, message.message.seq).await?;
    }
    Ok(answer)
}

/// Returns the messages of people to the agent.
async fn take_queue(step: &mut Step<'_>, take: &LiveTake) -> Result<Answer, StoreError> {
    let mut sessions = match load(step, &take.session).await? {
        Ok(sessions) => sessions,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let index = sessions.index(take.session.as_str())?;
    let now = step.now;
    let row = sessions.row(index);
    if take.expects.is_some_and(|seq| seq != row.delivered_seq) {
        return Ok(Err(Refusal::Rule(Objection::Stale, None)));
    }
    let after = match take.after {
        // In a run its posts gave it nothing: it hasn't what waits before its last one.
        Some(after) if row.begun_run.is_some() => after.min(row.delivered_seq),
        after => after.unwrap_or(row.delivered_seq),
    };
    let rid = row.rid;
    let mut room = Room::new(MessageQuery::BYTES);
    let taken = queue::within(step, rid, after, take.limit, &mut room).await?.messages;
    let row = sessions.row(index);
    let before = row.delivered_seq;
    let asleep = row.state(now) != SessionState::Working;
    if let Some(last) = taken.last() {
        row.delivered_seq = row.delivered_seq.max(last.message.seq);
    }
    if row.queue().sleeps(now) || (row.ended_at.is_none() && !taken.is_empty()) {
        row.heartbeat_at = Some(now.0);
    }
    reading::delivered(step, rid, before, &taken).await?;
    sessions::store(step, &mut sessions).await?;
    let taken_any = !taken.is_empty();
    let is_read = |stored: &StoredMessage| take.senders.may_be_read(&stored.message.draft);
    let taken: Vec<StoredMessage> = taken.into_iter().filter(is_read).collect();
    if taken_any || (asleep && sessions.row(index).state(now) == SessionState::Working) {
        feed::write(step, &sessions, &Changes::default()).await?;
    }
    Ok(Ok(LiveDone::Taken(taken)))
}

/// [`Workspace::calls`] within the transaction.
async fn calls(step: &mut Step<'_>, session_rid: i64, call_id: &str) -> Result<Vec<StoredMessage>, StoreError> {
    let sql = calls_sql();
    let rows: Vec<Listed> = on_step!(step, c => {
        sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(step.workspace).bind(session_rid).bind(call_id).fetch_all(c).await
    })?;
    let mut calls = Calls::default();
    for listed in rows {
        let row = match listed.along() {
            Ok(row) => row,
            Err(rid) => {
                let sql = row_sql();
                on_step!(step, c => {
                    sqlx::query_as(sqlx::AssertSqlSafe(sql.clone())).bind(step.workspace).bind(rid).fetch_one(c).await
                })?
            }
        };
        if !calls.add(row.into_stored(Vec::new())?) {
            break;
        }
    }
    Ok(calls.into_messages())
}

/// Messages of a session by their ids, as they are within the transaction.
async fn stored(step: &mut Step<'_>, session_rid: i64, ids: &[&str]) -> Result<Vec<StoredMessage>, StoreError> {
    let rows: Vec<MessageRow> = on_step!(step, c => {
        let mut q = QueryBuilder::new(format!(
            "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = "
        ));
        q.push_bind(step.workspace).push(" AND m.session_rid = ").push_bind(session_rid).push(" AND m.id IN (");
        let mut list = q.separated(", ");
        for id in ids {
            list.push_bind(*id);
        }
        list.push_unseparated(")");
        q.build_query_as().persistent(ids.len() == 1).fetch_all(c).await
    })?;
    rows.into_iter().map(|row| row.into_stored(Vec::new())).collect()
}

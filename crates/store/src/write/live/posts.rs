//! Posts that follow each other, in a few statements for all.

use super::{finish, queue as waiting, stored};
use crate::display;
use crate::prepare::work::Work;
use crate::prepare::{Posted, PreparedMessage};
use crate::read::messages::{COLUMNS, MessageRow};
use crate::session_row::SessionRow;
use crate::step::Step;
use crate::step::chunks::padded;
use crate::store::on_step;
use crate::write::changes::Changes;
use crate::write::messages::{self, Copies};
use crate::write::reading;
use crate::write::sessions::{self, Sessions};
use crate::{LivePost, LiveWrite, Objection, PostDone, Refusal, StoreError, StoredMessage};
use model::message_type::approval::Approval;
use model::policy::wakes;
use model::{Draft, Message, Micros, Role, Status};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Ids per look-up.
const IDS: usize = 512;

/// The posts up to the first other write, or the second one with the same id: each sees those before it.
pub(super) fn together(writes: &[LiveWrite]) -> Vec<&LivePost> {
    let (mut seen, mut said) = (HashSet::new(), HashSet::new());
    writes
        .iter()
        .map_while(|write| match write {
            LiveWrite::Post(post) => Some(&**post),
            _ => None,
        })
        .take_while(|post| seen.insert((post.session.as_str(), post.draft.id.as_str())))
        // Earlier messages of the batch may have answered the question already.
        .take_while(|post| {
            let first = post.answers.is_none() || !said.contains(post.session.as_str());
            if post.draft.role == Role::User {
                said.insert(post.session.as_str());
            }
            first
        })
        .collect()
}

/// The stored message with a post's id.
struct Known {
    role: String,
    create_hash: Option<Vec<u8>>,
    queued_after: Option<i64>,
    seq: i64,
}

/// The plan for a post.
enum Plan {
    Refused(Refusal),
    Replay { session_rid: i64, known: Known },
    New { session: usize, seq: i64, queued_after: Option<i64> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    EachByItself,
    /// A refusal of one is everybody's, and the only answer.
    AllOrNone,
}

pub(super) async fn write(
    step: &mut Step<'_>,
    posts: &[&LivePost],
    together: Together,
) -> Result<Vec<Result<PostDone, Refusal>>, StoreError> {
    let ids: BTreeSet<&str> = posts.iter().map(|post| post.session.as_str()).collect();
    let mut sessions = sessions::load_by_id(step, &ids).await?;
    let mut known = known(step, &mut sessions, posts).await?;
    let mut plans = Vec::with_capacity(posts.len());
    let mut batch = Vec::new();
    let mut next: HashMap<usize, i64> = HashMap::new();
    for post in posts {
        let index = match meet(step, &mut sessions, &mut known, post).await? {
            Met::New { session } => session,
            Met::Planned(plan) => {
                plans.push(plan);
                continue;
            }
        };
        let row = sessions.row(index);
        let last = next.entry(index).or_insert(row.last_seq);
        *last += 1;
        let (seq, queued_after) = (*last, advance(row, post, *last, step.now));
        batch.push(columns(post, queued_after));
        plans.push(Plan::New { session: index, seq, queued_after });
    }
    if together == Together::AllOrNone
        && let Some((index, refusal)) = plans.iter().enumerate().find_map(|(index, plan)| match plan {
            Plan::Refused(refusal) => Some((index, refusal.clone())),
            _ => None,
        })
    {
        return Ok(vec![Err(Refusal::At(index, Box::new(refusal)))]);
    }
    let mut changes = Changes::default();
    if !batch.is_empty() {
        messages::write(step, &mut sessions, batch, Copies::New, &mut changes).await?;
        finish(step, &mut sessions, &changes).await?;
    }
    let mut answers = Vec::with_capacity(posts.len());
    for (post, plan) in posts.iter().zip(plans) {
        answers.push(done(step, &mut sessions, post, plan).await?);
    }
    Ok(answers)
}

/// Returns the result of a post, after all of them are written.
async fn done(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    post: &LivePost,
    plan: Plan,
) -> Result<Result<PostDone, Refusal>, StoreError> {
    match plan {
        Plan::Refused(refusal) => Ok(Err(refusal)),
        Plan::Replay { session_rid, known } => {
            let found = stored(step, session_rid, &[post.draft.id.as_str()]).await?.pop();
            let found = found.ok_or_else(|| StoreError::Corrupt("a message vanished".to_owned()))?;
            let message = first(post, found);
            let queued = match known.queued_after {
                Some(after) => waiting::all(step, session_rid, after, known.seq).await?,
                None => Vec::new(),
            };
            Ok(Ok(PostDone { message, replayed: true, queued }))
        }
        Plan::New { session, seq, queued_after } => {
            let row = sessions.row(session);
            let (rid, last) = (row.rid, row.waiting_seq);
            let queued = match queued_after {
                Some(after) if last > after => waiting::all(step, rid, after, seq).await?,
                _ => Vec::new(),
            };
            reading::delivered(step, rid, queued_after.unwrap_or_default(), &queued).await?;
            Ok(Ok(PostDone { message: added(post, seq, step.now), replayed: false, queued }))
        }
    }
}

/// The state of its session that a post depends on.
enum Met {
    New {
        session: usize,
    },
    /// It is refused, or was stored before.
    Planned(Plan),
}

/// Finds whether a post is new, was stored before, or is refused.
async fn meet(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    known: &mut HashMap<(i64, String), Known>,
    post: &LivePost,
) -> Result<Met, StoreError> {
    let refused = |refusal| Ok(Met::Planned(Plan::Refused(refusal)));
    let Some(session) = sessions.find(post.session.as_str()) else { return refused(Refusal::NoSession) };
    let row = sessions.row(session);
    if row.deleted_at.is_some() {
        return refused(Refusal::Deleted { field: None });
    }
    let session_rid = row.rid;
    if let Some(known) = known.remove(&(session_rid, post.draft.id.to_string())) {
        // The same words by somebody else are another message.
        let same = known.create_hash.as_deref() == Some(&post.create_hash) && known.role == post.draft.role.as_str();
        return if same { Ok(Met::Planned(Plan::Replay { session_rid, known })) } else { refused(Refusal::Conflict) };
    }
    if let Some(question) = &post.answers
        && let Some(answer) = answer(step, session_rid, question.as_str()).await?
    {
        return refused(Refusal::Rule(Objection::Answered, Some(Box::new(answer))));
    }
    Ok(Met::New { session })
}

/// Brings a session's row up to a new post at `seq`. Returns the `seq` after which its agent takes what waits, if it
/// does.
fn advance(row: &mut SessionRow, post: &LivePost, seq: i64, now: Micros) -> Option<i64> {
    // In a run the agent has its input: what comes meanwhile is for the next one, unless it asks.
    let takes_queue = post.takes_queue && (row.begun_run.is_none() || asks(&post.draft));
    let queued_after = takes_queue.then_some(row.delivered_seq);
    if takes_queue {
        row.delivered_seq = seq;
    }
    if post.takes_queue && row.ended_at.is_none() {
        row.heartbeat_at = Some(now.0);
    }
    if post.draft.role == Role::User {
        row.reopen();
    }
    if post.queued {
        queue(row, post, seq);
    } else if post.draft.role == Role::User && row.waiting_seq <= row.delivered_seq {
        // Not for the agent, which knows it already: with nothing waiting, it has read as far.
        row.delivered_seq = seq;
    }
    row.add(&post.sums);
    queued_after
}

/// Returns true if the agent of the message waits for people.
fn asks(draft: &Draft) -> bool {
    draft.requires_user_input || Approval::open_in(draft).is_some()
}

/// A message waits for the agent. Those of people and tasks wake it.
pub(super) fn queue(row: &mut SessionRow, post: &LivePost, seq: i64) {
    if !post.queued {
        return;
    }
    row.waiting_seq = seq;
    if wakes(&post.draft) {
        row.queued_seq = seq;
    }
}

/// A post as the columns of its row.
pub(super) fn columns(post: &LivePost, queued_after: Option<i64>) -> PreparedMessage {
    let posted = Posted { create_hash: Some(post.create_hash.clone()), queued_after, queued: post.queued };
    let mut prepared = PreparedMessage { posted, ..post.prepared.clone() };
    if !post.tells_results && prepared.of_work.work == Work::Call {
        prepared.of_work.work = Work::Nothing;
    }
    prepared
}

/// A post as it was stored.
pub(super) fn added(post: &LivePost, seq: i64, now: Micros) -> StoredMessage {
    StoredMessage {
        message: Message {
            session_id: post.session.clone(),
            seq,
            revision: 1,
            draft: post.draft.clone(),
            records: Vec::new(),
            received_at: now,
        },
        display: display::from_number(i64::from(post.prepared.display)),
        copied: false,
        outcome: None,
    }
}

/// A stored message as it was answered first, whatever became of it since: the request says it again.
fn first(post: &LivePost, stored: StoredMessage) -> StoredMessage {
    if stored.message.revision == 1 {
        return stored;
    }
    let (received_at, created_at) = (stored.message.received_at, stored.message.draft.created_at);
    let mut first = added(post, stored.message.seq, received_at);
    first.message.draft.created_at = created_at;
    first
}

/// Returns a person's first answer to a question: by its id, or as plain text while it was open. Plain text answers any
/// open question.
async fn answer(step: &mut Step<'_>, session_rid: i64, question: &str) -> Result<Option<StoredMessage>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid \
         WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.role = 'user' AND m.seq > (\
             SELECT q.seq FROM message q WHERE q.workspace_id = $1 AND q.session_rid = $2 AND q.id = $3) ORDER BY m.seq"
    );
    let rows: Vec<MessageRow> = on_step!(step, c => {
        sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(step.workspace).bind(session_rid).bind(question).fetch_all(c).await
    })?;
    let mut open = true;
    for row in rows {
        let stored = row.into_stored(Vec::new())?;
        let draft = &stored.message.draft;
        if !draft.answers_in_words() {
            continue;
        }
        let answers = draft.is_about().map_or(open, |id| id == question);
        if answers && draft.status != Status::Retracted {
            return Ok(Some(stored));
        }
        // The question had an answer, so that the next message wasn't one; if the answer is retracted, another can
        // follow.
        open &= !answers;
    }
    Ok(None)
}

/// By session and id: what is there of the posts.
async fn known(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    posts: &[&LivePost],
) -> Result<HashMap<(i64, String), Known>, StoreError> {
    type OldRow = (i64, String, i64, String, Option<Vec<u8>>, Option<i64>);
    let mut wanted = Vec::with_capacity(posts.len());
    for post in posts {
        if let Some(index) = sessions.find(post.session.as_str()) {
            wanted.push((sessions.row(index).rid, post.draft.id.as_str()));
        }
    }
    let mut known = HashMap::new();
    for chunk in padded(&wanted, IDS) {
        let rows: Vec<OldRow> = on_step!(step, c => {
            let columns = "m.session_rid, m.id, m.seq, m.role, m.create_hash, m.queued_after";
            let mut q = messages::chosen(&chunk, step.workspace, columns);
            q.build_query_as().fetch_all(c).await
        })?;
        known.extend(rows.into_iter().map(|(session_rid, id, seq, role, create_hash, queued_after)| {
            ((session_rid, id), Known { role, create_hash, queued_after, seq })
        }));
    }
    Ok(known)
}

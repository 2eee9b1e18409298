//! Runs that begin here: an agent is given its input, once, and says when it is done.

use super::queue::{self, Between};
use super::{Answer, load};
use crate::columns::text;
use crate::context_log;
use crate::read::listing::Room;
use crate::step::Step;
use crate::store::on_step;
use crate::write::changes::Changes;
use crate::write::sessions::{self, Sessions};
use crate::write::{feed, reading, runs};
use crate::{GivenRun, LiveBegin, LiveDone, LiveEndRun, MessageQuery, Objection, Refusal, StoreError, Takes};
use model::run_prompt::{NoticePlacement, RunFormat, render};
use model::sdk_format::{RunInput, SdkMessage, format_for_sdk};
use model::{Message, RunOutcome, SessionId, Usage};

/// Begins a run, or gives the open one again, byte for byte: its agent crashed, or lost the answer.
pub(super) async fn begin(step: &mut Step<'_>, begin: &LiveBegin) -> Result<Answer, StoreError> {
    let mut sessions = match load(step, &begin.session).await? {
        Ok(sessions) => sessions,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let index = sessions.index(begin.session.as_str())?;
    let row = sessions.row(index);
    row.reopen();
    row.heartbeat_at = Some(step.now.0);
    let (rid, before) = (row.rid, row.delivered_seq);
    if let Some(run) = row.begun_run.clone() {
        return resume(step, &mut sessions, rid, run, begin).await;
    }
    let mut room = Room::new(MessageQuery::BYTES);
    // Messages without space wait for the next run.
    let waiting = queue::within(step, rid, before, u32::MAX, &mut room).await?.messages;
    let to = waiting.last().map_or(before, |last| last.message.seq);
    let first = waiting.first().map_or(i64::MAX, |first| first.message.seq);
    reading::delivered(step, rid, before, &waiting).await?;
    let is_read = |message: &Message| begin.senders.may_be_read(&message.draft);
    let new: Vec<Message> = waiting.into_iter().map(|stored| stored.message).filter(is_read).collect();
    let RunInput { mut messages, system_notices } = RunInput::of(&new);
    drop(new);
    let (mut after, mut omitted_to) = (before, None);
    if let Takes::After(known) = begin.takes {
        // Waiting messages are given, even if the agent claims to know them.
        after = known.min(first.saturating_sub(1));
        let history = History { rid, after, delivered: before };
        omitted_to = history.read(step, is_read, &mut room, &mut messages).await?;
    }
    let input = RunInput { messages, system_notices: [begin.notices.clone(), system_notices].concat() };
    let pieces = render(&input, begin.format, begin.placement).pieces;
    drop(input);
    let logged = context_log::append(step, rid, &begin.run, &pieces).await?;
    insert_run(step, rid, begin, (after, to, omitted_to)).await?;
    sessions.rollup.runs(step, &[(rid, begin.run.clone())], 1).await?;
    let row = sessions.row(index);
    row.begun_run = Some(begin.run.clone());
    row.delivered_seq = row.delivered_seq.max(to);
    runs::begun(step, &mut sessions, index).await?;
    sessions::store(step, &mut sessions).await?;
    feed::write(step, &sessions, &Changes::default()).await?;
    Ok(Ok(LiveDone::Begun(Box::new(GivenRun {
        id: begin.run.clone(),
        resumed: false,
        format: begin.format,
        placement: begin.placement,
        after,
        to,
        omitted_to,
        logged,
        pieces,
    }))))
}

/// Stores the run, with the messages that it is given: those behind `after`, up to `to`.
async fn insert_run(
    step: &mut Step<'_>,
    rid: i64,
    begin: &LiveBegin,
    (after, to, omitted_to): (i64, i64, Option<i64>),
) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query(
            "INSERT INTO run (workspace_id, session_rid, id, copied, started_at, outcome, input, output, cache_read, \
             cache_write, format, placement, given_after, given_to, omitted_to) \
             VALUES ($1, $2, $3, 0, $4, $5, 0, 0, 0, 0, $6, $7, $8, $9, $10)",
        )
        .bind(step.workspace).bind(rid).bind(&begin.run).bind(step.now.0).bind(RunOutcome::Open.as_str())
        .bind(begin.format.as_str()).bind(begin.placement.as_str()).bind(after).bind(to).bind(omitted_to)
        .execute(c).await.map(drop)
    })?;
    Ok(())
}

async fn resume(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    rid: i64,
    run: String,
    begin: &LiveBegin,
) -> Result<Answer, StoreError> {
    let (format, placement, after, to, omitted_to): (String, String, i64, i64, Option<i64>) = on_step!(step, c => {
        sqlx::query_as(
            "SELECT format, placement, given_after, given_to, omitted_to FROM run \
             WHERE workspace_id = $1 AND session_rid = $2 AND id = $3",
        )
        .bind(step.workspace).bind(rid).bind(&run).fetch_one(c).await
    })?;
    let corrupt = || StoreError::Corrupt(format!("run {run}"));
    let format = RunFormat::parse(&format).ok_or_else(corrupt)?;
    let placement = NoticePlacement::parse(&placement).ok_or_else(corrupt)?;
    if (format, placement) != (begin.format, begin.placement) {
        return Ok(Err(Refusal::OpenRun { run, format, placement }));
    }
    let pieces = context_log::given(step, rid, &run).await?;
    sessions::store(step, sessions).await?;
    feed::write(step, sessions, &Changes::default()).await?;
    let (id, resumed, logged) = (run, true, 0);
    let given = GivenRun { id, resumed, format, placement, after, to, omitted_to, logged, pieces };
    Ok(Ok(LiveDone::Begun(Box::new(given))))
}

/// The messages above a `seq`, without those that wait above the last delivered one.
struct History {
    rid: i64,
    after: i64,
    delivered: i64,
}

impl History {
    /// Adds it to the messages, the newest ones as far as there is room. Returns the `seq` of the newest one that there
    /// is none for.
    async fn read(
        self,
        step: &mut Step<'_>,
        is_read: impl Fn(&Message) -> bool,
        room: &mut Room,
        messages: &mut Vec<SdkMessage>,
    ) -> Result<Option<i64>, StoreError> {
        let condition = format!("m.role <> 'host' AND NOT ({} AND m.seq > {})", queue::QUEUED, self.delivered);
        let between =
            Between { rid: self.rid, after: self.after, before: i64::MAX, condition: &condition, descending: true };
        let mut oldest = i64::MAX;
        let is_cut = between
            .read(step, u32::MAX, room, |stored| {
                oldest = stored.message.seq;
                let Some(message) = is_read(&stored.message).then(|| format_for_sdk(&[stored.message]).pop()).flatten()
                else {
                    return false;
                };
                messages.push(message);
                true
            })
            .await?;
        messages.sort_by_key(|message| message.seq);
        if !is_cut {
            return Ok(None);
        }
        // Those between were not to be given, or there is no room for them.
        let omitted: Option<i64> = on_step!(step, c => {
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
                "SELECT MAX(m.seq) FROM message m WHERE {condition} AND m.workspace_id = $1 AND m.session_rid = $2 AND m.seq < $3"
            )))
            .bind(step.workspace).bind(self.rid).bind(oldest).fetch_one(c).await
        })?;
        Ok(omitted)
    }
}

/// Ends a run. The first outcome holds; saying the same again changes nothing.
pub(super) async fn end(step: &mut Step<'_>, end: &LiveEndRun) -> Result<Answer, StoreError> {
    let mut sessions = match load(step, &end.session).await? {
        Ok(sessions) => sessions,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let index = sessions.index(end.session.as_str())?;
    let rid = sessions.row(index).rid;
    let outcome: Option<String> = on_step!(step, c => {
        sqlx::query_scalar(
            "SELECT outcome FROM run WHERE workspace_id = $1 AND session_rid = $2 AND id = $3 AND format IS NOT NULL",
        )
        .bind(step.workspace).bind(rid).bind(&end.run).fetch_optional(c).await
    })?;
    match outcome.as_deref().map(RunOutcome::parse) {
        None => return Ok(Err(Refusal::NoRun)),
        Some(Some(RunOutcome::Open)) => {}
        Some(Some(outcome)) if outcome == end.outcome => return Ok(Ok(LiveDone::RunEnded { replayed: true })),
        Some(_) => return Ok(Err(Refusal::Rule(Objection::RunEnded, None))),
    }
    finish(step, &mut sessions, index, end).await?;
    sessions::store(step, &mut sessions).await?;
    feed::write(step, &sessions, &Changes::default()).await?;
    Ok(Ok(LiveDone::RunEnded { replayed: false }))
}

/// Ends the open run of a session that is over.
pub(super) async fn end_with_session(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    index: usize,
    outcome: RunOutcome,
) -> Result<(), StoreError> {
    let row = sessions.row(index);
    let Some(run) = row.begun_run.clone() else { return Ok(()) };
    let session = SessionId::parse(row.id.as_str()).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let end = LiveEndRun { session, run, outcome, model: None, usage: Usage::default(), cost_usd: None };
    finish(step, sessions, index, &end).await
}

async fn finish(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    index: usize,
    end: &LiveEndRun,
) -> Result<(), StoreError> {
    let row = sessions.row(index);
    let rid = row.rid;
    if row.begun_run.as_deref() == Some(end.run.as_str()) {
        row.begun_run = None;
    }
    let run = [(rid, end.run.clone())];
    sessions.rollup.runs(step, &run, -1).await?;
    let ended = on_step!(step, c => {
        sqlx::query(
            "UPDATE run SET ended_at = $4, outcome = $5, model = $6, input = $7, output = $8, cache_read = $9, \
             cache_write = $10, cost_usd = $11 WHERE workspace_id = $1 AND session_rid = $2 AND id = $3",
        )
        .bind(step.workspace).bind(rid).bind(&end.run).bind(step.now.0).bind(end.outcome.as_str())
        .bind(end.model.as_deref().map(|model| text(model).into_owned()))
        .bind(end.usage.input).bind(end.usage.output).bind(end.usage.cache_read).bind(end.usage.cache_write)
        .bind(end.cost_usd).execute(c).await.map(|done| done.rows_affected())
    })?;
    sessions.rollup.runs(step, &run, 1).await?;
    if ended > 0 { runs::ended(step, sessions, index, end.usage, end.cost_usd).await } else { Ok(()) }
}

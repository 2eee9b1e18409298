//! Runs that begin here: an agent is given its input, once, and says when it is done.

use super::{Answer, load, queued};
use crate::columns::text;
use crate::context_log;
use crate::read::messages::{COLUMNS, Row};
use crate::step::Step;
use crate::store::on_step;
use crate::write::changes::Changes;
use crate::write::sessions::{self, Sessions};
use crate::write::{feed, reading, runs};
use crate::{GivenRun, LiveBegin, LiveDone, LiveEndRun, Objection, Refusal, StoreError, Takes};
use model::run_prompt::{NoticePlacement, RunFormat, render};
use model::sdk_format::{RunInput, format_for_sdk};
use model::{Message, RunOutcome, SessionId, Usage};
use std::collections::BTreeSet;

/// All that waits is given: what it left out would count as given.
const ALL: u32 = u32::MAX;

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
        return resume(step, &sessions, rid, run, begin).await;
    }
    let waiting = queued(step, rid, before, i64::MAX, ALL).await?;
    let to = waiting.last().map_or(before, |last| last.message.seq);
    let is_read = |message: &Message| begin.senders.may_be_read(&message.draft);
    let new: Vec<Message> = waiting.iter().map(|stored| stored.message.clone()).filter(is_read).collect();
    let new = RunInput::of(&new);
    let (messages, after) = match begin.takes {
        Takes::After(after) => {
            let mut history = history(step, rid, after).await?;
            history.retain(is_read);
            (format_for_sdk(&history), after)
        }
        Takes::Waiting | Takes::Prompt => (new.messages, before),
    };
    let system_notices = [begin.notices.clone(), new.system_notices].concat();
    let rendered = render(&RunInput { messages, system_notices }, begin.format, begin.placement);
    context_log::append(step, rid, &begin.run, &rendered.pieces).await?;
    on_step!(step, c => {
        sqlx::query(
            "INSERT INTO run (workspace_id, session_rid, id, copied, started_at, outcome, input, output, cache_read, \
             cache_write, format, placement, given_after, given_to) \
             VALUES ($1, $2, $3, 0, $4, $5, 0, 0, 0, 0, $6, $7, $8, $9)",
        )
        .bind(step.workspace).bind(rid).bind(&begin.run).bind(step.now.0).bind(RunOutcome::Open.as_str())
        .bind(begin.format.as_str()).bind(begin.placement.as_str()).bind(after).bind(to)
        .execute(c).await.map(drop)
    })?;
    let row = sessions.row(index);
    row.begun_run = Some(begin.run.clone());
    row.delivered_seq = row.delivered_seq.max(to);
    runs::sum(step, &mut sessions, &BTreeSet::from([index])).await?;
    reading::delivered(step, rid, before, &waiting).await?;
    sessions::store(step, &sessions).await?;
    feed::write(step, &sessions, &Changes::default()).await?;
    Ok(Ok(LiveDone::Begun(Box::new(GivenRun {
        id: begin.run.clone(),
        resumed: false,
        format: begin.format,
        placement: begin.placement,
        after,
        to,
        pieces: rendered.pieces,
    }))))
}

async fn resume(
    step: &mut Step<'_>,
    sessions: &Sessions,
    rid: i64,
    run: String,
    begin: &LiveBegin,
) -> Result<Answer, StoreError> {
    let (format, placement, after, to): (String, String, i64, i64) = on_step!(step, c => {
        sqlx::query_as(
            "SELECT format, placement, given_after, given_to FROM run \
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
    Ok(Ok(LiveDone::Begun(Box::new(GivenRun { id: run, resumed: true, format, placement, after, to, pieces }))))
}

/// Everything that was said after a `seq`.
async fn history(step: &mut Step<'_>, rid: i64, after: i64) -> Result<Vec<Message>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid \
         WHERE m.workspace_id = $1 AND m.session_rid = $2 AND m.seq > $3 AND m.role <> 'host' ORDER BY m.seq"
    );
    let rows: Vec<Row> = on_step!(step, c => {
        sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
            .bind(step.workspace).bind(rid).bind(after).fetch_all(c).await
    })?;
    rows.into_iter().map(|row| row.into_stored(Vec::new()).map(|stored| stored.message)).collect()
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
    sessions::store(step, &sessions).await?;
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
    on_step!(step, c => {
        sqlx::query(
            "UPDATE run SET ended_at = $4, outcome = $5, model = $6, input = $7, output = $8, cache_read = $9, \
             cache_write = $10, cost_usd = $11 WHERE workspace_id = $1 AND session_rid = $2 AND id = $3",
        )
        .bind(step.workspace).bind(rid).bind(&end.run).bind(step.now.0).bind(end.outcome.as_str())
        .bind(end.model.as_deref().map(|model| text(model).into_owned()))
        .bind(end.usage.input).bind(end.usage.output).bind(end.usage.cache_read).bind(end.usage.cache_write)
        .bind(end.cost_usd).execute(c).await.map(drop)
    })?;
    runs::sum(step, sessions, &BTreeSet::from([index])).await
}

//! Runs that an agent takes from here, and the log of what it was given.

use crate::account::audit_log;
use crate::account::keys::holds_until;
use crate::basics::query::limit;
use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::host::{HostEvent, HostMessage};
use crate::may::{own_session, session, session_to_change};
use crate::messages::pending::LOOK;
use crate::notices::BYTES;
use crate::routing::RoutingTable;
use crate::writing::refusal::refusal;
use api::runs::{
    BeginRun, ContextLog, ContextLogCheck, ContextLogEntry, ContextLogQuery, EndRun, EndedAs, RunBegun, RunEnded,
    RunPath,
};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::routing::Place;
use model::run_prompt::{NoticePlacement, Piece, PieceKind, PromptPart, Rendered, RunFormat};
use model::{RunOutcome, Session, Usage};
use serde_json::Value;
use std::time::Duration;
use store::{GivenRun, LiveBegin, LiveDone, LiveEdit, LiveEndRun, LiveWrite, SignOfLife, Store, Takes};
use tokio::time::Instant;

/// Messages of a conversation that is given as a whole.
const HISTORY: i64 = 5_000;
/// Longest wait in seconds.
const MOST_WAIT: u32 = 60;
const ERROR_CHARS: usize = 2_000;
const MODEL_CHARS: usize = 200;
/// Notices of one request.
const NOTICES: usize = 32;

pub async fn begin_run(scoped: &Scoped, path: &SessionPath, input: BeginRun) -> Result<RunBegun, Problem> {
    let session = own_session(scoped, path).await?;
    let format = input.format.unwrap_or(RunFormat::Messages);
    let placement = input.notices.unwrap_or(NoticePlacement::SystemPrompt);
    let own = own_notices(input.system_notices)?;
    match input.history_after {
        Some(after) if after < 0 => return Err(Problem::field("/history_after", "a `seq`, or 0")),
        Some(after) if session.last_seq - after > HISTORY => {
            let problem = Problem::field("/history_after", &format!("a `seq` that at most {HISTORY} messages follow"));
            let hint = format!("The last message has the `seq` {}", session.last_seq);
            return Err(problem.coded(ProblemCode::TooMany).hint(hint));
        }
        _ => {}
    }
    let nothing = RunBegun {
        run: None,
        resumed: false,
        format,
        notices: placement,
        system: None,
        system_notices: Vec::new(),
        prompt: Value::Null,
        after: session.delivered_seq,
        to: session.delivered_seq,
        omitted_to: None,
    };
    match input.wait {
        Some(wait) if wait > MOST_WAIT => {
            return Err(Problem::field("/wait", &format!("0 to {MOST_WAIT} seconds")));
        }
        Some(wait) if !wakes(scoped, &session, Duration::from_secs(u64::from(wait))).await? => return Ok(nothing),
        _ => {}
    }
    let takes = input.history_after.map_or(Takes::Waiting, Takes::After);
    let given = given(scoped, &session, (format, placement), takes, own).await?;
    begun(given)
}

/// Checks the notices that an agent's harness gives with its run.
fn own_notices(notices: Vec<String>) -> Result<Vec<String>, Problem> {
    if notices.len() > NOTICES {
        return Err(Problem::field("/system_notices", &format!("at most {NOTICES} notices; got {}", notices.len())));
    }
    let fits = |notice: &String| !notice.trim().is_empty() && notice.len() <= BYTES;
    match notices.iter().position(|notice| !fits(notice)) {
        Some(index) => {
            let expected = format!("a notice that isn't blank, of at most {BYTES} bytes");
            Err(Problem::field(&format!("/system_notices/{index}"), &expected))
        }
        None => Ok(notices),
    }
}

/// Gives a session's agent what it is to read: the input of its open run again, or of a new one with the notices `own`
/// behind the server's.
async fn given(
    scoped: &Scoped,
    session: &Session,
    (format, placement): (RunFormat, NoticePlacement),
    takes: Takes,
    own: Vec<String>,
) -> Result<GivenRun, Problem> {
    let hub = &scoped.hub;
    let queue = hub.workspace.queue(&session.id).await.map_err(problem)?;
    // An open run has its notices: providers aren't asked in vain.
    let is_open = queue.is_some_and(|queue| queue.has_open_run);
    let notices = if is_open { Vec::new() } else { [crate::notices::of_run(hub, session).await?, own].concat() };
    let run = uuid::Uuid::now_v7().to_string();
    let senders = hub.state::<RoutingTable>().rules(&session.id, Place::Room).senders.clone();
    let begin = LiveBegin { session: session.id.clone(), run, format, placement, notices, takes, senders };
    let written = hub.writer.write(LiveWrite::Begin(Box::new(begin)));
    // The size of the log is known after the write: it is added to the quota, and the next run is refused.
    let used = |written: &Result<(LiveDone, i64), _>| match written {
        Ok((LiveDone::Begun(given), _)) => store::Usage { messages: 0, bytes: given.logged },
        _ => store::Usage::default(),
    };
    // An open run is given again, however much its key has posted.
    let written = if is_open {
        written.await
    } else {
        hub.quotas.pay(&scoped.caller, store::Usage::default(), written, used).await?
    };
    match written.map_err(refusal)? {
        (LiveDone::Begun(given), _) => Ok(*given),
        _ => Err(Problem::internal()),
    }
}

fn begun(given: GivenRun) -> Result<RunBegun, Problem> {
    let is_notice = |piece: &&Piece| piece.kind == PieceKind::Notice && piece.part == PromptPart::System;
    let notices = given.pieces.iter().filter(is_notice);
    let system_notices = notices.map(|piece| piece.text.clone()).collect();
    let rendered = Rendered { pieces: given.pieces };
    let (system, prompt) = (rendered.system(), rendered.prompt());
    // It may be long.
    drop(rendered);
    let prompt = match given.format {
        RunFormat::Text => Value::from(prompt),
        _ => serde_json::from_str(&prompt).map_err(|error| {
            tracing::error!(%error, run = given.id, "the context log holds no JSON");
            Problem::internal()
        })?,
    };
    Ok(RunBegun {
        run: Some(given.id),
        resumed: given.resumed,
        format: given.format,
        notices: given.placement,
        system,
        system_notices,
        prompt,
        after: given.after,
        to: given.to,
        omitted_to: given.omitted_to,
    })
}

/// Waits for something that wakes the agent, or for an open run that it is to take up. False when the time is over.
async fn wakes(scoped: &Scoped, session: &Session, wait: Duration) -> Result<bool, Problem> {
    let hub = &scoped.hub;
    let until = Instant::now() + wait;
    if !wait.is_zero() {
        // Waiting is a sign of life.
        let edit = LiveEdit { sign: Some(SignOfLife::Deed), ..LiveEdit::new(session.id.clone()) };
        hub.writer.write(LiveWrite::Edit(Box::new(edit))).await.map_err(refusal)?;
    }
    let bell = hub.writer.waiters().of(&session.id);
    let others_write = matches!(hub.store, Store::Postgres(_));
    let mut revoked = hub.revoked.subscribe();
    let mut ends = None;
    loop {
        // Listens before it looks: what comes between the two wakes it.
        let rung = bell.notified();
        tokio::pin!(rung);
        rung.as_mut().enable();
        let queue = hub.workspace.queue(&session.id).await.map_err(problem)?;
        let queue = queue.ok_or_else(|| Problem::not_found("session"))?;
        if queue.has_open_run || queue.waits(None) {
            return Ok(true);
        }
        if Instant::now() >= until {
            return Ok(false);
        }
        if ends.is_none() {
            // Revoked before we listened for it, that is told by nobody any more.
            ends = Some(holds_until(scoped).await?);
        }
        tokio::select! {
            () = rung => {}
            Ok(()) = revoked.changed() => ends = Some(holds_until(scoped).await?),
            () = clock::until(ends.unwrap_or(clock::NEVER)) => ends = Some(holds_until(scoped).await?),
            () = tokio::time::sleep(LOOK), if others_write => {}
            () = tokio::time::sleep_until(until) => {}
            () = hub.shutdown.cancelled() => return Ok(false),
        }
    }
}

pub async fn end_run(scoped: &Scoped, path: &RunPath, input: EndRun) -> Result<RunEnded, Problem> {
    let session = session_to_change(scoped, &SessionPath { session: path.session.clone() }).await?;
    let outcome = match input.outcome.unwrap_or(EndedAs::Done) {
        EndedAs::Done => RunOutcome::Done,
        EndedAs::Interrupted => RunOutcome::Interrupted,
        EndedAs::Failed => RunOutcome::Failed,
    };
    let error = input.error.filter(|error| !error.trim().is_empty());
    if error.is_some() && outcome != RunOutcome::Failed {
        return Err(Problem::field("/error", "absent, unless `outcome` is `failed`"));
    }
    if error.as_ref().is_some_and(|error| error.chars().count() > ERROR_CHARS) {
        return Err(Problem::field("/error", &format!("at most {ERROR_CHARS} characters")));
    }
    if input.model.as_ref().is_some_and(|model| model.chars().count() > MODEL_CHARS) {
        return Err(Problem::field("/model", &format!("at most {MODEL_CHARS} characters")));
    }
    let usage = input.usage.unwrap_or_default();
    let Usage { input: read, output, cache_read, cache_write } = usage;
    if [read, output, cache_read, cache_write].into_iter().any(|tokens| tokens < 0) {
        return Err(Problem::field("/usage", "numbers of tokens, 0 or more"));
    }
    if input.cost_usd.is_some_and(|cost| !cost.is_finite() || cost < 0.0) {
        return Err(Problem::field("/cost_usd", "an amount in US dollars, 0 or more"));
    }
    let end = LiveEndRun {
        session: session.id.clone(),
        run: path.run.clone(),
        outcome,
        model: input.model,
        usage,
        cost_usd: input.cost_usd,
    };
    let written = scoped.hub.writer.write(LiveWrite::EndRun(Box::new(end))).await.map_err(refusal)?;
    let (LiveDone::RunEnded { replayed }, _) = written else { return Err(Problem::internal()) };
    if outcome == RunOutcome::Failed && !replayed {
        let message = HostMessage::new(&HostEvent::AgentFailed { error }).with_id(format!("host-failed-{}", path.run));
        scoped.hub.tell_session(&session.id, &message).await;
    }
    let runs = scoped.hub.workspace.runs(&session.id).await.map_err(problem)?;
    let run = runs.into_iter().find(|run| run.id == path.run).ok_or_else(|| Problem::not_found("run"))?;
    Ok(RunEnded { run, replayed })
}

pub async fn list_context_log(
    scoped: &Scoped,
    path: &SessionPath,
    input: ContextLogQuery,
) -> Result<ContextLog, Problem> {
    let session = session(scoped, path).await?;
    let limit = limit(input.limit, 200, 500)?;
    let after = input.after.unwrap_or_default();
    if after < 0 {
        return Err(Problem::field("after", "a position, or 0"));
    }
    let run = input.run.as_deref();
    let found = scoped.hub.workspace.context_log(&session.id, run, after, limit).await.map_err(problem)?;
    let next = found.last().map(|last| last.position);
    let entries = found.into_iter().map(|entry| ContextLogEntry {
        position: entry.position,
        run: entry.run,
        part: entry.piece.part,
        kind: entry.piece.kind,
        seq: entry.piece.seq,
        given_at: entry.given_at,
        text: entry.piece.text,
        sha256: entry.hash,
    });
    Ok(ContextLog { entries: entries.collect(), next })
}

pub async fn check_context_log(scoped: &Scoped, path: &SessionPath) -> Result<ContextLogCheck, Problem> {
    let session = session(scoped, path).await?;
    let check = scoped.hub.workspace.check_context_log(&session.id).await.map_err(problem)?;
    let fault = check.fault.map(|(number, reason)| audit_log::fault(number, reason));
    Ok(ContextLogCheck { entries: check.entries, head: check.head, fault })
}

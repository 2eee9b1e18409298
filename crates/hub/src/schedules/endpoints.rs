//! Schedules: list, make, change, remove, restore, run now.

use crate::basics::query::given;
use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::may::session;
use crate::schedules::times::Times;
use crate::schedules::{SchedulesChanged, run_now, taker};
use crate::writing::refusal::refusal;
use api::schedules::{
    EditSchedule, NewSchedule, Schedule, ScheduleMade, ScheduleOutcome, SchedulePath, ScheduleRun, ScheduleState,
    Schedules,
};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::audit::Event;
use model::text;
use std::collections::HashMap;
use store::{Outcome, Schedule as Stored, ScheduleRun as StoredRun};

/// Longest prompt, in characters.
const CHARS: usize = 100_000;
/// Most schedules of a workspace.
const MOST: usize = 1_000;

pub async fn list_schedules(scoped: &Scoped) -> Result<Schedules, Problem> {
    let stored = scoped.hub.workspace.schedules().await.map_err(problem)?;
    let mut last = last_runs(scoped).await?;
    let mut schedules = Vec::with_capacity(stored.len());
    for stored in stored {
        let run = last.remove(&stored.id);
        schedules.push(shown(scoped, stored, run).await?);
    }
    Ok(Schedules { schedules })
}

pub async fn create_schedule(scoped: &Scoped, input: NewSchedule) -> Result<ScheduleMade, Problem> {
    let (times, zone) = Times::read(input.at.as_deref(), input.cron.as_deref(), input.zone.as_deref())?;
    let prompt = prompt(input.prompt)?;
    if input.session.trim().is_empty() {
        return Err(Problem::field("/session", "the id of a session, or a unique prefix of it"));
    }
    let found = session(scoped, &SessionPath { session: input.session.trim().to_owned() }).await;
    let session = found.map_err(|problem| Problem { field: Some("/session".to_owned()), ..problem })?.id;
    if let Some(nobody) = taker::nobody(&scoped.hub, &session).await? {
        return Err(nobody.problem());
    }
    let there = scoped.hub.workspace.schedules().await.map_err(problem)?.len();
    if there >= MOST {
        let title = format!("The maximum of {MOST} schedules is reached");
        return Err(Problem::new(ProblemCode::TooManySchedules, title).hint("Remove schedules that are over"));
    }
    let id = uuid::Uuid::now_v7().to_string();
    let now = clock::now();
    let mut stored = Stored {
        id,
        session,
        prompt,
        at: None,
        cron: None,
        zone: String::new(),
        next_at: None,
        created_at: now,
        paused_at: None,
        removed_at: None,
    };
    set_times(&mut stored, &times, given(input.cron), zone)?;
    put(scoped, &stored, made(&stored)).await?;
    Ok(ScheduleMade { schedule: shown(scoped, stored, None).await? })
}

pub async fn edit_schedule(scoped: &Scoped, path: &SchedulePath, input: EditSchedule) -> Result<Schedule, Problem> {
    let mut stored = find(scoped, path).await?;
    let before = stored.clone();
    if let Some(text) = input.prompt {
        stored.prompt = prompt(text)?;
    }
    let (at, cron) = (given(input.at), given(input.cron));
    let has_times = at.is_some() || cron.is_some();
    if has_times || input.zone.is_some() {
        let zone = input.zone.unwrap_or_else(|| stored.zone.clone());
        if !has_times && stored.cron.is_none() {
            return Err(Problem::field("/zone", "absent, or given with `at`: the zone doesn't move a fixed time"));
        }
        let cron = if has_times { cron } else { stored.cron.clone() };
        let (times, zone) = Times::read(at.as_deref(), cron.as_deref(), Some(&zone))?;
        set_times(&mut stored, &times, cron, zone)?;
    }
    match input.paused {
        Some(true) => stored.paused_at = stored.paused_at.or_else(|| Some(clock::now())),
        // Times in a pause don't count as missed.
        Some(false) if stored.paused_at.take().is_some() => {
            stored.next_at = Times::stored(&stored)?.after(clock::now());
        }
        _ => {}
    }
    let fields = [
        ("prompt", stored.prompt != before.prompt),
        ("at", stored.at != before.at),
        ("cron", stored.cron != before.cron),
        ("zone", stored.zone != before.zone),
        ("paused", stored.paused_at != before.paused_at),
    ];
    let fields: Vec<String> =
        fields.iter().filter(|(_, is_new)| *is_new).map(|(field, _)| (*field).to_owned()).collect();
    if !fields.is_empty() {
        let (schedule, session) = (stored.id.clone(), stored.session.to_string());
        put(scoped, &stored, Event::ScheduleChanged { schedule, session, fields }).await?;
    }
    with_last(scoped, stored).await
}

pub async fn remove_schedule(scoped: &Scoped, path: &SchedulePath) -> Result<Schedules, Problem> {
    let mut stored = find(scoped, path).await?;
    stored.removed_at = Some(clock::now());
    let (schedule, session) = (stored.id.clone(), stored.session.to_string());
    put(scoped, &stored, Event::ScheduleRemoved { schedule, session }).await?;
    list_schedules(scoped).await
}

pub async fn restore_schedule(scoped: &Scoped, path: &SchedulePath) -> Result<Schedule, Problem> {
    let found = scoped.hub.workspace.schedule(&path.schedule).await.map_err(problem)?;
    let mut stored = found.ok_or_else(|| Problem::not_found("schedule"))?;
    if stored.removed_at.take().is_some() {
        stored.next_at = Times::stored(&stored)?.after(clock::now());
        put(scoped, &stored, made(&stored)).await?;
    }
    with_last(scoped, stored).await
}

pub async fn run_schedule(scoped: &Scoped, path: &SchedulePath) -> Result<Schedule, Problem> {
    let stored = find(scoped, path).await?;
    run_now(&scoped.hub, &stored).await.map_err(refusal)?;
    with_last(scoped, stored).await
}

/// One that isn't removed, by its id or a unique beginning of it.
async fn find(scoped: &Scoped, path: &SchedulePath) -> Result<Stored, Problem> {
    let all = scoped.hub.workspace.schedules().await.map_err(problem)?;
    let mut found = all.into_iter().filter(|stored| !path.schedule.is_empty() && stored.id.starts_with(&path.schedule));
    match (found.next(), found.next()) {
        (Some(stored), None) => Ok(stored),
        (None, _) => Err(Problem::not_found("schedule")),
        (Some(_), Some(_)) => {
            let title = format!("Several schedules begin with `{}`", path.schedule);
            Err(Problem::new(ProblemCode::Ambiguous, title).hint("Use more characters of the id"))
        }
    }
}

fn prompt(given: String) -> Result<String, Problem> {
    if text::is_blank(&given) || given.chars().count() > CHARS {
        return Err(Problem::field("/prompt", &format!("1 to {CHARS} characters that aren't all blank")));
    }
    Ok(given)
}

fn set_times(stored: &mut Stored, times: &Times, cron: Option<String>, zone: String) -> Result<(), Problem> {
    let now = clock::now();
    stored.next_at = times.after(now);
    if stored.next_at.is_none() {
        let (field, expected) = match times {
            Times::Once(_) => ("/at", "a time in the future"),
            Times::Cron(..) => ("/cron", "an expression that matches at least one time"),
        };
        return Err(Problem::field(field, expected));
    }
    stored.at = match times {
        Times::Once(at) => Some(*at),
        Times::Cron(..) => None,
    };
    stored.cron = cron.map(|cron| cron.trim().to_owned());
    stored.zone = zone;
    Ok(())
}

fn made(stored: &Stored) -> Event {
    Event::ScheduleMade { schedule: stored.id.clone(), session: stored.session.to_string() }
}

async fn put(scoped: &Scoped, stored: &Stored, event: Event) -> Result<(), Problem> {
    scoped.signed().await.put_schedule(stored, event).await.map_err(problem)?;
    scoped.hub.state::<SchedulesChanged>().0.notify_one();
    Ok(())
}

async fn last_runs(scoped: &Scoped) -> Result<HashMap<String, StoredRun>, Problem> {
    Ok(scoped.hub.workspace.last_schedule_runs().await.map_err(problem)?.into_iter().collect())
}

async fn with_last(scoped: &Scoped, stored: Stored) -> Result<Schedule, Problem> {
    let last = last_runs(scoped).await?.remove(&stored.id);
    shown(scoped, stored, last).await
}

async fn shown(scoped: &Scoped, stored: Stored, last: Option<StoredRun>) -> Result<Schedule, Problem> {
    let session = scoped.hub.workspace.session(&stored.session, clock::now()).await.map_err(problem)?;
    let state = match (stored.paused_at, stored.next_at) {
        (Some(_), _) => ScheduleState::Paused,
        (None, Some(_)) => ScheduleState::Active,
        (None, None) => ScheduleState::Over,
    };
    Ok(Schedule {
        id: stored.id,
        session: stored.session.to_string(),
        session_title: session.filter(|session| session.deleted_at.is_none()).map(|session| session.title),
        prompt: stored.prompt,
        at: stored.at,
        cron: stored.cron,
        zone: stored.zone,
        next_at: stored.next_at.filter(|_| state == ScheduleState::Active),
        state,
        last: last.map(last_run),
        created_at: stored.created_at,
    })
}

fn last_run(run: StoredRun) -> ScheduleRun {
    ScheduleRun {
        due_at: run.due_at,
        outcome: match run.outcome {
            Outcome::Sent => ScheduleOutcome::Sent,
            Outcome::Missed => ScheduleOutcome::Missed,
            Outcome::Refused => ScheduleOutcome::Refused,
        },
        missed: run.missed,
        message_id: run.message_id,
        reason: run.reason,
    }
}

//! Prompts at a time: what is due is claimed and posted in one transaction, so that no run comes twice, whatever breaks
//! in between and however many servers look.

pub mod endpoints;
pub mod taker;
pub mod times;

pub(crate) use endpoints::*;

use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::context::writer::Failure;
use crate::context::{Hub, TopicState};
use crate::host::{HostEvent, HostMessage};
use crate::writing::posting;
use api::Problem;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::{Body, Draft, MessageId, Micros, Provenance, Role, text};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::time::Duration;
use store::{LiveDone, LiveDue, LivePost, LiveWrite, MissedRuns, Refusal, Schedule};
use times::{Plan, Times};
use tokio::sync::Notify;

/// Sender of a prompt that is posted at its time.
pub const SENDER: &str = "scheduled_task";
/// How long nobody looks at most: another server on the same database may have made a schedule.
const LONGEST: Duration = Duration::from_secs(15);
/// After an error of the database.
const PAUSE: Duration = Duration::from_secs(5);
/// Characters of a prompt in what the host says.
const QUOTED: usize = 120;

/// A schedule was changed: its time may be sooner.
#[derive(Default)]
pub struct SchedulesChanged(pub Notify);

impl TopicState for SchedulesChanged {}

/// Runs what is due, for as long as the hub lives.
pub async fn work(hub: Hub) {
    let mut jumps = clock::Jumps::default();
    let mut is_ahead = true;
    let changed = hub.state::<SchedulesChanged>();
    loop {
        // Once at the start: the clock may have been set back while there was no server.
        if is_ahead || jumps.was_set_back() {
            is_ahead = take_back(&hub, clock::now()).await.is_err();
        }
        let pause = match look(&hub, clock::now()).await {
            Ok(()) => until_next(&hub).await,
            Err(problem) => {
                if !hub.shutdown.is_cancelled() {
                    tracing::warn!(%problem, "schedules can't be looked at");
                }
                PAUSE
            }
        };
        tokio::select! {
            () = hub.shutdown.cancelled() => return,
            () = changed.0.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn until_next(hub: &Hub) -> Duration {
    let next = hub.workspace.next_schedule().await.ok().flatten();
    let left = next.map(|at| at.since(clock::now()).max(0)).and_then(|micros| u64::try_from(micros).ok());
    // To the next millisecond, which is how fine the timer is.
    left.map_or(LONGEST, |micros| Duration::from_micros(micros + 1000)).min(LONGEST)
}

/// Runs what is due at a time, and tells what was missed.
///
/// # Errors
///
/// The database can't be read or written. What is due stays so.
pub async fn look(hub: &Hub, now: Micros) -> Result<(), Problem> {
    for schedule in hub.workspace.due_schedules(now).await.map_err(problem)? {
        let Some(due) = schedule.next_at else { continue };
        let plan = match Times::stored(&schedule) {
            Ok(times) => times.plan(due, now),
            // The system no longer knows the time zone, so that no next time can be computed.
            Err(problem) => {
                tracing::warn!(%problem, schedule = schedule.id, "a schedule can't be read");
                Plan { run: None, missed: Some((1, due)), next: None }
            }
        };
        let missed = plan.missed.map(|(count, last_at)| missed(&schedule, count, last_at));
        let mut prompt = plan.run.map(|at| prompt(&schedule, at).map(|post| (at, post))).transpose()?;
        // A refused prompt isn't stored, and doesn't count as activity.
        let mut refused = None;
        if prompt.is_some()
            && let Some(nobody) = taker::nobody(hub, &schedule.session).await?
        {
            refused = prompt.take().map(|(at, _)| (at, nobody.reason));
        }
        let write =
            LiveDue { schedule: schedule.id.clone(), claims: Some(due), next: plan.next, prompt, refused, missed };
        match hub.writer.write(LiveWrite::Due(Box::new(write))).await {
            // Another server was first.
            Ok(_) | Err(Failure::Refused(Refusal::NotDue)) => {}
            Err(Failure::Problem(problem)) => return Err(problem),
            Err(Failure::Refused(refusal)) => tracing::warn!(?refusal, schedule = schedule.id, "a run was refused"),
        }
    }
    Ok(())
}

/// Gives schedules the times that are next by a clock that was set back. A run that was made is there already and isn't
/// made again.
async fn take_back(hub: &Hub, now: Micros) -> Result<(), Problem> {
    for schedule in hub.workspace.schedules().await.map_err(problem)? {
        let next = Times::stored(&schedule).ok().and_then(|times| times.after(now));
        let (Some(next), Some(planned)) = (next, schedule.next_at) else { continue };
        if next < planned {
            let (claims, next) = (Some(planned), Some(next));
            let write = LiveDue { schedule: schedule.id, claims, next, prompt: None, refused: None, missed: None };
            // One that is paused gets its time when it goes on.
            if let Err(Failure::Problem(problem)) = hub.writer.write(LiveWrite::Due(Box::new(write))).await {
                return Err(problem);
            }
        }
    }
    Ok(())
}

/// Posts the prompt of a schedule now, if anybody takes it. Its times stay as they are.
pub(crate) async fn run_now(hub: &Hub, schedule: &Schedule) -> Result<LiveDone, Failure> {
    let now = clock::now();
    let nobody = taker::nobody(hub, &schedule.session).await.map_err(Failure::Problem)?;
    let prompt = match nobody {
        Some(_) => None,
        None => Some((now, prompt(schedule, now).map_err(Failure::Problem)?)),
    };
    let refused = nobody.map(|nobody| (now, nobody.reason));
    let write = LiveDue { schedule: schedule.id.clone(), claims: None, next: None, prompt, refused, missed: None };
    Ok(hub.writer.write(LiveWrite::Due(Box::new(write))).await?.0)
}

/// Returns the post of a schedule: a message of its owner, which waits for the agent like other messages of people.
fn prompt(schedule: &Schedule, due: Micros) -> Result<LivePost, Problem> {
    let id = run_id(&schedule.id, due)?;
    let metadata =
        Map::from_iter([("task".to_owned(), Value::from(true)), ("schedule".to_owned(), schedule.id.clone().into())]);
    let mut draft = Draft {
        provenance: Provenance::Ourselves,
        metadata: Some(metadata),
        ..Draft::text(id, Role::User, SENDER, schedule.prompt.as_str(), due)
    };
    let body = Body::of(&draft);
    posting::complete(&mut draft, &body);
    let create_hash = create_hash(&(&schedule.id, due))?;
    let mut post =
        LivePost::new(schedule.session.clone(), posting::new_message(draft, body), create_hash).map_err(problem)?;
    post.queued = true;
    Ok(post)
}

fn missed(schedule: &Schedule, count: i64, last_at: Micros) -> MissedRuns {
    let event = HostEvent::RunsMissed {
        count,
        last: moment(last_at, &schedule.zone),
        prompt: text::one_line(&schedule.prompt, QUOTED),
    };
    let id = run_id(&format!("missed {}", schedule.id), last_at);
    let message = id.and_then(|id| HostMessage::new(&event).with_id(id.to_string()).post(&schedule.session));
    MissedRuns { count, last_at, told: message.inspect_err(|problem| tracing::warn!(%problem, "nobody is told")).ok() }
}

/// `2026-11-21 14:02 Europe/Berlin`.
fn moment(at: Micros, zone: &str) -> String {
    let zoned = Timestamp::from_microsecond(at.0).map(|at| at.to_zoned(TimeZone::get(zone).unwrap_or(TimeZone::UTC)));
    zoned.map(|at| format!("{} {zone}", at.strftime("%Y-%m-%d %H:%M"))).unwrap_or_default()
}

/// The id of the message of a run: always the same one, and a UUID, which agents take as the id of a prompt.
fn run_id(schedule: &str, due: Micros) -> Result<MessageId, Problem> {
    let hash = Sha256::digest(format!("{schedule} {}", due.0).as_bytes());
    let bytes = hash.first_chunk::<16>().copied().unwrap_or_default();
    let id = uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string();
    MessageId::parse(id).map_err(|_| Problem::internal())
}

//! `verbatim schedule`: prompts that are sent at a time.

use super::text::{one_line, text};
use super::{print, print_json};
use crate::cli::{Schedule as Args, ScheduleAdd, ScheduleList, ScheduleNamed, SchedulePause, ScheduleRemove};
use crate::door::Door;
use anyhow::{Result, bail};
use api::schedules::{EditSchedule, NewSchedule, Schedule, ScheduleOutcome, SchedulePath, ScheduleState};
use api::{Nothing, Problem};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::Micros;

pub async fn run(args: Args) -> Result<()> {
    match args {
        Args::Add(args) => add(args).await,
        Args::List(args) => list(args).await,
        Args::Pause(SchedulePause { named, resume }) => {
            let edit = EditSchedule { paused: Some(!resume), ..EditSchedule::default() };
            one(&named, async |door, path| door.client.edit_schedule(path, edit).await).await
        }
        Args::Run(named) => one(&named, async |door, path| door.client.run_schedule(path, Nothing {}).await).await,
        Args::Remove(ScheduleRemove { named, undo: true }) => {
            one(&named, async |door, path| door.client.restore_schedule(path, Nothing {}).await).await
        }
        Args::Remove(ScheduleRemove { named, .. }) => remove(&named).await,
    }
}

async fn add(args: ScheduleAdd) -> Result<()> {
    let Some(prompt) = text(args.prompt.as_deref())? else {
        bail!("there is nothing to send\nGive a prompt, or pipe one in");
    };
    let door = Door::find(&args.data).await?;
    let new = NewSchedule { session: args.session, prompt, at: args.at, cron: args.cron, zone: args.zone };
    let made = door.client.create_schedule(Nothing {}, new).await;
    door.close().await;
    show(&made?.schedule, args.json)
}

async fn list(args: ScheduleList) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let all = door.client.list_schedules(Nothing {}, Nothing {}).await;
    door.close().await;
    let all = all?.schedules;
    if args.json {
        return print_json(&all);
    }
    if all.is_empty() {
        return print("No schedules yet. `verbatim schedule add SESSION PROMPT --cron \"0 9 * * 1-5\"` creates one\n");
    }
    print(&all.iter().map(line).collect::<String>())
}

async fn remove(named: &ScheduleNamed) -> Result<()> {
    let door = Door::find(&named.data).await?;
    let all = door.client.list_schedules(Nothing {}, Nothing {}).await;
    let left = door.client.remove_schedule(path(named), Nothing {}).await;
    door.close().await;
    let left = left?;
    if named.json {
        return print_json(&left.schedules);
    }
    let removed = all?.schedules.into_iter().find(|schedule| schedule.id.starts_with(&named.schedule));
    let id = removed.map_or_else(|| named.schedule.clone(), |schedule| schedule.id);
    print(&format!("Removed. `verbatim schedule remove --undo {id}` brings it back\n"))
}

async fn one(
    named: &ScheduleNamed,
    act: impl AsyncFnOnce(&Door, SchedulePath) -> Result<Schedule, Problem>,
) -> Result<()> {
    let door = Door::find(&named.data).await?;
    let done = act(&door, path(named)).await;
    door.close().await;
    show(&done?, named.json)
}

fn path(named: &ScheduleNamed) -> SchedulePath {
    SchedulePath { schedule: named.schedule.clone() }
}

fn show(schedule: &Schedule, json: bool) -> Result<()> {
    if json { print_json(schedule) } else { print(&line(schedule)) }
}

/// `0198f2c4-...  next 2026-11-27 09:00 Europe/Berlin  0 9 * * 1-5  Mill: Run the tests`.
fn line(schedule: &Schedule) -> String {
    let zone = &schedule.zone;
    let next = match (schedule.state, schedule.next_at) {
        (ScheduleState::Active, Some(at)) => format!("next {}", moment(at, zone)),
        (ScheduleState::Paused, _) => "paused".to_owned(),
        _ => "over".to_owned(),
    };
    let times = schedule.cron.as_deref().map_or_else(String::new, |cron| format!("  {cron}"));
    let last = schedule.last.as_ref().map_or_else(String::new, |run| {
        let how = match run.outcome {
            ScheduleOutcome::Sent => "sent".to_owned(),
            ScheduleOutcome::Missed if run.missed > 1 => format!("{} missed up to", run.missed),
            ScheduleOutcome::Missed => "missed".to_owned(),
            ScheduleOutcome::Refused => {
                format!("not sent ({})", run.reason.as_deref().unwrap_or("refused").to_lowercase())
            }
        };
        format!("  {how} {}", moment(run.due_at, zone))
    });
    let session = one_line(schedule.session_title.as_deref().unwrap_or("deleted session"));
    format!("{}  {next}{times}{last}  {session}: {}\n", schedule.id, one_line(&schedule.prompt))
}

/// `2026-11-27 09:00 Europe/Berlin`.
fn moment(at: Micros, zone: &str) -> String {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let at = Timestamp::from_microsecond(at.0).unwrap_or_default().to_zoned(zone);
    at.strftime("%Y-%m-%d %H:%M %Q").to_string()
}

//! Options of `verbatim schedule`.

use super::{Data, session};
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Schedule {
    /// Schedule a prompt for a session, once or repeatedly
    Add(ScheduleAdd),
    /// List schedules, next run first
    List(ScheduleList),
    /// Pause a schedule, or resume it with `--resume`
    Pause(SchedulePause),
    /// Send the prompt of a schedule now; its planned times stay
    Run(ScheduleNamed),
    /// Remove a schedule, or restore it with `--undo`
    Remove(ScheduleRemove),
}

#[derive(Debug, Args)]
pub struct ScheduleAdd {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session)]
    pub session: String,
    /// The prompt; `-` or a pipe reads standard input
    pub prompt: Option<String>,
    /// Time of a single run: `2026-12-01 09:00`, or with an offset `2026-12-01T09:00:00+01:00`
    #[arg(long, value_name = "WHEN", required_unless_present = "cron", conflicts_with = "cron")]
    pub at: Option<String>,
    /// Cron expression for repeated runs: minute, hour, day of month, month, day of week, as in `0 9 * * 1-5`
    #[arg(long, value_name = "FIELDS")]
    pub cron: Option<String>,
    /// Time zone: `Europe/Berlin` [default: the server's]
    #[arg(long)]
    pub zone: Option<String>,
    #[command(flatten)]
    pub data: Data,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ScheduleList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ScheduleNamed {
    /// Id, or a unique prefix of it
    pub schedule: String,
    #[command(flatten)]
    pub data: Data,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SchedulePause {
    #[command(flatten)]
    pub named: ScheduleNamed,
    /// Resume it, with its next time from now on
    #[arg(long)]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub struct ScheduleRemove {
    #[command(flatten)]
    pub named: ScheduleNamed,
    /// Restore it; the whole id is required
    #[arg(long)]
    pub undo: bool,
}

//! The options of `verbatim schedule`.

use super::{Data, session};
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Schedule {
    /// Send a prompt to a session at a moment, or again and again
    Add(ScheduleAdd),
    /// List schedules, the next to run first
    List(ScheduleList),
    /// Pause a schedule, or let it go on with `--resume`
    Pause(SchedulePause),
    /// Send the prompt of a schedule now; its times stay as they are
    Run(ScheduleNamed),
    /// Remove a schedule, or bring a removed one back with `--undo`
    Remove(ScheduleRemove),
}

#[derive(Debug, Args)]
pub struct ScheduleAdd {
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_parser = session)]
    pub session: String,
    /// What the agent is told; `-` reads it, as a pipe does
    pub prompt: Option<String>,
    /// Once: `2026-12-01 09:00`, or with its zone `2026-12-01T09:00:00+01:00`
    #[arg(long, value_name = "WHEN", required_unless_present = "cron", conflicts_with = "cron")]
    pub at: Option<String>,
    /// Again and again: minute, hour, day of the month, month, day of the week, as `0 9 * * 1-5`
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
    /// Its id, or a unique prefix of it
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
    /// Let it go on, with its next time from now
    #[arg(long)]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub struct ScheduleRemove {
    #[command(flatten)]
    pub named: ScheduleNamed,
    /// Bring it back: give its whole id
    #[arg(long)]
    pub undo: bool,
}

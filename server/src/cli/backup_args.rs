//! Options of `verbatim backup`, `verbatim restore` and `verbatim migrate-store`.

use super::Data;
use backup::Keep;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Backup {
    #[command(subcommand)]
    pub command: Option<BackupCommand>,
    #[command(flatten)]
    pub make: BackupMake,
}

#[derive(Debug, Args)]
pub struct BackupMake {
    /// Folder that holds all backups, and stores what they share once; or a new file that ends in `.tar`, for one
    #[arg(value_name = "DIR|FILE")]
    pub place: Option<PathBuf>,
    #[command(flatten)]
    pub data: Data,
    /// Then remove older backups of the folder: `7d,4w,12m` keeps the newest one of each of 7 days, 4 weeks, 12 months
    #[arg(long, value_name = "RULE")]
    pub keep: Option<Keep>,
    /// Let the server make one at these times, with five fields as in cron: `0 3 * * *` is 3:00 each day; `off` ends that
    #[arg(long, value_name = "CRON|off")]
    pub schedule: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum BackupCommand {
    /// List the backups of a folder or file
    List(BackupPlace),
    /// Read every byte of the backups of a folder or file; no server is needed
    Verify {
        #[command(flatten)]
        place: BackupPlace,
        /// Only the backup with this name
        #[arg(long, value_name = "NAME")]
        at: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct BackupPlace {
    /// The folder or file
    #[arg(value_name = "DIR|FILE")]
    pub place: PathBuf,
    /// Print them as JSON, one per line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Restore {
    /// Folder or file with backups
    #[arg(value_name = "DIR|FILE")]
    pub place: PathBuf,
    /// The backup with this name [default: the newest]
    #[arg(long, value_name = "NAME")]
    pub at: Option<String>,
    /// The data to fill: it must be empty
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct MigrateStore {
    /// The data to copy: stop its server first
    #[command(flatten)]
    pub data: Data,
    /// Empty PostgreSQL database `postgres://...`, or data directory without a database
    #[arg(long, value_name = "URL|DIR")]
    pub to: String,
}

//! Backups that the server makes by itself: `backup.json` in the data directory says where and when. `verbatim backup
//! --schedule` writes it, so that no request makes the server write anywhere.

use crate::data_dir;
use anyhow::{Context as _, Result, anyhow};
use backup::{Keep, Made, Order};
use hub::Hub;
use hub::host::HostEvent;
use hub::schedules::times::Times;
use jiff::Timestamp;
use model::Micros;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Database;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

/// Files of the data directory that a backup has, besides the database.
// Not the plan: a copy that runs beside the server would write into its backups, and remove some.
pub const FILES: [&str; 1] = ["notices.json"];
const FILE: &str = data_dir::BACKUP_PLAN;
/// How often the file is looked at.
const PAUSE: Duration = Duration::from_secs(20);

/// Where and when the server makes backups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub place: PathBuf,
    /// A cron expression, in the server's time zone.
    pub schedule: String,
    pub keep: Option<String>,
}

impl Plan {
    /// The first time after `after`.
    pub fn next(&self, after: Timestamp) -> Result<Timestamp> {
        let (times, _) = Times::read(None, Some(&self.schedule), None)
            .map_err(|problem| anyhow!("{}", problem.to_string().replace("`/cron`", "`--schedule`")))?;
        let next = times.after(Micros(after.as_microsecond())).context("`--schedule` names no time that ever comes")?;
        Ok(Timestamp::from_microsecond(next.0)?)
    }

    fn keep(&self) -> Result<Option<Keep>> {
        self.keep.as_deref().map(|keep| keep.parse().map_err(|error| anyhow!("`keep`: {error}"))).transpose()
    }
}

/// Reads the plan, if there is one.
pub fn read(dir: &Path) -> Result<Option<Plan>> {
    let file = dir.join(FILE);
    if !file.exists() {
        return Ok(None);
    }
    let text = std::fs::read(&file).with_context(|| format!("{} can't be read", file.display()))?;
    serde_json::from_slice(&text).map(Some).with_context(|| format!("{} is invalid", file.display()))
}

pub fn write(dir: &Path, plan: &Plan) -> Result<()> {
    data_dir::create(dir).with_context(|| format!("{} can't be made", dir.display()))?;
    let file = dir.join(FILE);
    data_dir::write_private(&file, &serde_json::to_vec_pretty(plan)?)
}

/// Returns true if there was a plan.
pub fn remove(dir: &Path) -> Result<bool> {
    let file = dir.join(FILE);
    match std::fs::remove_file(&file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("{} can't be removed", file.display())),
    }
}

/// Makes backups at their times, until the hub ends. A change of the file is noticed.
pub async fn work(hub: Hub, dir: PathBuf, database: Database) {
    let mut due: Option<(Plan, Timestamp)> = None;
    let mut told = None;
    while hub.shutdown.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_some() {
        let outcome = match read(&dir) {
            Ok(None) => {
                due = None;
                continue;
            }
            Ok(Some(plan)) => step(&plan, &mut due, &dir, &database).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(()) => told = None,
            // Once, and not every time that the file is looked at.
            Err(error) => {
                let error = format!("{error:#}");
                if hub.tell_news(&mut told, &HostEvent::BackupFailed { error: error.clone() }).await {
                    tracing::warn!(%error, "no backup was made");
                }
            }
        }
    }
}

/// Makes a backup if its time has come.
async fn step(plan: &Plan, due: &mut Option<(Plan, Timestamp)>, dir: &Path, database: &Database) -> Result<()> {
    let now = Timestamp::now();
    let at = match due {
        Some((before, at)) if before == plan => *at,
        _ => plan.next(now)?,
    };
    if now < at {
        *due = Some((plan.clone(), at));
        return Ok(());
    }
    *due = Some((plan.clone(), plan.next(now)?));
    let (plan, dir, database) = (plan.clone(), dir.to_owned(), database.clone());
    // On a thread of its own, beside the requests.
    let runtime = Handle::current();
    let making = spawn_blocking(move || runtime.block_on(make(&plan, &dir, &database, now)));
    let made = making.await.context("the backup was ended")??;
    tracing::info!(name = made.name, bytes = made.new_bytes, "a backup was made");
    Ok(())
}

async fn make(plan: &Plan, dir: &Path, database: &Database, now: Timestamp) -> Result<Made> {
    let keep = plan.keep()?;
    let order = Order {
        database,
        data_dir: dir,
        files: &FILES,
        place: &plan.place,
        keep: keep.as_ref(),
        version: env!("CARGO_PKG_VERSION"),
        now,
    };
    backup::make(order, &|_| ()).await.map_err(|error| anyhow!("{error}"))
}

//! `verbatim backup`: makes, lists and checks backups.

use super::{print, print_json};
use crate::cli::{Backup, BackupCommand, BackupMake, BackupPlace};
use crate::data_dir;
use crate::scheduled_backup::{self, Plan};
use anyhow::{Context as _, Result, anyhow, bail};
use backup::{BackupError, Checked, Made, Manifest, Order, Progress};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

pub async fn run(args: Backup) -> Result<()> {
    match args.command {
        None => make(args.make).await,
        Some(BackupCommand::List(place)) => list(&place),
        Some(BackupCommand::Verify { place, at }) => verify(&place, at.as_deref()),
    }
}

async fn make(args: BackupMake) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    if let Some(schedule) = &args.schedule {
        return plan(&args, &dir, schedule);
    }
    let place = args
        .place
        .context("name a folder for backups, or a file that ends in `.tar`: `verbatim backup /mnt/backups`")?;
    if args.keep.is_some() && backup::is_file(&place) {
        bail!(
            "`--keep` removes backups of a folder, and {} is a file for one\nName a folder, or leave `--keep` out",
            place.display()
        );
    }
    let database = data_dir::existing_database(&args.data, &dir)?;
    let order = Order {
        database: &database,
        data_dir: &dir,
        files: &scheduled_backup::FILES,
        place: &place,
        keep: args.keep.as_ref(),
        version: env!("CARGO_PKG_VERSION"),
        now: Timestamp::now(),
    };
    let meter = Meter::default();
    let made = backup::make(order, &|progress| meter.show(progress)).await.map_err(explain)?;
    meter.end();
    print(&report(&place, &made))
}

/// Notes when the server makes backups.
fn plan(args: &BackupMake, dir: &Path, schedule: &str) -> Result<()> {
    if schedule == "off" {
        let was = scheduled_backup::remove(dir)?;
        return print(if was { "The server makes no more backups\n" } else { "The server makes no backups\n" });
    }
    let place = args
        .place
        .as_ref()
        .context("name the folder for backups: `verbatim backup /mnt/backups --schedule '0 3 * * *'`")?;
    let place = std::path::absolute(place).with_context(|| format!("{} isn't a usable path", place.display()))?;
    if backup::is_file(&place) {
        bail!("{} is the name of one backup's file\nName a folder: it holds many", place.display());
    }
    backup::outside(&place, dir).map_err(explain)?;
    let keep = args.keep.as_ref().map(ToString::to_string);
    let plan = Plan { place: place.clone(), schedule: schedule.to_owned(), keep };
    let next = plan.next(Timestamp::now())?;
    scheduled_backup::write(dir, &plan)?;
    print(&format!("The server makes a backup into {} next at {}\n", place.display(), minute(next)))
}

fn report(place: &Path, made: &Made) -> String {
    let Made { name, manifest, new_parts, new_bytes, removed } = made;
    let mut text = format!(
        "Backup {name} in {}: {}, {} of {} new\n",
        place.display(),
        contents(manifest),
        app::figures::bytes(*new_bytes),
        app::figures::counted(i64::try_from(*new_parts).unwrap_or(i64::MAX), "part")
    );
    for name in removed {
        text += &format!("Removed {name}\n");
    }
    text
}

fn contents(manifest: &Manifest) -> String {
    format!("{}, {}", counted(|table| manifest.rows(table)), app::figures::bytes(manifest.bytes()))
}

/// `124 sessions, 20,500 messages`, by the rows of their tables.
pub(super) fn counted(rows: impl Fn(&str) -> u64) -> String {
    let counted = |table: &str| app::figures::counted(i64::try_from(rows(table)).unwrap_or(i64::MAX), table);
    format!("{}, {}", counted("session"), counted("message"))
}

fn minute(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// A backup as JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Whole { name: &'a str, made_at: &'a str, version: &'a str, schema: i64, sessions: u64, messages: u64, bytes: u64 },
    Damaged { name: &'a str, error: String },
}

fn print_all(checked: &[Checked], json: bool, whole: &str) -> Result<()> {
    for Checked { name, manifest } in checked {
        match (manifest, json) {
            (Ok(manifest), true) => print_json(&Line::Whole {
                name,
                made_at: &manifest.made_at,
                version: &manifest.version,
                schema: manifest.schema,
                sessions: manifest.rows("session"),
                messages: manifest.rows("message"),
                bytes: manifest.bytes(),
            })?,
            (Err(error), true) => print_json(&Line::Damaged { name, error: error.to_string() })?,
            (Ok(manifest), false) => print(&format!("{whole}{name}  {}\n", contents(manifest)))?,
            (Err(error), false) => print(&format!("fault {name}  {error}\n"))?,
        }
    }
    Ok(())
}

fn list(args: &BackupPlace) -> Result<()> {
    let listed = backup::list(&args.place).map_err(explain)?;
    if listed.is_empty() && !args.json {
        return print(&format!("{} has no backup yet\n", args.place.display()));
    }
    print_all(&listed, args.json, "")
}

fn verify(args: &BackupPlace, at: Option<&str>) -> Result<()> {
    let meter = Meter::default();
    let checked = backup::check(&args.place, at, &|progress| meter.show(progress)).map_err(explain)?;
    meter.end();
    print_all(&checked, args.json, "ok    ")?;
    let faults = checked.iter().filter(|it| it.manifest.is_err()).count();
    if faults > 0 {
        bail!(
            "{} of {} can't be restored\nMake a new backup, and look for what damages that disk",
            faults,
            app::figures::counted(checked.len() as i64, "backup")
        );
    }
    Ok(())
}

/// Adds what to do next.
pub(super) fn explain(error: BackupError) -> anyhow::Error {
    match error.advice() {
        Some(advice) => anyhow!("{error}\n{advice}"),
        None => anyhow!("{error}"),
    }
}

/// Shows on a terminal how far a transfer is.
#[derive(Debug)]
pub(super) struct Meter {
    began: Instant,
    shown: Mutex<Option<Instant>>,
}

/// Between two lines of a meter.
const PAUSE: Duration = Duration::from_millis(500);

impl Default for Meter {
    fn default() -> Self {
        Self { began: Instant::now(), shown: Mutex::new(None) }
    }
}

impl Meter {
    pub(super) fn show(&self, progress: Progress<'_>) {
        let Ok(mut shown) = self.shown.lock() else { return };
        let now = Instant::now();
        // Short work shows no progress.
        if !std::io::stderr().is_terminal() || now.duration_since(shown.unwrap_or(self.began)) < PAUSE {
            return;
        }
        *shown = Some(now);
        let Progress { table, rows, bytes, total } = progress;
        let left = total.filter(|total| *total > bytes && bytes > 0).map_or_else(String::new, |total| {
            let seconds = now.duration_since(self.began).as_secs_f64() * (total - bytes) as f64 / bytes as f64;
            format!(
                ", about {} left",
                if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
            )
        });
        let _ = write!(std::io::stderr(), "\r\x1b[K{table}: {rows} rows, {}{left}", app::figures::bytes(bytes));
    }

    /// Removes the line.
    pub(super) fn end(&self) {
        if self.shown.lock().is_ok_and(|shown| shown.is_some()) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

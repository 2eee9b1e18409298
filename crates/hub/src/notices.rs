//! Notices of a run: what its agent should know now, and needn't remember. They are computed anew for each run, given
//! in that run only, and stored nowhere but in the context log.
//!
//! How to add a provider: its file in `notices/`, its line in `PROVIDERS`, and its field in [`NoticeSettings`].

mod command;
mod deployment;
pub mod endpoints;
mod git;
pub(crate) mod process;

pub(crate) use endpoints::*;

pub use command::CommandSettings;
pub use deployment::DeploymentSettings;
pub use git::GitSettings;

use crate::basics::problem;
use crate::context::{Hub, TopicState};
use api::Problem;
use api::notices::{NoticeKind, RunNotice};
use futures::future::{BoxFuture, join_all};
use model::Session;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The name of the value in which the workspace keeps the notices that people set.
pub const KEY: &str = "notices";
/// Most bytes of one notice.
pub const BYTES: usize = 16 << 10;
/// How long a command may take, in seconds: if nothing is said, and at most.
const SECONDS: u64 = 5;
const MOST_SECONDS: u64 = 60;

/// Reads the notices that people set. What another version wrote and we can't read is as if nothing was set.
pub fn read(stored: Option<String>) -> Vec<RunNotice> {
    stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Returns the notices of a run that begins now.
pub async fn of_run(hub: &Hub, session: &Session) -> Result<Vec<String>, Problem> {
    let set = hub.workspace.meta(KEY).await.map(read).map_err(problem)?;
    Ok(hub.state::<Notices>().of(session, &set).await)
}

/// Settings of the providers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoticeSettings {
    /// The state of git folders.
    pub git: Option<GitSettings>,
    /// Settings of the deployment notice.
    pub deployment: Option<DeploymentSettings>,
    /// Commands of one's own.
    pub commands: Vec<CommandSettings>,
    /// The only variables that commands see.
    #[serde(skip)]
    pub environment: Vec<(OsString, OsString)>,
}

impl NoticeSettings {
    /// Reads settings from JSON. The error names the field, and what was expected there.
    pub fn read(json: &str) -> Result<Self, String> {
        let settings: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if let Some(git) = &settings.git {
            absolute("git.folders", &git.folders)?;
        }
        if let Some(deployment) = &settings.deployment {
            deployment.check()?;
        }
        for (index, command) in settings.commands.iter().enumerate() {
            command.check(&format!("commands[{index}]"))?;
        }
        Ok(settings)
    }
}

/// Where a run happens.
pub struct RunFolder {
    settings: Arc<NoticeSettings>,
    /// The session's working folder.
    folder: Option<PathBuf>,
}

impl RunFolder {
    /// The working folder, if it lies in one of `folders`. Links are followed first: they lead nowhere else.
    fn folder_in(&self, folders: &[PathBuf]) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?.canonicalize().ok()?;
        let is_inside = |parent: &PathBuf| parent.canonicalize().is_ok_and(|parent| folder.starts_with(parent));
        folders.iter().any(is_inside).then_some(folder)
    }
}

/// Computes the notices of one kind.
type Provider = fn(Arc<RunFolder>) -> BoxFuture<'static, Vec<String>>;

/// All providers, in the order of their notices.
const PROVIDERS: [Provider; 3] = [git::PROVIDER, deployment::PROVIDER, command::PROVIDER];

/// The settings of a server, which are read once.
#[derive(Debug, Default)]
pub struct Notices(OnceLock<Arc<NoticeSettings>>);

impl TopicState for Notices {}

impl Notices {
    /// Returns false if there are settings already.
    pub fn configure(&self, settings: NoticeSettings) -> bool {
        self.0.set(Arc::new(settings)).is_ok()
    }

    /// Computes the notices of a run that begins now: those of the settings, then those that people `set`.
    pub async fn of(&self, session: &Session, set: &[RunNotice]) -> Vec<String> {
        let settings = self.0.get().cloned().unwrap_or_default();
        // A folder of another machine is none here.
        let folder = session.cwd.as_ref().filter(|_| session.machine.is_none());
        let place = Arc::new(RunFolder { settings, folder: folder.map(PathBuf::from) });
        let provided = join_all(PROVIDERS.iter().map(|provider| provider(Arc::clone(&place))));
        let set = join_all(set.iter().filter(|notice| notice.on).map(|notice| of_set(&place, notice)));
        let (provided, set) = tokio::join!(provided, set);
        provided.into_iter().flatten().chain(set.into_iter().flatten()).collect()
    }

    /// Returns what the settings give, for people.
    pub fn described(&self) -> Vec<String> {
        let Some(settings) = self.0.get() else { return Vec::new() };
        let git = settings.git.as_ref().map(|_| "State of git".to_owned());
        let deployment = settings.deployment.as_ref().map(|_| "Deployment".to_owned());
        let commands = settings.commands.iter().map(|command| command.name.clone());
        git.into_iter().chain(deployment).chain(commands).collect()
    }
}

/// Computes a notice that people set. None where there is nothing to tell.
async fn of_set(place: &RunFolder, notice: &RunNotice) -> Option<String> {
    match notice.kind {
        NoticeKind::Text => Some(notice.value.clone()),
        NoticeKind::File => {
            Some(format!("{}: {}", notice.name, deployment::file_text(PathBuf::from(&notice.value)).await))
        }
        NoticeKind::Git => {
            let folders: Vec<PathBuf> = notice.value.lines().map(PathBuf::from).collect();
            git::notice(place, &folders).await
        }
    }
}

/// A text of at most [`BYTES`]; one that was longer says so.
fn bounded(text: &str, was_cut: bool) -> String {
    if text.len() <= BYTES && !was_cut {
        return text.trim_end().to_owned();
    }
    let start = text.get(..text.floor_char_boundary(BYTES)).unwrap_or_default();
    format!("{start}\n(cut after {} KiB)", BYTES >> 10)
}

fn absolute(field: &str, folders: &[PathBuf]) -> Result<(), String> {
    match folders.iter().find(|folder| !folder.is_absolute()) {
        Some(folder) => Err(format!("`{field}`: expected absolute paths; got `{}`", folder.display())),
        None => Ok(()),
    }
}

fn timeout(field: &str, seconds: Option<u64>) -> Result<Duration, String> {
    match seconds {
        Some(seconds) if !(1..=MOST_SECONDS).contains(&seconds) => {
            Err(format!("`{field}.timeout_seconds`: expected 1 to {MOST_SECONDS}; got {seconds}"))
        }
        seconds => Ok(Duration::from_secs(seconds.unwrap_or(SECONDS))),
    }
}

fn program(field: &str, command: &[String]) -> Result<(), String> {
    match command.first() {
        Some(program) if !program.is_empty() => Ok(()),
        _ => Err(format!("`{field}.command`: expected a program and its arguments, as an array of strings")),
    }
}

/// Runs a command for a notice. Its text, or why there is none.
async fn ask(place: &RunFolder, command: &[String], folder: Option<&Path>, seconds: Option<u64>) -> String {
    let limit = Duration::from_secs(seconds.unwrap_or(SECONDS));
    match process::run(command, folder, &place.settings.environment, limit).await {
        Ok(output) => {
            let text = bounded(&output.text, output.cut);
            match output.failed {
                Some(status) => format!("{text}\n(the command failed: {status})"),
                None => text,
            }
        }
        Err(reason) => format!("unknown: {reason}"),
    }
}

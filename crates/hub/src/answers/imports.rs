//! Imports of files and folders that a command names.

use crate::{Scoped, import};
use api::Problem;
use api::imports::{ImportJob, ImportRequest};
use model::audit::Event;
use std::path::{Path, PathBuf};

/// Paths in one entry of the audit log.
const PATHS: usize = 20;

pub async fn start(scoped: &Scoped, input: ImportRequest) -> Result<ImportJob, Problem> {
    let hub = &scoped.hub;
    if input.paths.is_empty() {
        return Err(Problem::field("/paths", "one or more absolute paths"));
    }
    hub.require_room()?;
    let mut files = Vec::new();
    for (index, path) in input.paths.iter().enumerate() {
        let field = format!("/paths/{index}");
        let found = tokio::task::spawn_blocking({
            let path = PathBuf::from(path);
            move || files_of(&path)
        });
        let found = found.await.map_err(|_| Problem::internal())?;
        files.extend(
            found.map_err(|title| Problem { field: Some(field), ..Problem::new(422, "nothing_to_import", title) })?,
        );
    }
    files.sort();
    files.dedup();
    scoped.record(started(input.paths, &files)).await;
    let id = import::start(hub, files, import::Why::Named);
    hub.jobs.get(id).ok_or_else(Problem::internal)
}

/// What the audit log says of an import.
pub(super) fn started(mut paths: Vec<String>, files: &[PathBuf]) -> Event {
    paths.truncate(PATHS);
    Event::ImportStarted { paths, files: files.len() as u64 }
}

/// The files that a path means: the file itself, or all below a folder. Which of them are transcripts is found out when they
/// are read.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_absolute() {
        return Err(format!("`{}` should be an absolute path", path.display()));
    }
    match path.metadata() {
        Err(error) => Err(format!("{} can't be read: {error}", path.display())),
        Ok(metadata) if metadata.is_file() => Ok(vec![path.to_owned()]),
        Ok(_) => {
            let files = crate::discover::files_below(path);
            if files.is_empty() {
                return Err(format!("There are no files in {}", path.display()));
            }
            Ok(files)
        }
    }
}

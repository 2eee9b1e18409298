//! Imports of files and folders that a command names.

use crate::context::Scoped;
use crate::imports;
use crate::imports::discover::look;
use crate::imports::discover::look::Found;
use crate::imports::{Jobs, open};
use api::imports::{ImportJob, ImportPath, ImportRequest, Imports};
use api::{Problem, ProblemCode};
use model::audit::Event;
use std::future::{Ready, ready};
use std::path::{Path, PathBuf};

/// Paths in one entry of the audit log.
const PATHS: usize = 20;

pub fn list_imports(scoped: &Scoped) -> Ready<Result<Imports, Problem>> {
    ready(Ok(Imports { imports: scoped.hub.state::<Jobs>().list() }))
}

pub fn get_import(scoped: &Scoped, path: &ImportPath) -> Ready<Result<ImportJob, Problem>> {
    ready(scoped.hub.state::<Jobs>().get(path.import).ok_or_else(|| Problem::not_found("import")))
}

pub async fn start_import(scoped: &Scoped, input: ImportRequest) -> Result<ImportJob, Problem> {
    let hub = &scoped.hub;
    if input.paths.is_empty() {
        return Err(Problem::field("/paths", "one or more absolute paths"));
    }
    hub.require_room()?;
    let mut all = Found::default();
    for (index, path) in input.paths.iter().enumerate() {
        let field = format!("/paths/{index}");
        let found = tokio::task::spawn_blocking({
            let path = PathBuf::from(path);
            move || files_of(&path)
        });
        let found = found.await.map_err(|_| Problem::internal())?;
        let found = found
            .map_err(|title| Problem { field: Some(field), ..Problem::new(ProblemCode::NothingToImport, title) })?;
        all.files.extend(found.files);
        all.skipped.extend(found.skipped);
    }
    let Found { mut files, skipped } = all;
    files.sort();
    files.dedup();
    scoped.record(started(input.paths, &files)).await;
    let id = imports::start(hub, files, imports::Why::Named);
    hub.state::<Jobs>().update(id, |job| {
        job.files += skipped.len() as u64;
        job.files_done += skipped.len() as u64;
        job.failed.extend(skipped);
    });
    hub.state::<Jobs>().get(id).ok_or_else(Problem::internal)
}

/// Returns the audit log's entry of an import.
pub(super) fn started(mut paths: Vec<String>, files: &[PathBuf]) -> Event {
    paths.truncate(PATHS);
    Event::ImportStarted { paths, files: files.len() as u64 }
}

/// The files that a path means: the file itself, or the transcript that it lies beside and tells more of, or all below
/// a folder. To name a link is to agree to what it leads to. Which of them are transcripts is found out when they are
/// read.
fn files_of(path: &Path) -> Result<Found, String> {
    if !path.is_absolute() {
        return Err(format!("`{}` should be an absolute path", path.display()));
    }
    let unreadable = |error: std::io::Error| format!("{} can't be read: {error}", path.display());
    let real = path.canonicalize().map_err(unreadable)?;
    let kind = real.metadata().map_err(unreadable)?;
    if kind.is_file() {
        return Ok(Found { files: vec![look::transcript_of(real)], skipped: Vec::new() });
    }
    if let Some(reason) = open::special(&real).filter(|_| !kind.is_dir()) {
        return Err(format!("{} {reason}, not a file or a folder", path.display()));
    }
    let found = look::files_below(&real);
    if found.files.is_empty() && found.skipped.is_empty() {
        return Err(format!("There are no files in {}", path.display()));
    }
    Ok(found)
}

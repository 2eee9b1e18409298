//! The files that all sessions changed.

use crate::basics::query::{any_of, given, limit};
use crate::basics::{moment, problem};
use crate::context::Scoped;
use crate::project_groups::ProjectGroups;
use api::Problem;
use api::files::{FileEdit, FilesPage, FilesQuery};
use api::keys::Scope;
use api::limits::SEARCH_CHARS;
use store::FileQuery;

pub async fn list_files(scoped: &Scoped, input: FilesQuery) -> Result<FilesPage, Problem> {
    scoped.caller.require(Scope::ReadAll)?;
    let zone = moment::zone(given(input.zone))?;
    let query = FileQuery {
        path: part_of_path("path", input.path)?,
        projects: ProjectGroups::chosen(&scoped.hub, any_of(input.project)).await?,
        agents: any_of(input.agent),
        sight: scoped.caller.sight(),
        since: given(input.since).map(|t| moment::start("since", &t, &zone)).transpose()?,
        until: given(input.until).map(|t| moment::end("until", &t, &zone)).transpose()?,
        limit: limit(input.limit, 200, 2_000)?,
        after: input.after,
    };
    let found = scoped.hub.workspace.file_edits(&query).await.map_err(problem)?;
    let edit = |edit: store::FileEdit| FileEdit {
        path: edit.file.path,
        session_id: edit.session_id.to_string(),
        session_title: edit.session_title,
        project: edit.project,
        agent: edit.agent,
        seq: edit.seq,
        change: edit.file.change,
        added: edit.file.added,
        removed: edit.file.removed,
        changed_at: edit.changed_at,
    };
    Ok(FilesPage { edits: found.edits.into_iter().map(edit).collect(), next: found.next })
}

/// Part of a path by which files are found.
pub(crate) fn part_of_path(field: &str, text: Option<String>) -> Result<Option<String>, Problem> {
    let expected = || {
        Problem::field(
            field,
            &format!("part of a path, at most {SEARCH_CHARS} characters, with at least one letter or digit"),
        )
    };
    match text.map(|text| text.trim().to_owned()) {
        None => Ok(None),
        Some(text) if text.chars().count() <= SEARCH_CHARS && text.contains(char::is_alphanumeric) => Ok(Some(text)),
        Some(_) => Err(expected()),
    }
}

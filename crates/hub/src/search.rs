//! Search over all history.

use crate::basics::query::{any_of, given, limit};
use crate::basics::{moment, problem};
use crate::context::Scoped;
use crate::derived::search_text::search_text;
use crate::files::pages::part_of_path;
use crate::may::session;
use crate::project_groups::ProjectGroups;
use api::Problem;
use api::keys::Scope;
use api::limits::SEARCH_CHARS;
use api::search::{Hit, HitCount, SearchCounts, SearchPage, SearchQuery, Snippet};
use api::sessions::SessionPath;
use model::{Body, Draft, Message};
use std::sync::Arc;
use store::{SearchHit, SearchHits, StoredMessage};

/// Characters of a snippet.
const SNIPPET: usize = 240;
/// Paths of a hit that are told.
const FILES: usize = 20;
/// Bytes of the messages that are in memory at a time.
const BYTES: u64 = 1 << 20;

pub async fn search(scoped: &Scoped, input: SearchQuery) -> Result<SearchPage, Problem> {
    scoped.caller.require(Scope::ReadAll)?;
    let hub = &scoped.hub;
    let file = part_of_path("file", input.file)?;
    if (input.q.trim().is_empty() && file.is_none()) || input.q.chars().count() > SEARCH_CHARS {
        return Err(Problem::field("q", &format!("one or more words, at most {SEARCH_CHARS} characters")));
    }
    let session_id = match given(input.session) {
        Some(name) => Some(session(scoped, &SessionPath { session: name }).await?.id),
        None => None,
    };
    let zone = moment::zone(given(input.zone))?;
    let query = store::SearchQuery {
        text: input.q,
        file,
        projects: ProjectGroups::chosen(hub, any_of(input.project)).await?,
        agents: any_of(input.agent),
        roles: input.roles,
        without_roles: scoped.roles_not_found(),
        types: input.types,
        session: session_id,
        sight: scoped.caller.sight(),
        since: given(input.since).map(|t| moment::start("since", &t, &zone)).transpose()?,
        until: given(input.until).map(|t| moment::end("until", &t, &zone)).transpose()?,
        limit: limit(input.limit, 50, 200)?,
        after: input.after,
        text_of: Some(found_by),
    };
    let mut found = hub.workspace.search(&query).await.map_err(problem)?;
    let (mut hits, mut chosen) = (Vec::with_capacity(found.hits.len()), found.hits.into_iter());
    let words: Arc<str> = query.text.into();
    // Each may be a text of megabytes, of which some words are shown.
    while !found.messages.is_empty() {
        let read = hub.workspace.read_next(&mut found.messages, BYTES).await.map_err(problem)?;
        // One may be gone since it was found.
        let with_session = |stored: StoredMessage| {
            let message = stored.message;
            let is_of = |hit: &SearchHit| (&hit.session_id, hit.seq) == (&message.session_id, message.seq);
            let hit = chosen.by_ref().find(is_of)?;
            scoped.may_find(&message.draft).then_some((hit, message))
        };
        let read: Vec<(SearchHit, Message)> = read.into_iter().filter_map(with_session).collect();
        let words = Arc::clone(&words);
        let cutting = scoped.compute(move |job| {
            let cut = |(found, message)| job.goes_on().map(|()| hit(found, &message, &words));
            read.into_iter().map(cut).collect::<Result<Vec<Hit>, Problem>>()
        });
        hits.extend(cutting.await??);
    }
    Ok(SearchPage {
        hits,
        total: i64::try_from(found.total).unwrap_or(i64::MAX),
        total_is_floor: found.total >= SearchHits::TOTAL_CAP,
        next: found.next,
        counts: SearchCounts { types: counts(found.types), roles: counts(found.roles) },
    })
}

/// Returns the search text of a message.
fn found_by(draft: &Draft) -> Option<String> {
    search_text(draft, &Body::of(draft))
}

fn counts(facets: Vec<store::Facet>) -> Vec<HitCount> {
    let hits = |count| i64::try_from(count).unwrap_or(i64::MAX);
    facets.into_iter().map(|facet| HitCount { hits: hits(facet.count), value: facet.value }).collect()
}

fn hit(found: SearchHit, message: &Message, words: &str) -> Hit {
    let body = Body::of(&message.draft);
    let text = plain(&search_text(&message.draft, &body).unwrap_or_default());
    let snippet = store::snippet::cut(&text, words, SNIPPET);
    Hit {
        session_id: found.session_id.to_string(),
        session_title: found.session_title,
        project: found.session_project,
        agent: found.session_agent,
        message_id: message.draft.id.to_string(),
        seq: message.seq,
        role: message.draft.role,
        provenance: message.draft.provenance,
        message_type: message.draft.message_type().to_owned(),
        created_at: message.draft.created_at,
        files: paths(&body),
        snippet: snippet.map_or_else(
            || Snippet { text: model::summary::summary(&message.draft), marks: Vec::new() },
            |s| Snippet { text: s.text, marks: s.marks },
        ),
    }
}

/// The files that a message edits, each once.
fn paths(body: &Body) -> Vec<String> {
    let Body::CodeEdit(code_edit) = body else { return Vec::new() };
    let mut paths: Vec<String> = Vec::new();
    for edit in &code_edit.edits {
        if paths.len() < FILES && !paths.contains(&edit.file_path) {
            paths.push(edit.file_path.clone());
        }
    }
    paths
}

/// Removes line numbers of file contents and the frames of markdown tables.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        if !plain.is_empty() {
            plain.push('\n');
        }
        let line = unnumbered(line);
        match table_row(line) {
            Some(cells) => {
                let cells =
                    cells.split('|').map(str::trim).filter(|cell| cell.chars().any(|c| !matches!(c, '-' | ':')));
                plain.push_str(&cells.collect::<Vec<_>>().join(" \u{b7} "));
            }
            None => plain.push_str(line),
        }
    }
    plain
}

/// `  12→text` as `text`.
fn unnumbered(line: &str) -> &str {
    let numbered = line.trim_start().split_once('\u{2192}');
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    numbered.filter(|(number, _)| is_number(number)).map_or(line, |(_, rest)| rest)
}

/// Returns the text between the outer bars.
fn table_row(line: &str) -> Option<&str> {
    line.trim().strip_prefix('|')?.strip_suffix('|')
}

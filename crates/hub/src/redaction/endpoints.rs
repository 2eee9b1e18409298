//! The preview of a redacted export, and erasing a text.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::derived::reindex::DERIVE;
use crate::imports::export::with_children;
use crate::may::session;
use crate::redaction::{Findings, Masking, redactor};
use api::messages::ListMessages;
use api::redaction::{
    EraseText, ErasedBytes, ErasedFile, ErasedFrom, ErasedRange, Erasure, RedactionQuery, RedactionReport,
};
use api::sessions::SessionPath;
use api::{Api as _, Problem};
use model::policy::should_embed;
use std::sync::Arc;
use store::{Erased, Erasing, LONGEST_ERASED, SHORTEST_ERASED};

/// Messages that are looked through at once.
const PAGE: u32 = 200;

pub async fn preview_redaction(
    scoped: &Scoped,
    path: &SessionPath,
    query: RedactionQuery,
) -> Result<RedactionReport, Problem> {
    let redactor = redactor(&query.masks)?;
    let takes_children = match query.children {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(Problem::field("children", "0 or 1")),
    };
    let first = session(scoped, path).await?;
    let all = if takes_children { with_children(scoped, first).await? } else { vec![first] };
    let (mut findings, mut messages, mut files) = (Findings::default(), 0, 0);
    for session in all {
        files += scoped.hub.workspace.session_blob_count(&session.id).await.map_err(problem)?;
        Masking::new(&redactor, Some(&mut findings)).session(&mut session.clone());
        let (path, last) = (SessionPath { session: session.id.to_string() }, session.last_seq);
        let mut after = 0;
        while after < last {
            let query = ListMessages { after: Some(after), dev: Some(1), limit: Some(PAGE), ..ListMessages::default() };
            let page = scoped.list_messages(path.clone(), query).await?;
            after = page.to.max(after + 1);
            messages += i64::try_from(page.messages.len()).unwrap_or(i64::MAX);
            let redactor = Arc::clone(&redactor);
            // As long a computation as drawing a page.
            findings = scoped
                .compute(move |_| {
                    let mut findings = findings;
                    Masking::new(&redactor, Some(&mut findings)).page(page);
                    findings
                })
                .await?;
        }
    }
    Ok(findings.report(messages, files))
}

pub async fn erase_text(scoped: &Scoped, path: &SessionPath, input: EraseText) -> Result<Erasure, Problem> {
    let text = input.text.as_str();
    if !(SHORTEST_ERASED..=LONGEST_ERASED).contains(&text.len()) || text.trim() != text {
        let expected = format!("a text of {SHORTEST_ERASED} to {LONGEST_ERASED} bytes, without spaces around it");
        return Err(Problem::field("/text", &expected).hint("A shorter text would be erased where it stands by chance"));
    }
    let id = session(scoped, path).await?.id;
    let found = if input.preview {
        scoped.hub.workspace.find_text(&id, text).await
    } else {
        let how = Erasing { derive: DERIVE, is_remembered: should_embed };
        let erased = scoped.signed().await.erase_text(&id, text, how, clock::now()).await;
        scoped.hub.feed.ring(scoped.hub.workspace.feed_pos().await.map_err(problem)?);
        erased
    };
    let found = found.map_err(problem)?.ok_or_else(|| Problem::not_found("session"))?;
    Ok(erasure(found, !input.preview))
}

fn erasure(found: Erased, erased: bool) -> Erasure {
    Erasure {
        summary: summary(&found, erased),
        erased,
        messages: found.messages(),
        places: found.ranges,
        context_entries: found.context_entries,
        texts: found.texts,
        files: found.blobs,
        sessions: found
            .sessions
            .into_iter()
            .map(|session| ErasedFrom { id: session.id.to_string(), title: session.title, messages: session.messages })
            .collect(),
    }
}

/// Returns a summary for people: `Found in 3 messages of 2 sessions, 1 title, 6 places in transcripts.`
fn summary(found: &Erased, erased: bool) -> String {
    if found.is_empty() {
        let what =
            if erased { "From now on it is left out of all that is imported." } else { "Look at how it is written." };
        return format!("The text isn't in this session. {what}");
    }
    let sessions = found.sessions.iter().filter(|session| session.messages > 0 || session.in_title).count() as u64;
    let counted = |count: u64, [one, many]: [&str; 2]| format!("{count} {}", if count == 1 { one } else { many });
    let mut places = vec![counted(found.messages(), ["message", "messages"])];
    if sessions > 1 {
        places[0].push_str(&format!(" of {sessions} sessions"));
    }
    let titles = found.sessions.iter().filter(|session| session.in_title).count() as u64;
    for (count, nouns) in [
        (titles, ["title", "titles"]),
        (found.ranges, ["place in a transcript", "places in transcripts"]),
        (found.context_entries, ["entry of the context log", "entries of the context log"]),
        (
            found.texts,
            [
                "prompt of a schedule, unfinished text or note of a link",
                "prompts of schedules, unfinished texts or notes of links",
            ],
        ),
        (found.blobs.len() as u64, ["uploaded file", "uploaded files"]),
    ] {
        if count > 0 {
            places.push(counted(count, nouns));
        }
    }
    format!("{} {}.", if erased { "Erased from" } else { "Found in" }, places.join(", "))
}

pub async fn get_erased_bytes(scoped: &Scoped, path: &SessionPath) -> Result<ErasedBytes, Problem> {
    let id = session(scoped, path).await?.id;
    let mut files = Vec::new();
    for source in scoped.hub.workspace.session_sources(&id).await.map_err(problem)? {
        let ranges = scoped.hub.workspace.erased_ranges(&source.id).await.map_err(problem)?;
        if !ranges.is_empty() {
            let ranges = ranges.into_iter().map(|(offset, len)| ErasedRange { offset, len }).collect();
            files.push(ErasedFile { source: source.id.to_string(), path: source.path, ranges });
        }
    }
    Ok(ErasedBytes { files })
}

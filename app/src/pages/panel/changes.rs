//! The files that a session changed, newest first; a file's diffs are fetched when it is opened.

use super::nothing;
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shell::{session_href, small_icon};
use api::client::segment;
use api::messages::{ChangedFile, Changes, EditRef};
use leptos::prelude::*;
use model::Session;
use model::view::FileChange;

/// Files that are listed, and edits of one file: a session may have thousands of both, and a page bears some hundred.
const FILES: usize = 100;
const EDITS: usize = 20;

pub fn changes(session: &Session, changes: &Changes) -> Part {
    if changes.files.is_empty() {
        return nothing("No file was changed. Edits of the agent are listed here by file.");
    }
    let files: Vec<_> = changes.files.iter().take(FILES).map(|file| file_view(session, file)).collect();
    let left = changes.files.len().saturating_sub(FILES);
    let left = (left > 0).then(|| {
        let words = format!("{} changed earlier; search finds them by path", counted(left, "file"));
        part! { <p class="cap">{words}</p> }
    });
    let count = counted(changes.files.len(), "file");
    part! {
        <p class="panel-line"><span class="num">{count}</span><span class="sp"></span>{delta(changes.added, changes.removed)}</p>
        <div class="tree files-changed">{files}</div>
        {left}
    }
}

fn counted(count: usize, what: &str) -> String {
    figures::counted(i64::try_from(count).unwrap_or(i64::MAX), what)
}

fn file_view(session: &Session, file: &ChangedFile) -> Part {
    let (letter, word) = match file.change {
        FileChange::Added => ("A", "Added"),
        FileChange::Modified => ("M", "Modified"),
        FileChange::Deleted => ("D", "Deleted"),
    };
    let base = session.cwd.as_deref().unwrap_or(&session.project);
    let shown = file.path.strip_prefix(base).map_or(file.path.as_str(), |rest| rest.trim_start_matches('/'));
    let (folder, name) = shown.rsplit_once('/').map_or(("", shown), |(folder, name)| (folder, name));
    let earlier = file.edits.len().saturating_sub(EDITS);
    let edits: Vec<_> = file.edits.iter().skip(earlier).map(|edit| edit_view(session, edit)).collect();
    let earlier = (earlier > 0).then(|| {
        part! { <p class="cap">{format!("{} in the transcript", counted(earlier, "earlier edit"))}</p> }
    });
    part! {
        <details data-file="">
            <summary title=file.path.clone()>
                {small_icon(Glyph::Chev)}
                <span class="kind" data-k=letter title=word><span aria-hidden="true">{letter}</span><span class="sr">{word}</span></span>
                <span class="cut"><b>{name.to_owned()}</b><span class="mut">{format!(" {folder}")}</span></span>
                <span class="sp"></span>
                {delta(file.added, file.removed)}
            </summary>
            <div class="edits">{earlier}{edits}</div>
        </details>
    }
}

fn edit_view(session: &Session, edit: &EditRef) -> Part {
    let id = segment(session.id.as_str());
    let tag = match edit.state.as_str() {
        "applied" => "applied",
        "failed" | "rejected" => "failed",
        _ => "idle",
    };
    let mut word = edit.state.replace('_', " ");
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let to = format!("{}?at={}#m={}", session_href(session.id.as_str()), edit.seq, segment(&edit.message_id));
    part! {
        <section class="edit-ref" data-edit=format!("/fragments/sessions/{id}/edits/{}/{}", edit.seq, edit.index)>
            <p class="panel-line"><span class="state" data-state=tag>{word}</span><span class="sp"></span>
                {delta(edit.added, edit.removed)}<a class="link" data-seq=edit.seq.to_string() href=to>"Show in transcript"</a></p>
            <div class="edit-slot"></div>
        </section>
    }
}

fn delta(added: i64, removed: i64) -> Part {
    part! {
        <span class="delta"><ins>{format!("+{added}")}<span class="sr">" lines added"</span></ins>
            <del>{format!("\u{2212}{removed}")}<span class="sr">" lines removed"</span></del></span>
    }
}

//! The files that a session changed, newest first; a file's diffs are fetched when it is opened.

use super::nothing;
use crate::figures;
use crate::icon::Glyph;
use crate::pages::changes::parts::{delta, elsewhere, happened, kind, short};
use crate::part::{Part, part};
use crate::paths::split_path;
use crate::shared::{fragments_href, message_id_href, session_href};
use crate::shell::{fold_mark, small_icon};
use crate::visible;
use api::messages::{ChangedFile, Changes, EditRef};
use leptos::prelude::*;
use model::Session;

/// Files that are listed at first, and when more are asked for; edits of one file.
const FIRST: usize = 30;
const MORE: usize = 500;
const EDITS: usize = 20;

/// Files that were changed.
pub fn count(changes: &Changes) -> usize {
    changes.files.iter().filter(|file| file.edits.iter().any(happened)).count()
}

pub fn changes(session: &Session, changes: &Changes) -> Part {
    let elsewhere = elsewhere(session).map(|link| part! { <p class="panel-line">{link}</p> });
    if changes.files.is_empty() {
        return part! { {nothing("No file was changed. Edits of the agent are listed here by file.")}{elsewhere} };
    }
    let (done, tried): (Vec<_>, Vec<_>) = changes.files.iter().partition(|file| file.edits.iter().any(happened));
    let files: Vec<_> = done.iter().take(FIRST).map(|file| file_view(session, file)).collect();
    let left = done.len().saturating_sub(FIRST);
    let more = (left > 0).then(|| {
        let words = format!("{} more", counted(left, "file"));
        part! {
            <details data-load=address(session, "more", "1") data-edits=left.to_string()>
                <summary>{fold_mark()}{words}</summary>
                <div class="files"></div>
            </details>
        }
    });
    let count = counted(done.len(), "file");
    let edits = done.iter().flat_map(|file| &file.edits).filter(|edit| happened(edit)).count();
    let sum = format!("sum of {}", counted(edits, "edit"));
    let tried = (!tried.is_empty()).then(|| {
        let left = tried.len().saturating_sub(FIRST);
        let files: Vec<_> = tried.iter().take(FIRST).map(|file| file_view(session, file)).collect();
        let left = (left > 0)
            .then(|| part! { <p class="cap">{format!("{}, in the transcript", counted(left, "more file"))}</p> });
        part! {
            <section aria-labelledby="tried-files"><h3 id="tried-files">"Not applied"</h3>
                <div class="tree files-changed">{files}{left}</div></section>
        }
    });
    part! {
        <p class="panel-line"><span class="num">{count}</span><span class="sp"></span><span class="cap" title="Each edit counts separately, even if a later one changed the same lines. Review shows the net change.">{sum}</span>{delta(changes.added, changes.removed)}
            <a class="btn tiny" href=format!("{}/changes", session_href(session.id.as_str()))>{small_icon(Glyph::DIFF)}"Review"</a></p>
        <div class="tree files-changed">{files}{more}</div>
        {tried}
        {elsewhere}
    }
}

/// The files after the first ones.
pub fn more(session: &Session, changes: &Changes) -> Part {
    let done: Vec<_> = changes.files.iter().filter(|file| file.edits.iter().any(happened)).collect();
    let rest = done.get(FIRST..).unwrap_or_default();
    let files: Vec<_> = rest.iter().take(MORE).map(|file| file_view(session, file)).collect();
    let left = rest.len().saturating_sub(MORE);
    let left = (left > 0).then(|| {
        let words = format!("{} changed earlier; search finds them by path", counted(left, "file"));
        part! { <p class="cap">{words}</p> }
    });
    part! { {files}{left} }
}

/// The edits of one file, each with a place for its diff.
pub fn edits(session: &Session, file: &ChangedFile) -> Part {
    let earlier = file.edits.len().saturating_sub(EDITS);
    let shown = || file.edits.iter().skip(earlier);
    let edits: Vec<_> = shown().filter(|edit| happened(edit)).map(|edit| edit_view(session, edit)).collect();
    let tried: Vec<_> = shown().filter(|edit| !happened(edit)).map(|edit| edit_view(session, edit)).collect();
    let tried = (!tried.is_empty()).then(|| part! { <p class="cap">"Not applied"</p>{tried} });
    let earlier = (earlier > 0).then(|| {
        part! { <p class="cap">{format!("{} in the transcript", counted(earlier, "earlier edit"))}</p> }
    });
    part! { {earlier}{edits}{tried} }
}

/// Where a part of this tab is fetched.
fn address(session: &Session, name: &str, value: &str) -> String {
    let query = serde_html_form::to_string([("tab", "changes"), (name, value)]).unwrap_or_default();
    format!("{}/panel?{query}", fragments_href(session.id.as_str()))
}

fn counted(count: usize, what: &str) -> String {
    figures::counted(i64::try_from(count).unwrap_or(i64::MAX), what)
}

fn file_view(session: &Session, file: &ChangedFile) -> Part {
    let shown = short(session, &file.path);
    let (folder, name) = split_path(shown);
    let folder = folder.trim_end_matches(['/', '\\']);
    part! {
        <details data-load=address(session, "file", &file.path) data-edits=file.edits.len().to_string()>
            <summary title=visible::plain(&file.path)>
                {fold_mark()}
                {kind(file.change, false)}
                <span class="cut"><b>{visible::plain(name)}</b>{format!(" {}", visible::plain(folder))}</span>
                {delta(file.added, file.removed)}
            </summary>
            <div class="edits"></div>
        </details>
    }
}

fn edit_view(session: &Session, edit: &EditRef) -> Part {
    let fragments = fragments_href(session.id.as_str());
    let tag = match edit.state.as_str() {
        "applied" => "applied",
        "failed" | "rejected" => "failed",
        _ => "idle",
    };
    // Denied edits, and those that weren't applied with them, have the same label.
    let mut word = if edit.state == "rejected" { "not applied".to_owned() } else { edit.state.replace('_', " ") };
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let to = message_id_href(session.id.as_str(), edit.seq, &edit.message_id);
    part! {
        <section class="edit-ref" data-edit=format!("{fragments}/edits/{}/{}", edit.seq, edit.index)>
            <p class="panel-line"><span class="state" data-state=tag>{word}</span><span class="sp"></span>
                {delta(edit.added, edit.removed)}<a class="link" data-seq=edit.seq.to_string() href=to>"Show in transcript"</a></p>
            <div class="edit-slot"></div>
        </section>
    }
}

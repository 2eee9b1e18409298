//! Read results of files with edits of unknown position. Text that both contain reveals the position.

use crate::context::Scoped;
use crate::context::pages::Pages;
use crate::files::edit_cache::Scope;
use crate::files::net::Happened;
use api::Problem;
use api::messages::EditRef;
use model::envelope::{EditInfo, EditScope, EditState};
use model::message_type::code_edit::Edit;
use model::message_type::tool_call::{Numbered, ToolCall, ToolKind, ToolState};
use model::{Body, MessageType, Session};
use std::collections::{BTreeMap, HashSet};

type Files = BTreeMap<String, Vec<Happened>>;

/// Adds them between the edits, as edits that change nothing. Only a session with such edits is looked through.
pub(super) async fn add(scoped: &Scoped, session: &Session, scope: Scope, files: Files) -> Result<Files, Problem> {
    let is_loose = |it: &Happened| {
        let texts = diff::texts(&it.edit, &it.info);
        crate::files::net::is_applied(it.info.state) && texts.fragments.iter().any(|it| it.first_line.is_none())
    };
    let looking = scoped.compute(move |_| {
        let loose = files.iter().filter(|(_, edits)| edits.iter().any(is_loose)).map(|(path, _)| path.clone());
        (loose.collect::<HashSet<String>>(), files)
    });
    let (mut loose, mut files) = looking.await?;
    if loose.is_empty() {
        return Ok(files);
    }
    let mut pages = Pages::of_type(scoped, &session.id, scope.after, MessageType::ToolCall);
    while let Some(stored) = pages.next().await? {
        let reading = scoped.compute(move |job| {
            for stored in stored.iter().filter(|stored| !stored.copied) {
                job.goes_on()?;
                let seq = stored.message.seq;
                let Body::ToolCall(call) = Body::of(&stored.message.draft) else { continue };
                let Some((path, lines)) = read(&call) else { continue };
                if scope.to.is_none_or(|to| seq <= to)
                    && loose.contains(path)
                    && let Some(edits) = files.get_mut(path)
                {
                    edits.push(seen(seq, path, &lines));
                }
            }
            Ok::<_, Problem>((loose, files))
        });
        (loose, files) = reading.await??;
    }
    for edits in files.values_mut() {
        edits.sort_by_key(|it| it.at.seq);
    }
    Ok(files)
}

/// A file, and its lines as they were read.
fn read(call: &ToolCall) -> Option<(&str, Read)> {
    if call.kind() != ToolKind::Read || call.state() != ToolState::Done {
        return None;
    }
    let path = ["file_path", "path", "filePath", "absolute_path"].iter().find_map(|key| call.input.get(*key)?.as_str());
    let output = call.output_text()?;
    let numbered = Numbered::read(&output)?;
    Some((path?, Read { first: u32::try_from(numbered.first).ok()?, code: format!("{}\n", numbered.code) }))
}

struct Read {
    first: u32,
    code: String,
}

fn seen(seq: i64, path: &str, read: &Read) -> Happened {
    let edit = Edit {
        file_path: path.to_owned(),
        old_content: Some(read.code.clone()),
        new_content: Some(read.code.clone()),
        language: None,
    };
    let info = EditInfo {
        state: Some(EditState::Applied),
        scope: Some(EditScope::Fragment),
        start_line: Some(read.first),
        ..EditInfo::default()
    };
    let at = EditRef { message_id: String::new(), seq, index: 0, state: String::new(), added: 0, removed: 0 };
    Happened { edit, info, at, is_read: true }
}

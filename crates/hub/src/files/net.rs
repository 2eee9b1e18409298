//! The net change of each file of a session.

mod large;
mod reads;

use crate::basics::hex::hex;
use crate::basics::problem;
use crate::context::Scoped;
use crate::context::compute::Job;
use crate::context::pages::Pages;
use crate::derived::edit_lines::is_applied;
use crate::files::changes::{edit_ref, state};
use crate::files::edit_cache::{EditCache, Scope};
use crate::may::session;
use api::messages::EditRef;
use api::net::{EditPlace, NetChanges, NetFile, NetPart, NetQuery, NetTexts};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use diff::{Allowance, Net, Step, Texts};
use model::envelope::{EditInfo, edit_info};
use model::message_type::code_edit::Edit;
use model::policy::Display;
use model::view::FileChange;
use model::{Body, MessageType, Role, Session, Status};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use store::{MessageQuery, Range, StoredMessage};

pub async fn get_net_changes(scoped: &Scoped, path: &SessionPath, query: NetQuery) -> Result<NetChanges, Problem> {
    let session = session(scoped, path).await?;
    if query.turn.is_some() && query.after.is_some() {
        return Err(Problem::new(ProblemCode::InvalidQuery, "`turn` and `after` can't be combined"));
    }
    let after = match query.turn {
        Some(1) => last_prompt(scoped, &session).await?,
        None | Some(0) => query.after.unwrap_or(0),
        Some(_) => return Err(Problem::new(ProblemCode::InvalidQuery, "`turn` must be 1 or absent")),
    };
    let state = state(scoped, &session).await?;
    let scope = Scope { after, to: query.to };
    let folding = Box::pin(fold(scoped, &session, scope));
    let all = scoped.hub.state::<EditCache>().net(state, scope, folding).await?;
    let files: Vec<NetFile> = match &query.path {
        Some(path) => match all.iter().find(|file| file.path == *path) {
            Some(file) if file.texts.is_none() => large::one(scoped, &session, file).await?,
            file => file.cloned().into_iter().collect(),
        },
        None => all.iter().map(without_texts).collect(),
    };
    if query.path.is_some() && files.is_empty() {
        return Err(Problem::not_found("file"));
    }
    let sum = |of: fn(&NetFile) -> i64| files.iter().map(of).sum();
    let (added, removed, changes) = (sum(|f| f.added), sum(|f| f.removed), sum(|f| f.changes));
    Ok(NetChanges { files, added, removed, changes })
}

/// All files, with their texts unless these are too many to be held at a time.
async fn fold(scoped: &Scoped, session: &Session, scope: Scope) -> Result<Vec<NetFile>, Problem> {
    let (mut files, mut allowance, mut held) = (BTreeMap::new(), Allowance::default(), 0);
    let mut pages = Pages::of_type(scoped, &session.id, scope.after, MessageType::CodeEdit);
    let is_within = move |stored: &StoredMessage| scope.to.is_none_or(|to| stored.message.seq <= to);
    while let Some(stored) = pages.next().await? {
        let is_last = !stored.last().is_some_and(is_within);
        let collecting = scoped.compute(move |job| {
            for message in stored.iter().take_while(|stored| is_within(stored)) {
                job.goes_on()?;
                held += collect(&mut files, message, &mut allowance, |_| true);
            }
            Ok::<_, Problem>((files, allowance, held))
        });
        (files, allowance, held) = collecting.await??;
        if held > large::BYTES {
            drop(files);
            return large::fold(scoped, session, scope).await;
        }
        if is_last {
            break;
        }
    }
    files = reads::add(scoped, session, scope, files).await?;
    let fold = move |job: &Job| {
        let file = |(path, edits): (String, Vec<Happened>)| {
            job.goes_on()?;
            Ok(file(path, &edits, &mut allowance))
        };
        files.into_iter().map(file).collect()
    };
    scoped.compute(fold).await?
}

fn without_texts(file: &NetFile) -> NetFile {
    NetFile {
        path: file.path.clone(),
        moved_from: file.moved_from.clone(),
        hash: file.hash.clone(),
        language: file.language.clone(),
        edits: file.edits.clone(),
        texts: None,
        ..*file
    }
}

/// The `seq` of what a person said last; 0 if nobody said anything.
async fn last_prompt(scoped: &Scoped, session: &Session) -> Result<i64, Problem> {
    let query = MessageQuery {
        types: vec![MessageType::Text.to_string()],
        roles: vec![Role::User],
        max_display: Some(Display::Shown),
        limit: 1,
        ..MessageQuery::new(Range::Last(1))
    };
    let stored = scoped.hub.workspace.messages(&session.id, &query).await.map_err(problem)?;
    Ok(stored.last().map_or(0, |stored| stored.message.seq))
}

/// An edit with what became of it, or a text that was read.
struct Happened {
    edit: Edit,
    info: EditInfo,
    at: EditRef,
    is_read: bool,
}

impl Happened {
    /// Lets its texts go.
    fn let_go(&mut self) {
        (self.edit.old_content, self.edit.new_content, self.info.patch) = (None, None, None);
    }
}

/// The edits of a message that count.
fn edits(stored: &StoredMessage) -> Vec<Edit> {
    let draft = &stored.message.draft;
    if stored.copied || draft.status == Status::Retracted {
        return Vec::new();
    }
    match Body::of(draft) {
        Body::CodeEdit(code_edit) => code_edit.edits,
        _ => Vec::new(),
    }
}

/// Adds the edits of a message in the files that are wanted. Returns the bytes of their texts.
fn collect(
    files: &mut BTreeMap<String, Vec<Happened>>,
    stored: &StoredMessage,
    allowance: &mut Allowance,
    wanted: impl Fn(&str) -> bool,
) -> usize {
    let draft = &stored.message.draft;
    let all = edits(stored);
    let (edits, mut bytes) = (all.len(), 0);
    for (index, edit) in all.into_iter().enumerate().filter(|(_, edit)| wanted(&edit.file_path)) {
        let info = edit_info(draft.metadata.as_ref(), index);
        let at = edit_ref(stored, index, &diff::texts(&edit, &info).among(edits), &info, allowance);
        bytes += large::bytes(&edit, &info);
        files.entry(edit.file_path.clone()).or_default().push(Happened { edit, info, at, is_read: false });
    }
    bytes
}

fn file(path: String, all: &[Happened], allowance: &mut Allowance) -> NetFile {
    let applied: Vec<&Happened> = all.iter().filter(|it| is_applied(it.info.state)).collect();
    let mut applied: Vec<(&Happened, Texts<'_>)> =
        in_order(&applied).into_iter().map(|it| (it, diff::texts(&it.edit, &it.info))).collect();
    let steps = applied.iter().enumerate();
    let steps = steps.flat_map(|(edit, (_, texts))| texts.steps().map(move |step| Step { edit, ..step }));
    let net = diff::fold(steps, allowance);
    let places: Vec<EditPlace> =
        applied.iter().map(|(it, _)| EditPlace { seq: it.at.seq, index: it.at.index }).collect();
    applied.retain(|(it, _)| !it.is_read);
    let mut hash = Sha256::new();
    let (mut added, mut removed, mut changes) = (0, 0, 0);
    for part in &net.parts {
        let counts = diff::counts_within(part.old.as_deref(), part.new.as_deref(), allowance);
        added += i64::from(counts.added);
        removed += i64::from(counts.removed);
        changes += i64::from(counts.changes);
        for text in [&part.old, &part.new] {
            // The length in front: two texts never look like one.
            hash.update(text.as_ref().map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            hash.update(text.as_deref().unwrap_or_default());
        }
        // Equal texts elsewhere are another change, with other numbers.
        let edit = part.edit.and_then(|edit| places.get(edit)).map(|edit| (edit.seq, edit.index));
        hash.update(format!("{:?} {:?} {edit:?}", part.first_line, part.is_whole));
    }
    let patches: Vec<String> = applied.iter().filter_map(|(_, texts)| texts.patch.map(str::to_owned)).collect();
    for patch in &patches {
        hash.update(patch);
    }
    hash.update([u8::from(net.is_broken)]);
    let hash = hex(&hash.finalize()[..8]);
    NetFile {
        path,
        change: change(&net, &applied),
        moved_from: applied.iter().find_map(|(_, texts)| texts.moved_from.as_deref().map(str::to_owned)),
        added,
        removed,
        changes,
        hash,
        broken: net.is_broken,
        too_large: false,
        language: all.iter().rev().find_map(|it| it.edit.language.clone()),
        edits: all.iter().filter(|it| !it.is_read).map(|it| it.at.clone()).collect(),
        texts: Some(texts(net, patches, &places)),
    }
}

/// Orders the edits of one message, whose line numbers mean the file before all of them: the last position comes first.
fn in_order<'a>(applied: &[&'a Happened]) -> Vec<&'a Happened> {
    let mut ordered = applied.to_vec();
    for together in ordered.chunk_by_mut(|a, b| a.at.seq == b.at.seq) {
        if together.iter().all(|it| it.info.start_line.is_some()) {
            together.sort_by_key(|it| std::cmp::Reverse(it.info.start_line));
        }
    }
    ordered
}

/// A file without any texts, as a binary one is, is what the heads of its diffs say.
fn change(net: &Net, applied: &[(&Happened, Texts<'_>)]) -> FileChange {
    let heads = || applied.iter().map(|(_, texts)| texts.change);
    match (heads().next(), heads().next_back()) {
        _ if applied.iter().any(|(_, texts)| !texts.fragments.is_empty()) => net.change,
        (_, Some(FileChange::Deleted)) => FileChange::Deleted,
        (Some(FileChange::Added), _) => FileChange::Added,
        _ => net.change,
    }
}

fn texts(net: Net, patches: Vec<String>, places: &[EditPlace]) -> NetTexts {
    let part = |part: diff::Part| NetPart {
        old: part.old,
        new: part.new,
        first_line: part.first_line,
        whole: part.is_whole,
        edit: part.edit.and_then(|edit| places.get(edit).copied()),
    };
    NetTexts { parts: net.parts.into_iter().map(part).collect(), patches }
}

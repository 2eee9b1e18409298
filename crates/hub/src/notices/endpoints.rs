//! Notices of a run that people set: one small value of the workspace, read at the beginning of each run.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::notices::{BYTES, KEY, Notices, read};
use api::Problem;
use api::notices::{NoticeKind, NoticePath, RunNotice, RunNotices, SetNotice};
use model::audit::{Change, Event};
use serde_json::Value;
use std::path::Path;

const MOST: usize = 50;
const NAME_CHARS: usize = 80;

pub async fn list_notices(scoped: &Scoped) -> Result<RunNotices, Problem> {
    let hub = &scoped.hub;
    let notices = hub.workspace.meta(KEY).await.map(read).map_err(problem)?;
    Ok(RunNotices { notices, from_file: hub.state::<Notices>().described() })
}

pub async fn set_notice(scoped: &Scoped, path: &NoticePath, input: SetNotice) -> Result<RunNotices, Problem> {
    let name = path.notice.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        return Err(Problem::field("notice", &format!("one line of 1 to {NAME_CHARS} characters")));
    }
    let mut notices = list_notices(scoped).await?.notices;
    let known = notices.iter_mut().find(|notice| notice.name == name);
    let old = known.as_deref().cloned();
    let value = input.value.or_else(|| old.as_ref().map(|old| old.value.clone()));
    let kind = input.kind.or(old.as_ref().map(|old| old.kind)).unwrap_or(NoticeKind::Text);
    let on = input.on.or(old.as_ref().map(|old| old.on)).unwrap_or(true);
    let new = RunNotice { kind, value: checked(kind, value.as_deref().unwrap_or_default())?, on, name };
    if old.is_none() && notices.len() >= MOST {
        let problem = Problem::field("notice", &format!("one of at most {MOST} notices"));
        return Err(problem.hint("Remove or change an existing one"));
    }
    change(scoped, new.name.clone(), Some(new), input.position).await
}

pub async fn remove_notice(scoped: &Scoped, path: &NoticePath) -> Result<RunNotices, Problem> {
    if !list_notices(scoped).await?.notices.iter().any(|notice| notice.name == path.notice) {
        return Err(Problem::not_found("notice"));
    }
    change(scoped, path.notice.clone(), None, None).await
}

/// Stores what becomes of one notice. What another tab changes of the others at the same time stays.
async fn change(
    scoped: &Scoped,
    name: String,
    new: Option<RunNotice>,
    position: Option<u32>,
) -> Result<RunNotices, Problem> {
    let change = |stored| {
        let mut notices = read(stored);
        let place = notices.iter().position(|notice| notice.name == name);
        let old = place.map(|place| notices.remove(place));
        if let Some(new) = &new {
            let position = position.map(|position| position as usize).or(place).unwrap_or(notices.len());
            notices.insert(position.min(notices.len()), new.clone());
        }
        let field = format!("Notice {name}");
        let changes = vec![Change { field, old: described(old.as_ref()), new: described(new.as_ref()) }];
        (serde_json::to_string(&notices).ok(), (old != new).then_some(Event::PreferencesChanged { changes }))
    };
    scoped.signed().await.change_meta(KEY, clock::now(), change).await.map_err(problem)?;
    list_notices(scoped).await
}

/// Returns a notice as the audit log records it.
fn described(notice: Option<&RunNotice>) -> Value {
    let text = notice.map(|notice| {
        let state = if notice.on { "on" } else { "off" };
        format!("{}, {state}: {}", notice.kind, model::text::one_line(&notice.value, 200))
    });
    text.unwrap_or_default().into()
}

fn checked(kind: NoticeKind, value: &str) -> Result<String, Problem> {
    let refused = |expected: &str| Err(Problem::field("/value", expected));
    let value = value.trim();
    if value.len() > BYTES {
        return refused(&format!("at most {BYTES} bytes; got {}", value.len()));
    }
    let is_path = |path: &str| Path::new(path).is_absolute() && !path.chars().any(char::is_control);
    match kind {
        NoticeKind::Text if value.is_empty() => refused("text that isn't blank"),
        NoticeKind::File if !is_path(value) => refused("the absolute path of a file"),
        NoticeKind::Git => {
            let folders: Vec<&str> = value.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            if folders.is_empty() || !folders.iter().all(|folder| is_path(folder)) {
                return refused("absolute paths of folders, one per line");
            }
            Ok(folders.join("\n"))
        }
        NoticeKind::Text | NoticeKind::File => Ok(value.to_owned()),
    }
}

//! Navigation in a session: its outline, and text search.

use crate::basics::problem;
use crate::context::Scoped;
use crate::context::pages::Pages;
use crate::derived::search_text::whole_text;
use crate::may::session;
use api::Problem;
use api::limits::SEARCH_CHARS;
use api::outline::{FindQuery, Found, FoundAt, Mark, MarkKind, Outline, OutlineQuery, PART};
use api::search::HitCount;
use api::sessions::SessionPath;
use model::message_type::{approval::Approval, error};
use model::policy::Display;
use model::{MessageType, Role, SessionId, Status, summary, text::one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;
use store::tokens::searchable;
use store::{Landmark, MessageQuery, Range, StoredMessage};

/// New messages that are counted at most.
const MANY: i64 = 1_000;
/// Characters of a prompt's words.
const WORDS: usize = 200;

pub async fn get_outline(scoped: &Scoped, path: &SessionPath, query: OutlineQuery) -> Result<Outline, Problem> {
    let after = query.after.unwrap_or(0);
    if after < 0 {
        return Err(Problem::field("after", "0 or more"));
    }
    if query.seen.is_some_and(|seen| seen < 0) {
        return Err(Problem::field("seen", "0 or more"));
    }
    let session = session(scoped, path).await?;
    let new = match query.seen {
        Some(seen) => {
            let only = (query.types.as_slice(), query.roles.as_slice());
            Some(scoped.hub.workspace.shown_after(&session.id, seen, only, MANY).await.map_err(problem)?)
        }
        None => None,
    };
    let end = after.saturating_add(PART).min(session.last_seq);
    let next = (end < session.last_seq).then_some(end);
    let part = after.saturating_add(1)..=end;
    let mut landmarks = scoped.hub.workspace.landmarks(&session.id, &part).await.map_err(problem)?;
    let Prompts { mut said, left_behind } = prompts(scoped, &session.id, &part).await?;
    // Messages between a prompt that was left behind and the next prompt were left behind too.
    let is_left = |seq: i64| left_behind.range(..=seq).next_back().is_some_and(|(_, left)| *left);
    landmarks.retain(|landmark| !is_left(landmark.seq));
    // Few sessions have any: the messages aren't looked through for nothing.
    if let Some(seq) = first(&landmarks, MessageType::Approval) {
        said.extend(open_approvals(scoped, &session.id, &(seq..=end)).await?);
    }
    if let Some(seq) = first(&landmarks, MessageType::Error) {
        let attempts = attempts(scoped, &session.id, &(seq..=end)).await?;
        landmarks.retain(|landmark| !attempts.contains(&landmark.seq));
    }
    let marks = landmarks.iter().filter_map(|landmark| mark(landmark, &mut said)).collect();
    Ok(Outline { marks, last_seq: session.last_seq, next, new })
}

/// Messages of people.
#[derive(Default)]
struct Prompts {
    /// Their words, by `seq`.
    said: BTreeMap<i64, String>,
    /// Whether the conversation went back to before it, by `seq`. The last one before the part is among them.
    left_behind: BTreeMap<i64, bool>,
}

async fn prompts(scoped: &Scoped, session: &SessionId, part: &RangeInclusive<i64>) -> Result<Prompts, Problem> {
    let (types, roles) = (vec![MessageType::Text.to_string()], vec![Role::User]);
    let of_people = |range| MessageQuery {
        types: types.clone(),
        roles: roles.clone(),
        max_display: Some(Display::Collapsed),
        ..MessageQuery::new(range)
    };
    let mut prompts = Prompts::default();
    let left = |stored: &StoredMessage| (stored.message.seq, stored.message.draft.left_behind);
    if *part.start() > 1 {
        let last = of_people(Range::Before(*part.start(), 1));
        let last = scoped.hub.workspace.messages(session, &last).await.map_err(problem)?;
        prompts.left_behind.extend(last.iter().map(left));
    }
    let mut pages = Pages::within(scoped, session, part, of_people(Range::Last(0)));
    while let Some(stored) = pages.next().await? {
        prompts.left_behind.extend(stored.iter().map(left));
        prompts.said.extend(stored.iter().filter(|s| is_prompt(s)).map(|s| (s.message.seq, words(s))));
    }
    Ok(prompts)
}

/// The `seq` of the first landmark of a type.
fn first(landmarks: &[Landmark], of: MessageType) -> Option<i64> {
    landmarks.iter().find(|landmark| landmark.message_type == of).map(|landmark| landmark.seq)
}

/// The titles of the approvals that are open, by `seq`.
async fn open_approvals(
    scoped: &Scoped,
    session: &SessionId,
    part: &RangeInclusive<i64>,
) -> Result<BTreeMap<i64, String>, Problem> {
    let mut pages = Pages::of_type_within(scoped, session, part, MessageType::Approval);
    let mut titles = BTreeMap::new();
    while let Some(stored) = pages.next().await? {
        let open = |s: &StoredMessage| Some((s.message.seq, Approval::open_in(&s.message.draft)?.title));
        titles.extend(stored.iter().filter_map(open).map(|(seq, title)| (seq, one_line(&title, WORDS))));
    }
    Ok(titles)
}

/// Errors after which the agent tried the same again, by `seq`. They are no landmarks: where it gave up, it says so in
/// another one.
async fn attempts(scoped: &Scoped, session: &SessionId, part: &RangeInclusive<i64>) -> Result<BTreeSet<i64>, Problem> {
    let mut pages = Pages::of_type_within(scoped, session, part, MessageType::Error);
    let mut attempts = BTreeSet::new();
    while let Some(stored) = pages.next().await? {
        let of_attempts = stored.iter().filter(|stored| error::is_attempt(&stored.message.draft));
        attempts.extend(of_attempts.map(|stored| stored.message.seq));
    }
    Ok(attempts)
}

fn mark(landmark: &Landmark, said: &mut BTreeMap<i64, String>) -> Option<Mark> {
    let seq = landmark.seq;
    let words = said.remove(&seq);
    let kind = match (landmark.role, MessageType::parse(&landmark.message_type)) {
        (_, Some(MessageType::Approval)) => MarkKind::Approval,
        _ if words.is_some() => MarkKind::Prompt,
        (Role::User, _) => return None,
        (_, Some(MessageType::CodeEdit)) => MarkKind::Edit,
        _ => MarkKind::Error,
    };
    Some(Mark { seq, kind, words: words.unwrap_or_default() })
}

/// That a person stopped the agent is no prompt.
fn is_prompt(stored: &StoredMessage) -> bool {
    let draft = &stored.message.draft;
    draft.status != Status::Retracted && !draft.is_interruption()
}

fn words(stored: &StoredMessage) -> String {
    one_line(&summary::summary(&stored.message.draft), WORDS)
}

pub async fn find(scoped: &Scoped, path: &SessionPath, query: FindQuery) -> Result<Found, Problem> {
    let session = session(scoped, path).await?;
    let wanted: Arc<str> = searchable(&query.q).into();
    if wanted.trim().is_empty() || wanted.chars().count() > SEARCH_CHARS {
        return Err(Problem::field("q", &format!("1 to {SEARCH_CHARS} characters that aren't all blank")));
    }
    let dev = match query.dev {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(Problem::field("dev", "0 or 1")),
    };
    let mut found = Found { hits: Vec::new(), types: Vec::new(), hidden: 0 };
    let mut types: BTreeMap<String, i64> = BTreeMap::new();
    let all = MessageQuery {
        types: query.types.clone(),
        roles: query.roles.clone(),
        ..MessageQuery::new(Range::After(0, 0))
    };
    let mut pages = Pages::after(scoped, &session.id, 0, all);
    while let Some(stored) = pages.next().await? {
        let wanted = Arc::clone(&wanted);
        let holding = scoped.compute(move |job| {
            let mut holding = Vec::new();
            for stored in stored {
                job.goes_on()?;
                if holds(&whole_text(&stored.message.draft), &wanted) {
                    let message_type = stored.message.draft.message_type().to_owned();
                    holding.push((stored.display, FoundAt { seq: stored.message.seq, message_type }));
                }
            }
            Ok::<_, Problem>(holding)
        });
        for (display, at) in holding.await?? {
            if display == Display::Dev && !dev {
                found.hidden += 1;
                continue;
            }
            *types.entry(at.message_type.clone()).or_default() += 1;
            found.hits.push(at);
        }
    }
    found.types = types.into_iter().map(|(value, hits)| HitCount { value, hits }).collect();
    found.types.sort_by_key(|count| -count.hits);
    Ok(found)
}

/// Bytes of a text that are looked through at a time, since a letter of it may take many when it is folded.
const WINDOW: usize = 256 * 1024;
/// Bytes of the next window that come along: no place where the words stand is longer.
const OVERLAP: usize = 16 * 1024;

/// As it is written, or as it is read: without the marks of markdown.
fn holds(text: &str, wanted: &str) -> bool {
    let mut rest = text;
    loop {
        let end = rest.floor_char_boundary(WINDOW + OVERLAP);
        let mut window = searchable(&rest[..end]);
        if window.contains(wanted) {
            return true;
        }
        window.retain(|c| !matches!(c, '*' | '`'));
        if window.contains(wanted) {
            return true;
        }
        if end == rest.len() {
            return false;
        }
        rest = &rest[rest.floor_char_boundary(WINDOW)..];
    }
}

#[cfg(test)]
mod tests {
    use super::{WINDOW, holds};

    #[test]
    fn words_are_found_where_windows_meet() {
        for before in WINDOW - 12..WINDOW + 2 {
            let text = format!("{}the **gran\u{e4}ry** stands{}", " ".repeat(before), " x".repeat(WINDOW));
            assert!(holds(&text, "the gran\u{e4}ry stands"), "{before}");
            assert!(!holds(&text, "the granary"), "{before}");
        }
    }
}

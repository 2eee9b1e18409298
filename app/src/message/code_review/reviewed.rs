//! What the edits of a session say of the lines that a review comments on: what they were, and whether a later edit
//! changed them.

use api::net::{NetFile, NetPart};
use model::envelope::Side;
use model::message_type::code_review::{CodeReview, ReviewComment};
use serde::Deserialize;

/// Lines are looked for up to so many lines from where they were.
const FAR: u64 = 200;
/// Lines of a comment that are quoted at most.
const MOST_LINES: u32 = 400;

/// What is known about the file of a review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
pub struct Reviewed {
    /// As the edits of the session name the file; None where none of them is of it.
    #[serde(default)]
    pub path: Option<String>,
    /// One for each comment, in their order.
    #[serde(default)]
    pub lines: Vec<ReviewedLines>,
}

/// What is known about the lines of a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
pub struct ReviewedLines {
    /// As they were when they were commented on. None where the session's edits don't hold them.
    #[serde(default)]
    pub quote: Option<String>,
    /// A later edit of the session changed them.
    #[serde(default)]
    pub outdated: bool,
}

impl Reviewed {
    /// Returns what is known about a review: `then` is the file with the edits before the review, `now` with all of them,
    /// where any came later. Both with their texts.
    pub fn of(review: &CodeReview, then: Option<&NetFile>, now: Option<&NetFile>) -> Self {
        let lines = |comment: &ReviewComment| {
            let quote = then.and_then(|file| quote(file, comment));
            let outdated = now.is_some_and(|now| is_outdated(comment, quote.as_deref(), then, now));
            ReviewedLines { quote, outdated }
        };
        let path = then.or(now).map(|file| file.path.clone());
        Self { path, lines: review.comments.iter().map(lines).collect() }
    }
}

/// The parts of a file whose place is known: the text of a side, and the number of its first line.
fn placed(file: &NetFile, side: Side) -> impl Iterator<Item = (&str, u32)> {
    let parts = file.texts.iter().filter(|_| !file.broken).flat_map(|texts| &texts.parts);
    parts.filter_map(move |part: &NetPart| {
        let (old, new) = part.first_line.or(part.whole.then_some((1, 1)))?;
        match side {
            Side::Old => Some((part.old.as_deref()?, old)),
            Side::New => Some((part.new.as_deref()?, new)),
        }
    })
}

fn quote(file: &NetFile, comment: &ReviewComment) -> Option<String> {
    let (first, last) = (comment.start_line, comment.last_line());
    let count = usize::try_from(last.checked_sub(first)?.checked_add(1).filter(|count| *count <= MOST_LINES)?).ok()?;
    placed(file, comment.side).find_map(|(text, start)| {
        let skipped = usize::try_from(first.checked_sub(start)?).ok()?;
        let lines: Vec<&str> = text.lines().skip(skipped).take(count).collect();
        (lines.len() == count).then(|| lines.join("\n"))
    })
}

/// Only what is known to be changed is outdated.
fn is_outdated(comment: &ReviewComment, quote: Option<&str>, then: Option<&NetFile>, now: &NetFile) -> bool {
    // The side before the session's edits doesn't change.
    if comment.side == Side::Old || now.broken || now.texts.is_none() {
        return false;
    }
    match quote {
        Some(quote) => {
            let is_gone = !holds(placed(now, Side::New), comment, quote);
            // Edits that took each other back leave no part; then the lines before all of them stand there.
            let all_taken_back = now.texts.as_ref().is_some_and(|texts| texts.parts.is_empty());
            is_gone && !(all_taken_back && then.is_some_and(|then| holds(placed(then, Side::Old), comment, quote)))
        }
        None => touches(now, comment) && !then.is_some_and(|then| touches(then, comment)),
    }
}

/// Do these lines stand there, or near?
fn holds<'a>(parts: impl Iterator<Item = (&'a str, u32)>, comment: &ReviewComment, quote: &str) -> bool {
    let wanted: Vec<&str> = quote.split('\n').collect();
    parts.into_iter().any(|(text, start)| {
        let lines: Vec<&str> = text.lines().collect();
        let numbered = (u64::from(start)..).zip(lines.windows(wanted.len()));
        let near = numbered.filter(|(number, _)| number.abs_diff(comment.start_line.into()) <= FAR);
        near.into_iter().any(|(_, window)| window == wanted)
    })
}

/// Is any of the lines in a part that changed?
fn touches(file: &NetFile, comment: &ReviewComment) -> bool {
    placed(file, comment.side).any(|(text, start)| {
        let end = u64::from(start) + text.lines().count() as u64;
        u64::from(comment.start_line) < end && comment.last_line() >= start
    })
}

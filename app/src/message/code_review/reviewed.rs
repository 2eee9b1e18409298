//! Finds the lines that a review comments on in the edits of its session: their text, and whether a later edit changed
//! them.

use api::net::{NetFile, NetPart};
use model::envelope::Side;
use model::message_type::code_review::{CodeReview, ReviewComment};
use serde::Deserialize;

/// Maximum distance, in lines, from the old place of lines that are looked for.
const FAR: u64 = 200;
/// Maximum number of lines that are quoted for a comment.
const MOST_LINES: u32 = 400;

/// Later edits of the session in the file of a review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
pub struct Reviewed {
    /// The path that the edits use for the file. `None` if no edit changed it.
    #[serde(default)]
    pub path: Option<String>,
    /// One entry for each comment, in order.
    #[serde(default)]
    pub lines: Vec<ReviewedLines>,
}

/// Later edits of the session in the lines of a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
pub struct ReviewedLines {
    /// Their text at the time of the review. `None` if the session's edits don't contain them.
    #[serde(default)]
    pub quote: Option<String>,
    /// Whether a later edit of the session changed them.
    #[serde(default)]
    pub outdated: bool,
}

impl Reviewed {
    /// Compares the file at the time of the review (`then`) with the file after all edits (`now`). `now` is `None` if
    /// no edit came later. Both need their texts.
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

/// Returns the parts of a file whose position is known: the text of one side, and the number of its first line.
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

/// Returns whether the lines are known to have changed.
fn is_outdated(comment: &ReviewComment, quote: Option<&str>, then: Option<&NetFile>, now: &NetFile) -> bool {
    // The old side is the file before all edits: it never changes.
    if comment.side == Side::Old || now.broken || now.texts.is_none() {
        return false;
    }
    match quote {
        Some(quote) => {
            let is_gone = !holds(placed(now, Side::New), comment, quote);
            // Edits that cancel each other out leave no part: the file is then as it was before all of them.
            let all_taken_back = now.texts.as_ref().is_some_and(|texts| texts.parts.is_empty());
            is_gone && !(all_taken_back && then.is_some_and(|then| holds(placed(then, Side::Old), comment, quote)))
        }
        None => touches(now, comment) && !then.is_some_and(|then| touches(then, comment)),
    }
}

/// Returns whether the quoted lines are in the parts, at their old place or near it.
fn holds<'a>(parts: impl Iterator<Item = (&'a str, u32)>, comment: &ReviewComment, quote: &str) -> bool {
    let wanted: Vec<&str> = quote.split('\n').collect();
    parts.into_iter().any(|(text, start)| {
        let lines: Vec<&str> = text.lines().collect();
        let numbered = (u64::from(start)..).zip(lines.windows(wanted.len()));
        let near = numbered.filter(|(number, _)| number.abs_diff(comment.start_line.into()) <= FAR);
        near.into_iter().any(|(_, window)| window == wanted)
    })
}

/// Returns whether one of the lines is in a part that changed.
fn touches(file: &NetFile, comment: &ReviewComment) -> bool {
    placed(file, comment.side).any(|(text, start)| {
        let end = u64::from(start) + text.lines().count() as u64;
        u64::from(comment.start_line) < end && comment.last_line() >= start
    })
}

//! Parses text and reactions as answers to an approval.

use api::posting::Decide;
use model::message_type::approval::{Approval, ApprovalState, Choice, OptionKind};

const YES: [&str; 8] = ["approve", "allow", "yes", "y", "ok", "👍", "✅", "✔"];
const ALWAYS: [&str; 2] = ["always", "allow always"];
const NO: [&str; 7] = ["deny", "reject", "no", "n", "👎", "❌", "✖"];
const DISMISS: &str = "dismiss";
/// Separators between a denial and its reason.
const BEFORE_REASON: [char; 7] = [',', ':', ';', '.', '!', '\n', '—'];

/// A text that is meant as an answer.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and taken at once")]
pub enum Answer {
    Decides(Decide),
    /// Nobody can say what it means: why.
    Unclear(&'static str),
}

/// The labels say the opposite of what the options do.
const TWISTED: &str = "The labels of this request say something else than its options do: only a number is clear";
/// Several options are named alike.
const SEVERAL: &str = "This answer fits several options: only a number is clear";
/// A permission has no room for words.
const WITH_WORDS: &str = "Only a denial can have words: a permission with a condition is none";

/// Returns the decision that a text is; None where it can't be read as one. An unclear word is never a permission.
pub fn read(approval: &Approval, text: &str) -> Option<Answer> {
    let whole = text.trim();
    let text = whole.trim_end_matches(|c| ['.', '!', '\u{fe0f}'].contains(&c) || is_tone(c));
    if let Some(ids) = numbers(approval, text) {
        return Some(chosen(ids));
    }
    let word = text.to_lowercase();
    let labelled: Vec<&Choice> = approval.choices().filter(|choice| label(choice) == word).collect();
    match (labelled.as_slice(), meant(&word)) {
        ([], None) if word == DISMISS => Some(dismissed()),
        ([], None) => with_words(approval, whole),
        (_, Some(_)) if is_twisted(approval) => Some(Answer::Unclear(TWISTED)),
        ([], Some(kind)) => by_word(approval, kind, None),
        ([choice], Some(kind)) if says_other(kind, choice) => Some(Answer::Unclear(TWISTED)),
        ([choice], _) => Some(chosen(vec![choice.id.clone()])),
        _ => Some(Answer::Unclear(SEVERAL)),
    }
}

/// Returns an answer in the person's own words, where the approval takes any and asks for no permission.
pub fn words(approval: &Approval, text: &str) -> Option<Decide> {
    let takes = approval.takes_words() && !approval.kind.asks_permission() && approval.fields.is_empty();
    takes.then(|| Decide { text: Some(text.to_owned()), ..Decide::default() })
}

/// The colour of a hand.
fn is_tone(c: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&c)
}

fn chosen(ids: Vec<String>) -> Answer {
    Answer::Decides(Decide { selected: ids, ..Decide::default() })
}

fn dismissed() -> Answer {
    Answer::Decides(Decide { state: Some(ApprovalState::Cancelled), ..Decide::default() })
}

fn label(choice: &Choice) -> String {
    if choice.label.is_empty() { &choice.id } else { &choice.label }.to_lowercase()
}

/// The kind of option that a word stands for.
fn meant(word: &str) -> Option<OptionKind> {
    if YES.contains(&word) {
        Some(OptionKind::AllowOnce)
    } else if ALWAYS.contains(&word) {
        Some(OptionKind::AllowAlways)
    } else {
        NO.contains(&word).then_some(OptionKind::RejectOnce)
    }
}

const fn rejects(kind: OptionKind) -> bool {
    matches!(kind, OptionKind::RejectOnce | OptionKind::RejectAlways)
}

/// Does an option something else than a word stands for? To deny once and always are the same answer.
fn says_other(kind: OptionKind, choice: &Choice) -> bool {
    choice.kind.is_some_and(|does| does != kind && !(rejects(does) && rejects(kind)))
}

/// Does the label of an option stand for the opposite of what it does? Then no word is clear: "No" may allow.
fn is_twisted(approval: &Approval) -> bool {
    let opposite = |choice: &Choice| Some(rejects(meant(&label(choice))?) != rejects(choice.kind?));
    approval.choices().any(|choice| opposite(choice) == Some(true))
}

/// The decision that a word stands for, with the reason for a denial.
fn by_word(approval: &Approval, kind: OptionKind, reason: Option<String>) -> Option<Answer> {
    let mut of_kind = approval.choices().filter(|choice| choice.kind == Some(kind));
    let (first, has_more) = (of_kind.next(), of_kind.next().is_some());
    let state = match kind {
        // It is unclear which of several is allowed.
        OptionKind::AllowOnce | OptionKind::AllowAlways if has_more => return Some(Answer::Unclear(SEVERAL)),
        OptionKind::AllowOnce => ApprovalState::AllowedOnce,
        OptionKind::AllowAlways => ApprovalState::AllowedAlways,
        OptionKind::RejectOnce | OptionKind::RejectAlways => ApprovalState::Denied,
    };
    let decide = match first {
        Some(choice) => Decide { selected: vec![choice.id.clone()], text: reason, ..Decide::default() },
        // Without an option that allows always, it isn't allowed always.
        None if kind == OptionKind::AllowAlways => return None,
        None if approval.kind.asks_permission() => Decide { state: Some(state), text: reason, ..Decide::default() },
        None => return None,
    };
    Some(Answer::Decides(decide))
}

/// `no, use a branch`: a denial and why. A permission with words is none.
fn with_words(approval: &Approval, text: &str) -> Option<Answer> {
    if !approval.kind.asks_permission() || !approval.state.is_open() {
        return None;
    }
    let (kind, rest) = split(text)?;
    if is_twisted(approval) {
        return Some(Answer::Unclear(TWISTED));
    }
    if !rejects(kind) {
        return Some(Answer::Unclear(WITH_WORDS));
    }
    let reason = Some(rest.trim()).filter(|reason| !reason.is_empty());
    by_word(approval, OptionKind::RejectOnce, reason.map(str::to_owned))
}

/// The word that a text begins with, and what follows it.
fn split(text: &str) -> Option<(OptionKind, &str)> {
    let signs = YES.iter().chain(&NO).filter(|word| !word.is_ascii());
    let sign = signs.copied().find_map(|sign| Some((meant(sign)?, text.strip_prefix(sign)?)));
    if let Some((kind, rest)) = sign {
        return Some((kind, rest.trim_start_matches(|c| ['\u{fe0f}', ' ', ',', ':'].contains(&c) || is_tone(c))));
    }
    let dash = text.find(" - ").map(|at| (at, " - ".len()));
    let mark = text.find(BEFORE_REASON).map(|at| (at, text[at..].chars().next().map_or(1, char::len_utf8)));
    let (at, length) = dash.into_iter().chain(mark).min()?;
    let kind = meant(&text[..at].trim().to_lowercase())?;
    Some((kind, &text[at + length..]))
}

/// `2`, or `1, 4`: options by their numbers in all questions together, as the channel's text counts them.
fn numbers(approval: &Approval, text: &str) -> Option<Vec<String>> {
    let choices: Vec<_> = approval.choices().collect();
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    let ids: Option<Vec<String>> = parts
        .map(|part| part.trim_end_matches('.').parse::<usize>().ok()?.checked_sub(1))
        .map(|index| Some(choices.get(index?)?.id.clone()))
        .collect();
    ids.filter(|ids| !ids.is_empty())
}

//! What words and signs mean for an approval.

use api::posting::Decide;
use model::message_type::approval::{Approval, ApprovalState, OptionKind};

const YES: [&str; 8] = ["approve", "allow", "yes", "y", "ok", "👍", "✅", "✔"];
const ALWAYS: [&str; 2] = ["always", "allow always"];
const NO: [&str; 7] = ["deny", "reject", "no", "n", "👎", "❌", "✖"];

/// Returns the decision that a text is; None where it can't be read as one. An unclear word is never a permission.
pub fn decision(approval: &Approval, text: &str) -> Option<Decide> {
    let text = text.trim().trim_end_matches(['.', '!', '\u{fe0f}']);
    let word = text.to_lowercase();
    let chosen = |ids: Vec<String>| Some(Decide { selected: ids, ..Decide::default() });
    let of_kind = |kind| approval.choices().find(|choice| choice.kind == Some(kind)).map(|choice| choice.id.clone());
    if let Some(ids) = numbers(approval, text) {
        return chosen(ids);
    }
    if let Some(choice) = approval.choices().find(|choice| choice.label.to_lowercase() == word) {
        return chosen(vec![choice.id.clone()]);
    }
    let (kind, state) = if YES.contains(&word.as_str()) {
        (OptionKind::AllowOnce, ApprovalState::AllowedOnce)
    } else if ALWAYS.contains(&word.as_str()) {
        (OptionKind::AllowAlways, ApprovalState::AllowedAlways)
    } else if NO.contains(&word.as_str()) {
        (OptionKind::RejectOnce, ApprovalState::Denied)
    } else {
        return None;
    };
    match of_kind(kind) {
        Some(id) => chosen(vec![id]),
        // What no option offers isn't allowed for ever.
        None if kind == OptionKind::AllowAlways => None,
        None if approval.kind.asks_permission() => Some(Decide { state: Some(state), ..Decide::default() }),
        None => None,
    }
}

/// Returns an answer in the person's own words, where the approval takes any and asks for no permission.
pub fn words(approval: &Approval, text: &str) -> Option<Decide> {
    let takes = approval.takes_words() && !approval.kind.asks_permission() && approval.fields.is_empty();
    takes.then(|| Decide { text: Some(text.to_owned()), ..Decide::default() })
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

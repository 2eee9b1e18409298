//! Markers of what the dev toggle hides: presence is never hidden, it is counted.

use super::{Detail, TranscriptOptions};
use crate::figures::counted;
use crate::html::Html;
use crate::icon::{Glyph, Look};
use crate::time_text::seconds;
use api::messages::HiddenRow;
use model::{Micros, Role};

/// One line for hidden rows, which unfolds to them; without a script it leads to where they stand in place.
pub(super) fn marker(run: &[&HiddenRow], options: &TranscriptOptions) -> String {
    let Some(first) = run.first() else { return String::new() };
    let last = run.last().map_or(first.seq, |row| row.seq);
    let words = words(run);
    let thought = run.iter().any(|row| is_thought(row));
    let glyph = if thought { Glyph::THINK } else { Glyph::GEAR };
    let holds: Vec<String> = run.iter().map(|row| row.seq.to_string()).collect();
    let address = format!("/s/{}?dev=1&at={}#m{}", options.session_id, first.seq, first.seq);
    let mut html = Html::new();
    html.tag("<article class=\"m tight hid\"").attr("data-seq", &first.seq.to_string());
    html.attr("data-last", &last.to_string()).attr("data-holds", &holds.join(" "));
    html.attr("aria-posinset", &first.seq.to_string());
    html.attr("aria-setsize", &options.last_seq.max(last).to_string());
    html.attr("aria-label", &format!("{words}, hidden")).tag(" tabindex=\"-1\">");
    // A copy holds no more than it shows.
    let opens = options.detail != Detail::Printed;
    let divides = is_compaction(first);
    html.tag(if opens { "<a" } else { "<p" });
    html.tag(if divides { " class=\"divider\"" } else { " class=\"line\"" });
    if opens {
        html.attr("href", &address).tag(" data-action=\"hidden\" aria-expanded=\"false\"");
    }
    html.tag(if thought { " data-state=\"thinking\">" } else { ">" });
    if divides {
        html.tag("<span>");
        html.icon(Glyph::FOLD, Look::SMALL);
        html.text(&words);
        if opens && run.iter().any(|row| is_summary(row)) {
            html.tag("<span class=\"link\">Read the summary</span>");
        }
        html.tag("</span>");
    } else {
        html.icon(glyph, Look::SMALL);
        html.text(&words);
    }
    html.tag(if opens { "</a></article>" } else { "</p></article>" });
    html.into_string()
}

/// Does the agent's context begin anew here?
pub(super) fn is_compaction(row: &HiddenRow) -> bool {
    row.sender == "compact_boundary" || is_summary(row)
}

/// Is it what took the place of the context?
fn is_summary(row: &HiddenRow) -> bool {
    row.sender == "compact_summary"
}

/// Is it the agent's reasoning, or a text of it without a word?
pub(super) fn is_thought(row: &HiddenRow) -> bool {
    row.role == Role::Model || is_empty(row)
}

fn is_empty(row: &HiddenRow) -> bool {
    row.role == Role::Assistant && row.message_type == "TEXT"
}

/// `Thought 12 s, 3 system messages, 1 note`.
fn words(run: &[&HiddenRow]) -> String {
    let count = |wanted: &dyn Fn(&HiddenRow) -> bool| run.iter().filter(|row| wanted(row)).count() as i64;
    let thoughts = count(&|row| row.role == Role::Model);
    let notes = count(&|row| row.role == Role::System && row.sender == "note");
    let summaries = count(&is_summary);
    let compactions = count(&|row| row.sender == "compact_boundary");
    let system = count(&|row| row.role == Role::System) - notes - summaries - compactions;
    let host = count(&|row| row.role == Role::Host);
    let empty = count(&is_empty);
    let others = run.len() as i64 - empty - count(&|row| matches!(row.role, Role::Model | Role::System | Role::Host));
    // Less is no time that anybody waits.
    let took = run.iter().filter_map(|row| row.took).map(|took| took.0).sum::<i64>();
    let took = (took >= Micros::SECOND).then(|| seconds(took));
    let mut parts = Vec::new();
    if compactions > 0 || summaries > 0 {
        parts.push("Context compacted".to_owned());
    }
    match thoughts {
        0 => {}
        1 => parts.push(format!("Thought{}", took.map(|time| format!(" {time}")).unwrap_or_default())),
        n => parts.push(format!("Thought {n} times{}", took.map(|time| format!(", {time}")).unwrap_or_default())),
    }
    // Beside anything else a text without a word isn't worth one.
    if parts.is_empty() && empty as usize == run.len() {
        parts.push(counted(empty, "empty message"));
    }
    for (n, noun) in [(system, "system message"), (notes, "note"), (host, "host message"), (others, "hidden message")] {
        if n > 0 {
            parts.push(counted(n, noun));
        }
    }
    parts.join(", ")
}

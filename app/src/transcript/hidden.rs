//! Markers of what the dev toggle hides: presence is never hidden, it is counted.

use super::{Detail, TranscriptOptions, days};
use crate::figures::{count, counted, tokens};
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
    let divides = is_compaction(first);
    // What took no time that anybody waited is no row to be read: a caption of the row below it.
    let brief = !divides && !run.iter().any(|row| is_long_thought(row));
    let mut html = Html::new();
    html.tag(if brief { "<article class=\"m tight hid brief\"" } else { "<article class=\"m tight hid\"" });
    html.attr("data-seq", &first.seq.to_string()).html(&reach(run, last));
    html.attr("aria-posinset", &first.seq.to_string());
    html.attr("aria-setsize", &options.last_seq.max(last).to_string());
    html.attr("aria-label", &format!("{words}, hidden")).tag(" tabindex=\"-1\">");
    let opens = opens(options);
    let class = if divides { " class=\"divider\"" } else { " class=\"line\"" };
    open_link(&mut html, class, first, options);
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

/// The article of the end of a run, with the count of what is hidden around it as its last fact.
pub(super) fn in_foot(foot: String, run: &[&HiddenRow], span: (i64, i64), options: &TranscriptOptions) -> String {
    let Some(first) = run.first() else { return foot };
    let mut html = Html::new();
    open_link(&mut html, " class=\"line\"", first, options);
    html.attr("title", &words(run)).tag(">");
    html.icon(Glyph::GEAR, Look::SMALL);
    html.text(&format!("{} hidden", count(run.len() as i64)));
    html.tag(if opens(options) { "</a></article>" } else { "</p></article>" });
    let inside = foot.strip_suffix("</article>").unwrap_or(&foot);
    days::put(format!("{inside}{}", html.as_str()), &reach(run, span.1))
}

/// What it stands for, as attributes.
fn reach(run: &[&HiddenRow], last: i64) -> Html {
    let holds: Vec<String> = run.iter().map(|row| row.seq.to_string()).collect();
    let mut html = Html::new();
    html.attr("data-last", &last.to_string()).attr("data-holds", &holds.join(" "));
    html
}

/// A copy holds no more than it shows.
fn opens(options: &TranscriptOptions) -> bool {
    options.detail != Detail::Printed
}

/// What unfolds to the hidden rows, begun.
fn open_link(html: &mut Html, class: &'static str, first: &HiddenRow, options: &TranscriptOptions) {
    html.tag(if opens(options) { "<a" } else { "<p" }).tag(class);
    if opens(options) {
        let address = format!("/s/{}?dev=1&at={}#m{}", options.session_id, first.seq, first.seq);
        html.attr("href", &address).tag(" data-action=\"hidden\" aria-expanded=\"false\"");
    }
}

/// Does the agent's context begin anew here?
pub(super) fn is_compaction(row: &HiddenRow) -> bool {
    is_boundary(row) || is_summary(row)
}

/// No key writes with the role `system`.
fn is_boundary(row: &HiddenRow) -> bool {
    row.role == Role::System && row.sender == "compact_boundary"
}

/// Is it what took the place of the context?
fn is_summary(row: &HiddenRow) -> bool {
    row.role == Role::System && row.sender == "compact_summary"
}

/// A thought that took so long has a line of its own after the call that it followed.
const LONG_THOUGHT: Micros = Micros(10 * Micros::SECOND);

/// Did somebody have to wait for a thought?
pub(super) fn is_long_thought(row: &HiddenRow) -> bool {
    row.took.is_some_and(|took| took >= LONG_THOUGHT) && is_thought(row)
}

/// Is it the agent's reasoning, or a text of it without a word?
pub(super) fn is_thought(row: &HiddenRow) -> bool {
    row.role == Role::Model || is_empty(row)
}

fn is_empty(row: &HiddenRow) -> bool {
    row.role == Role::Assistant && row.message_type == "TEXT"
}

/// What hidden rows are: `Thought 12 s, 3 system messages, 1 note`.
pub fn words(run: &[&HiddenRow]) -> String {
    let count = |wanted: &dyn Fn(&HiddenRow) -> bool| run.iter().filter(|row| wanted(row)).count() as i64;
    let thoughts = count(&|row| row.role == Role::Model);
    let notes = count(&|row| row.role == Role::System && row.sender == "note");
    let summaries = count(&is_summary);
    let compactions = count(&is_boundary);
    let system = count(&|row| row.role == Role::System) - notes - summaries - compactions;
    let host = count(&|row| row.role == Role::Host);
    let empty = count(&is_empty);
    let others = run.len() as i64 - empty - count(&|row| matches!(row.role, Role::Model | Role::System | Role::Host));
    // Less is no time that anybody waits.
    let took = run.iter().filter_map(|row| row.took).map(|took| took.0).sum::<i64>();
    let took = (took >= Micros::SECOND).then(|| seconds(took));
    let mut parts = Vec::new();
    if compactions > 0 || summaries > 0 {
        let before = run.iter().find_map(|row| row.compacted_from);
        let figure = before.map(|before| format!(" · {} tokens before", tokens(before)));
        parts.push(format!("Context compacted{}", figure.unwrap_or_default()));
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

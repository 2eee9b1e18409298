//! Markers of what the dev toggle hides: presence is never hidden, it is counted.

use super::{Detail, TranscriptOptions, days};
use crate::figures::{count, counted, tokens};
use crate::html::Html;
use crate::icon::{Glyph, IconStyle};
use crate::shared::attr;
use crate::shared::page_action::PageAction;
use crate::shared::{fragments_href, session_href};
use crate::time_text::seconds;
use api::messages::{HiddenRow, LeftBehind};
use model::{MessageType, Micros, Role};

/// One line for hidden rows, which unfolds to them; without a script it leads to where they stand in place. At the end
/// of a turn it counts all that is hidden in the `turn`.
pub(super) fn marker(run: &[&HiddenRow], turn: &[&HiddenRow], options: &TranscriptOptions) -> String {
    let Some(first) = run.first() else { return String::new() };
    let is_sum = turn.len() > run.len();
    let words = if is_sum { format!("{} in this turn", words(turn)) } else { words(run) };
    let rewound = is_rewound(first);
    let thought = !rewound && run.iter().any(|row| is_thought(row));
    let glyph = match (rewound, thought && !is_sum) {
        (true, _) => Glyph::UNDO,
        (false, true) => Glyph::THINK,
        (false, false) => Glyph::GEAR,
    };
    let divides = is_compaction(first);
    let class = if is_brief(run) { "m tight hid brief" } else { "m tight hid" };
    let mut html = begun(class, &format!("{words}, hidden"), run, turn, options);
    let opens = opens(options);
    let class = if divides { " class=\"divider\"" } else { " class=\"line\"" };
    let last = run.last().map(|row| row.seq).filter(|_| rewound);
    open_link(&mut html, class, (first, last), options);
    html.tag(if thought && !is_sum { " data-state=\"thinking\">" } else { ">" });
    if divides {
        html.tag("<span>");
        html.icon(Glyph::FOLD, IconStyle::SMALL);
        html.text(&words);
        if opens && run.iter().any(|row| is_summary(row)) {
            html.tag("<span class=\"link\">Read the summary</span>");
        }
        html.tag("</span>");
    } else {
        html.icon(glyph, IconStyle::SMALL);
        html.text(&words);
    }
    html.tag(if opens { "</a></article>" } else { "</p></article>" });
    html.into_string()
}

/// Their number in the margin between two rows, which takes no room and unfolds to them.
pub(super) fn in_margin(run: &[&HiddenRow], options: &TranscriptOptions) -> String {
    let Some(first) = run.first() else { return String::new() };
    let words = format!("{} hidden", words(run));
    let mut html = begun("m tight hid margin", &words, run, &[], options);
    open_link(&mut html, " class=\"line\"", (first, None), options);
    if run.iter().all(|row| is_thought(row)) {
        html.tag(" data-state=\"thinking\"");
    }
    html.attr("title", &words).attr("aria-label", &format!("{words}, show")).tag(">");
    html.text(&count(run.len() as i64)).tag("</a></article>");
    html.into_string()
}

/// The article of a marker, begun.
fn begun(
    class: &'static str,
    label: &str,
    run: &[&HiddenRow],
    turn: &[&HiddenRow],
    options: &TranscriptOptions,
) -> Html {
    let (first, last) = (run.first().map_or(0, |row| row.seq), run.last().map_or(0, |row| row.seq));
    let mut html = Html::new();
    html.tag("<article").attr("class", class).attr(attr::SEQ, &first.to_string());
    html.html(&reach(run, last, turn));
    html.attr("aria-posinset", &first.to_string());
    html.attr("aria-setsize", &options.last_seq.max(last).to_string());
    html.attr("aria-label", label).tag(" tabindex=\"-1\">");
    html
}

/// The article of the end of a run, with the count of what is hidden in its turn as its last fact.
pub(super) fn in_foot(
    foot: String,
    run: &[&HiddenRow],
    turn: &[&HiddenRow],
    span: (i64, i64),
    options: &TranscriptOptions,
) -> String {
    let all = if turn.is_empty() { run } else { turn };
    let Some(first) = all.first() else { return foot };
    let mut html = Html::new();
    open_link(&mut html, " class=\"line\"", (first, None), options);
    html.attr("title", &words(all)).tag(">");
    html.icon(Glyph::GEAR, IconStyle::SMALL);
    html.text(&format!("{} hidden", count(all.len() as i64)));
    html.tag(if opens(options) { "</a></article>" } else { "</p></article>" });
    let inside = foot.strip_suffix("</article>").unwrap_or(&foot);
    days::put(format!("{inside}{}", html.as_str()), &reach(run, span.1, turn))
}

/// Returns the range as attributes: its own messages and, if it counts those of a turn, the first and last of the turn.
fn reach(run: &[&HiddenRow], last: i64, turn: &[&HiddenRow]) -> Html {
    let holds: Vec<String> = run.iter().map(|row| row.seq.to_string()).collect();
    let mut html = Html::new();
    html.attr(attr::LAST, &last.to_string()).attr(attr::HOLDS, &holds.join(" "));
    if let (Some(first), Some(last), true) = (turn.first(), turn.last(), turn.len() > run.len()) {
        html.attr(attr::TURN, &format!("{} {}", first.seq, last.seq));
    }
    html
}

/// A copy holds no more than it shows.
fn opens(options: &TranscriptOptions) -> bool {
    options.detail != Detail::Printed
}

/// Opens the link that unfolds to the hidden rows. Without a script it leads to them, or to only them up to `last`.
fn open_link(
    html: &mut Html,
    class: &'static str,
    (first, last): (&HiddenRow, Option<i64>),
    options: &TranscriptOptions,
) {
    html.tag(if opens(options) { "<a" } else { "<p" }).tag(class);
    if opens(options) {
        let (session, seq) = (options.session_id.as_str(), first.seq);
        let address = match last {
            // With dev on it stands there as well.
            Some(last) => format!("{}/hidden?from={seq}&to={last}", fragments_href(session)),
            None => format!("{}?dev=1&at={seq}#m{seq}", session_href(session)),
        };
        html.attr("href", &address).attr(attr::ACTION, PageAction::ShowHidden.name()).tag(" aria-expanded=\"false\"");
    }
}

/// Did none of it take time that anybody waited? Then it is no row to be read.
pub(super) fn is_brief(run: &[&HiddenRow]) -> bool {
    !run.iter().any(|row| is_compaction(row) || is_long_thought(row) || is_rewound(row))
}

/// Returns true if the agent's context starts over here.
pub(super) fn is_compaction(row: &HiddenRow) -> bool {
    is_boundary(row) || is_summary(row)
}

/// No key writes with the role `system`.
fn is_boundary(row: &HiddenRow) -> bool {
    row.role == Role::System && row.sender == "compact_boundary"
}

/// Returns true if it is of a turn that a person left behind.
pub(super) fn is_rewound(row: &HiddenRow) -> bool {
    row.left_behind.is_some()
}

/// `2 turns rewound, 14 messages`.
fn rewound(run: &[&HiddenRow]) -> String {
    let turns = run.iter().filter(|row| row.left_behind == Some(LeftBehind::Prompt)).count() as i64;
    let messages = counted(run.len() as i64, "message");
    if turns == 0 { format!("Rewound, {messages}") } else { format!("{} rewound, {messages}", counted(turns, "turn")) }
}

/// Returns true if it is what took the place of the context.
fn is_summary(row: &HiddenRow) -> bool {
    row.role == Role::System && row.sender == "compact_summary"
}

/// A thought that took so long has a line of its own after the call that it followed.
const LONG_THOUGHT: Micros = Micros(10 * Micros::SECOND);

/// Returns true for a thought that took noticeably long.
pub(super) fn is_long_thought(row: &HiddenRow) -> bool {
    row.took.is_some_and(|took| took >= LONG_THOUGHT) && is_thought(row)
}

/// Returns true if it is the agent's reasoning, or a text of it without a word.
pub(super) fn is_thought(row: &HiddenRow) -> bool {
    row.role == Role::Model || is_empty(row)
}

fn is_empty(row: &HiddenRow) -> bool {
    row.role == Role::Assistant && row.message_type == MessageType::Text
}

/// Returns the description of hidden rows: `Thought 12 s, 3 system messages, 1 note`.
pub fn words(run: &[&HiddenRow]) -> String {
    if run.first().is_some_and(|row| is_rewound(row)) {
        return rewound(run);
    }
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
    let thought = if parts.is_empty() { "Thought" } else { "thought" };
    match thoughts {
        0 => {}
        1 => parts.push(format!("{thought}{}", took.map(|time| format!(" {time}")).unwrap_or_default())),
        n => parts.push(format!("{thought} {n} times{}", took.map(|time| format!(", {time}")).unwrap_or_default())),
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

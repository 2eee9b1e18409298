//! Output of a tool: terminal text, markdown, or data. Long output is cut, with the number of hidden lines.

mod links;
mod matches;
mod picture;
mod source;
mod table;

use super::{super::Card, look::Look};
use crate::ansi;
use crate::html::Html;
use crate::json_tree;
use model::message_type::tool_call::{Numbered, ToolCall, ToolKind, ToolState};
use model::terminal;
use serde_json::Value;

/// The title of what the model alone is told.
const TO_THE_MODEL: &str = "Note to the model";

/// How an agent's program tells its model that a person said no. People see that by the state, and read their own
/// words.
const REFUSALS: [&str; 2] =
    ["The user doesn't want to proceed with this tool use.", "The user doesn't want to take this action"];

/// Part of an output, in the order in which it is drawn.
pub(super) enum Piece {
    /// A button for so many lines.
    Hidden(usize),
    /// Lines that are too many for a page.
    Left(usize),
    Terminal(Html),
    Prose(Html),
    /// Anything else that stands by itself.
    Data(Html),
    /// A note to the model beside the result: a title, and the text.
    Aside(&'static str, String),
    Empty,
}

/// Which lines of a long text are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    All,
    First { lines: usize },
    Last { lines: usize },
}

/// Bytes drawn at most, of a cut text and of a whole one.
pub(in crate::message) const MAX_CUT: usize = 8 * 1024;
pub(in crate::message) const MAX_WHOLE: usize = 6 * 1024 * 1024;

pub(super) fn pieces(card: &Card, call: &ToolCall, look: &Look, keep: Keep) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(error) = error(call) {
        on_screen(&mut pieces, error, keep);
    }
    match &call.output {
        None | Some(Value::Null) => {}
        Some(Value::String(output)) if output.trim().is_empty() => {
            // A background task may still produce output.
            if call.state() == ToolState::Done && !call.background() && files(call) == 0 {
                pieces.push(Piece::Empty);
            }
        }
        Some(Value::String(output)) => written(&mut pieces, card, call, output, look, keep),
        Some(Value::Array(blocks)) if !blocks.is_empty() && blocks.iter().all(is_block) => {
            let output = call.output_text().unwrap_or_default();
            if !output.trim().is_empty() {
                written(&mut pieces, card, call, &output, look, keep);
            }
            for block in blocks.iter().filter(|block| block.get("text").is_none()) {
                pieces.push(Piece::Data(picture::draw(block).unwrap_or_else(|| json_tree::tree(block))));
            }
        }
        Some(data) => pieces.push(Piece::Data(structure(call, &without_codes(data.clone())))),
    }
    if let Some(reminder) = call.other.get("reminder").and_then(Value::as_str).filter(|words| !words.trim().is_empty())
    {
        pieces.push(Piece::Aside(TO_THE_MODEL, reminder.trim().to_owned()));
    }
    pieces
}

/// Pictures and other files that a tool gave back, which are messages of their own.
pub(super) fn files(call: &ToolCall) -> i64 {
    call.other.get("files").and_then(Value::as_i64).unwrap_or(0)
}

/// How much a tool gave back. Data has no lines: what it is drawn as has others than what was written.
pub(super) struct Size {
    pub lines: Option<i64>,
    pub bytes: u64,
    /// Characters of its longest line.
    pub longest: usize,
}

pub(super) fn size(call: &ToolCall, look: &Look) -> Size {
    let written = match &call.output {
        None | Some(Value::Null) => error(call).unwrap_or_default().to_owned(),
        Some(_) => call.output_text().unwrap_or_default(),
    };
    let shown = (look.kind != ToolKind::Read).then(|| terminal::show(&written).text);
    let text = shown.as_deref().unwrap_or(&written);
    let is_text = match &call.output {
        None | Some(Value::Null) => true,
        Some(Value::String(output)) => structured(output).is_none(),
        Some(Value::Array(blocks)) => blocks.iter().all(is_block) && structured(&written).is_none(),
        Some(_) => false,
    };
    // The head counts the lines of the file, and so do we: not what the model is told behind them.
    let read = (look.kind == ToolKind::Read).then(|| Numbered::read(text)).flatten();
    let (lines, bytes) = match &read {
        Some(read) => (read.code.split('\n').count(), read.code.len()),
        None => (text.trim_end().lines().count(), written.len()),
    };
    let longest = text
        .lines()
        .chain(error(call).into_iter().flat_map(str::lines))
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    Size { lines: is_text.then_some(lines as i64), bytes: bytes as u64, longest }
}

/// How large that is of which the output is only the beginning. None if the output is all there is, 0 if nobody said
/// it.
pub(super) fn preview_of(call: &ToolCall) -> Option<u64> {
    call.other.get("persisted_path")?;
    let size = call.other.get("persisted_size").and_then(Value::as_u64);
    let shown = call.output_text().or_else(|| call.error.clone()).map_or(0, |text| text.len() as u64);
    size.map_or(Some(0), |size| Some(size).filter(|size| *size > shown))
}

/// Returns true if it is how the model is told that a person said no.
pub(super) fn is_refusal(error: &str) -> bool {
    REFUSALS.iter().any(|words| error.trim().starts_with(words))
}

/// Returns the error, or a person's reason for a denial.
pub(super) fn error(call: &ToolCall) -> Option<&str> {
    let reason = || call.other.get("denied_reason").and_then(Value::as_str).map(str::trim);
    let error = call.error.as_deref().map(bare)?;
    Some(error).filter(|error| !error.is_empty()).or_else(reason).filter(|error| !error.is_empty())
}

/// An error without the words that are meant for the model alone, and without the code that the head says.
pub(super) fn bare(error: &str) -> &str {
    let error = error.trim();
    let error = error.strip_prefix("<tool_use_error>").unwrap_or(error);
    let error = error.strip_suffix("</tool_use_error>").unwrap_or(error).trim();
    if let Some(refusal) = REFUSALS.iter().find_map(|words| error.strip_prefix(words)) {
        let said = refusal.split_once("the user said:").map_or("", |(_, said)| said);
        return said.split("\n\nNote: The user's next message").next().unwrap_or(said).trim();
    }
    let after_code = error.trim_start_matches("Error: ").strip_prefix("Exit code ");
    let after_code = after_code.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    after_code.and_then(|rest| rest.strip_prefix('\n')).map_or(error, str::trim)
}

fn is_block(block: &Value) -> bool {
    block.get("type").is_some_and(Value::is_string)
}

fn written(pieces: &mut Vec<Piece>, card: &Card, call: &ToolCall, output: &str, look: &Look, keep: Keep) {
    if look.kind == ToolKind::Read
        && let Some(read) = Numbered::read(output)
    {
        let path = call.target().unwrap_or_default();
        text(pieces, &read.code, keep, |part| Piece::Data(source::draw(&path, read.first, part)));
        if !read.rest.is_empty() {
            pieces.push(Piece::Aside(TO_THE_MODEL, read.rest.to_owned()));
        }
    } else if let Some((before, links, after)) = links::split(call, output) {
        if !before.trim().is_empty() {
            pieces.push(Piece::Prose(card.prose(before.trim())));
        }
        pieces.push(Piece::Data(links::draw(&links)));
        if !after.trim().is_empty() {
            text(pieces, after.trim(), keep, |part| Piece::Prose(card.prose(part)));
        }
    } else if let Some(data) = structured(output) {
        pieces.push(Piece::Data(structure(call, &without_codes(data))));
    } else if look.prose {
        text(pieces, &terminal::plain(output), keep, |part| Piece::Prose(card.prose(part)));
    } else if look.kind == ToolKind::Search {
        text(pieces, &terminal::show(output).text, keep, |part| {
            matches::draw(card, call, part).map_or_else(|| paths(card, part), Piece::Data)
        });
    } else {
        on_screen(pieces, output, keep);
    }
}

/// Lines are cut where they have been performed: what a later one writes over an earlier one is no line of its own.
fn on_screen(pieces: &mut Vec<Piece>, output: &str, keep: Keep) {
    let shown = terminal::show(output);
    let end = shown.text.trim_end().len();
    text(pieces, &shown.text, keep, |part| {
        let start = if matches!(keep, Keep::Last { .. }) { end - part.len() } else { 0 };
        Piece::Terminal(ansi::draw(&shown, start..start + part.len()))
    });
}

/// Paths without the folder that all of them are in.
fn paths(card: &Card, part: &str) -> Piece {
    let lines: Vec<&str> = part.lines().map(|line| card.short_path(line)).collect();
    let text = lines.join("\n");
    let shown = terminal::show(&text);
    Piece::Terminal(ansi::draw(&shown, 0..shown.text.len()))
}

/// Data as what it is: links, a table, else a tree.
fn structure(call: &ToolCall, data: &Value) -> Html {
    match data {
        Value::Array(items) if links::are_links(call, items) => links::draw(items),
        Value::Array(items) => table::draw(items).unwrap_or_else(|| json_tree::tree(data)),
        _ => json_tree::tree(data),
    }
}

/// Data of which the strings are what a terminal shows of them: an output in a field is one too.
fn without_codes(data: Value) -> Value {
    match data {
        Value::String(text) if text.contains('\u{1b}') => Value::String(terminal::plain(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(without_codes).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, without_codes(value))).collect())
        }
        other => other,
    }
}

/// JSON that a tool wrote as text.
fn structured(output: &str) -> Option<Value> {
    const MAX_BYTES: usize = 64 * 1024;
    let output = output.trim();
    let looks_like =
        (output.starts_with('{') && output.ends_with('}')) || (output.starts_with('[') && output.ends_with(']'));
    if !looks_like || output.len() > MAX_BYTES {
        return None;
    }
    serde_json::from_str(output).ok().filter(|value: &Value| !value.as_array().is_some_and(Vec::is_empty))
}

fn text(pieces: &mut Vec<Piece>, text: &str, keep: Keep, draw: impl Fn(&str) -> Piece) {
    let text = text.trim_end();
    match keep {
        Keep::All => {
            let (shown, hidden) = first(text, usize::MAX, MAX_WHOLE);
            pieces.push(draw(shown));
            if hidden > 0 {
                pieces.push(Piece::Left(hidden));
            }
        }
        Keep::First { lines } => {
            let (shown, hidden) = first(text, lines, MAX_CUT);
            pieces.push(draw(shown));
            if hidden > 0 {
                pieces.push(Piece::Hidden(hidden));
            }
        }
        Keep::Last { lines } => {
            let (shown, hidden) = last(text, lines, MAX_CUT);
            if hidden > 0 {
                pieces.push(Piece::Hidden(hidden));
            }
            pieces.push(draw(shown));
        }
    }
}

/// Fewer lines are shown rather than hidden behind a button.
const FEW: usize = 5;
/// Maximum number of bytes.
const FEW_BYTES: usize = 1_000;

fn are_few(left: &str) -> bool {
    left.len() < FEW_BYTES && line_count(left) < FEW
}

/// The first lines, and how many are left.
pub(in crate::message) fn first(text: &str, lines: usize, bytes: usize) -> (&str, usize) {
    let mut end = text.match_indices('\n').nth(lines.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    if are_few(&text[end..]) {
        end = text.len();
    }
    end = text.floor_char_boundary(end.min(bytes));
    (&text[..end], line_count(&text[end..]))
}

/// The last lines, and how many stand before them.
pub(in crate::message) fn last(text: &str, lines: usize, bytes: usize) -> (&str, usize) {
    let mut start = text.rmatch_indices('\n').nth(lines.saturating_sub(1)).map_or(0, |(at, _)| at + 1);
    if are_few(&text[..start]) {
        start = 0;
    }
    start = text.ceil_char_boundary(start.max(text.len().saturating_sub(bytes)));
    (&text[start..], line_count(&text[..start]))
}

fn line_count(hidden: &str) -> usize {
    let hidden = hidden.trim_matches('\n');
    if hidden.is_empty() { 0 } else { hidden.matches('\n').count() + 1 }
}

#[cfg(test)]
mod tests {
    use super::{bare, first, last};

    #[test]
    fn cutting_counts_what_it_hides() {
        let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        let text = text.trim_end();
        assert_eq!(first(text, 2, 1000), ("line 1\nline 2", 98));
        assert_eq!(last(text, 2, 1000), ("line 99\nline 100", 98));
        assert_eq!(first(text, 95, 1000).1, 5);
        assert_eq!(first(text, 96, 1000).1, 0);
        assert_eq!(last(text, 96, 1000).1, 0);
        assert_eq!(first("a\nb\nc", 2, 1000), ("a\nb\nc", 0));
        assert_eq!(last("a\nb\nc", 2, 1000), ("a\nb\nc", 0));
        assert_eq!(first("ääää", 2, 3), ("ä", 1));
        assert_eq!(last("ääää", 2, 3), ("ä", 1));
        assert_eq!(first("", 2, 3), ("", 0));
    }

    #[test]
    fn errors_are_told_without_what_the_model_alone_is_told() {
        let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
                       file edit, the new_string was NOT written to the file). ";
        let stop = format!("{refused}STOP what you are doing and wait for the user to tell you how to proceed.");
        assert_eq!(bare(&stop), "");
        assert_eq!(
            bare(&format!("{refused}To tell you how to proceed, the user said:\ntest this\nfirst")),
            "test this\nfirst"
        );
        assert_eq!(bare("<tool_use_error>File not found</tool_use_error>"), "File not found");
        assert_eq!(bare("Exit code 1\nno such file"), "no such file");
    }
}

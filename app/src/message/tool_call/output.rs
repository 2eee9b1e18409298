//! What a tool gave back: terminal text, markdown, or data; long ones cut, with the count of what is hidden.

mod links;
mod matches;
mod picture;
mod source;
mod table;

use super::{super::Card, look::Look};
use crate::ansi;
use crate::html::Html;
use crate::json_tree;
use model::message_type::tool_call::{ToolCall, ToolKind, ToolState};
use serde_json::Value;

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
    /// What the tool told the model beside its result: a title, and the words.
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
const MAX_CUT: usize = 8 * 1024;
const MAX_WHOLE: usize = 6 * 1024 * 1024;

pub(super) fn pieces(card: &Card, call: &ToolCall, look: &Look, keep: Keep) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(error) = call.error.as_deref().map(bare).filter(|error| !error.is_empty()) {
        text(&mut pieces, error, keep, terminal);
    }
    match &call.output {
        None | Some(Value::Null) => {}
        Some(Value::String(output)) if output.trim().is_empty() => {
            if call.state() == ToolState::Done {
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
        Some(data) => pieces.push(Piece::Data(structure(data))),
    }
    pieces
}

/// An error without the marks that are meant for the model alone, and without the code that the head says.
pub(super) fn bare(error: &str) -> &str {
    let error = error.trim();
    let error = error.strip_prefix("<tool_use_error>").unwrap_or(error);
    let error = error.strip_suffix("</tool_use_error>").unwrap_or(error).trim();
    let after_code = error.trim_start_matches("Error: ").strip_prefix("Exit code ");
    let after_code = after_code.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    after_code.and_then(|rest| rest.strip_prefix('\n')).map_or(error, str::trim)
}

fn is_block(block: &Value) -> bool {
    block.get("type").is_some_and(Value::is_string)
}

fn written(pieces: &mut Vec<Piece>, card: &Card, call: &ToolCall, output: &str, look: &Look, keep: Keep) {
    if look.kind == ToolKind::Read
        && let Some(read) = source::Numbered::read(output)
    {
        let path = call.target().unwrap_or_default();
        text(pieces, &read.code, keep, |part| Piece::Data(source::draw(&path, read.first, part)));
        if !read.rest.is_empty() {
            pieces.push(Piece::Aside("Note to the model", read.rest.to_owned()));
        }
    } else if let Some((before, links, after)) = links::split(output) {
        if !before.trim().is_empty() {
            pieces.push(Piece::Prose(card.prose(before.trim())));
        }
        pieces.push(Piece::Data(links::draw(&links)));
        if !after.trim().is_empty() {
            text(pieces, after.trim(), keep, |part| Piece::Prose(card.prose(part)));
        }
    } else if let Some(data) = structured(output) {
        pieces.push(Piece::Data(structure(&data)));
    } else if look.prose {
        text(pieces, output, keep, |part| Piece::Prose(card.prose(part)));
    } else if look.kind == ToolKind::Search {
        text(pieces, output, keep, |part| {
            matches::draw(card, call, part).map_or_else(|| paths(card, part), Piece::Data)
        });
    } else {
        text(pieces, output, keep, terminal);
    }
}

fn terminal(part: &str) -> Piece {
    Piece::Terminal(ansi::to_blocks(part))
}

/// Paths without the folder that all of them are in.
fn paths(card: &Card, part: &str) -> Piece {
    let lines: Vec<&str> = part.lines().map(|line| card.short_path(line)).collect();
    terminal(&lines.join("\n"))
}

/// Data as what it is: links, a table, else a tree.
fn structure(data: &Value) -> Html {
    match data {
        Value::Array(items) if links::are_links(items) => links::draw(items),
        Value::Array(items) => table::draw(items).unwrap_or_else(|| json_tree::tree(data)),
        _ => json_tree::tree(data),
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

/// The first lines, and how many are left. One line more than asked for is shown rather than hidden.
fn first(text: &str, lines: usize, bytes: usize) -> (&str, usize) {
    let mut end = text.match_indices('\n').nth(lines.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    if text.len() - end < 80 && text[end..].matches('\n').count() <= 1 {
        end = text.len();
    }
    if end > bytes {
        end = (0..=bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    }
    (&text[..end], line_count(&text[end..]))
}

/// The last lines, and how many stand before them.
fn last(text: &str, lines: usize, bytes: usize) -> (&str, usize) {
    let mut start = text.rmatch_indices('\n').nth(lines.saturating_sub(1)).map_or(0, |(at, _)| at + 1);
    if start < 80 && text[..start].matches('\n').count() <= 1 {
        start = 0;
    }
    if text.len() - start > bytes {
        let from = text.len() - bytes;
        start = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    }
    (&text[start..], line_count(&text[..start]))
}

fn line_count(hidden: &str) -> usize {
    let hidden = hidden.trim_matches('\n');
    if hidden.is_empty() { 0 } else { hidden.matches('\n').count() + 1 }
}

#[cfg(test)]
mod tests {
    use super::{first, last};

    #[test]
    fn cutting_counts_what_it_hides() {
        let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        let text = text.trim_end();
        assert_eq!(first(text, 2, 1000), ("line 1\nline 2", 98));
        assert_eq!(last(text, 2, 1000), ("line 99\nline 100", 98));
        assert_eq!(first("a\nb\nc", 2, 1000), ("a\nb\nc", 0));
        assert_eq!(last("a\nb\nc", 2, 1000), ("a\nb\nc", 0));
        assert_eq!(first("ääää", 2, 3), ("ä", 1));
        assert_eq!(last("ääää", 2, 3), ("ä", 1));
        assert_eq!(first("", 2, 3), ("", 0));
    }
}

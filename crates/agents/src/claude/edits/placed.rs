//! Where an edit is in its file, of which the result doesn't hold the whole text: by the snippet that the model was shown, or
//! by the lines of the patch.

use super::Hunk;
use crate::parts::edits::Piece;
use model::message_type::tool_call::Numbered;

/// The words before the numbered lines in older results.
const SNIPPET: &str = "Here's the result of running `cat -n` on a snippet of the edited file:\n";

/// Edits of unknown place whose new text is once among the numbered lines. They become whole lines.
pub(super) fn by_snippet(pieces: &mut [Piece], said: &str) {
    let Some(lines) = said.split_once(SNIPPET).and_then(|(_, lines)| Numbered::read(lines)) else { return };
    for piece in pieces.iter_mut().filter(|piece| piece.is_loose()) {
        let (Some(old), Some(new)) = (&piece.old, &piece.new) else { continue };
        let Some(at) = once(&lines.code, new) else { continue };
        let end = at + new.len();
        let from = lines.code[..at].rfind('\n').map_or(0, |at| at + 1);
        let to = if new.ends_with('\n') { end } else { lines.code[end..].find('\n').map_or(end, |at| end + at + 1) };
        let (before, behind) = (&lines.code[from..at], &lines.code[end..to]);
        piece.start_line = Some(lines.first + lines.code[..from].matches('\n').count());
        let whole = [old, new].map(|text| format!("{before}{text}{behind}"));
        let [old, new] = whole;
        (piece.old, piece.new) = (Some(old), Some(new));
    }
}

/// Edits of unknown place whose old text is in one place of the patch. Its lines lost their tabs, so white space doesn't count.
pub(super) fn by_hunks(pieces: &mut [Piece], hunks: &[Hunk]) {
    let dense = |line: &str| line.split_whitespace().collect::<String>();
    let old: Vec<(usize, String)> = hunks
        .iter()
        .flat_map(|hunk| {
            let lines = hunk.lines.iter().filter(|line| line.starts_with([' ', '-']));
            lines.enumerate().map(|(at, line)| (hunk.place[0] + at, dense(&line[1..])))
        })
        .collect();
    for piece in pieces.iter_mut().filter(|piece| piece.is_loose()) {
        let wanted: Vec<String> = piece.old.iter().flat_map(|text| text.lines().map(dense)).collect();
        let mut places = old.windows(wanted.len().max(1)).filter(|lines| is_in(lines, &wanted));
        if let (Some([first, ..]), None) = (places.next(), places.next()) {
            piece.start_line = Some(first.0).filter(|line| *line > 0);
        }
    }
}

/// The first line may begin within one of the file, and the last one end there.
fn is_in(lines: &[(usize, String)], wanted: &[String]) -> bool {
    let follow = lines.array_windows().all(|[a, b]| a.0 + 1 == b.0);
    match (lines, wanted) {
        ([(_, line)], [wanted]) => !wanted.is_empty() && line.contains(wanted.as_str()),
        ([(_, first), middle @ .., (_, last)], [start, between @ .., end]) => {
            let same = middle.iter().map(|(_, line)| line).eq(between);
            follow && same && first.ends_with(start.as_str()) && last.starts_with(end.as_str())
        }
        _ => false,
    }
}

/// Where a text is, if it is there once.
fn once(text: &str, wanted: &str) -> Option<usize> {
    let mut places = text.match_indices(wanted).map(|(at, _)| at);
    match (places.next(), places.next()) {
        (Some(at), None) if !wanted.trim().is_empty() => Some(at),
        _ => None,
    }
}

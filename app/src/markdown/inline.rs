//! HTML that marks words and does nothing else: `H<sub>2</sub>O`. Bare elements alone, closed in the same block;
//! whatever else looks like HTML is text.

use pulldown_cmark::Event;

/// Allowed HTML elements: name, opening and closing tag.
const ELEMENTS: [(&str, &str, &str); 14] = [
    ("sub", "<sub>", "</sub>"),
    ("sup", "<sup>", "</sup>"),
    ("kbd", "<kbd>", "</kbd>"),
    ("b", "<b>", "</b>"),
    ("i", "<i>", "</i>"),
    ("em", "<em>", "</em>"),
    ("strong", "<strong>", "</strong>"),
    ("u", "<u>", "</u>"),
    ("s", "<s>", "</s>"),
    ("del", "<del>", "</del>"),
    ("ins", "<ins>", "</ins>"),
    ("mark", "<mark>", "</mark>"),
    ("small", "<small>", "</small>"),
    ("samp", "<samp>", "</samp>"),
];

/// Words are never marked in so many ways.
const DEEPEST: usize = 8;

/// Effect of a piece of HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// With the markup of both ends.
    Opens(&'static str, &'static str),
    Closes(&'static str),
    Breaks,
}

pub(super) fn mark(html: &str) -> Option<Mark> {
    let inside = html.trim().strip_prefix('<')?.strip_suffix('>')?;
    let closes = inside.strip_prefix('/');
    let name = closes.unwrap_or(inside).trim_end_matches('/').trim();
    if name.eq_ignore_ascii_case("br") && closes.is_none() {
        return Some(Mark::Breaks);
    }
    let (_, open, close) = ELEMENTS.iter().find(|(known, ..)| name.eq_ignore_ascii_case(known))?;
    // An element that closes itself marks nothing.
    (!inside.ends_with('/')).then_some(match closes {
        Some(_) => Mark::Closes(close),
        None => Mark::Opens(open, close),
    })
}

/// The events of the next block of the text's top level. Ends of elements without their other end are text.
pub(super) fn next_block<'t>(events: &mut impl Iterator<Item = Event<'t>>) -> Option<Vec<Event<'t>>> {
    let mut block: Vec<Event<'t>> = Vec::new();
    let mut depth = 0_usize;
    // The open HTML elements in each open element of markdown.
    let mut open: Vec<Vec<(usize, &'static str)>> = vec![Vec::new()];
    for event in events {
        match &event {
            Event::Start(_) => {
                depth += 1;
                open.push(Vec::new());
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                for (at, _) in open.pop().unwrap_or_default() {
                    become_text(&mut block, at);
                }
            }
            _ => {}
        }
        let marks = match &event {
            Event::InlineHtml(html) => mark(html),
            _ => None,
        };
        block.push(event);
        let at = block.len() - 1;
        match (marks, open.last_mut()) {
            (Some(Mark::Opens(..)), Some(inside)) if inside.len() >= DEEPEST => become_text(&mut block, at),
            (Some(Mark::Opens(_, close)), Some(inside)) => inside.push((at, close)),
            (Some(Mark::Closes(close)), Some(inside)) => {
                match inside.iter().rposition(|(_, opened)| *opened == close) {
                    Some(found) => {
                        for (unclosed, _) in inside.drain(found..).skip(1) {
                            become_text(&mut block, unclosed);
                        }
                    }
                    None => become_text(&mut block, at),
                }
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    for (at, _) in open.into_iter().flatten() {
        become_text(&mut block, at);
    }
    (!block.is_empty()).then_some(block)
}

fn become_text(block: &mut [Event<'_>], at: usize) {
    if let Some(event) = block.get_mut(at)
        && let Event::InlineHtml(html) = event
    {
        *event = Event::Text(std::mem::replace(html, "".into()));
    }
}

//! In which direction a block of text runs: by its first letter that has one, as browsers decide for `dir="auto"`. They
//! leave out elements that decide for themselves, so a list would never follow its items; here it does.

use pulldown_cmark::{Event, Tag};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Direction {
    #[default]
    LeftToRight,
    RightToLeft,
}

impl Direction {
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::LeftToRight => " dir=\"ltr\"",
            Self::RightToLeft => " dir=\"rtl\"",
        }
    }
}

/// The direction of the first letter that has one.
pub(super) fn of_text(text: &str) -> Option<Direction> {
    text.chars().find_map(of_char)
}

fn of_char(c: char) -> Option<Direction> {
    match c {
        '\u{200f}' | '\u{61c}' => Some(Direction::RightToLeft),
        '\u{200e}' => Some(Direction::LeftToRight),
        c if !c.is_alphabetic() => None,
        // Hebrew, Arabic, Syriac, Thaana, N'Ko and their like; their forms for presentation; old scripts and Adlam.
        '\u{590}'..='\u{8ff}'
        | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}' => Some(Direction::RightToLeft),
        _ => Some(Direction::LeftToRight),
    }
}

/// Returns the text direction of each event that begins a block. Code isn't considered.
pub(super) fn of_blocks(events: &[Event<'_>]) -> Vec<Option<Direction>> {
    let mut directions = vec![None; events.len()];
    // The blocks that are open: those that wait for a letter are the last ones.
    let mut open: Vec<usize> = Vec::new();
    let mut waiting = 0_usize;
    let mut in_code = false;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(tag) => {
                in_code |= matches!(tag, Tag::CodeBlock(_));
                open.push(at);
                waiting += 1;
            }
            Event::End(_) => {
                in_code = false;
                open.pop();
                waiting = waiting.saturating_sub(1);
            }
            Event::Text(text) if !in_code && waiting > 0 => {
                let Some(direction) = of_text(text) else { continue };
                for block in open.iter().rev().take(waiting) {
                    if let Some(known) = directions.get_mut(*block) {
                        *known = Some(direction);
                    }
                }
                waiting = 0;
            }
            _ => {}
        }
    }
    directions
}

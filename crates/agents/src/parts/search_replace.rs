//! SEARCH/REPLACE blocks in the argument of a call, as Cline and Roo Code write them.

use super::edits::{Piece, created, fragment};

/// Returns what the blocks of a text replace. None if it has none.
pub(crate) fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut block: Option<Block> = None;
    for line in text.lines() {
        let Some(open) = &mut block else {
            if is_mark(line, ['<', '-'], "SEARCH") {
                block = Some(Block::default());
            }
            continue;
        };
        if is_mark(line, ['>', '+'], "REPLACE") {
            pieces.extend(block.take().map(Block::piece));
        } else if !open.is_replacing && is_mark(line, ['=', '='], "") {
            open.is_replacing = true;
        } else if let Some(start) = line.strip_prefix(":start_line:").filter(|_| open.old.is_empty()) {
            open.start_line = start.trim().parse().ok();
        } else if open.start_line.is_some() && open.old.is_empty() && is_mark(line, ['-', '-'], "") {
            // The lines above this mark give the block's place. They aren't part of the old text.
        } else {
            let side = if open.is_replacing { &mut open.new } else { &mut open.old };
            side.push_str(line);
            side.push('\n');
        }
    }
    (!pieces.is_empty()).then_some(pieces)
}

#[derive(Default)]
struct Block {
    old: String,
    new: String,
    start_line: Option<usize>,
    is_replacing: bool,
}

impl Block {
    fn piece(self) -> Piece {
        match self.old.as_str() {
            "" => created(&self.new),
            old => Piece { start_line: self.start_line, ..fragment(Some(old), Some(&self.new)) },
        }
    }
}

/// Returns true for a line of at least five of one of these signs, and this word.
fn is_mark(line: &str, signs: [char; 2], word: &str) -> bool {
    signs.iter().any(|sign| {
        let count = line.chars().take_while(|c| c == sign).count();
        (5..=9).contains(&count)
            && line.trim_end().trim_start_matches(*sign).trim().trim_end_matches(['>', '<']) == word
    })
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn blocks_of_both_programs() {
        let cline =
            "------- SEARCH\nmow\n=======\nmow all\n+++++++ REPLACE\n\n------- SEARCH\n=======\nnew\n+++++++ REPLACE\n";
        let roo = "<<<<<<< SEARCH\n:start_line:12\n-------\nrake\n- a list\n=======\nrake all\n>>>>>>> REPLACE";
        let shown = |text: &str| {
            let piece = |piece: super::Piece| (piece.old, piece.new.unwrap_or_default(), piece.start_line);
            pieces(text).map(|pieces| pieces.into_iter().map(piece).collect::<Vec<_>>())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            shown(cline),
            Some(vec![(some("mow\n"), "mow all\n".to_owned(), None), (None, "new\n".to_owned(), None)])
        );
        assert_eq!(shown(roo), Some(vec![(some("rake\n- a list\n"), "rake all\n".to_owned(), Some(12))]));
        assert_eq!(shown("------- SEARCH\nnever ends"), None);
    }
}

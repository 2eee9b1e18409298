//! A text that is being typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation as _;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    text: String,
    /// Byte that the next character is put before; always between two clusters.
    at: usize,
}

/// Effect of a key in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    Text,
    Send,
    /// Send, and have the agent take it in the middle of its turn.
    Steer,
    Leave,
}

impl Field {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before and behind the cursor.
    pub fn halves(&self) -> (&str, &str) {
        self.text.split_at_checked(self.at).unwrap_or((&self.text, ""))
    }

    pub fn insert(&mut self, text: &str) {
        // Normalize line ends of pasted text.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.text.insert_str(self.at, &text);
        self.at += text.len();
    }

    pub fn key(&mut self, key: KeyEvent) -> Typed {
        let (before, after) = self.halves();
        let left = before.graphemes(true).next_back().map_or(0, str::len);
        let right = after.graphemes(true).next().map_or(0, str::len);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.at + after.find('\n').unwrap_or(after.len());
        let held = key.modifiers;
        match key.code {
            KeyCode::Esc => return Typed::Leave,
            KeyCode::Char('c') if held.contains(KeyModifiers::CONTROL) => return Typed::Leave,
            KeyCode::Char('s') if held.contains(KeyModifiers::CONTROL) => return Typed::Steer,
            KeyCode::Char('j') if held.contains(KeyModifiers::CONTROL) => self.insert("\n"),
            KeyCode::Enter if held.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT) => self.insert("\n"),
            KeyCode::Enter => return Typed::Send,
            KeyCode::Backspace => {
                self.text.replace_range(self.at - left..self.at, "");
                self.at -= left;
            }
            KeyCode::Delete => self.text.replace_range(self.at..self.at + right, ""),
            KeyCode::Left => self.at -= left,
            KeyCode::Right => self.at += right,
            KeyCode::Home => self.at = line_start,
            KeyCode::End => self.at = line_end,
            KeyCode::Char(c) if !held.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            _ => {}
        }
        Typed::Text
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, Typed};
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    #[test]
    fn a_text_is_typed_and_mended() {
        let mut field = Field::default();
        field.insert("café\r\n👩‍🚀");
        for code in
            [KeyCode::Backspace, KeyCode::Char('x'), KeyCode::Home, KeyCode::Left, KeyCode::Backspace, KeyCode::Delete]
        {
            assert_eq!(field.key(KeyEvent::from(code)), Typed::Text);
        }
        assert_eq!(field.halves(), ("caf", "x"));
        assert_eq!(field.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT)), Typed::Text);
        assert_eq!(field.key(KeyEvent::from(KeyCode::Enter)), Typed::Send);
        assert_eq!(field.key(KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL)), Typed::Steer);
        assert_eq!(field.text(), "caf\nx");
    }
}

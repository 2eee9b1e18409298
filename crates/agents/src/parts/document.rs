//! A file that is one JSON document, which its agent writes anew each time: the entries of its lists are handed out one by
//! one, so that a large file is read in little memory.

use super::contents::Contents;
use super::lines::Lines;
use crate::{Change, Reader, SessionKey, Span};
use model::MessageId;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Reads the parts of a document. Their content goes into the [`super::book::Book`]; ids are the agent's own ones, or
/// come from an entry's place.
pub(crate) trait Document: Contents {
    /// Fields of the document whose entries come one by one. (Those of a document that is an array always do.)
    const LISTS: &'static [&'static str];
    /// Another field of the document, with its value as JSON.
    fn field(&mut self, name: &str, raw: &str, span: Span);
    /// An entry of a list, as JSON; `list` is empty in a document that is an array. `index` counts from 0.
    fn entry(&mut self, list: &str, index: usize, raw: &str, span: Span);
}

/// A [`Reader`] of a file that is a JSON document, in UTF-8.
pub(crate) struct WholeFile<D> {
    parts: Parts,
    document: D,
}

impl<D: Document> WholeFile<D> {
    pub fn new(document: D) -> Self {
        Self { parts: Parts::of(D::LISTS), document }
    }
}

/// A part of a document. `at` is where `raw` begins in the file.
pub(crate) enum Piece<'a> {
    /// A field, with its value as JSON.
    Field {
        name: String,
        raw: &'a str,
    },
    /// An entry of a list, as JSON.
    Entry {
        list: &'a str,
        index: usize,
        raw: &'a str,
        at: u64,
    },
    /// Bytes that can't be read, and why.
    Note(Cow<'static, str>),
    End,
}

/// Cuts the bytes of a document into its parts.
pub(crate) struct Parts {
    scan: Scan,
    lists: &'static [&'static str],
}

/// Where the document is, byte by byte. Its parts are cut where a separator stands outside of them.
#[derive(Default)]
struct Scan {
    /// The bytes since the last part.
    held: Vec<u8>,
    /// Bytes before these that were let go, of a part that is too long.
    dropped: u64,
    /// Where the last part ended in the file.
    offset: u64,
    /// How many of the held bytes stand before the part that is being read: separators.
    before: usize,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// The list that is being read, and its next entry.
    list: Option<(String, usize)>,
    /// How deep the separators of the list's entries stand, or of the fields.
    level: usize,
}

/// Where a part of the document was cut.
struct EntryText<'a> {
    text: Cow<'a, str>,
    is_too_long: bool,
    list: Option<(String, usize)>,
    span: Span,
}

impl Scan {
    /// Takes a byte. True where it ends a part or the document, and doesn't belong to the part itself.
    fn is_end(&mut self, byte: u8, lists: &[&str]) -> bool {
        if self.in_string {
            self.in_string = byte != b'"' || self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return false;
        }
        match byte {
            b'"' => self.in_string = self.depth > 0,
            b',' => return self.depth > 0 && self.depth == self.level,
            b'{' | b'[' => {
                self.depth += 1;
                if self.depth == 1 {
                    (self.level, self.list) = (1, (byte == b'[').then(|| (String::new(), 0)));
                    self.before = self.held.len() + 1;
                } else if byte == b'[' && self.depth == 2 && self.list.is_none() {
                    let name = self.held.get(self.before..).and_then(key).map(|(name, _)| name);
                    if let Some(name) = name.filter(|name| lists.contains(&name.as_str())) {
                        (self.level, self.list) = (2, Some((name, 0)));
                        self.before = self.held.len() + 1;
                    }
                }
            }
            b'}' | b']' => {
                let ends = self.depth > 0 && self.depth == self.level;
                self.depth = self.depth.saturating_sub(1);
                return ends;
            }
            _ => {}
        }
        false
    }

    /// The part that ends before the last separator, if there is one.
    fn part(&mut self) -> Option<EntryText<'_>> {
        let text = String::from_utf8_lossy(self.held.get(self.before..).unwrap_or_default());
        if text.trim().is_empty() && self.dropped == 0 {
            return None;
        }
        let span = Span { offset: self.offset, len: self.dropped + self.held.len() as u64 };
        Some(EntryText { text, is_too_long: self.dropped > 0, list: self.list.clone(), span })
    }

    /// The part was read.
    fn next(&mut self, separator: u8, had_part: bool) {
        if had_part {
            self.offset += self.dropped + self.held.len() as u64;
            self.dropped = 0;
            self.held.clear();
        }
        if let Some((_, index)) = self.list.as_mut().filter(|_| had_part) {
            *index += 1;
        }
        if separator != b',' {
            self.list = None;
            self.level = self.depth;
        }
        self.held.push(separator);
        self.before = self.held.len();
        if self.depth == 0 {
            self.offset += self.held.len() as u64;
            (self.before, self.level) = (0, 0);
            self.held.clear();
        }
    }

    /// Returns true if there is anything that isn't whole yet.
    fn is_torn(&self) -> bool {
        let is_space = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf);
        self.depth > 0 || self.dropped > 0 || !self.held.iter().all(is_space)
    }
}

/// The name of the field that a text begins with, and how many bytes stand before its value.
fn key(text: &[u8]) -> Option<(String, usize)> {
    let text = std::str::from_utf8(text).ok()?;
    let start = text.len() - text.trim_start().len();
    let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<String>();
    let name = stream.next()?.ok()?;
    let behind = start + stream.byte_offset();
    let colon = text[behind..].find(':')?;
    Some((name, behind + colon + 1))
}

impl Parts {
    /// Creates a parser for documents in which the entries of these fields come one by one.
    pub fn of(lists: &'static [&'static str]) -> Self {
        Self { scan: Scan::default(), lists }
    }

    /// Takes the next bytes of the file, cut anywhere.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Piece, Span)) {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            if self.scan.in_string && !self.scan.is_escaped {
                let plain = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                if plain > 0 {
                    self.scan.held.extend_from_slice(&rest[..plain]);
                    rest = &rest[plain..];
                    continue;
                }
            }
            rest = &rest[1..];
            if self.scan.is_end(byte, self.lists) {
                self.cut(byte, &mut each);
            } else {
                self.scan.held.push(byte);
            }
            if self.scan.dropped > 0 && self.scan.held.len() > Lines::LONGEST / 64
                || self.scan.held.len() > Lines::LONGEST
            {
                self.scan.dropped += self.scan.held.len() as u64;
                // Assigning frees the large allocation.
                self.scan.held = Vec::new();
                self.scan.before = 0;
            }
        }
    }

    /// The file ends.
    pub fn finish(&mut self, mut each: impl FnMut(Piece, Span)) {
        if self.scan.is_torn() {
            let span = Span { offset: self.scan.offset, len: self.scan.dropped + self.scan.held.len() as u64 };
            each(Piece::Note(Cow::Borrowed("The document is cut off here")), span);
            each(Piece::End, span);
            self.scan = Scan { offset: span.end(), ..Scan::default() };
        }
    }

    fn cut(&mut self, separator: u8, each: &mut impl FnMut(Piece, Span)) {
        let before = self.scan.before as u64;
        let part = self.scan.part();
        let had_part = part.is_some();
        if let Some(part) = part {
            each(piece(&part, before), part.span);
        }
        self.scan.next(separator, had_part);
        if self.scan.depth == 0 {
            each(Piece::End, Span { offset: self.scan.offset, len: 0 });
        }
    }
}

/// Returns what a part is. `before` is the number of bytes of separators before its text.
fn piece<'a>(part: &'a EntryText, before: u64) -> Piece<'a> {
    const UNREADABLE: &str = "An entry that can't be read as JSON";
    if part.is_too_long {
        let (size, limit) = (part.span.len, Lines::LONGEST >> 20);
        let note = format!(
            "An entry of {size} bytes, longer than the {limit} MiB that are read; the exported file has all of it"
        );
        return Piece::Note(Cow::Owned(note));
    }
    let is_json = |raw: &str| serde_json::from_str::<&RawValue>(raw).is_ok();
    if let Some((list, index)) = &part.list {
        let raw = part.text.trim();
        let space = part.text.len() - part.text.trim_start().len();
        if is_json(raw) {
            return Piece::Entry { list, index: *index, raw, at: part.span.offset + before + space as u64 };
        }
    } else if let Some((name, value)) = key(part.text.as_bytes()) {
        let raw = part.text[value..].trim();
        if is_json(raw) {
            return Piece::Field { name, raw };
        }
    }
    Piece::Note(Cow::Borrowed(UNREADABLE))
}

fn read<D: Document>(document: &mut D, piece: Piece, span: Span) {
    match piece {
        Piece::Field { name, raw } => document.field(&name, raw, span),
        Piece::Entry { list, index, raw, .. } => document.entry(list, index, raw, span),
        Piece::Note(text) => document.note(span, &text),
        Piece::End => document.end(),
    }
}

impl<D: Document> Reader for WholeFile<D> {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>) {
        let document = &mut self.document;
        self.parts.push(bytes, |piece, span| read(document, piece, span));
        self.document.book().flush(out);
    }

    fn finish(&mut self, out: &mut Vec<Change>) {
        let document = &mut self.document;
        self.parts.finish(|piece, span| read(document, piece, span));
        self.document.book().flush(out);
    }

    fn torn_notes(&self) -> Vec<(SessionKey, MessageId)> {
        Vec::from_iter(self.parts.scan.is_torn().then(|| self.document.note_at(self.parts.scan.offset)))
    }

    fn offset(&self) -> u64 {
        self.parts.scan.offset
    }

    fn held_bytes(&self) -> usize {
        self.parts.scan.held.len()
    }

    fn holds_back(&self) -> bool {
        self.parts.scan.is_torn()
    }
}

#[cfg(test)]
mod tests {
    use super::{Contents, Document, WholeFile};
    use crate::parts::book::Book;
    use crate::{Reader as _, SessionKey, Span};
    use model::MessageId;

    #[derive(Default)]
    struct Heard(Vec<String>, Book);

    impl Contents for Heard {
        fn note(&mut self, span: Span, text: &str) {
            self.0.push(format!("{text} {}+{}", span.offset, span.len));
        }

        fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
            (SessionKey("s".to_owned()), crate::parts::at::message_id(&offset.to_string()))
        }

        fn end(&mut self) {
            self.0.push("end".to_owned());
        }

        fn book(&mut self) -> &mut Book {
            &mut self.1
        }
    }

    impl Document for Heard {
        const LISTS: &'static [&'static str] = &["messages", "history"];

        fn field(&mut self, name: &str, raw: &str, span: Span) {
            self.0.push(format!("{name}={raw} {}+{}", span.offset, span.len));
        }

        fn entry(&mut self, list: &str, index: usize, raw: &str, span: Span) {
            self.0.push(format!("{list}[{index}]={raw} {}+{}", span.offset, span.len));
        }
    }

    fn heard(text: &str, size: usize) -> Vec<String> {
        let mut reader = WholeFile::new(Heard::default());
        let mut out = Vec::new();
        text.as_bytes().chunks(size).for_each(|chunk| reader.push(chunk, &mut out));
        reader.finish(&mut out);
        reader.document.0
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        for size in 1..=text.len() {
            assert_eq!(heard(text, size), expected, "{size} bytes at a time");
        }
    }

    #[test]
    fn parts_come_one_by_one_however_the_document_is_cut() {
        let text =
            "\u{feff}{\n \"id\": \"a,]\\\"}\", \"messages\": [ {\"x\": [1, 2]}, \"b\"\n], \"n\": 1, \"history\": []}\n";
        check(
            text,
            &["id=\"a,]\\\"}\" 0+20", "messages[0]={\"x\": [1, 2]} 20+29", "messages[1]=\"b\" 49+6", "n=1 55+9", "end"],
        );
        check("[1, {\"messages\": [2]}]", &["[0]=1 0+2", "[1]={\"messages\": [2]} 2+19", "end"]);
    }

    #[test]
    fn a_torn_document_ends_with_a_note() {
        check("{\"messages\": [1, {\"a\"", &["messages[0]=1 0+15", "The document is cut off here 15+6", "end"]);
        check("nothing", &["The document is cut off here 0+7", "end"]);
        check("[1, tru, 2]", &["[0]=1 0+2", "An entry that can't be read as JSON 2+5", "[2]=2 7+3", "end"]);
    }
}

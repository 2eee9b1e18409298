//! A file that is either JSON lines or one JSON document, as its beginning shows.

use super::obj::Obj;
use super::pieces::trim;
use crate::{Change, Reader, SessionKey};
use model::MessageId;

type Open = fn(&str) -> Box<dyn Reader>;

/// A [`Reader`] that decides by the first line which of two readers reads the file.
pub(crate) struct Either {
    path: String,
    lines: Open,
    document: Open,
    /// The bytes so far, until the first line is whole.
    held: Vec<u8>,
    reader: Option<Box<dyn Reader>>,
}

impl Either {
    /// A first line that is longer than this begins a document.
    const LONGEST: usize = 1 << 20;

    pub fn new(path: &str, lines: Open, document: Open) -> Self {
        Self { path: path.to_owned(), lines, document, held: Vec::new(), reader: None }
    }

    /// The reader of a file that begins so. None as long as the first line with words isn't whole.
    fn choose(&self, is_all: bool) -> Option<Open> {
        let is_space = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf);
        let start = self.held.iter().position(|byte| !is_space(byte))?;
        let rest = &self.held[start..];
        let line = match memchr::memchr(b'\n', &rest[..rest.len().min(Self::LONGEST)]) {
            Some(end) => &rest[..end],
            None if rest.len() >= Self::LONGEST => return Some(self.document),
            None if is_all => rest,
            None => return None,
        };
        let text = String::from_utf8_lossy(line);
        let text = trim(&text);
        let goes_on = text.starts_with('[') || text.starts_with('{') && text.ends_with(['{', '[', ',']);
        Some(if goes_on && Obj::parse(text).is_none() { self.document } else { self.lines })
    }

    fn open(&mut self, is_all: bool, out: &mut Vec<Change>) {
        if let Some(open) = self.choose(is_all) {
            let mut reader = open(&self.path);
            reader.push(&std::mem::take(&mut self.held), out);
            self.reader = Some(reader);
        }
    }
}

impl Reader for Either {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>) {
        if let Some(reader) = &mut self.reader {
            reader.push(bytes, out);
        } else {
            self.held.extend_from_slice(bytes);
            self.open(false, out);
        }
    }

    fn finish(&mut self, out: &mut Vec<Change>) {
        if self.reader.is_none() {
            self.open(true, out);
        }
        let mut reader = self.reader.take().unwrap_or_else(|| {
            let mut reader = (self.lines)(&self.path);
            reader.push(&std::mem::take(&mut self.held), out);
            reader
        });
        reader.finish(out);
        self.reader = Some(reader);
    }

    fn torn_notes(&self) -> Vec<(SessionKey, MessageId)> {
        if let Some(reader) = &self.reader {
            return reader.torn_notes();
        }
        let mut reader = self.choose(true).unwrap_or(self.lines)(&self.path);
        reader.push(&self.held, &mut Vec::new());
        reader.torn_notes()
    }

    fn offset(&self) -> u64 {
        self.reader.as_ref().map_or(0, |reader| reader.offset())
    }

    fn held_bytes(&self) -> usize {
        self.held.len() + self.reader.as_ref().map_or(0, |reader| reader.held_bytes())
    }

    fn holds_back(&self) -> bool {
        !self.held.is_empty() || self.reader.as_ref().is_some_and(|reader| reader.holds_back())
    }
}

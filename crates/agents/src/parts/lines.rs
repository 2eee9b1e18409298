//! Lines of a file that comes in pieces, and the reader of JSON lines that is made of them.

use super::contents::Contents;
use super::decode::Encoding;
use super::obj::Obj;
use super::pieces::{self, What, pieces};
use crate::{Change, Reader, SessionKey, Span};
use model::MessageId;
use std::borrow::Cow;

/// Cuts bytes into lines. A last line without its end is held back.
#[derive(Default)]
pub(crate) struct Lines {
    /// The bytes of a line whose end isn't there yet; of one that is too long already, the last few.
    torn: Vec<u8>,
    /// Bytes before these that were let go: an even number, so that units of two bytes stay whole.
    dropped: u64,
    /// Where the torn line begins.
    offset: u64,
    /// None until the first bytes are there.
    encoding: Option<Encoding>,
    /// True if a record may stand on several lines, as programs print JSON for people.
    joins: bool,
    /// Within such a record: where its last line begins among the torn bytes.
    last: Option<usize>,
}

/// One line, its end included where it has one.
#[derive(Clone, Copy)]
pub(crate) struct RawLine<'a> {
    /// None of a line that is too long to be read.
    pub bytes: Option<&'a [u8]>,
    pub encoding: Encoding,
    pub span: Span,
}

impl Lines {
    /// The most bytes of a line that is read. A longer one becomes a note, which gives its size.
    pub const LONGEST: usize = 64 << 20;

    /// Lines of which those from a lone `{` to the next lone `}` count as one.
    pub fn joined() -> Self {
        Self { joins: true, ..Self::default() }
    }

    /// Takes the next bytes of the file, cut anywhere.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(RawLine)) {
        self.encoding = self.encoding.or_else(|| Encoding::of(self.torn.iter().chain(bytes).copied()));
        let mut rest = bytes;
        while let Some(end) = self.encoding().line_end(&self.torn, rest) {
            let (line, behind) = rest.split_at(end);
            rest = behind;
            if self.torn.is_empty() && !(self.joins && is_lone(line, b"{")) {
                each(self.line(line));
                continue;
            }
            self.torn.extend_from_slice(line);
            if let Some(cut) = self.cut_off() {
                each(self.line(&cut));
            }
            if !self.goes_on() {
                let whole = std::mem::take(&mut self.torn);
                each(self.line(&whole));
            }
        }
        self.torn.extend_from_slice(rest);
        if self.dropped > 0 || self.torn.len() > Self::LONGEST {
            let more = self.torn.len().saturating_sub(1) & !1;
            // Assigning the small tail frees the large allocation.
            self.torn = self.torn.split_off(more);
            self.dropped += more as u64;
            self.last = None;
        }
    }

    /// The lines of a record that broke off, as the last line begins another one.
    fn cut_off(&mut self) -> Option<Vec<u8>> {
        let start = self.last.filter(|start| self.torn.get(*start) == Some(&b'{'))?;
        self.last = None;
        let next = self.torn.split_off(start);
        Some(std::mem::replace(&mut self.torn, next))
    }

    /// Returns true if the line that just ended is one of a record that goes on.
    fn goes_on(&mut self) -> bool {
        let goes_on = match self.last.and_then(|start| self.torn.get(start..)) {
            Some(line) => !is_lone(line, b"}"),
            None => self.joins && self.dropped == 0 && is_lone(&self.torn, b"{"),
        };
        self.last = goes_on.then_some(self.torn.len());
        goes_on
    }

    /// The file ends: a last line without its end is read as it is.
    pub fn finish(&mut self, each: impl FnOnce(RawLine)) {
        self.last = None;
        if !self.torn.is_empty() {
            let line = std::mem::take(&mut self.torn);
            each(self.line(&line));
        }
    }

    fn line<'a>(&mut self, bytes: &'a [u8]) -> RawLine<'a> {
        let span = Span { offset: self.offset, len: std::mem::take(&mut self.dropped) + bytes.len() as u64 };
        self.offset = span.end();
        let bytes = Some(bytes).filter(|_| span.len <= Self::LONGEST as u64);
        RawLine { bytes, encoding: self.encoding(), span }
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding.unwrap_or(Encoding::Utf8)
    }

    /// Bytes of the file that were read as whole lines.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes that are held back.
    pub fn held(&self) -> usize {
        self.torn.len()
    }

    /// Where the notes begin that [`Self::finish`] makes of a last line without its end.
    pub fn torn_notes(&self) -> Vec<u64> {
        if self.torn.is_empty() {
            return Vec::new();
        }
        if self.dropped > 0 {
            return vec![self.offset];
        }
        let span = Span { offset: self.offset, len: self.torn.len() as u64 };
        let line = RawLine { bytes: Some(&self.torn), encoding: self.encoding(), span };
        let mut notes = Vec::new();
        line.each(|what, span| {
            if let What::Note(_) = what {
                notes.push(span.offset);
            }
        });
        notes
    }
}

/// Returns true if it is this bracket alone, at the beginning of a line.
fn is_lone(line: &[u8], bracket: &[u8]) -> bool {
    line.len() <= 3 && line.trim_ascii_end() == bracket
}

impl RawLine<'_> {
    /// Hands out the records and notes of the line, each with its own bytes of the file.
    pub fn each(&self, mut each: impl FnMut(What, Span)) {
        let Some(bytes) = self.bytes else {
            let limit = Lines::LONGEST >> 20;
            let note = format!(
                "A line of {} bytes, longer than the {limit} MiB that are read; the exported file has all of it",
                self.span.len
            );
            return each(What::Note(Cow::Owned(note)), self.span);
        };
        let text = self.encoding.decode(bytes);
        let pieces = pieces(&text);
        let lone = pieces.len() == 1;
        for piece in pieces {
            let place = |at| self.encoding.offset(bytes, &text, at) as u64;
            let span = if lone {
                self.span
            } else {
                let (start, end) = (place(piece.range.start), place(piece.range.end));
                Span { offset: self.span.offset + start, len: end - start }
            };
            each(piece.what, span);
        }
    }

    /// Hands each record of the line to `record`, and what can't be read to `note`.
    pub fn read<T>(&self, to: &mut T, record: fn(&mut T, &str, &Obj, Span), note: fn(&mut T, Span, &str)) {
        // Nearly every line is one record.
        if let Some(bytes) = self.bytes {
            let text = self.encoding.decode(bytes);
            let text = pieces::trim(&text);
            if let Some(object) = Obj::parse(text) {
                return record(to, text, &object, self.span);
            }
        }
        self.each(|what, span| match what {
            What::Record(text) => match Obj::parse(&text) {
                Some(object) => record(to, &text, &object, span),
                None => note(to, span, pieces::UNREADABLE),
            },
            What::Note(text) => note(to, span, &text),
        });
    }

    /// Reads a line that is no JSON.
    fn read_text<T: Texts>(&self, to: &mut T) {
        match self.bytes {
            Some(bytes) => {
                let line = self.encoding.decode(bytes);
                to.line(line.trim_end_matches(['\r', '\n']).trim_start_matches('\u{feff}'), self.span);
            }
            None => self.each(|what, span| {
                if let What::Note(text) = what {
                    to.note(span, &text);
                }
            }),
        }
    }
}

/// Reads the records of a file of JSON lines.
pub(crate) trait Records: Contents {
    /// Reads a JSON object, with its text. Its content goes into the [`super::book::Book`].
    fn record(&mut self, text: &str, record: &Obj, span: Span);
    /// Returns true if something is held back that only the next record, or the end, hands out.
    fn waits(&self) -> bool {
        false
    }
}

/// A [`Reader`] of JSON lines: the usual form of transcripts.
pub(crate) struct JsonLines<R> {
    lines: Lines,
    records: R,
}

impl<R: Records> JsonLines<R> {
    pub fn new(records: R) -> Self {
        Self { lines: Lines::joined(), records }
    }
}

impl<R: Records> Reader for JsonLines<R> {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>) {
        let records = &mut self.records;
        self.lines.push(bytes, |line| line.read(records, R::record, R::note));
        self.records.book().flush(out);
    }
    fn finish(&mut self, out: &mut Vec<Change>) {
        let records = &mut self.records;
        self.lines.finish(|line| line.read(records, R::record, R::note));
        self.records.end();
        self.records.book().flush(out);
    }
    fn torn_notes(&self) -> Vec<(SessionKey, MessageId)> {
        self.lines.torn_notes().into_iter().map(|offset| self.records.note_at(offset)).collect()
    }
    fn offset(&self) -> u64 {
        self.lines.offset()
    }
    fn held_bytes(&self) -> usize {
        self.lines.held()
    }
    fn holds_back(&self) -> bool {
        self.lines.held() > 0 || self.records.waits()
    }
}

/// Reads a file of lines that aren't JSON.
pub(crate) trait Texts: Contents {
    /// Reads a line without its end.
    fn line(&mut self, line: &str, span: Span);
    /// Returns the number of bytes of lines that aren't in a message yet.
    fn held(&self) -> usize {
        0
    }
    /// Returns true if something is held back that only the next line, or the end, hands out.
    fn waits(&self) -> bool;
}

/// A [`Reader`] of lines that are no JSON.
pub(crate) struct TextLines<T> {
    lines: Lines,
    texts: T,
}

impl<T: Texts> TextLines<T> {
    pub fn new(texts: T) -> Self {
        Self { lines: Lines::default(), texts }
    }
}

impl<T: Texts> Reader for TextLines<T> {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>) {
        let texts = &mut self.texts;
        self.lines.push(bytes, |line| line.read_text(texts));
        self.texts.book().flush(out);
    }
    fn finish(&mut self, out: &mut Vec<Change>) {
        let texts = &mut self.texts;
        self.lines.finish(|line| line.read_text(texts));
        self.texts.end();
        self.texts.book().flush(out);
    }
    fn torn_notes(&self) -> Vec<(SessionKey, MessageId)> {
        Vec::new()
    }
    fn offset(&self) -> u64 {
        self.lines.offset()
    }
    fn held_bytes(&self) -> usize {
        self.lines.held() + self.texts.held()
    }
    fn holds_back(&self) -> bool {
        self.lines.held() > 0 || self.texts.waits()
    }
}

//! Lines of a file that comes in pieces, and the reader of JSON lines that is made of them.

use super::book::Book;
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

    /// Takes the next bytes of the file, cut anywhere.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(RawLine)) {
        self.encoding = self.encoding.or_else(|| Encoding::of(self.torn.iter().chain(bytes).copied()));
        let mut rest = bytes;
        while let Some(end) = self.encoding().line_end(&self.torn, rest) {
            let (line, behind) = rest.split_at(end);
            rest = behind;
            if self.torn.is_empty() {
                each(self.line(line));
            } else {
                let mut whole = std::mem::take(&mut self.torn);
                whole.extend_from_slice(line);
                each(self.line(&whole));
            }
        }
        self.torn.extend_from_slice(rest);
        if self.dropped > 0 || self.torn.len() > Self::LONGEST {
            let more = self.torn.len().saturating_sub(1) & !1;
            // Assigning the small tail frees the large allocation.
            self.torn = self.torn.split_off(more);
            self.dropped += more as u64;
        }
    }

    /// The file ends: a last line without its end is read as it is.
    pub fn finish(&mut self, each: impl FnOnce(RawLine)) {
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
}

/// What reads the records of a file of JSON lines.
pub(crate) trait Records: Send {
    /// A JSON object, with its text. What it means goes into the [`Book`].
    fn record(&mut self, text: &str, record: &Obj, span: Span);
    /// Bytes that are no JSON object.
    fn note(&mut self, span: Span, text: &str);
    /// The session and the id of the note on bytes at this offset.
    fn note_at(&self, offset: u64) -> (SessionKey, MessageId);
    /// The file ends.
    fn end(&mut self) {}
    /// Is something held back that only the next record, or the end, hands out?
    fn waits(&self) -> bool {
        false
    }
    fn book(&mut self) -> &mut Book;
}

/// A [`Reader`] of JSON lines: the usual form of transcripts.
pub(crate) struct JsonLines<R> {
    lines: Lines,
    records: R,
}

impl<R: Records> JsonLines<R> {
    pub fn new(records: R) -> Self {
        Self { lines: Lines::default(), records }
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

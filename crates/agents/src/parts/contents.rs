//! The trait of all readers, whether their file is lines or a document.

use super::book::Book;
use crate::{SessionKey, Span};
use model::MessageId;

/// The part of a reader that doesn't depend on the form of the file. [`super::lines::Records`] adds lines,
/// [`super::document::Document`] adds a document; a reader of both has both.
pub(crate) trait Contents: Send {
    /// Bytes that can't be read.
    fn note(&mut self, span: Span, text: &str);
    /// The session and the id of the note on bytes at this offset.
    fn note_at(&self, offset: u64) -> (SessionKey, MessageId);
    /// The file, or the document, ends.
    fn end(&mut self) {}
    /// Where everything that was read goes.
    fn book(&mut self) -> &mut Book;
}

//! The trait of all readers.

use crate::{Change, SessionKey};
use model::MessageId;

/// Reads one file of an agent: bytes in, changes out. [`crate::Agent`] makes one.
pub trait Reader: Send {
    /// Feeds the next bytes of the file, cut anywhere. What isn't whole yet (a last line without its end, an entry of a
    /// document) is held back.
    fn push(&mut self, bytes: &[u8], out: &mut Vec<Change>);

    /// Ends the file. What is held back is read as it is.
    fn finish(&mut self, out: &mut Vec<Change>);

    /// Returns session and ids of the notes that [`Reader::finish`] makes of what is held back, as far as it can't be read.
    /// When more bytes make it whole, they are void.
    fn torn_notes(&self) -> Vec<(SessionKey, MessageId)>;

    /// Returns how many bytes of the file were read as whole lines or entries.
    fn offset(&self) -> u64;

    /// Returns how many bytes of the file it holds in memory.
    fn held_bytes(&self) -> usize;

    /// Returns whether there is something that only [`Reader::finish`] would hand out.
    fn holds_back(&self) -> bool;
}

//! Texts that are erased, known by their hashes alone, and how they are found and covered.

use crate::StoreError;
use crate::pack::{unpack, with_packer};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Shorter texts occur by chance.
pub const SHORTEST: usize = 8;
/// In bytes.
pub const LONGEST: usize = 16 * 1024;

/// Covers an erased text, with [`FILL`] behind it.
const MARKER: &[u8] = b"[erased]";
/// It means nothing in markdown.
const FILL: u8 = b'.';
/// A text in JSON in JSON in JSON: the input of a tool call, in a record, in a record of another agent.
const DEPTH: usize = 3;
/// Base of the rolling hash. It is odd, so that no byte is lost.
const BASE: u64 = 0x0100_0000_01b3;

/// One form of an erased text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mask {
    pub len: usize,
    /// Finds candidates quickly.
    pub roll: u64,
    /// SHA-256 of its bytes.
    pub hash: Vec<u8>,
}

impl Mask {
    fn of(text: &[u8]) -> Self {
        Self { len: text.len(), roll: text.iter().copied().fold(0, rolled), hash: Sha256::digest(text).to_vec() }
    }
}

/// Texts that are erased.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masks(BTreeMap<usize, Vec<Mask>>);

impl Masks {
    pub(crate) fn new(masks: impl IntoIterator<Item = Mask>) -> Self {
        let mut by_len: BTreeMap<usize, Vec<Mask>> = BTreeMap::new();
        for mask in masks {
            by_len.entry(mask.len).or_default().push(mask);
        }
        Self(by_len)
    }

    /// Of one text, in all forms in which records and messages contain it.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut forms = BTreeSet::from([model::text::one_line(text, usize::MAX)]);
        for escape in [escaped, escaped_ascii] {
            let mut form = text.to_owned();
            for _ in 0..=DEPTH {
                let next = escape(&form);
                forms.insert(form);
                form = next;
            }
        }
        Self::new(forms.iter().map(|form| Mask::of(form.as_bytes())))
    }

    /// Adds those of another one.
    pub(crate) fn extend(&mut self, other: Self) {
        for (len, masks) in other.0 {
            let known = self.0.entry(len).or_default();
            known.extend(masks.into_iter().filter(|mask| !known.contains(mask)).collect::<Vec<_>>());
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Mask> {
        self.0.values().flatten()
    }

    /// Returns true if no text was erased.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn count(&self) -> usize {
        self.iter().count()
    }

    /// Length in bytes of the longest form.
    pub(crate) fn longest(&self) -> usize {
        self.0.keys().next_back().copied().unwrap_or_default()
    }

    /// Where the texts stand, in order; ranges don't overlap.
    pub(crate) fn find(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for (len, masks) in &self.0 {
            find(bytes, *len, masks, &mut found);
        }
        found.sort_by_key(|range| (range.start, range.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        apart
    }

    /// Covers the texts. Returns where they stood.
    pub(crate) fn cover(&self, bytes: &mut [u8]) -> Vec<Range<usize>> {
        let found = self.find(bytes);
        for range in &found {
            fill(&mut bytes[range.clone()]);
        }
        found
    }

    /// Covers the texts in a string. Returns true if there were any.
    pub(crate) fn cover_text(&self, text: &mut String) -> bool {
        let found = self.find(text.as_bytes());
        for range in &found {
            let Some(hidden) = text.get(range.clone()) else { continue };
            let mut bytes = hidden.as_bytes().to_vec();
            fill(&mut bytes);
            text.replace_range(range.clone(), &String::from_utf8_lossy(&bytes));
        }
        !found.is_empty()
    }
}

fn rolled(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(byte))
}

/// Adds where texts of one length stand.
fn find(bytes: &[u8], len: usize, masks: &[Mask], found: &mut Vec<Range<usize>>) {
    if len == 0 || bytes.len() < len {
        return;
    }
    let leaves = (1..len).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut roll = bytes[..len].iter().copied().fold(0, rolled);
    for start in 0..=bytes.len() - len {
        let range = start..start + len;
        if masks.iter().any(|mask| mask.roll == roll && mask.hash == Sha256::digest(&bytes[range.clone()])[..])
            && !begins_in_escape(&bytes[..start])
        {
            found.push(range);
        }
        if let Some(next) = bytes.get(start + len).copied() {
            roll = rolled(roll.wrapping_sub(u64::from(bytes[start]).wrapping_mul(leaves)), next);
        }
    }
}

/// Returns true if the next byte belongs to an escape of JSON, which would be none without it.
fn begins_in_escape(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Covers bytes. Ends of lines stay, so that lines are counted as before; so do those that JSON escapes.
fn fill(bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        let slashes = bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
        if bytes[at] == b'\n' {
            at += 1;
        } else if slashes > 0 && bytes.get(at + slashes) == Some(&b'n') {
            at += slashes + 1;
        } else {
            bytes[at] = MARKER.get(at).copied().unwrap_or(FILL);
            at += 1;
        }
    }
}

/// Returns the text as a string of JSON.
fn escaped(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// Returns the text as a string of JSON in ASCII, as Python's `json` writes it.
fn escaped_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for char in escaped(text).chars() {
        if char.is_ascii() {
            ascii.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    ascii
}

/// Unpacks, covers and packs again; None if the texts aren't in it.
pub(crate) fn cover_packed(masks: &Masks, packed: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let mut plain = unpack(packed)?;
    if masks.cover(&mut plain).is_empty() { Ok(None) } else { with_packer(|packer| packer.pack(&plain)).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(secret: &str, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        Masks::of_text(secret).cover(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_text_is_covered_wherever_it_stands() {
        assert_eq!(covered("hunter2hunter2", "hunter2hunter2"), "[erased]......");
        assert_eq!(covered("hunter2hunter2", "a hunter2hunter2 b hunter2hunter2"), "a [erased]...... b [erased]......");
        assert_eq!(covered("hunter2hunter2", "hunter2hunter"), "hunter2hunter");
        // Ranges that overlap are one.
        assert_eq!(covered("abababab", "xababababab"), "x[erased]..");
    }

    #[test]
    fn every_form_of_json_is_known() {
        let secret = "pass \"word\" é\nend";
        for (form, covered_form) in [
            (r#"pass \"word\" é\nend"#, r"[erased]........\n..."),
            (r#"pass \\\"word\\\" é\\nend"#, r"[erased]............\\n..."),
            (r#"pass \"word\" \u00e9\nend"#, r"[erased]............\n..."),
        ] {
            assert_eq!(covered(secret, form), covered_form);
        }
        assert_eq!(covered(secret, secret), "[erased]......\n...");
    }

    #[test]
    fn json_stays_json() {
        let mut json = br#"{"said":"\\nabcdefghi"}"#.to_vec();
        assert_eq!(Masks::of_text("nabcdefghi").cover(&mut json).first(), Some(&(11..21)));
        assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok());
        // The first byte is part of the escape `\n`.
        let mut json = br#"{"said":"\nabcdefghi"}"#.to_vec();
        assert_eq!(Masks::of_text("nabcdefghi").cover(&mut json), []);
    }

    #[test]
    fn strings_keep_their_length() {
        let mut text = "the key is pässwörter!".to_owned();
        assert!(Masks::of_text("pässwörter").cover_text(&mut text));
        assert_eq!(text, "the key is [erased]....!");
        assert!(!Masks::default().cover_text(&mut text));
    }
}

//! Records on one line. Mostly it is one. A crash, a full disk or two writers leave several on a line, or one that is
//! cut off by the next: each whole one is read, and only the rest becomes a note.

use super::obj::Obj;
use std::borrow::Cow;
use std::ops::Range;

pub(crate) const UNREADABLE: &str = "A line that can't be read as JSON";
pub(crate) const EMPTY: &str = "An empty line";
const CUT_OFF: &str = "A record that is cut off: the next one begins on the same line";
const REST: &str = "A part of a line that can't be read as JSON";
const NUL: &str = "NUL bytes instead of a record";

/// A part of a line. All parts together are the whole line.
pub(crate) struct Piece<'a> {
    /// Where it is, in bytes of the text.
    pub range: Range<usize>,
    pub what: What<'a>,
}

pub(crate) enum What<'a> {
    Record(Cow<'a, str>),
    Note(Cow<'a, str>),
}

/// White space, and the mark that some programs put before a text.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// A line without the space around it.
pub(crate) fn trim(line: &str) -> &str {
    line.trim_matches(is_space)
}

/// The pieces of a line, in order. A line always has one.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let whole = |what| vec![Piece { range: 0..text.len(), what }];
    let note = |text: &'static str| What::Note(Cow::Borrowed(text));
    let trimmed = trim(text);
    if trimmed.is_empty() {
        return whole(note(EMPTY));
    }
    if Obj::parse(trimmed).is_some() {
        return whole(What::Record(Cow::Borrowed(trimmed)));
    }
    if let Some(escaped) = escaped(trimmed).filter(|escaped| Obj::parse(escaped).is_some()) {
        return whole(What::Record(Cow::Owned(escaped)));
    }
    let records = records(text);
    if records.is_empty() {
        return whole(note(if trimmed.chars().all(|c| c == '\0') { NUL } else { UNREADABLE }));
    }
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    for record in records {
        if let Some(text) = rest(&text[at..record.start], true) {
            pieces.push(Piece { range: at..record.start, what: note(text) });
            at = record.start;
        }
        // Spaces belong to the record beside them.
        pieces.push(Piece { range: at..record.end, what: What::Record(Cow::Borrowed(&text[record.clone()])) });
        at = record.end;
    }
    match (rest(&text[at..], false), pieces.last_mut()) {
        (None, Some(last)) => last.range.end = text.len(),
        (words, _) => pieces.push(Piece { range: at..text.len(), what: note(words.unwrap_or(REST)) }),
    }
    pieces
}

/// The note for what is between records; None where there is nothing but space.
fn rest(text: &str, record_follows: bool) -> Option<&'static str> {
    let text = trim(text);
    match () {
        () if text.is_empty() => None,
        () if text.chars().all(|c| c == '\0') => Some(NUL),
        () if record_follows && text.starts_with('{') => Some(CUT_OFF),
        () => Some(REST),
    }
}

/// Where the whole records of a line are. None of them lies in another one.
fn records(text: &str) -> Vec<Range<usize>> {
    // Errors are placed by line and column: the line end would begin another line.
    let text = text.trim_end_matches(is_space);
    let mut found = Vec::new();
    let mut start = Start::After(0);
    while let Some((at, trust)) = start.find(text) {
        let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Obj>();
        start = match stream.next() {
            Some(Ok(object)) => {
                let end = at + stream.byte_offset();
                if trust.accepts(&object) {
                    found.push(at..end);
                    Start::After(end)
                } else {
                    Start::Within(end)
                }
            }
            Some(Err(error)) => {
                let end = if error.is_eof() { text.len() } else { (at + error.column()).min(text.len()) };
                let end = text.floor_char_boundary(end.max(at + 1));
                match last_value(&text[..end], at) {
                    Some(inner) => {
                        let end = inner.end;
                        found.push(inner);
                        Start::After(end)
                    }
                    None => match text.get(at + 1..end).and_then(|part| part.rfind('{')) {
                        Some(brace) if !error.is_eof() => Start::At(at + 1 + brace),
                        _ => Start::Within(end),
                    },
                }
            }
            None => return found,
        };
    }
    found
}

/// Where the next record may begin.
enum Start {
    /// Behind a whole record, or at the beginning.
    After(usize),
    /// Here the grammar of what stands before is broken.
    At(usize),
    /// Somewhere behind this.
    Within(usize),
}

/// The fields that an object must have to count as a record.
enum Trust {
    /// Nothing: where a record is expected, any object is one.
    Expected,
    /// A type: another record was cut off here.
    Likely,
    /// A type and an id, since values inside of records have types as well.
    Possible,
}

impl Start {
    fn find(&self, text: &str) -> Option<(usize, Trust)> {
        let next = |from: usize| text[from..].find('{').map(|brace| (from + brace, Trust::Possible));
        match *self {
            Self::After(from) => {
                let rest = text[from..].trim_start_matches(|c| is_space(c) || c == '\0');
                if rest.starts_with('{') { Some((text.len() - rest.len(), Trust::Expected)) } else { next(from) }
            }
            Self::At(brace) => Some((brace, Trust::Likely)),
            Self::Within(from) => next(from),
        }
    }
}

impl Trust {
    fn accepts(&self, object: &Obj) -> bool {
        match self {
            Self::Expected => true,
            Self::Likely => object.str("type").is_some(),
            Self::Possible => is_record(object),
        }
    }
}

/// Returns true if it is a record, and no value inside of one.
pub(crate) fn is_record(object: &Obj) -> bool {
    const IDS: [&str; 5] = ["sessionId", "session_id", "leafUuid", "parentUuid", "messageId"];
    let is_envelope = || object.has("payload") && object.has("timestamp");
    object.str("type").is_some() && (IDS.iter().any(|id| object.has(id)) || is_envelope())
}

/// The record that took the place of a value of the torn one that begins at `start`, if `text` ends with it: the torn one
/// was cut off where a value was due.
fn last_value(text: &str, start: usize) -> Option<Range<usize>> {
    let text = text.trim_end_matches(|c| is_space(c) || c == '\0' || c == '{');
    let text = if text.ends_with('}') { text } else { return None };
    let mut open = Vec::new();
    let mut last = None;
    let mut in_string = false;
    let mut bytes = text.bytes().enumerate().skip(start);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => drop(bytes.next()),
            b'{' if !in_string => open.push(at),
            b'}' if !in_string => last = open.pop().map(|begin| begin..at + 1),
            _ => {}
        }
    }
    last.filter(|range| range.start > start && range.end == text.len())
        .filter(|range| Obj::parse(&text[range.clone()]).is_some_and(|object| is_record(&object)))
}

/// A text whose strings hold control characters as they are, which JSON wants escaped. None if there are none.
fn escaped(text: &str) -> Option<String> {
    use std::fmt::Write as _;
    if !text.starts_with('{') || !text.chars().any(|c| c < ' ') {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut in_string, mut after_backslash) = (false, false);
    for c in text.chars() {
        if in_string && c < ' ' {
            // Writing to a String can't fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
        in_string ^= c == '"' && !after_backslash;
        after_backslash = in_string && c == '\\' && !after_backslash;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{What, pieces};

    const A: &str = r#"{"type":"a","sessionId":"s","v":{"x":1}}"#;
    const B: &str = r#"{"type":"b","sessionId":"s","v":[{"type":"text"}]}"#;

    /// Records as they are, notes in brackets.
    fn shown(line: &str) -> String {
        let all = pieces(line);
        let bounds: Vec<usize> = all.iter().flat_map(|piece| [piece.range.start, piece.range.end]).collect();
        assert_eq!((bounds.first(), bounds.last()), (Some(&0), Some(&line.len())), "{line}");
        assert!(bounds[1..bounds.len() - 1].chunks(2).all(|pair| pair[0] == pair[1]), "{line}: {bounds:?}");
        let piece = |piece: &super::Piece| match &piece.what {
            What::Record(record) => record.to_string(),
            What::Note(_) => format!("<{}>", &line[piece.range.clone()]),
        };
        all.iter().map(piece).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn whole_records_on_one_line() {
        assert_eq!(shown(A), A);
        assert_eq!(shown(&format!("\u{feff}{A}\r\n")), A);
        for between in ["", " ", "\r", "\u{feff}"] {
            assert_eq!(shown(&format!("{A}{between}{B}\n")), format!("{A} {B}"));
        }
        assert_eq!(shown(r#"{"a":1}{"b":2}"#), r#"{"a":1} {"b":2}"#);
    }

    #[test]
    fn a_record_that_is_cut_anywhere_by_the_next_one() {
        for end in 1..A.len() {
            let torn = &A[..end];
            assert_eq!(shown(&format!("{torn}{B}\n")), format!("<{torn}> {B}"));
            assert_eq!(shown(&format!("{torn}{B}{A}")), format!("<{torn}> {B} {A}"));
            assert_eq!(shown(&format!("{B}{torn}")), format!("{B} <{torn}>"));
            assert_eq!(shown(&format!("{torn}{torn}{B}")), format!("<{torn}{torn}> {B}"), "torn twice");
        }
        assert_eq!(
            shown(r#"{"type":"a","x":"lo{"type":"b","sessionId":"s"}ng"}"#),
            r#"<{"type":"a","x":"lo> {"type":"b","sessionId":"s"} <ng"}>"#
        );
    }

    #[test]
    fn values_of_a_torn_record_are_no_records() {
        for torn in [
            r#"{"type":"a","message":{"type":"message","content":[{"type":"text","text":"x"}]}"#,
            r#"{"a":{"type":"b"}"#,
        ] {
            assert_eq!(shown(torn), format!("<{torn}>"));
        }
        let broken = r#"{"type":"a","sessionId" "s","result":{"type":"text","file":{}}}"#;
        assert_eq!(shown(broken), format!("<{broken}>"));
    }

    #[test]
    fn nul_bytes_and_control_characters() {
        assert_eq!(shown("\0\0\0\n"), "<\0\0\0\n>");
        assert_eq!(shown(&format!("\0\0{A}\n")), format!("<\0\0> {A}"));
        assert_eq!(shown(&format!("{A}\0\0\n")), format!("{A} <\0\0\n>"));
        assert_eq!(shown(&format!("{}\0\0{B}", &A[..9])), format!("<{}\0\0> {B}", &A[..9]));
        assert_eq!(shown("{\"type\":\"a\0\tb\\\"\u{1}\"}"), r#"{"type":"a\u0000\u0009b\"\u0001"}"#);
    }
}

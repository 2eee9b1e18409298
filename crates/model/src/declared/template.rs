//! References in a document's strings: paths into the payload, and templates with placeholders.

use super::format::{FORMATS, Format, plain};
use serde_json::Value;

/// Maximum size of a path, in bytes.
const PATH_BYTES: usize = 500;
/// The description of a path in errors.
pub(super) const PATH: &str =
    "a JSON pointer: `/field` begins at the payload, `./field` at the item of the nearest repetition, `.` is the item";

/// The values that paths start from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'v> {
    pub root: &'v Value,
    /// The item of the innermost repetition. Outside of any, the payload.
    pub item: &'v Value,
}

/// The path of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    of_item: bool,
    pointer: String,
}

impl Path {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let of_item = text.starts_with('.');
        let pointer = text.strip_prefix('.').unwrap_or(text);
        let fits = (pointer.starts_with('/') || of_item && pointer.is_empty()) && pointer.len() <= PATH_BYTES;
        fits.then(|| Self { of_item, pointer: pointer.to_owned() })
    }

    pub(super) fn get<'v>(&self, scope: Scope<'v>) -> Option<&'v Value> {
        (if self.of_item { scope.item } else { scope.root }).pointer(&self.pointer)
    }

    /// Returns the path as it is written in the document.
    pub(super) fn text(&self) -> String {
        format!("{}{}", if self.of_item { "." } else { "" }, self.pointer)
    }
}

/// A string with placeholders: `Deploy {/service}: {/bytes|bytes}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Value(Path, Option<Format>),
}

impl Template {
    /// Reads a template. `{{` and `}}` stand for single braces.
    ///
    /// # Errors
    ///
    /// Returns what was expected.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let (brace, after) = rest[at..].split_at(1);
            if let Some(doubled) = after.strip_prefix(brace) {
                literal.push_str(brace);
                rest = doubled;
                continue;
            }
            if brace == "}" {
                literal.push_str(brace);
                rest = after;
                continue;
            }
            let Some((inside, end)) = after.split_once('}') else {
                return Err("a `}` for each `{`; write `{{` for a brace".to_owned());
            };
            let (path, format) = inside.split_once('|').map_or((inside, None), |(path, format)| (path, Some(format)));
            let path = Path::parse(path.trim()).ok_or_else(|| format!("in `{{{inside}}}` {PATH}"))?;
            let format = format
                .map(|word| Format::parse(word.trim()).ok_or_else(|| format!("in `{{{inside}}}` after `|` {FORMATS}")));
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Value(path, format.transpose()?));
            rest = end;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self(pieces))
    }

    /// Returns a template that consists of one placeholder.
    pub(super) fn value(path: Path) -> Self {
        Self(vec![Piece::Value(path, None)])
    }

    /// Returns a template without placeholders.
    pub(super) fn literal(text: String) -> Self {
        Self(vec![Piece::Literal(text)])
    }

    /// Returns the number of texts and placeholders, which is the cost of [`Self::expand`].
    pub(super) fn pieces(&self) -> usize {
        self.0.len()
    }

    /// Fills in the values. Each has at most about `max` bytes, and the result isn't much longer.
    pub(super) fn expand(&self, scope: Scope<'_>, max: usize) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            let left = max.saturating_sub(text.len());
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Value(path, format) => match (path.get(scope), format) {
                    (None, _) => {}
                    (Some(value), None) => text.push_str(&plain(value, left)),
                    (Some(value), Some(format)) => text.push_str(&format.write(value, left)),
                },
            }
            if text.len() > max {
                break;
            }
        }
        text
    }

    /// Returns the value if the template is one placeholder with the format `time`.
    pub(super) fn time<'v>(&self, scope: Scope<'v>) -> Option<&'v Value> {
        match self.0.as_slice() {
            [Piece::Value(path, Some(Format::Time))] => path.get(scope),
            _ => None,
        }
    }
}

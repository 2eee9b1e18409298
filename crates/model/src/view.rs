//! View models, which `diff` computes and `app` draws.

use serde::{Deserialize, Serialize};

/// Class of a syntax token. Six classes are coloured; plain text has no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenClass {
    /// Keywords, operators that are words, and literals such as `true`.
    Keyword,
    /// Strings and characters with their quotes.
    String,
    /// Numbers of any base.
    Number,
    /// Names of functions, methods, macros and attributes.
    Function,
    /// Names of types, constructors, tags, properties and labels.
    Type,
    /// Comments and documentation.
    Comment,
}

impl TokenClass {
    /// Returns a letter for the class, as a short name.
    pub const fn letter(self) -> char {
        match self {
            Self::Keyword => 'k',
            Self::String => 's',
            Self::Number => 'n',
            Self::Function => 'f',
            Self::Type => 't',
            Self::Comment => 'c',
        }
    }
}

/// A coloured range of one line, in bytes. Ranges are sorted and don't overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// First byte in the line.
    pub start: u32,
    /// Exclusive end.
    pub end: u32,
    /// Class of the token.
    pub class: TokenClass,
}

/// One line of code without its line end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeLine {
    /// The text, with invisible characters made visible.
    pub text: String,
    /// Coloured ranges. Empty if the language is unknown or the text too large.
    pub tokens: Vec<Token>,
    /// Changed words, as sorted byte ranges of the line that don't overlap.
    pub marks: Vec<(u32, u32)>,
    /// True if this is the last line of the file and has no line end.
    pub no_newline: bool,
    /// Line of the other side, from 0, that this one was moved from or to.
    pub moved: Option<u32>,
}

/// Consecutive lines of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiffRun {
    /// Unchanged lines, with the new side's text.
    Context(Vec<CodeLine>),
    /// Removed lines, then added lines. `pairs` has indices of changed lines, both ascending, which are drawn side by
    /// side.
    Change {
        /// Removed lines.
        old: Vec<CodeLine>,
        /// Added lines.
        new: Vec<CodeLine>,
        /// Index in `old`, then in `new`.
        pairs: Vec<(u32, u32)>,
    },
    /// Hidden unchanged lines.
    Gap {
        /// Number of lines.
        lines: u32,
        /// Header of the function or class of the line after the gap; None if there is none.
        section: Option<String>,
    },
}

crate::words! {
    /// Kind of a file's change.
    FileChange {
        /// The file is new.
        Added = "Added",
        /// The file existed before and after.
        Modified = "Modified",
        /// The file was deleted.
        Deleted = "Deleted",
    }
}

/// The diff of one file, ready to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// Kind of the change.
    pub change: FileChange,
    /// Line number of the first line on each side, from 1; None if unknown.
    pub first_line: Option<(u32, u32)>,
    /// Number of lines that only the new text has, including changed lines.
    pub added: u32,
    /// Number of lines that only the old text has, including changed lines.
    pub removed: u32,
    /// All lines, from top to bottom.
    pub runs: Vec<DiffRun>,
    /// True if the file is too large for a diff of words. Only lines are compared.
    pub approximate: bool,
    /// True if ranges were too large to compare. All of their lines count as changed.
    pub is_cut: bool,
}

//! View models: what `diff` computes and `app` draws.

use serde::{Deserialize, Serialize};

/// Class of a syntax token. Six classes are coloured, as the design says; plain text has no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenClass {
    Keyword,
    String,
    Number,
    Function,
    Type,
    Comment,
}

impl TokenClass {
    /// Stands for the class where there is no room for its name.
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

/// A coloured range of one line, in bytes of that line; sorted, not overlapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub start: u32,
    pub end: u32,
    pub class: TokenClass,
}

/// One line of code without its line end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeLine {
    pub text: String,
    pub tokens: Vec<Token>,
    /// Changed words, as byte ranges of the line; sorted, not overlapping.
    pub marks: Vec<(u32, u32)>,
    /// Is the line end missing at the end of the file?
    pub no_newline: bool,
    /// The line of the other side, counted from 0 within its text, that this one was moved from or to.
    pub moved: Option<u32>,
}

/// Consecutive lines of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiffRun {
    /// Unchanged lines. Each line once, with the new side's text.
    Context(Vec<CodeLine>),
    /// Removed lines, then added lines. `pairs` are indices of lines of which one became the other, both ascending: they
    /// stand side by side.
    Change { old: Vec<CodeLine>, new: Vec<CodeLine>, pairs: Vec<(u32, u32)> },
    /// Unchanged lines that are not shown.
    Gap { lines: u32, section: Option<String> },
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum FileChange {
    Added,
    Modified,
    Deleted,
}

/// The difference of one file, ready to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    pub change: FileChange,
    /// Line number of the first line on each side, from 1, where known; None for a fragment.
    pub first_line: Option<(u32, u32)>,
    pub added: u32,
    pub removed: u32,
    pub runs: Vec<DiffRun>,
    /// Too large for all that is shown of others: lines only, no words.
    pub approximate: bool,
    /// Stretches were too much work to compare: all of their lines count as changed.
    pub is_cut: bool,
}

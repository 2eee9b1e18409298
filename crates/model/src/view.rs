//! View models: what `diff` computes and `app` draws.

use serde::{Deserialize, Serialize};

/// Class of a syntax token. Six classes are coloured, as the design says; plain text has no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TokenClass {
    /// Words of the language, operators in words, literals such as `true`.
    Keyword,
    /// Texts and characters with their quotes.
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
    /// Returns the letter that stands for the class where there is no room for its name.
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
    /// Its first byte within the line.
    pub start: u32,
    /// The byte behind its last one.
    pub end: u32,
    /// What it is coloured as.
    pub class: TokenClass,
}

/// One line of code without its line end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeLine {
    /// With characters that can't be seen made visible.
    pub text: String,
    /// Its coloured parts. Empty where the language is unknown or the text too large.
    pub tokens: Vec<Token>,
    /// Changed words, as byte ranges of the line; sorted, not overlapping.
    pub marks: Vec<(u32, u32)>,
    /// Whether this is the file's last line and has no line end.
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
    Change {
        /// Removed lines.
        old: Vec<CodeLine>,
        /// Added lines.
        new: Vec<CodeLine>,
        /// Index in `old`, then in `new`.
        pairs: Vec<(u32, u32)>,
    },
    /// Unchanged lines that are not shown.
    Gap {
        /// How many.
        lines: u32,
        /// Header of the function or class in which the line after the gap stands; None where there is none.
        section: Option<String>,
    },
}

crate::words! {
    /// How a file changed.
    FileChange {
        /// It wasn't there before.
        Added = "Added",
        /// It is there before and after.
        Modified = "Modified",
        /// It is gone.
        Deleted = "Deleted",
    }
}

/// The difference of one file, ready to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// Whether it was added, modified or deleted.
    pub change: FileChange,
    /// Line number of the first line on each side, from 1, where known; None for a fragment.
    pub first_line: Option<(u32, u32)>,
    /// Lines of the new text that the old one lacks, changed lines included.
    pub added: u32,
    /// Lines of the old text that the new one lacks, changed lines included.
    pub removed: u32,
    /// The whole of what is shown, from top to bottom.
    pub runs: Vec<DiffRun>,
    /// Too large for all that is shown of others: lines only, no words.
    pub approximate: bool,
    /// Stretches were too much work to compare: all of their lines count as changed.
    pub is_cut: bool,
}

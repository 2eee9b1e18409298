//! Code that the readers of several agents share.
//!
//! - `contents`: the base of all readers of files. `lines`: a file of lines; `document`: a file that is one JSON
//!   document, entry by entry; `either`: a file of either kind.
//! - `decode`, `pieces`, `obj`: from bytes to JSON objects.
//! - `book`: changes that are read but not yet handed out; `session`, `runs`: the facts of a session and its runs.
//! - `at`: the data shared by all messages of one line; ids and envelopes.
//! - `log`: a file of one session, whose lines become messages one by one, with defaults for most kinds of lines.
//! - `calls`: tool calls and their results. `result`: how a call went. `call_ids`: their ids. `proposal`: the edits
//!   that a call proposes. `blocks`, `files`, `picture`: content. `short`: a record in one line.
//! - `asks`, `answers`, `forms`: requests to a person, and the answers.
//! - `edits`, `patch`, `search_replace`, `window`: changes of files. `todos`: checklists. `reviews`: findings in files.

pub(crate) mod answers;
pub(crate) mod asks;
pub(crate) mod at;
pub(crate) mod blocks;
pub(crate) mod book;
pub(crate) mod call_ids;
pub(crate) mod calls;
pub(crate) mod contents;
pub(crate) mod decode;
pub(crate) mod document;
pub(crate) mod edits;
pub(crate) mod either;
pub(crate) mod files;
pub(crate) mod forms;
pub(crate) mod lines;
pub(crate) mod log;
pub(crate) mod obj;
pub(crate) mod patch;
pub(crate) mod picture;
pub(crate) mod pieces;
pub(crate) mod proposal;
pub(crate) mod result;
pub(crate) mod reviews;
pub(crate) mod runs;
pub(crate) mod search_replace;
pub(crate) mod session;
pub(crate) mod short;
pub(crate) mod todos;
pub(crate) mod window;

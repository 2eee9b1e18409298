//! What the readers of several agents share.
//!
//! - `contents`: what reads a file, whatever its form. `lines`: a file of lines; `document`: a file that is one JSON document,
//!   entry by entry; `either`: a file of either kind.
//! - `decode`, `pieces`, `obj`: from bytes to JSON objects.
//! - `book`: what has been read but not yet handed out; `session`, `runs`: what is known of a session and its runs.
//! - `at`: what every message made from one line has in common; ids and envelopes.
//! - `log`: a file of one session, whose lines become messages one by one: what most readers do with most lines.
//! - `calls`: tool calls and their results. `result`: how a call went. `call_ids`: their ids. `proposal`: what a call would do. `blocks`, `files`, `picture`: content. `short`: a record in one line.
//! - `asks`, `answers`, `forms`: what a person is asked, and the answers.
//! - `edits`, `patch`, `search_replace`, `window`: changes of files. `todos`: checklists. `reviews`: what was found in files.

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

//! The older chat host's chats, as `store::chat_host` writes them out of its database: a line with the chat, then one for each row
//! of its table `messages`.
//!
//! Ids of messages: the row's own one; of an id with characters that a URL reserves, what is left of it and a hash.

mod row;

pub use row::{CallResult, ChatRow, DRAFT, ROW, call_of, from_row, result_of, role_of, to_row};
use row::{Trace, join, trace};

use crate::Span;
use crate::parts::at::At;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::session::TitleRank;
use model::{Draft, Part, Role};
use std::collections::VecDeque;

/// The agent of its sessions, and the reader of its sources.
pub const CHAT_HOST: &str = "chat_host";
/// Calls that wait for their result at a time, at most.
const OPEN: usize = 64;
/// Id of the message that says which chat it is; no row has it.
const HEAD: &str = "chat~begin";

/// True for the message that says which chat it is, and is no row.
pub fn is_head(draft: &Draft) -> bool {
    draft.id.as_str() == HEAD
}

/// Reads one chat.
pub(crate) struct Chat {
    log: Log,
    /// Calls that wait for their result, the oldest first.
    open: VecDeque<Open>,
}

/// A call that waits for its result.
struct Open {
    /// Its own id.
    call_id: Option<String>,
    session: usize,
    /// The id of its message.
    message: String,
}

impl Chat {
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 3;

    pub fn new(path: &str) -> Self {
        Self { log: Log::new(stem(path)), open: VecDeque::new() }
    }

    /// Says a row. The result of a call is shown in its call.
    fn say(&mut self, at: &At, row: &ChatRow, mut draft: Draft) {
        match trace(row, &draft) {
            Some(Trace::Call(call_id)) => {
                draft.call_id.clone_from(&call_id);
                if self.open.len() >= OPEN
                    && let Some(oldest) = self.open.pop_front()
                {
                    self.log.book.release(oldest.session, &oldest.message);
                }
                self.open.push_back(Open { call_id, session: at.session, message: draft.id.to_string() });
                self.log.first.get_or_insert_with(|| draft.id.clone());
                self.log.book.keep(at.session, draft, at.span);
            }
            Some(Trace::Result(result)) => {
                let is_its = |open: &Open| result.call_id.is_none() || open.call_id == result.call_id;
                if let Some(open) = self.open.iter().position(is_its).and_then(|place| self.open.remove(place)) {
                    if let Some(call) = self.log.book.change(open.session, &open.message, at.span) {
                        join(call, &result);
                        (draft.part, draft.call_id) = (Part::Replaced, open.call_id);
                    }
                    self.log.book.release(open.session, &open.message);
                }
                self.log.say(at, draft);
            }
            None => self.log.say(at, draft),
        }
    }
}

contents_of_log!(Chat);

impl Records for Chat {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        self.log.session(record.filled("chat_jid"));
        let fields = record.obj("row");
        let stamp = fields.as_ref().and_then(|row| row.raw("timestamp"));
        let own = fields.as_ref().map_or_else(|| "chat".to_owned(), |row| row.string("id").unwrap_or_default());
        let Some(at) = self.log.line_at(Some(own), stamp, text, span) else { return };
        if let Some(chat) = record.obj("chat") {
            let name = chat.filled("name").unwrap_or_default();
            self.log.facts().title(TitleRank::Name, &name);
            return self.log.say(&at, at.aside(HEAD, "chat", format!("Chat: {name}")));
        }
        let Some(row) = record.value("row").and_then(|row| serde_json::from_value::<ChatRow>(row).ok()) else {
            return self.log.aside(&at, "row", record);
        };
        let draft = from_row(&row);
        if draft.role == Role::User {
            self.log.facts().first_prompt(&draft.content);
        }
        self.say(&at, &row, draft);
    }
}

//! The older chat host's chats, as `store::chat_host` writes them out of its database: a line with the chat, then one for each row
//! of its table `messages`.
//!
//! Ids of messages: the row's own one; of an id with characters that a URL reserves, what is left of it and a hash.

mod row;

pub use row::{ChatRow, DRAFT, ROW, from_row, to_row};

use crate::Span;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::session::TitleRank;
use model::{Draft, Role};

/// The agent of its sessions, and the reader of its sources.
pub const CHAT_HOST: &str = "chat_host";
/// Id of the message that says which chat it is; no row has it.
const HEAD: &str = "chat~begin";

/// True for the message that says which chat it is, and is no row.
pub fn is_head(draft: &Draft) -> bool {
    draft.id.as_str() == HEAD
}

/// Reads one chat.
pub(crate) struct Chat {
    log: Log,
}

impl Chat {
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 2;

    pub fn new(path: &str) -> Self {
        Self { log: Log::new(stem(path)) }
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
        self.log.say(&at, draft);
    }
}

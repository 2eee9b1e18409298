//! How much of which session is new to the reader: beside every link that leads to one.

use api::Route as _;
use api::contract::ListUnread;
use api::json::Json;
use api::reading::UnreadSession;
use app::browser::{dom, fragment};
use app::shared::attr;
use std::cell::RefCell;

thread_local! {
    /// The server's latest answer.
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
    static NEW: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

struct Session {
    id: String,
    /// Read up to here.
    seq: i64,
    unread: i64,
}

pub async fn ask() -> Option<String> {
    fragment::fetch(ListUnread::PATH).await.ok()
}

pub fn show(answer: &str) {
    let Some(read) = Json::read(answer) else { return };
    ANSWER.set(answer.to_owned());
    let session = |said: &Json| {
        Some(Session { id: said.text("session")?, seq: said.number("seq")?, unread: said.number("unread")? })
    };
    NEW.set(read.list("sessions").iter().filter_map(session).collect());
    draw();
}

/// The server's latest answer; empty before there is one.
pub fn answer() -> String {
    ANSWER.with_borrow(Clone::clone)
}

/// How far a session was read before this page came, if it went on since. None if the server didn't say.
pub async fn read_up_to(session: &str) -> Option<Option<i64>> {
    show(&ask().await?);
    Some(NEW.with_borrow(|new| new.iter().find(|new| new.id == session).map(|new| new.seq)))
}

/// Also where a list was drawn anew. The session that the page shows needs no word.
pub fn draw() {
    let Some(root) = dom::document().and_then(|d| d.document_element()) else { return };
    NEW.with_borrow(|new| {
        let linked: Vec<_> = new.iter().map(|new| (api::endpoint::segment(&new.id), new.unread)).collect();
        for link in dom::find_all(&root, "#rail-recent a, #sessions [data-row] a[data-title]") {
            let href = link.get_attribute("href").unwrap_or_default();
            let id = href.strip_prefix("/s/").filter(|_| !link.has_attribute("aria-current"));
            let _ = match id.and_then(|id| linked.iter().find(|(linked, _)| linked == id)) {
                Some((_, unread)) if *unread >= UnreadSession::MANY => link.set_attribute(attr::UNREAD, "99+ new"),
                Some((_, unread)) => link.set_attribute(attr::UNREAD, &format!("{unread} new")),
                None => link.remove_attribute(attr::UNREAD),
            };
        }
    });
}

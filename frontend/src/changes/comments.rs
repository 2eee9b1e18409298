//! Comments on lines: written one by one, kept in the browser, sent to the agent as one message, which holds them from
//! then on.

use super::{cards, file_lists, notes, sent, store};
use api::Problem;
use api::contract::PostMessageEndpoint;
use api::json;
use api::posting::PostMessage;
use api::sessions::SessionPath;
use app::browser::{clipboard, dom, focus, fragment, storage, toast};
use app::icon::{self, Glyph, IconStyle};
use app::shared::attr;
use app::shared::comments;
pub use app::shared::comments::{Comment, Remark, State};
use web_sys::{Element, Event};

/// The number of a new draft.
pub fn number() -> u32 {
    comments::number(&drafts(), (js_sys::Date::now() / 1_000.0) as u32)
}

fn key() -> String {
    format!("comments:{}", store::session())
}

/// Those that were sent, then the drafts.
pub fn all() -> Vec<Comment> {
    let mut all = sent::all();
    all.extend(drafts());
    all
}

/// Returns the drafts in the browser's storage. Sent ones, which older versions stored too, are known from the
/// messages.
pub fn drafts() -> Vec<Comment> {
    let kept = storage::get(&key()).and_then(|text| json::read::<Vec<Comment>>(text.as_bytes()).ok());
    kept.unwrap_or_default().into_iter().filter(|comment| comment.state == State::Draft).collect()
}

pub fn keep(drafts: &[Comment]) {
    let text = if drafts.is_empty() { None } else { json::write(&drafts).ok() };
    storage::set(&key(), text.as_deref());
    show();
}

pub fn of(card: &Element) -> Vec<Comment> {
    let path = card.get_attribute(attr::PATH);
    all().into_iter().filter(|comment| path.as_ref() == Some(&comment.path)).collect()
}

pub fn start() {
    sent::start();
    let mut drafts = drafts();
    let before = drafts.len();
    drafts.retain(|draft| !sent::has(draft));
    if drafts.len() == before {
        show();
    } else {
        keep(&drafts);
    }
    if let Some(window) = dom::window() {
        // Written in another tab.
        dom::listen(&window, "storage", |_: Event| show());
    }
}

/// The button that sends, and the numbers in the tree.
pub fn show() {
    let all = all();
    let drafts = all.iter().filter(|comment| comment.state == State::Draft).count();
    let hears = store::root().is_some_and(|root| root.has_attribute(attr::HEARS));
    for button in senders() {
        let _ = button.toggle_attribute_with_force("hidden", drafts == 0);
        let does = if hears { "Send" } else { "Copy" };
        let words = format!("{does} {drafts} comment{}", if drafts == 1 { "" } else { "s" });
        button.set_text_content(Some(&words));
    }
    for card in cards::all() {
        let (Some(path), Some(row)) = (card.get_attribute(attr::PATH), file_lists::row(&card.id())) else { continue };
        let open = all.iter().filter(|c| c.path == path && c.state != State::Resolved).count();
        count(&row, open);
    }
}

/// The buttons that send: in the header, or where that has no room in the foot.
fn senders() -> Vec<Element> {
    dom::by_id("main").map(|main| dom::find_all(&main, ".btn[data-review=send]")).unwrap_or_default()
}

/// How many comments a file has, in its row; nothing where it has none.
fn count(row: &Element, open: usize) -> Option<()> {
    let before = dom::find(row, ".notes");
    if open == 0 {
        return before.map(|badge| badge.remove());
    }
    let badge = if let Some(badge) = before {
        badge
    } else {
        let badge = dom::make("span", "cap notes")?;
        let html = format!("{}<span class=\"num\"></span>", icon::markup(Glyph::COMMENT, IconStyle::SMALL));
        fragment::fill(&badge, &html);
        dom::find(row, "a")?.insert_adjacent_element("afterend", &badge).ok()??
    };
    dom::find(&badge, ".num")?.set_text_content(Some(&open.to_string()));
    Some(())
}

/// Sends the drafts to the agent; where nobody hears, they go to the clipboard.
pub fn send() {
    let drafts = drafts();
    let seen = senders().into_iter().find(|button| button.client_width() > 0);
    let (Some(button), Some(root)) = (seen, store::root()) else { return };
    if drafts.is_empty() {
        return;
    }
    let text = comments::message(&drafts);
    if !root.has_attribute(attr::HEARS) {
        clipboard::copy(button, text);
        return;
    }
    let _ = button.set_attribute("disabled", "");
    let path = SessionPath { session: store::session() };
    // The same comments are one message, however often the button is pressed.
    let id =
        format!("comments-{}-{}", app::shared::hash::text_hash(&text), drafts.iter().map(|c| c.id).max().unwrap_or(0));
    let post = PostMessage {
        id: Some(id.clone()),
        content: Some(text),
        message_metadata: Some(sent::metadata(&drafts)),
        ..PostMessage::default()
    };
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::client().tell::<PostMessageEndpoint>(path, post).await;
        let _ = button.remove_attribute("disabled");
        focus::put(&button);
        match answer {
            Ok(()) => {
                let first = sent::add(&id, &drafts);
                let mut kept = self::drafts();
                kept.retain(|draft| drafts.iter().all(|sent| sent.id != draft.id));
                keep(&kept);
                cards::all().iter().for_each(notes::place);
                // The button goes with the last draft.
                notes::give_focus(root, first);
                dom::announce("Sent");
            }
            Err(problem) => {
                toast::fail(&Problem { title: format!("Not sent: {}", problem.title), ..problem });
            }
        }
    });
}

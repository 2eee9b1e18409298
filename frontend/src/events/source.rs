//! The stream itself, where this tab holds it; and what a tab reads once that has missed something.

use super::tab;
use api::Route as _;
use api::contract::{Events, LogInRoute};
use api::json::Json;
use app::browser::page_state::page_state;
use app::browser::{dom, fragment};
use app::shared::events::{Link, SessionChange, read_stream};
use app::shared::tab_message::TabMessage;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::{EventSource, MessageEvent};

/// Milliseconds until a stream that was refused is asked for again.
const AGAIN: i32 = 2_000;
/// Nearer to the end than this a stream that came back doesn't say that it is behind.
const NEAR: i64 = 50;

/// An open stream. It says everything to all tabs, this one included.
pub struct Source {
    stream: RefCell<Option<EventSource>>,
    attempts: Cell<u32>,
    /// Where the feed was when the stream began.
    target: Cell<i64>,
    /// The sessions whose streaming texts it gets.
    growing: RefCell<String>,
    /// It was asked for anew, and wasn't lost.
    widened: Cell<bool>,
    closed: Cell<bool>,
}

impl Source {
    pub fn close(&self) {
        self.closed.set(true);
        if let Some(stream) = self.stream.take() {
            stream.close();
        }
    }
}

/// Opens the stream where this tab is. The browser reconnects by itself and says where it was.
pub fn open() -> Rc<Source> {
    let source = Rc::new(Source {
        stream: RefCell::new(None),
        attempts: Cell::new(0),
        target: Cell::new(0),
        growing: RefCell::new(String::new()),
        widened: Cell::new(false),
        closed: Cell::new(false),
    });
    connect(&source);
    source
}

/// Asks for the stream anew where it is, if it is to tell of other sessions how texts grow.
pub fn widen(source: &Rc<Source>) {
    let is_open = |stream: &EventSource| stream.ready_state() == EventSource::OPEN;
    // One that is lost comes back by itself, and looks then.
    if *source.growing.borrow() == tab::growing() || !source.stream.borrow().as_ref().is_some_and(is_open) {
        return;
    }
    if let Some(stream) = source.stream.take() {
        stream.close();
    }
    source.widened.set(true);
    connect(source);
}

fn connect(source: &Rc<Source>) {
    if source.closed.get() {
        return;
    }
    let growing = tab::growing();
    let url = format!("{}?after={}&growth={growing}", Events::PATH, api::endpoint::segment(&tab::cursor()));
    source.growing.replace(growing);
    let Ok(stream) = EventSource::new(&dom::at(&url)) else { return };
    let opened = source.clone();
    dom::listen(&stream, "open", move |_: web_sys::Event| {
        opened.attempts.set(0);
        tab::broadcast(TabMessage::Link(Link::Live));
        widen(&opened);
    });
    let failed = source.clone();
    dom::listen(&stream, "error", move |_: web_sys::Event| lost(&failed));
    let behind = source.clone();
    dom::listen(&stream, "feed", move |event: MessageEvent| {
        let Some(text) = event.data().as_string() else { return };
        tab::broadcast(TabMessage::Feed(event.last_event_id(), text));
        if behind.target.get() > 0 && tab::pos() >= behind.target.get() {
            behind.target.set(0);
            tab::broadcast(TabMessage::Link(Link::Live));
        }
    });
    dom::listen(&stream, "growth", |event: MessageEvent| {
        if let Some(text) = event.data().as_string() {
            tab::grown(event.last_event_id(), text);
        }
    });
    dom::listen(&stream, "agent", |event: MessageEvent| {
        let said = event.data().as_string().and_then(|text| Json::read(&text)?.text("session"));
        if let Some(session) = said {
            tab::broadcast(TabMessage::Agent(session));
        }
    });
    dom::listen(&stream, "import", |_: MessageEvent| tab::broadcast(TabMessage::Import));
    let began = source.clone();
    dom::listen(&stream, "build", move |event: MessageEvent| {
        let said = event.data().as_string().and_then(|text| Json::read(&text));
        let Some((build, pos)) = said.and_then(|said| said.text("build").zip(said.number("pos"))) else { return };
        let from = tab::pos();
        if !began.widened.take() && from > 0 && pos - from > NEAR {
            began.target.set(pos);
            tab::broadcast(TabMessage::Link(Link::Replaying(pos - from)));
        }
        tab::broadcast(TabMessage::Build(build));
    });
    source.stream.replace(Some(stream));
}

/// The browser tries again by itself, but not after an answer that isn't a stream: a log-in that ended, a server that
/// is busy.
fn lost(source: &Rc<Source>) {
    if source.closed.get() {
        return;
    }
    source.attempts.set(source.attempts.get().saturating_add(1));
    source.target.set(0);
    source.widened.set(false);
    let online = dom::kept_at().is_none() && dom::window().is_none_or(|w| w.navigator().on_line());
    tab::broadcast(TabMessage::Link(if online { Link::Reconnecting(source.attempts.get()) } else { Link::Offline }));
    let gave_up = |stream: &EventSource| stream.ready_state() == EventSource::CLOSED;
    if !source.stream.borrow().as_ref().is_some_and(gave_up) {
        return;
    }
    let source = source.clone();
    wasm_bindgen_futures::spawn_local(async move {
        if logged_out().await {
            tab::broadcast(TabMessage::SignedOut);
        } else {
            // A stream doesn't say why it was refused; an answer does.
            missed(&tab::cursor()).await;
            dom::after(AGAIN, move || connect(&source));
        }
    });
}

/// Only the server's own word counts.
async fn logged_out() -> bool {
    let answer = fragment::client().get_bytes(LogInRoute::PATH).await;
    answer.ok().and_then(|bytes| Json::of_bytes(&bytes)?.flag("logged_in")) == Some(false)
}

/// Returns the changes after a cursor up to now, each with the cursor after it.
pub async fn missed(after: &str) -> Option<Vec<(String, SessionChange)>> {
    let path = format!("{}?after={}&until=now", Events::PATH, api::endpoint::segment(after));
    let text = match fragment::fetch(&path).await {
        Ok(text) => text,
        Err(problem) => {
            // Without a log-in, or with a cursor of a history that is gone, the page begins anew.
            if matches!(problem.status, 401 | 410) {
                tab::broadcast(TabMessage::SignedOut);
            }
            return None;
        }
    };
    let change = |(cursor, data): (&str, &str)| Some((cursor.to_owned(), SessionChange::read(data)?));
    Some(read_stream(&text).filter_map(change).collect())
}

/// The link as this page knows it.
pub fn link() -> Link {
    page_state().link.get()
}

//! This tab among the others of its browser: one of them holds the stream, and tells the others.
//!
//! The tabs wait in line for one lock; who has it opens the stream and repeats what it says on a channel. A tab that
//! comes later first reads what was said since its page was drawn, then follows. What is said is that something
//! changed, never what it is now: hearing it twice, or out of order, does no harm, missing it would.
//!
//! Stream, lock and channel are given back when the page is left, and taken again if it comes back from the browser's
//! memory. Where there are no locks (outside of secure contexts) every tab that can be seen has a stream of its own.

use super::locks::{self, Lock};
use super::{rail, source};
use crate::{reconcile, transcript, unread};
use app::browser::page_state::page_state;
use app::browser::{dom, fragment};
use app::shared::events::{Link, SessionChange};
use app::shared::feed_position::{FeedPosition, ShownSessions};
use app::shared::latest::Latest;
use app::shared::tab_message::{Part, TabMessage};
use js_sys::{Array, Function};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, Element, MessageEvent, PageTransitionEvent};

/// Name of the lock and of the channel.
const NAME: &str = "verbatim-events";
/// Milliseconds until the stream is asked for with what other tabs show: several may say so at once.
const SHOWN: i32 = 100;
/// Milliseconds until a tab that couldn't read what it missed tries again.
const AGAIN: i32 = 1_000;

struct Tab {
    /// The session of this page.
    session: Option<String>,
    feed: FeedPosition,
    channel: RefCell<Option<BroadcastChannel>>,
    source: RefCell<Option<Rc<source::Source>>>,
    shown: ShownSessions,
    lock: RefCell<Option<Lock>>,
    give_back: RefCell<Option<Function>>,
    /// Begins anew when the tab joins or leaves: what belongs to an earlier time is dropped.
    turn: Latest,
}

thread_local! {
    static TAB: RefCell<Option<Rc<Tab>>> = const { RefCell::new(None) };
}

fn tab() -> Option<Rc<Tab>> {
    TAB.with_borrow(Clone::clone)
}

/// Where the stream goes on for this tab.
pub fn cursor() -> String {
    tab().map_or_else(String::new, |tab| tab.feed.cursor())
}

pub fn pos() -> i64 {
    tab().map_or(0, |tab| tab.feed.pos())
}

/// Returns true if this tab is the leader.
pub fn leads() -> bool {
    tab().is_some_and(|tab| tab.source.borrow().is_some())
}

pub fn start(cursor: String, session: Option<String>) {
    let tab = Rc::new(Tab {
        session,
        feed: FeedPosition::new(cursor),
        channel: RefCell::new(None),
        source: RefCell::new(None),
        shown: ShownSessions::default(),
        lock: RefCell::new(None),
        give_back: RefCell::new(None),
        turn: Latest::new(),
    });
    TAB.set(Some(tab.clone()));
    join(&tab);
    if dom::kept_at().is_some() {
        // After the islands took over what the server drew, which knows nothing of it.
        dom::next_frame(|| page_state().link.set(Link::Offline));
    }
    let (Some(window), Some(document)) = (dom::window(), dom::document()) else { return };
    let leaving = tab.clone();
    dom::listen(&window, "pagehide", move |_: web_sys::Event| leave(&leaving));
    let back = tab.clone();
    dom::listen(&window, "pageshow", move |event: PageTransitionEvent| {
        if event.persisted() {
            join(&back);
        }
    });
    // Six connections are all that a browser has for a server: without locks a tab that can't be seen lets go of its
    // own.
    dom::listen(&document, "visibilitychange", move |_: web_sys::Event| {
        let alone = tab.lock.borrow().is_none();
        // The leader may no longer know this tab.
        if let Some(session) = tab.session.clone().filter(|_| dom::visible() && !leads()) {
            post(&tab, &TabMessage::Showing(session));
        }
        match dom::visible() {
            true if alone && tab.source.borrow().is_none() => join(&tab),
            false if alone => leave(&tab),
            _ => {}
        }
    });
}

fn join(tab: &Rc<Tab>) {
    tab.feed.join();
    let turn = tab.turn.begin();
    let leader = tab.clone();
    let granted = move |give_back: Function| {
        if leader.turn.is(turn) {
            leader.give_back.replace(Some(give_back));
            lead(&leader);
        } else {
            let _ = give_back.call0(&JsValue::NULL);
        }
    };
    let lock = BroadcastChannel::new(NAME).ok().and_then(|channel| {
        let listening = tab.clone();
        dom::listen(&channel, "message", move |event: MessageEvent| {
            if listening.turn.is(turn)
                && let Some(message) = from_js(&event.data())
            {
                receive(&listening, message);
            }
        });
        tab.channel.replace(Some(channel));
        locks::request(NAME, granted)
    });
    if lock.is_none() {
        if let Some(channel) = tab.channel.take() {
            channel.close();
        }
        if dom::visible() {
            lead(tab);
        }
        return;
    }
    tab.lock.replace(lock);
    post(tab, &TabMessage::Joined(tab.session.clone()));
}

fn leave(tab: &Tab) {
    tab.turn.begin();
    if let Some(source) = tab.source.take() {
        source.close();
    }
    if let Some(channel) = tab.channel.take() {
        channel.close();
    }
    if let Some(give_back) = tab.give_back.take() {
        let _ = give_back.call0(&JsValue::NULL);
    } else if let Some(lock) = tab.lock.borrow().as_ref() {
        lock.forget();
    }
}

/// This tab takes the stream. It goes on from where this tab is, so it misses nothing itself; others look for
/// themselves.
fn lead(tab: &Rc<Tab>) {
    tab.feed.lead();
    tab.source.replace(Some(source::open()));
    post(tab, &TabMessage::LeaderElected(tab.feed.pos(), source::link()));
    post(tab, &TabMessage::RequestSessions);
}

/// The sessions whose texts are followed as they grow, as the stream is asked for them.
pub fn growing() -> String {
    tab().map_or_else(|| ShownSessions::default().query(None), |tab| tab.shown.query(tab.session.as_deref()))
}

/// How a text goes on: to those that show it.
pub fn grown(cursor: String, told: String) {
    let Some(tab) = tab() else { return };
    let session = told.split(' ').next().unwrap_or_default();
    if tab.shown.contains(session) {
        post(&tab, &TabMessage::Growth(told.clone()));
    }
    transcript::grown(&told);
    tab.feed.go_on(cursor);
}

/// Another tab shows a session: the stream is to say how its texts go on.
fn show(tab: &Rc<Tab>, session: String) {
    if !tab.shown.show(session) {
        return;
    }
    let tab = tab.clone();
    dom::after(SHOWN, move || {
        if let Some(source) = tab.source.borrow().as_ref() {
            source::widen(source);
        }
    });
}

fn post(tab: &Tab, message: &TabMessage) {
    let channel = tab.channel.borrow();
    if let Some(channel) = channel.as_ref() {
        let _ = channel.post_message(&to_js(message));
    }
}

/// Posts a message to the other tabs.
pub fn post_to_others(message: &TabMessage) {
    if let Some(tab) = tab() {
        post(&tab, message);
    }
}

/// Posts a message to the other tabs, and receives it here too.
pub fn broadcast(message: TabMessage) {
    if let Some(tab) = tab() {
        post(&tab, &message);
        receive(&tab, message);
    }
}

fn receive(tab: &Rc<Tab>, message: TabMessage) {
    let state = page_state();
    match message {
        TabMessage::Feed(cursor, text) => {
            let Some(event) = SessionChange::read(&text) else { return };
            if !tab.feed.hear(cursor, event.pos) {
                return;
            }
            changed(tab, event);
        }
        TabMessage::Import => state.imports.grow(),
        TabMessage::Agent(session) => {
            if tab.session.as_ref() == Some(&session) {
                state.agent.grow();
            }
        }
        TabMessage::Build(build) => {
            if dom::build().is_none_or(|drawn_by| drawn_by != build) {
                dom::reload();
            }
        }
        TabMessage::Link(link) => follow(tab, link),
        TabMessage::Growth(told) => transcript::grown(&told),
        TabMessage::Joined(session) => {
            if leads() {
                if let Some(session) = session {
                    show(tab, session);
                }
                post(tab, &TabMessage::LeaderElected(tab.feed.pos(), source::link()));
                rail::repeat();
            }
        }
        TabMessage::LeaderElected(pos, link) => {
            if !leads() {
                tab.feed.follow(pos);
                follow(tab, link);
            }
        }
        TabMessage::RequestSessions => {
            if let Some(session) = tab.session.clone() {
                post(tab, &TabMessage::Showing(session));
            }
        }
        TabMessage::Showing(session) => {
            if leads() {
                show(tab, session);
            }
        }
        TabMessage::Rail(html) => rail::show(html),
        TabMessage::Unread(answer) => unread::show(&answer),
        TabMessage::SignedOut => {
            leave(tab);
            // The server leads from here to the log-in page, or draws what there is now.
            dom::reload();
        }
    }
}

fn follow(tab: &Rc<Tab>, link: Link) {
    if link == Link::Live && dom::kept_at().is_some() {
        dom::reload();
        return;
    }
    page_state().link.set(link);
    if link == Link::Live && fragment::was_stale() {
        page_state().changed(true);
    }
    if tab.feed.owes() && !leads() && matches!(link, Link::Live | Link::Replaying(_)) {
        catch_up(tab.clone());
    }
}

/// Reads what was said while this tab didn't listen.
fn catch_up(tab: Rc<Tab>) {
    let turn = tab.turn.current();
    wasm_bindgen_futures::spawn_local(async move {
        let missed = source::missed(&tab.feed.cursor()).await;
        if !tab.turn.is(turn) || !tab.feed.owes() {
            return;
        }
        for (cursor, event) in missed.iter().flatten() {
            tab.feed.advance(cursor.clone(), event.pos);
            changed(&tab, event.clone());
        }
        if !tab.feed.settle(missed.is_some()) {
            dom::after(AGAIN, move || {
                if tab.turn.is(turn) && tab.feed.owes() {
                    catch_up(tab);
                }
            });
        }
    });
}

fn changed(tab: &Tab, event: SessionChange) {
    let state = page_state();
    let is_own = tab.session.as_ref() == Some(&event.session);
    // The card of a sub-agent says how it stands.
    let shows = |rows: &Element| is_own || reconcile::shows_child(rows, &event.session);
    // Where there is no transcript, nobody takes them.
    if dom::by_id("transcript").as_ref().is_some_and(shows) {
        state.feed.update(|queue| queue.push(event));
    }
    state.changed(is_own);
}

fn to_js(message: &TabMessage) -> JsValue {
    let to_js = |part| match part {
        Part::None => JsValue::NULL,
        Part::Text(text) => text.into(),
        Part::Number(number) => JsValue::from_f64(number),
    };
    message.to_parts().into_iter().map(to_js).collect::<Array>().into()
}

fn from_js(said: &JsValue) -> Option<TabMessage> {
    let said: &Array = said.dyn_ref()?;
    let part = |at| {
        let part = said.get(at);
        part.as_string().map(Part::Text).or_else(|| part.as_f64().map(Part::Number)).unwrap_or(Part::None)
    };
    TabMessage::from_parts(&[part(0), part(1), part(2), part(3)])
}

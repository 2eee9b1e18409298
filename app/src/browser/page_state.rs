//! State that the parts of a page share: the connection, its events, and the dev toggle.
//!
//! Settings of this browser are in `localStorage`: [`NOTIFY`].

use crate::shared::events::{Link, SessionChange};
use api::json::Json;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Key in `localStorage`: `1` where the reader wants desktop notifications. The browser's own permission comes on top.
pub const NOTIFY: &str = "verbatim.notify";

#[derive(Clone)]
pub struct PageState {
    pub link: Observable<Link>,
    /// Events of this page's session that the transcript hasn't taken yet.
    pub feed: Observable<Vec<SessionChange>>,
    /// Grows with everything that may change a list of sessions.
    pub changes: Observable<u32>,
    /// Grows with everything that may change this page's own session.
    pub own: Observable<u32>,
    /// Grows with every word about an import.
    pub imports: Observable<u32>,
    /// Grows with every change of this session's agent that the transcript doesn't hold.
    pub agent: Observable<u32>,
    pub dev: Observable<bool>,
    /// Grows with everything that the reader did to sessions: lists are drawn anew at once.
    pub edited: Observable<u32>,
    /// Grows with each message that the reader sends: the transcript goes to its end.
    pub to_end: Observable<u32>,
    /// Set each time the palette opens: parameters of its requests that say what the page has.
    pub palette: Observable<String>,
}

thread_local! {
    static PAGE: PageState = PageState {
        link: Observable::new(Link::Connecting),
        feed: Observable::new(Vec::new()),
        changes: Observable::new(0),
        own: Observable::new(0),
        imports: Observable::new(0),
        agent: Observable::new(0),
        dev: Observable::new(false),
        edited: Observable::new(0),
        to_end: Observable::new(0),
        palette: Observable::new(String::new()),
    };
}

impl SessionChange {
    /// Reads the data of a `feed` event; None of anything else.
    pub fn read(event: &str) -> Option<Self> {
        let event = Json::read(event)?;
        let number = |name: &str| event.number(name);
        let (pos, from_seq, to_seq) = (number("pos")?, number("from_seq")?, number("to_seq")?);
        Some(Self { pos, session: event.text("session")?, from_seq, to_seq })
    }
}

impl PageState {
    /// Returns true if the page follows the server.
    pub fn is_live(&self) -> bool {
        self.link.get() == Link::Live
    }

    /// Something happened in a session.
    pub fn changed(&self, is_own: bool) {
        if is_own {
            self.own.grow();
        }
        self.changes.grow();
    }

    /// The reader did something to sessions.
    pub fn edited(&self) {
        self.edited.grow();
    }

    /// The transcript is to go to its end.
    pub fn go_to_end(&self) {
        self.to_end.grow();
    }
}

/// A value of the page that others follow. They are told a moment later, once for all that changed until then.
pub struct Observable<T>(Rc<Inner<T>>);

struct Inner<T> {
    value: RefCell<T>,
    followers: RefCell<Vec<Rc<dyn Fn()>>>,
    due: Cell<bool>,
}

impl<T> Clone for Observable<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Observable<u32> {
    /// Tells those who follow that there is more.
    pub fn grow(&self) {
        self.update(|n| *n = n.wrapping_add(1));
    }
}

impl<T: Clone + 'static> Observable<T> {
    fn new(value: T) -> Self {
        Self(Rc::new(Inner { value: RefCell::new(value), followers: RefCell::default(), due: Cell::new(false) }))
    }

    pub fn get(&self) -> T {
        self.0.value.borrow().clone()
    }

    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.0.value.borrow())
    }

    pub fn set(&self, value: T) {
        self.update(|known| *known = value);
    }

    pub fn update(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.0.value.borrow_mut());
        self.tell();
    }

    /// Takes the value and leaves the default in its place. Followers aren't told.
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.0.value.take()
    }

    /// Calls `react` soon, and after each change.
    pub fn follow(&self, react: impl Fn() + 'static) {
        self.0.followers.borrow_mut().push(Rc::new(react));
        self.tell();
    }

    fn tell(&self) {
        if self.0.due.replace(true) {
            return;
        }
        let told = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            told.0.due.set(false);
            let followers = told.0.followers.borrow().clone();
            for react in followers {
                react();
            }
        });
    }
}

/// Calls `react` when a count grew, also if it did before anybody looked: parts of a page come later than what happens.
pub fn whenever(count: &Observable<u32>, react: impl Fn() + 'static) {
    let (counted, before) = (count.clone(), Cell::new(0));
    count.follow(move || {
        let now = counted.get();
        if before.replace(now) != now {
            react();
        }
    });
}

/// Runs `react` when one of several counts has changed: once in `pause` milliseconds at most, at their end.
pub fn now_and_then<const N: usize>(pause: i32, counts: [Observable<u32>; N], react: impl Fn() + 'static) {
    let (due, react) = (Rc::new(Cell::new(false)), Rc::new(react));
    for count in &counts {
        let (due, react) = (due.clone(), react.clone());
        whenever(count, move || {
            if !due.replace(true) {
                let (due, react) = (due.clone(), react.clone());
                super::dom::after(pause, move || {
                    due.set(false);
                    react();
                });
            }
        });
    }
}

/// The state of this page. The browser has one page and one thread.
pub fn page_state() -> PageState {
    PAGE.with(Clone::clone)
}

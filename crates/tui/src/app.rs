//! The state: what is shown, and what keys, replies and changes make of it.

mod pressed;

use crate::ask::{Ask, Told};
use crate::compose::Field;
use crate::keys::{Group, Meaning, meaning, name};
use crate::review::Review;
use crate::theme::Theme;
use crate::transcript::Transcript;
use api::Problem;
use api::events::{FeedEvent, FeedKind};
use api::messages::{ListMessages, MessagePage};
use api::search::{Hit, SearchQuery};
use api::sessions::{ListSessions, SessionShow};
use crossterm::event::KeyEvent;
use jiff::tz::TimeZone;
use model::closed::Closed;
use model::{ALL_SESSIONS, Session};
use std::collections::HashMap;

/// Sessions of the list, and hits of a search.
const LISTED: u32 = 100;

/// Which screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    Sessions,
    Transcript,
    Search,
    Review,
    Help,
}

/// A list with a current row.
#[derive(Debug)]
pub(crate) struct List<T> {
    pub rows: Vec<T>,
    pub at: usize,
    pub total: i64,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), at: 0, total: 0 }
    }
}

impl<T> List<T> {
    pub(crate) fn current(&self) -> Option<&T> {
        self.rows.get(self.at)
    }

    fn step(&mut self, by: i64) {
        self.at = self.at.saturating_add_signed(by as isize).min(self.rows.len().saturating_sub(1));
    }
}

/// The state of the terminal. Keys, replies and changes go in, requests come out.
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct App {
    pub(crate) theme: Theme,
    pub(crate) zone: TimeZone,
    pub(crate) screen: Screen,
    /// The screens below it, the last on top.
    below: Vec<Screen>,
    pub(crate) query: ListSessions,
    pub(crate) sessions: List<Session>,
    pub(crate) is_listed: bool,
    pub(crate) sought: SearchQuery,
    pub(crate) hits: List<Hit>,
    pub(crate) transcript: Option<Transcript>,
    pub(crate) review: Option<Review>,
    /// The open input: a filter, a search, or a message to the agent.
    pub(crate) typing: Option<Typing>,
    /// Messages that were begun, by session.
    drafts: HashMap<String, Field>,
    /// Texts that didn't get through, with their ids: the same text again is the same message.
    unsent: HashMap<String, (String, String)>,
    /// First key of two.
    first: Option<String>,
    pub(crate) has_rail: bool,
    pub(crate) has_panel: bool,
    /// Lines to skip of the list of keys.
    pub(crate) help_top: usize,
    /// The line at the bottom: what was refused, or done.
    pub(crate) notice: Option<String>,
    /// The list has changed.
    is_list_stale: bool,
    /// Messages of the open session that have changed, as a range.
    stale: Option<(i64, i64)>,
    is_header_stale: bool,
    is_over: bool,
}

/// Purpose of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typing {
    Filter(Field),
    Search(Field),
    /// In one session, by our id.
    Find(Field, String),
    Message(Field),
}

impl App {
    /// Begins with the list of sessions. Times are in `zone`.
    pub fn new(theme: Theme, zone: TimeZone) -> Self {
        Self {
            theme,
            zone,
            screen: Screen::Sessions,
            below: Vec::new(),
            query: ListSessions { limit: Some(LISTED), ..ListSessions::default() },
            sessions: List::default(),
            is_listed: false,
            sought: SearchQuery::default(),
            hits: List::default(),
            transcript: None,
            review: None,
            typing: None,
            drafts: HashMap::new(),
            unsent: HashMap::new(),
            first: None,
            has_rail: true,
            has_panel: true,
            help_top: 0,
            notice: None,
            is_list_stale: false,
            stale: None,
            is_header_stale: false,
            is_over: false,
        }
    }

    /// Returns the first requests.
    pub fn begin(&self, session: Option<&str>) -> Vec<Ask> {
        let open = session.map(|session| self.open(session, None));
        [Ask::Sessions(self.query.clone())].into_iter().chain(open).collect()
    }

    /// Returns whether the person left.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns whether something changed that [`App::refresh`] would ask for.
    pub fn is_stale(&self) -> bool {
        let is_paused = self.transcript.as_ref().is_some_and(|transcript| transcript.is_paused);
        self.is_list_stale || !is_paused && (self.is_header_stale || self.stale.is_some())
    }

    /// Asks for what changed since it was read, together.
    pub fn refresh(&mut self) -> Vec<Ask> {
        let mut asks = Vec::new();
        if std::mem::take(&mut self.is_list_stale) {
            asks.push(Ask::Sessions(self.query.clone()));
        }
        let Some(transcript) = self.transcript.as_ref().filter(|transcript| !transcript.is_paused) else { return asks };
        if std::mem::take(&mut self.is_header_stale) {
            asks.push(Ask::Header(transcript.id().to_owned()));
        }
        if let Some((from, to)) = self.stale.take() {
            // Rows further back than a page are read when the reader reaches them.
            let from = from.max(to - 400);
            let query = ListMessages { from: Some(from), to: Some(to), limit: None, ..transcript.query() };
            asks.push(Ask::Messages { session: transcript.id().to_owned(), query });
        }
        asks
    }

    /// Takes a change of the event stream.
    pub fn changed(&mut self, change: &FeedEvent) {
        self.is_list_stale = true;
        let is_open = |transcript: &&Transcript| [transcript.id(), ALL_SESSIONS].contains(&change.session.as_str());
        let Some(transcript) = self.transcript.as_ref().filter(is_open) else { return };
        self.is_header_stale = true;
        if change.kind == FeedKind::Session || change.to_seq < transcript.first() {
            return;
        }
        let from = change.from_seq.max(transcript.first());
        self.stale = Some(match self.stale {
            None => (from, change.to_seq),
            Some((first, last)) => (first.min(from), last.max(change.to_seq)),
        });
    }

    /// Reads everything anew, as after the database was put back to an earlier state.
    pub fn restart(&self) -> Vec<Ask> {
        self.begin(self.transcript.as_ref().map(Transcript::id))
    }

    /// Says something in the line at the bottom.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.notice = Some(text.into());
    }

    fn open(&self, session: &str, at: Option<i64>) -> Ask {
        let is_dev = self.transcript.as_ref().is_some_and(|transcript| transcript.is_dev);
        let (dev, limit) = (is_dev.then_some(1), Some(crate::transcript::PAGE));
        Ask::Open {
            session: session.to_owned(),
            query: ListMessages { around: at, dev, limit, ..ListMessages::default() },
        }
    }

    /// Takes a reply.
    pub fn told(&mut self, told: Told) -> Vec<Ask> {
        match told {
            Told::Sessions(query, page) if query == self.query => {
                let id = self.sessions.current().map(|session| session.id.clone());
                let at = page.sessions.iter().position(|session| Some(&session.id) == id.as_ref()).unwrap_or(0);
                self.sessions = List { at, total: page.total, rows: page.sessions };
                self.is_listed = true;
            }
            Told::Opened(detail, todos, page, at) => {
                if self.screen != Screen::Transcript {
                    self.show(Screen::Transcript);
                }
                self.stale = None;
                let is_dev = self.transcript.as_ref().is_some_and(|transcript| transcript.is_dev);
                self.transcript = Some(Transcript::new(*detail, todos, page, at, is_dev));
            }
            Told::Messages(session, page) => self.take(&session, page),
            Told::Header(detail, todos) => {
                if let Some(transcript) =
                    self.transcript.as_mut().filter(|open| open.id() == detail.session.id.as_str())
                {
                    if transcript.detail.assistant != detail.assistant {
                        transcript.draw_anew();
                    }
                    transcript.detail = *detail;
                    transcript.todos = todos;
                }
            }
            Told::Said(None) => self.tell("Sent: the agent gets it with its next call"),
            Told::Said(Some(problem)) => {
                self.tell(format!("Sent for its next call: {}", crate::visible::line(&problem.to_string(), 200)));
            }
            Told::Decided(message, decided) => {
                let summary = crate::visible::line(&decided.action.summary, 120);
                let is_closed = Closed::of(&decided.approval.message.draft).is_some();
                self.tell(if is_closed { summary } else { format!("Decided: {summary}") });
                if self.review.as_ref().is_some_and(|review| review.entry.message.draft.id.as_str() == message) {
                    self.leave_review();
                }
            }
            Told::Saved(names) => self.tell(format!("Saved here: {}", crate::visible::line(&names.join(", "), 200))),
            Told::Found(query, page) if query == self.sought => {
                self.hits = List { at: 0, total: page.total, rows: page.hits };
            }
            Told::Refused(ask, problem) => self.refused(*ask, &problem),
            // Replies to what is no longer asked.
            Told::Sessions(..) | Told::Found(..) => {}
        }
        Vec::new()
    }

    fn take(&mut self, session: &str, page: MessagePage) {
        let Some(transcript) = self.transcript.as_mut().filter(|open| open.id() == session) else { return };
        let read = self.review.as_ref().map(|review| (review.entry.message.seq, review.entry.message.revision));
        transcript.add(page);
        // The request that is being decided has changed: it is read again, or closed.
        if let Some((seq, revision)) = read
            && let Some(entry) = transcript.message(seq).filter(|entry| entry.message.revision != revision)
        {
            let anew = Review::of(session, entry);
            let is_over = anew.is_none();
            let before = self.review.take();
            self.review = anew.map(|mut review| {
                if let Some(before) = before {
                    review.take_over(before);
                }
                review
            });
            if is_over {
                self.leave_review();
                self.tell("It was decided, or taken back");
            } else {
                self.tell("What it asks about has changed: read it again");
            }
        }
    }

    fn refused(&mut self, ask: Ask, problem: &Problem) {
        let text = crate::visible::line(&problem.to_string(), 300);
        match ask {
            Ask::Say { session, text: said, id, .. } => {
                self.unsent.insert(session.clone(), (said.clone(), id));
                // Nothing that was written is lost.
                let mut field = Field::default();
                field.insert(&said);
                self.drafts.insert(session, field);
                self.tell(format!("Not sent, r has your text: {text}"));
            }
            Ask::Decide { .. } => {
                if let Some(review) = &mut self.review {
                    review.is_sent = false;
                    review.problem = Some(text.clone());
                }
                self.stale = self.review.as_ref().map(|review| (review.entry.message.seq, review.entry.message.seq));
                self.tell(text);
            }
            _ => self.tell(text),
        }
    }

    pub(crate) fn show(&mut self, screen: Screen) {
        self.below.push(self.screen);
        self.screen = screen;
    }

    fn back(&mut self) {
        self.screen = self.below.pop().unwrap_or(Screen::Sessions);
    }

    fn leave_review(&mut self) {
        self.review = None;
        if self.screen == Screen::Review {
            self.back();
        }
    }

    /// Takes a paste.
    pub fn pasted(&mut self, text: &str) {
        if let Some(Typing::Filter(field) | Typing::Search(field) | Typing::Find(field, _)) = &mut self.typing {
            field.insert(&text.replace(['\n', '\r'], " "));
        } else if let Some(Typing::Message(field)) = &mut self.typing {
            field.insert(text);
        } else if let Some(review) = self.review.as_mut().filter(|review| review.is_typing) {
            review.paste(text);
        }
    }

    /// Takes a key.
    pub fn pressed(&mut self, key: KeyEvent) -> Vec<Ask> {
        if self.typing.is_some() {
            return self.typed(key);
        }
        if let Some(review) = self.review.as_mut().filter(|review| review.is_typing) {
            return review.typed(key).into_iter().collect();
        }
        let Some(name) = name(key) else { return Vec::new() };
        self.notice = None;
        let first = self.first.take();
        let groups: &[Group] = match self.screen {
            Screen::Transcript => &[Group::Transcript, Group::Lists, Group::Everywhere],
            Screen::Review => &[Group::Review, Group::Lists, Group::Everywhere],
            Screen::Sessions | Screen::Search | Screen::Help => &[Group::Lists, Group::Everywhere],
        };
        match meaning(first.as_deref(), &name, groups) {
            Meaning::Runs(command) => self.run(command),
            Meaning::Begins => {
                self.first = Some(name);
                Vec::new()
            }
            Meaning::Nothing => {
                if let (Some(review), Ok(number)) = (&mut self.review, name.parse::<usize>())
                    && self.screen == Screen::Review
                {
                    review.pick(number);
                }
                Vec::new()
            }
        }
    }

    fn list(&mut self, show: Option<SessionShow>, words: Option<String>) -> Vec<Ask> {
        self.query = ListSessions { show, q: words, limit: Some(LISTED), ..ListSessions::default() };
        self.screen = Screen::Sessions;
        self.below.clear();
        self.sessions.at = 0;
        vec![Ask::Sessions(self.query.clone())]
    }
}

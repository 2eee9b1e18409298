//! Keyboard commands.

use super::{App, Screen, Typing};
use crate::ask::Ask;
use crate::compose::{Field, Typed};
use crate::keys::Command;
use crate::review::Review;
use crate::transcript::{Kind, Transcript, Way};
use api::messages::ListMessages;
use api::search::SearchQuery;
use api::sessions::SessionShow;
use crossterm::event::KeyEvent;

/// Rows of a list that a page has.
const ROWS: i64 = 10;

impl App {
    pub(super) fn run(&mut self, command: Command) -> Vec<Ask> {
        match command {
            Command::Quit => self.is_over = true,
            Command::Back => self.leave(),
            Command::Help => {
                self.help_top = 0;
                self.show(Screen::Help);
            }
            Command::Sessions => return self.list(None, None),
            Command::NeedsYou => return self.list(Some(SessionShow::NeedsYou), None),
            Command::Search if self.screen == Screen::Sessions => {
                let mut field = Field::default();
                field.insert(self.query.q.as_deref().unwrap_or_default());
                self.typing = Some(Typing::Filter(field));
            }
            Command::Search => self.typing = Some(Typing::Search(Field::default())),
            Command::FindHere => {
                let session = self.transcript.as_ref().map(|transcript| transcript.id().to_owned());
                self.typing = session.map(|session| Typing::Find(Field::default(), session));
            }
            Command::Open => return self.open_current(),
            Command::Next => return self.moved(Way::Down, 1),
            Command::Previous => return self.moved(Way::Up, 1),
            Command::PageDown => return self.moved(Way::Down, ROWS),
            Command::PageUp => return self.moved(Way::Up, ROWS),
            Command::Beginning => return self.gone(Way::Up),
            Command::End => return self.gone(Way::Down),
            Command::AllowOnce | Command::AllowAlways | Command::Deny | Command::Dismiss | Command::SendAnswer => {
                return self.review.as_mut().and_then(|review| review.decide(command)).into_iter().collect();
            }
            Command::Answer => {
                if let Some(review) = &mut self.review {
                    review.answer();
                }
            }
            Command::NextField | Command::PreviousField => {
                if let Some(review) = &mut self.review {
                    review.form.step(if command == Command::NextField { 1 } else { -1 });
                }
            }
            Command::Approve => self.read_request(),
            Command::Rail => self.has_rail = !self.has_rail,
            Command::Panel => self.has_panel = !self.has_panel,
            _ => return self.in_transcript(command),
        }
        Vec::new()
    }

    fn in_transcript(&mut self, command: Command) -> Vec<Ask> {
        let Some(transcript) = &mut self.transcript else { return Vec::new() };
        match command {
            Command::Unfold => transcript.fold(),
            Command::UnfoldAll => transcript.fold_all(),
            Command::NextTrouble => self.jump(Way::Down, Kind::Trouble, "No further error or approval"),
            Command::PreviousTrouble => self.jump(Way::Up, Kind::Trouble, "No earlier error or approval here"),
            Command::NextPrompt => self.jump(Way::Down, Kind::Prompt, "No further prompt"),
            Command::PreviousPrompt => self.jump(Way::Up, Kind::Prompt, "No earlier prompt here"),
            Command::Write => {
                let draft = self.drafts.remove(transcript.id()).unwrap_or_default();
                self.typing = Some(Typing::Message(draft));
            }
            Command::Save => {
                let files = transcript.files();
                if !files.is_empty() {
                    return vec![Ask::Save(files)];
                }
                self.tell("No file here that could be saved");
            }
            Command::Pause => {
                transcript.is_paused = !transcript.is_paused;
                let words = if transcript.is_paused { "Paused: g p goes on" } else { "Going on" };
                self.tell(words);
            }
            Command::Dev => {
                transcript.is_dev = !transcript.is_dev;
                let (id, at) = (transcript.id().to_owned(), transcript.at());
                return vec![self.open(&id, at)];
            }
            _ => {}
        }
        self.before().into_iter().collect()
    }

    fn jump(&mut self, way: Way, kind: Kind, none: &str) {
        if !self.transcript.as_mut().is_some_and(|transcript| transcript.step(way, kind)) {
            self.tell(none);
        }
    }

    fn leave(&mut self) {
        if self.screen == Screen::Sessions && self.query.q.is_none() && self.query.show.is_none() {
            self.tell("Ctrl c leaves");
        } else if self.screen == Screen::Review {
            self.leave_review();
        } else if self.screen == Screen::Sessions {
            self.query.q = None;
            self.query.show = None;
            self.is_list_stale = true;
        } else {
            self.back();
        }
    }

    fn read_request(&mut self) {
        let Some(transcript) = &self.transcript else { return };
        let review = transcript.open_request().and_then(|entry| Review::of(transcript.id(), entry));
        match review {
            Some(review) => {
                self.review = Some(review);
                self.show(Screen::Review);
            }
            None => self.tell("Nothing here waits for a decision"),
        }
    }

    fn open_current(&mut self) -> Vec<Ask> {
        match self.screen {
            Screen::Sessions => {
                let id = self.sessions.current().map(|session| session.id.to_string());
                id.map(|id| self.open(&id, None)).into_iter().collect()
            }
            Screen::Search => {
                let hit = self.hits.current().map(|hit| (hit.session_id.clone(), hit.seq));
                hit.map(|(session, seq)| self.open(&session, Some(seq))).into_iter().collect()
            }
            Screen::Transcript => {
                self.transcript.iter_mut().for_each(Transcript::fold);
                Vec::new()
            }
            Screen::Help | Screen::Review => Vec::new(),
        }
    }

    fn moved(&mut self, way: Way, by: i64) -> Vec<Ask> {
        let rows = if way == Way::Down { by } else { -by };
        match self.screen {
            Screen::Sessions => self.sessions.step(rows),
            Screen::Search => self.hits.step(rows),
            Screen::Help => self.help_top = self.help_top.saturating_add_signed(rows as isize),
            Screen::Review => {
                if let Some(review) = &mut self.review {
                    let lines = if by > 1 { review.page_height() * rows.signum() } else { rows };
                    review.scroll(lines);
                }
            }
            Screen::Transcript => {
                if let Some(transcript) = &mut self.transcript {
                    if by > 1 {
                        transcript.page(way);
                    } else {
                        transcript.step(way, Kind::Any);
                    }
                }
                return self.before().into_iter().collect();
            }
        }
        Vec::new()
    }

    fn gone(&mut self, way: Way) -> Vec<Ask> {
        const FAR: i64 = 1_000_000;
        match self.screen {
            Screen::Transcript => {
                self.transcript.iter_mut().for_each(|transcript| transcript.go(way));
                return self.before().into_iter().collect();
            }
            // The end of a request is reached line by line.
            Screen::Review => {}
            _ => return self.moved(way, FAR),
        }
        Vec::new()
    }

    /// The messages before the first that is there, once the reader is near it.
    fn before(&mut self) -> Option<Ask> {
        let transcript = self.transcript.as_mut()?;
        let first = transcript.first();
        let near = transcript.current().is_none_or(|entry| entry.message.seq < first + 5);
        if !near || first <= 1 || transcript.is_asked_before {
            return None;
        }
        transcript.is_asked_before = true;
        let query = ListMessages { before: Some(first), ..transcript.query() };
        Some(Ask::Messages { session: transcript.id().to_owned(), query })
    }

    pub(super) fn typed(&mut self, key: KeyEvent) -> Vec<Ask> {
        let Some(mut typing) = self.typing.take() else { return Vec::new() };
        let (Typing::Filter(field) | Typing::Search(field) | Typing::Find(field, _) | Typing::Message(field)) =
            &mut typing;
        let typed = field.key(key);
        match (typed, typing) {
            (Typed::Text, typing) => self.typing = Some(typing),
            (Typed::Leave, Typing::Message(field)) => {
                let id = self.transcript.as_ref().map(|transcript| transcript.id().to_owned());
                if !field.text().is_empty() {
                    self.drafts.extend(id.map(|id| (id, field)));
                }
            }
            (Typed::Leave, _) => {}
            (_, Typing::Filter(field)) => {
                let words = field.text().trim().to_owned();
                return self.list(self.query.show, (!words.is_empty()).then_some(words));
            }
            (_, Typing::Search(field)) => return self.search(&field, None),
            (_, Typing::Find(field, session)) => return self.search(&field, Some(session)),
            (typed, Typing::Message(field)) => return self.say(&field, typed == Typed::Steer),
        }
        Vec::new()
    }

    fn search(&mut self, field: &Field, session: Option<String>) -> Vec<Ask> {
        let words = field.text().trim().to_owned();
        if words.is_empty() {
            return Vec::new();
        }
        self.sought = SearchQuery { q: words, session, limit: Some(super::LISTED), ..SearchQuery::default() };
        self.hits = super::List::default();
        if self.screen != Screen::Search {
            self.show(Screen::Search);
        }
        vec![Ask::Search(self.sought.clone())]
    }

    fn say(&mut self, field: &Field, steer: bool) -> Vec<Ask> {
        let text = field.text().trim_end().to_owned();
        let Some(transcript) = self.transcript.as_ref().filter(|_| !model::text::is_blank(&text)) else {
            return Vec::new();
        };
        let session = transcript.id().to_owned();
        let again = self.unsent.remove(&session).filter(|(unsent, _)| *unsent == text);
        let id = again.map_or_else(|| uuid::Uuid::now_v7().to_string(), |(_, id)| id);
        vec![Ask::Say { session, text, id, steer }]
    }
}

//! The list of the palette: sessions, commands and files, best match first.

mod commands;
mod fuzzy;

use crate::clock::Clock;
use crate::icon::{self, Glyph, IconStyle};
use crate::names::{project_name, title};
use crate::shared::palette::{Does, Found, Group};
use crate::shared::{message_href, session_href};
use crate::shell::StateLook;
use api::people::PersonRole;
use api::sessions::Facet;
use fuzzy::{Match, Search};
use model::Session;

/// Rows of a kind: among others, and alone.
const FEW: usize = 7;
const MANY: usize = 40;

pub struct Palette {
    /// As typed: words, after `>`, `#` or `@` where only one kind is meant.
    pub query: Query,
    /// Latest first.
    pub sessions: Vec<Session>,
    pub files: Vec<FileRef>,
    /// Those of all sessions.
    pub projects: Vec<Facet>,
    /// The session on whose page it is opened.
    pub session: Option<String>,
    /// True if it is opened on the changes page.
    pub in_changes: bool,
    /// Ids of commands that need something of the page which it has.
    pub can: Vec<String>,
    pub changed_keys: Vec<(String, String)>,
    /// The role of whoever looks.
    pub role: PersonRole,
    pub clock: Clock,
}

/// A file that a session changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef {
    pub path: String,
    pub session: String,
    pub title: String,
    /// `seq` of the last edit.
    pub seq: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sessions,
    Commands,
    Files,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub words: String,
    /// All kinds if absent.
    pub kind: Option<Kind>,
}

impl Query {
    pub fn read(typed: &str) -> Self {
        let typed = typed.trim_start();
        let of = |kind, words: &str| Self { words: words.trim().to_owned(), kind: Some(kind) };
        match typed.split_at_checked(1) {
            Some(("#", words)) => of(Kind::Sessions, words),
            Some((">", words)) => of(Kind::Commands, words),
            Some(("@", words)) => of(Kind::Files, words),
            _ => Self { words: typed.trim().to_owned(), kind: None },
        }
    }

    pub fn wants(&self, kind: Kind) -> bool {
        self.kind.is_none_or(|only| only == kind)
    }

    fn limit(&self) -> usize {
        if self.kind.is_some() { MANY } else { FEW }
    }
}

/// The options by kind, best match first.
pub fn list(data: &Palette) -> Vec<Group> {
    let mut kinds = [("Sessions", sessions(data)), ("Commands", commands::options(data)), ("Files", files(data))];
    // The best match comes first, whatever it is: stable, so that without words nothing changes.
    kinds.sort_by_key(|(_, found)| std::cmp::Reverse(found.first().map(|found| found.score)));
    let all = kinds.into_iter().chain([("Everywhere", everywhere(data))]);
    let group = |(heading, options): (&str, Vec<Found>)| Group { heading: heading.to_owned(), options };
    all.filter(|(_, found)| !found.is_empty()).map(group).collect()
}

/// An option with no more than its icon and words.
fn found(glyph: Glyph, words: &Match, does: Does) -> Found {
    Found {
        score: words.score,
        icon: icon::markup(glyph, IconStyle::default()),
        state: None,
        words: words.pieces().collect(),
        folder: None,
        beside: String::new(),
        when: None,
        keys: Vec::new(),
        does,
    }
}

/// The best of them; without words the first ones.
fn best<T>(
    query: &Query,
    all: impl IntoIterator<Item = T>,
    fits: impl Fn(&mut Search, &T) -> Option<Match>,
) -> Vec<(Match, T)> {
    let mut search = Search::new(&query.words);
    let mut found: Vec<(Match, T)> = all.into_iter().filter_map(|one| Some((fits(&mut search, &one)?, one))).collect();
    // Stable: of equals, the one that came first.
    found.sort_by_key(|(fits, _)| std::cmp::Reverse(fits.score));
    found.truncate(query.limit());
    found
}

fn sessions(data: &Palette) -> Vec<Found> {
    if !data.query.wants(Kind::Sessions) {
        return Vec::new();
    }
    best(&data.query, &data.sessions, |search, session| search.text(&title(&session.title)))
        .into_iter()
        .map(|(words, session)| {
            let state = StateLook::of(session.state);
            Found {
                state: Some(state.tag.to_owned()),
                beside: project_name(&session.project, &data.projects),
                when: Some(data.clock.short(session.last_activity_at)),
                ..found(state.icon, &words, Does::Go(session_href(session.id.as_str())))
            }
        })
        .collect()
}

fn files(data: &Palette) -> Vec<Found> {
    if !data.query.wants(Kind::Files) || (data.query.kind.is_none() && data.query.words.is_empty()) {
        return Vec::new();
    }
    best(&data.query, &data.files, |search, file| search.path(&file.path))
        .into_iter()
        .map(|(path, file)| {
            let (folder, words) = path.of_path();
            Found {
                folder: Some(folder.pieces().collect()),
                beside: title(&file.title),
                ..found(Glyph::FILE, &words, Does::Go(message_href(&file.session, file.seq)))
            }
        })
        .collect()
}

fn everywhere(data: &Palette) -> Vec<Found> {
    let is_for_files = data.query.kind == Some(Kind::Files);
    if data.query.words.is_empty() || data.query.kind.is_some() && !is_for_files {
        return Vec::new();
    }
    let words = &data.query.words;
    let (what, page) = if is_for_files { ("all changed files", "/files?path") } else { ("all history", "/search?q") };
    let label = Match::plain(&format!("Search {what} for \u{201c}{words}\u{201d}"));
    vec![found(Glyph::SEARCH, &label, Does::Go(format!("{page}={}", api::endpoint::segment(words))))]
}

#[cfg(test)]
mod tests {
    use super::{Kind, Query};

    #[test]
    fn the_first_sign_says_the_kind() {
        let read = |typed: &str| {
            let query = Query::read(typed);
            (query.words, query.kind)
        };
        assert_eq!(read(" log in"), ("log in".to_owned(), None));
        assert_eq!(read("#log"), ("log".to_owned(), Some(Kind::Sessions)));
        assert_eq!(read("> theme"), ("theme".to_owned(), Some(Kind::Commands)));
        assert_eq!(read("@"), (String::new(), Some(Kind::Files)));
        assert_eq!(read("é"), ("é".to_owned(), None));
    }
}

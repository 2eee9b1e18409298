//! The list of the palette: sessions, commands and files, best match first.

mod commands;
mod fuzzy;

use crate::clock::Clock;
use crate::icon::Glyph;
use crate::names::{project_name, title};
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::{message_href, session_href};
use crate::shell::{StateLook, icon};
use api::sessions::Facet;
use fuzzy::{Match, Search};
use leptos::prelude::*;
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

/// The inner HTML of the list.
pub fn list(data: &Palette) -> String {
    render(|| {
        let mut count = 0;
        let mut groups = [("Sessions", sessions(data)), ("Commands", commands::options(data)), ("Files", files(data))];
        // The best match comes first, whatever it is: stable, so that without words nothing changes.
        groups.sort_by_key(|(_, found)| std::cmp::Reverse(found.first().map(|found| found.words.score)));
        let groups = groups.map(|(heading, found)| group(heading, found, &mut count));
        let everywhere = group("Everywhere", everywhere(data), &mut count);
        let nothing = (count == 0).then(|| part! { <p class="cap none" role="presentation">"Nothing matches"</p> });
        part! { {Vec::from(groups)}{everywhere}{nothing} }
    })
}

/// Action and appearance of an option.
struct Found {
    glyph: Glyph,
    state: Option<&'static str>,
    words: Match,
    /// Folder of a file.
    folder: Option<Match>,
    beside: String,
    /// When it was last active, of a session.
    when: Option<String>,
    keys: String,
    does: Does,
}

enum Does {
    Go(String),
    /// A command of the table of keys.
    Run(&'static str),
    /// A choice of how pages look: `theme=dark`.
    Look(String),
}

fn group(heading: &str, found: Vec<Found>, count: &mut usize) -> Option<Part> {
    if found.is_empty() {
        return None;
    }
    let options: Vec<_> = found
        .into_iter()
        .map(|found| {
            *count += 1;
            option(found, *count)
        })
        .collect();
    Some(
        part! { <div role="group" aria-label=heading.to_owned()><p class="group-head" role="presentation">{heading.to_owned()}</p>{options}</div> },
    )
}

fn option(found: Found, number: usize) -> Part {
    let (href, command, look) = match found.does {
        Does::Go(href) => (Some(href), None, None),
        Does::Run(id) => (None, Some(id), None),
        Does::Look(look) => (None, None, Some(look)),
    };
    let keys = crate::shell::kbds(&found.keys);
    let folder = found.folder.map(|folder| part! { <span class="cap cut folder"><bdi>{folder.parts()}</bdi></span> });
    let beside =
        (!found.beside.is_empty()).then(|| part! { <span class="cap cut about-it" dir="auto">{found.beside}</span> });
    let when = found.when.map(|when| part! { <span class="cap num">{when}</span> });
    part! {
        <div role="option" id=format!("option-{number}") aria-selected="false" data-state=found.state data-href=href data-command=command data-look=look>
            {icon(found.glyph)}<span class="cut" dir="auto">{found.words.parts()}</span>{folder}{beside}{when}" "{keys}
        </div>
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
                glyph: state.icon,
                state: Some(state.tag),
                words,
                folder: None,
                beside: project_name(&session.project, &data.projects),
                when: Some(data.clock.short(session.last_activity_at)),
                keys: String::new(),
                does: Does::Go(session_href(session.id.as_str())),
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
                glyph: Glyph::FILE,
                state: None,
                words,
                folder: Some(folder),
                beside: title(&file.title),
                when: None,
                keys: String::new(),
                does: Does::Go(message_href(&file.session, file.seq)),
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
    vec![Found {
        glyph: Glyph::SEARCH,
        state: None,
        folder: None,
        words: Match::plain(&format!("Search {what} for \u{201c}{words}\u{201d}")),
        beside: String::new(),
        when: None,
        keys: String::new(),
        does: Does::Go(format!("{page}={}", api::endpoint::segment(words))),
    }]
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

//! Commands of the palette: those of the table that apply to the page, places, and how pages look.

use super::{Kind, Palette, best, found};
use crate::icon::Glyph;
use crate::look::CHOICES;
use crate::shared::keymap::{COMMANDS, Entry, When, alternatives, keys_of, readable};
use crate::shared::page_path;
use crate::shared::palette::{Does, Found};
use crate::shared::session_href;
use crate::shell::places::PLACES;
use api::Route as _;
use api::contract::ExportSession;

struct Line {
    glyph: Glyph,
    words: String,
    keys: Vec<String>,
    does: Does,
}

/// Pages that are neither in the rail nor opened by a command.
const FURTHER: [(&str, Glyph, &str); 3] = [
    ("Archived sessions", Glyph::ARCHIVE, "/sessions?show=archived"),
    ("Gallery of messages", Glyph::EYE, page_path::GALLERY),
    ("API reference", Glyph::BRACES, "/docs/api"),
];

pub fn options(data: &Palette) -> Vec<Found> {
    if !data.query.wants(Kind::Commands) {
        return Vec::new();
    }
    let keyed = COMMANDS.iter().filter(|entry| applies(entry, data)).map(|entry| Line {
        glyph: entry.glyph,
        words: entry.words.to_owned(),
        keys: alternatives(keys_of(entry, &data.changed_keys)).take(1).map(readable).collect(),
        does: Does::Run(entry.id.to_owned()),
    });
    let in_rail = PLACES
        .iter()
        .filter(|place| !place.has_command && place.role <= data.role)
        .map(|place| (place.title, place.glyph, place.path));
    let places = in_rail.chain(FURTHER).map(|(words, glyph, to)| (words, glyph, to.to_owned()));
    let places = places.chain(data.session.as_deref().into_iter().flat_map(written_out));
    let places =
        places.map(|(words, glyph, to)| Line { glyph, words: words.to_owned(), keys: Vec::new(), does: Does::Go(to) });
    let looks = CHOICES.iter().flat_map(|choice| {
        choice.values.iter().map(|(value, label)| Line {
            glyph: Glyph::SUN,
            words: format!("{}: {}", choice.label, label.to_lowercase()),
            keys: Vec::new(),
            does: Does::Look(choice.name.to_owned(), (*value).to_owned()),
        })
    });
    // Without words, how pages look would hide the rest.
    let looks = looks.filter(|_| !data.query.words.is_empty() || data.query.kind.is_some());
    best(&data.query, keyed.chain(places).chain(looks), |search, line| search.text(&line.words))
        .into_iter()
        .map(|(words, line)| Found { keys: line.keys, ..found(line.glyph, &words, line.does) })
        .collect()
}

/// The chips and the routing of the open session, and the session to print and as a file: the menu of its page has the
/// same.
fn written_out(session: &str) -> [(&'static str, Glyph, String); 10] {
    let export = |format: &str| format!("{}?format={format}", ExportSession.path([session]));
    [
        ("Filter messages", Glyph::FILTER, format!("{}?filter=1", session_href(session))),
        ("Routing of this session", Glyph::BRANCH, format!("{}/routing", session_href(session))),
        ("Printable page", Glyph::PRINT, format!("{}/print", session_href(session))),
        ("Export as HTML", Glyph::GLOBE, export("html")),
        ("Export as Markdown", Glyph::MARKDOWN, export("markdown")),
        ("Export as JSON", Glyph::BRACES, export("json")),
        ("Export as an archive", Glyph::ARCHIVE, export("jsonl")),
        ("Export without secrets", Glyph::EYE, format!("{}/redacted", session_href(session))),
        ("Share a read-only link", Glyph::LINK, format!("{}/share", session_href(session))),
        ("Erase a text", Glyph::KEY, format!("{}/erase", session_href(session))),
    ]
}

fn applies(entry: &Entry, data: &Palette) -> bool {
    match entry.when {
        When::Always => true,
        When::Key | When::Row | When::Card => false,
        When::Session | When::Transcript | When::Element(_) => data.session.is_some(),
        When::Target => data.can.iter().any(|id| id == entry.id),
        When::Changes => data.in_changes,
    }
}

//! Every message type in every state, as the transcript draws it: made-up messages, and the example of each type. It
//! helps to work on a component, to write a theme, or to declare a custom type.

mod around;
mod examples;

use crate::html::Html;
use crate::message_renderer::render_article;
use crate::part::{Part, part};
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData};
use crate::transcript::{self, Detail, TranscriptOptions, Verbosity};
use api::endpoint::segment;
use api::messages::{Display, Entry, HiddenRow, MessagePage};
use leptos::prelude::*;
use model::MessageType;
use std::sync::Arc;

pub use examples::{Example, Group, groups};

pub struct GalleryPage {
    /// Which group is shown, from 0. A page of all would be too long to look at.
    pub part: usize,
    pub dev: bool,
    pub verbosity: Verbosity,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &GalleryPage) -> String {
    let groups = groups(data.shell.clock.now);
    shell::page(&data.shell, || Frame {
        title: "Gallery",
        place: NavItem::Nowhere,
        skip: ("#gallery", "Skip to the messages"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data, &groups),
        layout: Layout::Main,
    })
}

fn content(data: &GalleryPage, groups: &[Group]) -> Part {
    // Behind the messages stands what is around them.
    let shown = data.part.min(groups.len());
    let titles = groups.iter().map(|group| group.title.as_str()).chain([around::TITLE]);
    let links: Vec<_> = titles.enumerate().map(|(at, title)| link(data, at, title, at == shown)).collect();
    let rows: Vec<_> = match groups.get(shown) {
        Some(group) => group.examples.iter().map(|one| row(data, one)).collect(),
        None => vec![around::around()],
    };
    let open = match data.verbosity {
        Verbosity::Verbose => ("Fold the cards", Verbosity::Normal),
        _ => ("Unfold the cards", Verbosity::Verbose),
    };
    let turns = match data.verbosity {
        Verbosity::Summary => ("Unfold the turns", Verbosity::Normal),
        _ => ("Fold the turns", Verbosity::Summary),
    };
    let fold_turns = address(shown, data.dev, turns.1);
    let fold = address(shown, data.dev, open.1);
    let dev = address(shown, !data.dev, data.verbosity);
    part! {
        <main class="main" id="main"><div class="scroll" tabindex="0">
            <div class="page narrow pagehead">
                <h1>"Gallery"</h1>
                <p>"Every message type in every state, as in a transcript, and the elements around messages. All of it is example data."</p>
                <nav class="gallery-nav" aria-label="Groups">{links}</nav>
                <p class="actions"><a class="btn" href=fold>{open.0}</a><a class="btn" href=fold_turns>{turns.0}</a><a class="btn" href=dev>{if data.dev { "Without the developer's lines" } else { "With the developer's lines" }}</a></p>
            </div>
            <div class="column gallery" id="gallery" tabindex="-1">{rows}</div>
        </div></main>
    }
}

fn address(part: usize, dev: bool, verbosity: Verbosity) -> String {
    format!("{}?part={part}&dev={}&view={}", page_path::GALLERY, u8::from(dev), segment(verbosity.as_str()))
}

fn link(data: &GalleryPage, at: usize, title: &str, here: bool) -> Part {
    let current = here.then_some("page");
    part! { <a class="chip" href=address(at, data.dev, data.verbosity) aria-current=current>{title.to_owned()}</a> }
}

fn row(data: &GalleryPage, example: &Example) -> Part {
    let Some(message) = example.entries.last().map(|entry| &entry.message) else {
        return part! { <section></section> };
    };
    let mut options = TranscriptOptions::new(message.session_id.clone(), message.seq, data.shell.clock.now);
    options.dev = data.dev;
    options.verbosity = data.verbosity;
    // There is no session from which a card could be drawn when it is unfolded.
    options.detail = Detail::Unfolded;
    options.answers = true;
    options.reviews = Arc::new(example.reviews.clone());
    let newest = example.entries.iter().rfind(|entry| entry.message_type == MessageType::Todo);
    options.texts = Arc::new(example.texts.clone());
    options.newest_todo = newest.map(|entry| entry.message.seq);
    let html = match example.entries.as_slice() {
        [entry] => render_article(entry, &options),
        entries => transcript::page(page_of(entries), &options),
    };
    let html = Html::rendered(html);
    part! { <section class="gallery-row"><h2 class="cap">{example.state.clone()}</h2>{html.into_view()}</section> }
}

fn page_of(entries: &[Entry]) -> MessagePage {
    let (hidden, messages): (Vec<_>, Vec<_>) = entries.iter().cloned().partition(|entry| entry.display == Display::Dev);
    let seq = |entry: Option<&Entry>| entry.map_or(0, |entry| entry.message.seq);
    let (from, to) = (seq(entries.first()), seq(entries.last()));
    let hidden = hidden.into_iter().map(HiddenRow::from).collect();
    MessagePage { messages, hidden, from, to, last_seq: to, cursor: String::new() }
}

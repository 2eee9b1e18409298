//! Writes `target/gallery.html`: every card in every state, in the project's own style, to be looked at.
//! Arguments: `dev` draws it with the dev toggle on, `light` or `dark` sets the theme.

use api::messages::{Display, Entry, HiddenRow, MessagePage};
use app::transcript::{self, TranscriptOptions};
use std::{env, fs, io, path::Path};

#[path = "../tests/support/gallery.rs"]
mod gallery;
#[path = "../tests/support/stylesheet.rs"]
mod stylesheet;

fn main() -> io::Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let says = |word: &str| words.iter().any(|said| said == word);
    let messages: Vec<Entry> = gallery::entries();
    let last = messages.last().map_or(0, |entry| entry.message.seq);
    let dev = says("dev");
    let mut options = TranscriptOptions::new(gallery::session(), last, gallery::NOW);
    options.dev = dev;
    options.newest_todo = messages.iter().find(|e| e.message.draft.id.as_str() == "todo").map(|e| e.message.seq);
    options.children = gallery::children();
    let (shown, hidden): (Vec<Entry>, Vec<Entry>) =
        messages.into_iter().partition(|e| dev || e.display != Display::Dev);
    let hidden = hidden.into_iter().map(HiddenRow::from).collect();
    let page = MessagePage { messages: shown, hidden, from: 1, to: last, last_seq: last, cursor: String::new() };
    let style = stylesheet::read(Path::new("style/main.css"))?;
    let theme = if says("dark") { "dark" } else { "light" };
    let rows = transcript::page(page, &options);
    let html = format!(
        "<!DOCTYPE html><html lang=\"en\" data-theme=\"{theme}\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Gallery</title><style>{style}</style></head><body><main class=\"main\">\
         <div class=\"column\" role=\"feed\">{rows}</div></main></body></html>"
    );
    fs::write("target/gallery.html", html)
}

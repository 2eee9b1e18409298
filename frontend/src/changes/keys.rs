//! What the keys of the changes page do.

use super::{cards, lines, page, store, walk};
use app::shared::keymap::Command;
use leptos::prelude::lazy;

/// Returns true if this is the changes page.
pub fn is_here() -> bool {
    store::root().is_some()
}

/// Runs a command of the changes page. Returns false on any other page.
pub fn run(command: Command) -> bool {
    let here = is_here();
    if here {
        wasm_bindgen_futures::spawn_local(run_in_changes(command));
    }
    here
}

/// Other pages never load what it needs.
#[lazy]
async fn run_in_changes(command: Command) {
    match command {
        Command::NextChange => walk::step(true),
        Command::PreviousChange => walk::step(false),
        Command::NextFile => walk::file(true),
        Command::PreviousFile => walk::file(false),
        Command::Unified => page::view("unified"),
        Command::Split => page::view("split"),
        Command::Wrap => page::turn("wrap"),
        Command::Spaces => page::turn("spaces"),
        Command::Comment => lines::comment(),
        Command::MoreLines => lines::extend(1),
        Command::FewerLines => lines::extend(-1),
        Command::Editor => {
            if let Some(card) = walk::current_file() {
                lines::open_in_editor(&card);
            }
        }
        Command::Viewed => viewed(),
        Command::InWords => {
            if let Some(card) = walk::current_file() {
                page::table(&card);
            }
        }
        _ => {}
    }
}

/// A file that was viewed gives way to the next one.
fn viewed() {
    let Some(card) = walk::current_file() else { return };
    let viewed = !cards::is_viewed(&card);
    cards::view(&card, viewed);
    if viewed {
        walk::file(true);
    }
}

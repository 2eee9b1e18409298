//! Keyboard commands of the changes page.

use super::{cards, change_steps, lines, page, store};
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
        Command::NextChange => change_steps::step(true),
        Command::PreviousChange => change_steps::step(false),
        Command::NextFile => change_steps::file(true),
        Command::PreviousFile => change_steps::file(false),
        Command::Unified => page::view("unified"),
        Command::Split => page::view("split"),
        Command::Wrap => page::turn("wrap"),
        Command::Spaces => page::turn("spaces"),
        Command::Comment => lines::comment(),
        Command::MoreLines => lines::extend(1),
        Command::FewerLines => lines::extend(-1),
        Command::Editor => {
            if let Some(card) = change_steps::current_file() {
                lines::open_in_editor(&card);
            }
        }
        Command::Viewed => viewed(),
        Command::InWords => {
            if let Some(card) = change_steps::current_file() {
                page::table(&card);
            }
        }
        _ => {}
    }
}

/// A file that was viewed gives way to the next one.
fn viewed() {
    let Some(card) = change_steps::current_file() else { return };
    let viewed = !cards::is_viewed(&card);
    cards::view(&card, viewed);
    if viewed {
        change_steps::file(true);
    }
}

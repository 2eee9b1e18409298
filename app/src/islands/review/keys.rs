//! What the keys of the changes page do.

use super::{cards, lines, page, store, walk};
use crate::islands::keys::table::Command;

/// Is this the changes page?
pub fn is_here() -> bool {
    store::root().is_some()
}

/// Says whether it makes sense here.
pub fn run(command: Command) -> bool {
    if !is_here() {
        return false;
    }
    match command {
        Command::NextChange => walk::step(true),
        Command::PreviousChange => walk::step(false),
        Command::NextFile => walk::file(true),
        Command::PreviousFile => walk::file(false),
        Command::Unified => page::view("unified"),
        Command::Split => page::view("split"),
        Command::Wrap => page::turn("wrap"),
        Command::Spaces => page::turn("spaces"),
        Command::Comment => return lines::comment(),
        Command::Viewed => match walk::current_file() {
            Some(card) => {
                let viewed = !store::is_viewed(&card);
                cards::view(&card, viewed);
                if viewed {
                    walk::file(true);
                }
            }
            None => return false,
        },
        Command::InWords => match walk::current_file() {
            Some(card) => page::table(&card),
            None => return false,
        },
        _ => return false,
    }
    true
}

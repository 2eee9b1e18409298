//! Targets of some commands: a composer, or an open request with the focus.

use app::browser::dom;
use app::shared::keymap::{COMMANDS, Command};
use web_sys::HtmlElement;

/// Returns the ids of the commands whose target is there, with commas between them.
pub fn possible() -> String {
    let has = COMMANDS.iter().filter(|entry| of(entry.command).is_some());
    has.map(|entry| entry.id).collect::<Vec<_>>().join(",")
}

/// Returns the composer's field, or the field or button of the open request that has the focus.
pub fn of(command: Command) -> Option<HtmlElement> {
    match command {
        Command::Write => dom::html(&dom::by_id("say").or_else(own_field)?).cloned(),
        Command::Approve => decision(".allow"),
        Command::ApproveAlways => decision(".always"),
        Command::Deny => decision(".deny"),
        _ => None,
    }
}

/// The field of a request in the inbox.
fn own_field() -> Option<web_sys::Element> {
    dom::find(&dom::active()?.closest("[data-ask]").ok().flatten()?, "textarea")
}

fn decision(button: &str) -> Option<HtmlElement> {
    let active = dom::active()?;
    let within = active.closest(".approval").ok().flatten();
    // A row that holds one open request, and that the keys walked to, is as good.
    let card = within
        .or_else(|| active.matches("article").ok().filter(|is| *is).and_then(|_| dom::find(&active, ".approval")));
    dom::html(&dom::find(&card?, &format!("form[data-decide] {button}"))?).cloned()
}

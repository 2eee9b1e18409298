//! Keyboard commands. `j` and `k` move through the rows of a list or the messages of a transcript.

use crate::{actions, changes, cursor, palette, panel, session_actions, sessions, targets, toasts, transcript};
use app::browser::dispatch::{UiAction, brings_field, enqueue};
use app::browser::page_state::page_state;
use app::browser::{dom, focus};
use app::shared::attr;
use app::shared::chords::{self, Chords, Pressed, is_modifier};
use app::shared::keymap::{self, Changed, Command, Entry, Group, When, hints};
use app::shared::latest::Latest;
use app::shared::page_action::PageAction;
use app::shared::page_path;
use app::shared::words::stepped;
use std::cell::RefCell;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// Milliseconds within which the second key of `g s` has to come.
const CHORD: i32 = 1_000;

thread_local! {
    static CHORDS: RefCell<Chords> = RefCell::default();
    /// The latest key: the time of an earlier one takes nothing from it.
    static PRESSED: Latest = const { Latest::new() };
}

pub fn start() {
    let of_app = |name: &str| dom::by_id("app").and_then(|app| app.get_attribute(name));
    configure(of_app(attr::SINGLE_KEYS).is_none(), &keymap::read(&of_app(attr::KEYS).unwrap_or_default()));
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "keydown", |event: KeyboardEvent| {
        if event.default_prevented() || event.alt_key() || event.is_composing() {
            return;
        }
        let key = event.key();
        if key == "Escape" {
            enqueue(UiAction::Escape);
            return;
        }
        let with_mod = event.ctrl_key() || event.meta_key();
        // Where Space does something already, as on a box to tick, it goes on doing that.
        if key == " " && !with_mod && on_control() {
            return;
        }
        let name = chords::name_of(&key, with_mod, event.shift_key(), dom::lower);
        // In a field, Ctrl+Z takes back what was typed.
        let theirs = dom::typing() && (!with_mod || name == "Mod+z");
        if theirs || scrolls(&name) || brings_field() || dialog_is_open() || is_modifier(&name) {
            return;
        }
        if press(&name) {
            event.prevent_default();
        }
    });
}

/// Returns true if it is a key that scrolls what has the focus, an input that is read before it is allowed.
fn scrolls(key: &str) -> bool {
    matches!(key, "Home" | "End" | "PageUp" | "PageDown" | "ArrowUp" | "ArrowDown" | "Space")
        && dom::active().is_some_and(|active| active.matches(".cmd.long").unwrap_or(false))
}

/// Takes over what the person prefers.
pub fn configure(single_keys: bool, changed: &Changed) {
    CHORDS.with_borrow_mut(|chords| chords.configure(single_keys, changed));
    if let Some(app) = dom::by_id("app").as_ref().and_then(dom::html) {
        let style = app.style();
        for (name, keys) in hints(single_keys, changed) {
            // Whoever changes one has the whole page styled anew, and the server has set them already.
            if style.get_property_value(name).is_ok_and(|now| now != keys) {
                let _ = style.set_property(name, &keys);
            }
        }
    }
}

/// Does what a key means. Returns true if it means anything.
fn press(key: &str) -> bool {
    let turn = PRESSED.with(Latest::begin);
    match CHORDS.with_borrow_mut(|chords| chords.press(key, changes::is_here())) {
        Pressed::Runs(entry) => run(entry),
        Pressed::Begins => {
            dom::after(CHORD, move || {
                if PRESSED.with(|pressed| pressed.is(turn)) {
                    CHORDS.with_borrow_mut(Chords::give_up);
                }
            });
            true
        }
        Pressed::Nothing => false,
    }
}

/// Runs a command, whose code may have to be loaded first. Returns false if it doesn't apply here.
fn run(entry: &Entry) -> bool {
    if let Some(done) = act_at_once(entry.command) {
        return done;
    }
    // The page of changes has a part of its own.
    if changes::is_here() && (entry.group == Group::Changes || entry.command == Command::Editor) {
        return changes::run(entry.command);
    }
    let applies = applies(entry);
    if applies {
        enqueue(UiAction::Command(entry.command));
    }
    applies
}

fn applies(entry: &Entry) -> bool {
    match entry.when {
        When::Always => true,
        When::Key if entry.command == Command::Undo => toasts::can_undo(),
        When::Key => sessions::can_peek(),
        When::Row | When::Session => transcript::is_here() || find("#main [data-row]").is_some(),
        When::Target => transcript::is_here() || dom::by_id("asks").is_some(),
        When::Transcript | When::Card => transcript::is_here(),
        When::Element(selector) => find(selector).is_some(),
        When::Changes => false,
    }
}

fn find(selector: &str) -> Option<Element> {
    dom::document()?.query_selector(selector).ok().flatten()
}

/// Where the next key goes is settled at once: to another row, or into a field. None for any other command.
fn act_at_once(command: Command) -> Option<bool> {
    match command {
        Command::Palette => palette::open(),
        Command::Find => find_on_page(),
        Command::FindHere => return Some(transcript::open_find()),
        Command::Next => return Some(walk(1)),
        Command::Previous => return Some(walk(-1)),
        Command::Write => return Some(write()),
        _ => return None,
    }
    Some(true)
}

/// Does what a command says. Returns true if it made sense.
pub fn act(command: Command) -> bool {
    match command {
        Command::Palette | Command::Find | Command::FindHere | Command::Next | Command::Previous | Command::Write => {
            return act_at_once(command).unwrap_or(false);
        }
        Command::Sessions => dom::go_to(page_path::SESSIONS),
        Command::NeedsYou => dom::go_to(page_path::INBOX),
        Command::NewSession => dom::go_to(page_path::NEW_SESSION),
        Command::History => dom::go_to(page_path::SEARCH),
        Command::Files => dom::go_to(page_path::FILES),
        Command::Statistics => dom::go_to(page_path::STATISTICS),
        Command::Settings => dom::go_to(page_path::SETTINGS),
        Command::LogOut => actions::ask_to_log_out(),
        Command::Help => actions::show_keys(),
        Command::Undo => return toasts::undo(),
        Command::NextPrompt => return transcript::step(transcript::Step::Prompts, 1),
        Command::PreviousPrompt => return transcript::step(transcript::Step::Prompts, -1),
        Command::NextTrouble => return transcript::step(transcript::Step::Trouble, 1),
        Command::PreviousTrouble => return transcript::step(transcript::Step::Trouble, -1),
        Command::Open => return open(),
        Command::Peek => return sessions::peek(),
        Command::Select => return session_actions::select_current(false),
        Command::SelectTo => return session_actions::select_current(true),
        Command::Menu => return session_actions::menu(),
        Command::Rename => return session_actions::act_on_current(PageAction::Rename),
        Command::Archive => return session_actions::act_on_current(PageAction::Archive),
        Command::Pin => return session_actions::act_on_current(PageAction::Pin),
        Command::Delete => return session_actions::act_on_current(PageAction::Delete),
        Command::Unfold => return unfold(),
        Command::UnfoldAll => return unfold_all(),
        Command::Approve | Command::ApproveAlways | Command::Deny => return decide(command),
        Command::Pause => return transcript::pause(),
        Command::Editor if changes::is_here() => return changes::run(command),
        Command::Editor => return actions::open_in_editor(),
        Command::Context => return actions::show_context(),
        Command::End => return transcript::to_end(),
        Command::Beginning => {
            transcript::to_beginning();
            return transcript::is_here();
        }
        Command::Dev => return turn_dev(),
        Command::Changes | Command::Panel => return click(command),
        Command::Rail => return toggle_rail(),
        Command::NextChange
        | Command::PreviousChange
        | Command::NextFile
        | Command::PreviousFile
        | Command::Viewed
        | Command::Comment
        | Command::MoreLines
        | Command::FewerLines
        | Command::Unified
        | Command::Split
        | Command::Wrap
        | Command::Spaces
        | Command::InWords => return changes::run(command),
    }
    true
}

fn on_control() -> bool {
    let active = dom::active();
    active.is_some_and(|active| active.matches("button, input, select, textarea, summary").unwrap_or(false))
}

fn dialog_is_open() -> bool {
    find("dialog[open]").is_some()
}

pub fn escape() {
    if panel::close_floating() || session_actions::deselect() {
        return;
    }
    if let Some(active) = dom::active().filter(|_| dom::typing())
        && let Some(active) = dom::html(&active)
    {
        let _ = active.blur();
    }
}

/// Clicks the element that a command needs; that of the changes is in the panel at the right.
fn click(command: Command) -> bool {
    let When::Element(selector) = command.entry().when else { return false };
    let Some(target) = find(selector) else { return false };
    if command == Command::Changes {
        panel::open();
    }
    dom::html(&target).map(HtmlElement::click).is_some()
}

/// Answers the request that has the focus, as its button would.
fn decide(command: Command) -> bool {
    let button = targets::of(command);
    if button.is_none() {
        dom::announce("No open request has the focus");
    }
    button.as_ref().map(HtmlElement::click).is_some()
}

fn toggle_rail() -> bool {
    dom::by_id("app").is_some_and(|app| app.class_list().toggle("no-rail").is_ok())
}

/// To the composer, or to the field of the request that has the focus.
fn write() -> bool {
    let field = targets::of(Command::Write);
    if field.is_none() && transcript::is_here() {
        dom::announce("This session takes no messages");
    }
    field.is_some_and(|field| field.focus().is_ok())
}

/// The field of this page, the find bar of a transcript, or the search page.
fn find_on_page() {
    // In the API reference an article has this name.
    match dom::by_id("find").filter(|found| found.tag_name() == "INPUT").as_ref().and_then(dom::html) {
        Some(field) => {
            let _ = field.focus();
        }
        None if transcript::is_here() => drop(transcript::open_find()),
        None => dom::go_to(page_path::SEARCH),
    }
}

fn turn_dev() -> bool {
    if dom::by_id("dev").is_none() {
        return false;
    }
    let dev = page_state().dev;
    let on = !dev.get();
    dom::remember_dev(on);
    dev.set(on);
    true
}

/// To the next or previous row. Where nothing is current, it begins with what is in view.
fn walk(step: i32) -> bool {
    if transcript::is_here() {
        return transcript::walk(step);
    }
    let Some(main) = dom::by_id("main") else { return false };
    // Folded rows are skipped.
    let rows = dom::find_all(&main, "[data-row]:not(details:not([open]) *)");
    let at = cursor::current().and_then(|current| rows.iter().position(|row| *row == current));
    let Some(row) = rows.get(stepped(at, step, rows.len())) else { return false };
    cursor::mark(row);
    // A request has the keys itself: they decide it.
    let link = dom::find(row, "a").filter(|_| !row.has_attribute(attr::ASK)).unwrap_or_else(|| row.clone());
    if let Some(link) = dom::html(&link) {
        let _ = link.focus();
    }
    true
}

fn open() -> bool {
    let Some(row) = cursor::current() else { return false };
    let link = if row.has_attribute("href") { Some(row.clone()) } else { dom::find(&row, "a[href], summary") };
    link.as_ref().and_then(dom::html).map(HtmlElement::click).is_some()
}

fn unfold() -> bool {
    let Some(details) = cursor::current().and_then(|row| dom::find(&row, "details")) else { return false };
    transcript::hold_current();
    let _ = details.toggle_attribute("open");
    focus::out_of_folds();
    true
}

/// All cards that are loaded: open, unless all are open already.
fn unfold_all() -> bool {
    let Some(column) = dom::by_id("transcript") else { return false };
    let cards = dom::find_all(&column, "article > details, article .card");
    let cards: Vec<_> = cards.into_iter().filter(|card| card.tag_name() == "DETAILS").collect();
    let open = cards.iter().any(|card| !card.has_attribute("open"));
    transcript::hold_current();
    for card in &cards {
        let _ = card.toggle_attribute_with_force("open", open);
    }
    focus::out_of_folds();
    !cards.is_empty()
}

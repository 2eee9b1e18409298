//! Actions on sessions: rename, pin, archive, delete; one or many, each with undo.
//!
//! A button's `data-action` is the action, and the nearest `data-session` its session; inside `#selection` it is for
//! all selected ones.

mod rename;
mod select;

use crate::{cursor, toasts, transcript};
use api::contract::EditSessionsEndpoint;
use api::{Method, Route as _};
use app::browser::dispatch::{UiAction, enqueue};
use app::browser::page_state::page_state;
use app::browser::toast::{self, Then, Undo};
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::page_action::PageAction;
use app::shared::page_path;
use leptos::prelude::lazy;
pub use rename::busy as renaming;
pub use select::{paint, select, select_current, select_to};
use serde_json::{Value, json};
use web_sys::{Element, MouseEvent};

/// A fact of some sessions that becomes true, or no longer is.
#[derive(Clone)]
pub struct Edit {
    sessions: Vec<String>,
    /// `archived`, `pinned` or `deleted`.
    fact: String,
    on: bool,
}

/// Text of the toast after an undo.
const TAKEN_BACK: &str = "Taken back";

impl Edit {
    fn body(&self, on: bool) -> Value {
        let mut body = json!({ "sessions": self.sessions });
        body[&self.fact] = on.into();
        body
    }

    /// The request that takes it back.
    fn undo(&self) -> Undo {
        Undo { method: Method::Patch, path: EditSessionsEndpoint.path([]), body: self.body(!self.on) }
    }

    /// Returns the request that undoes an action.
    fn of(undo: &Undo) -> Option<Self> {
        let ids = undo.body["sessions"].as_array()?;
        let (fact, on) = undo.body.as_object()?.iter().find_map(|(fact, on)| Some((fact.clone(), on.as_bool()?)))?;
        Some(Self { sessions: ids.iter().filter_map(|id| Some(id.as_str()?.to_owned())).collect(), fact, on })
    }
}

pub fn start() {
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "click", |event: MouseEvent| {
        if let Some(button) = dom::closest(&event, "[popovertarget=row-menu]") {
            enqueue(UiAction::OpenRowMenu(button));
        } else if let Some(tick) = dom::closest(&event, "#sessions input[data-select]") {
            enqueue(if event.shift_key() { UiAction::SelectTo(tick) } else { UiAction::Select(tick) });
        }
    });
}

/// Returns true if it is an action of sessions.
pub fn is_one(action: PageAction) -> bool {
    use PageAction::{Deselect, Rename, Select, SelectAll};
    matches!(action, Rename | Select | Deselect | SelectAll) || fact(action).is_some()
}

/// Runs an action of sessions. Returns false for any other action.
pub fn act(action: PageAction, button: &Element) -> bool {
    match action {
        PageAction::Rename => {
            if let Some(session) = sessions_of(button).pop() {
                rename::begin(&session);
            }
        }
        PageAction::Select => {
            for session in sessions_of(button) {
                select::toggle(&session);
            }
        }
        PageAction::Deselect => drop(deselect()),
        PageAction::SelectAll => select::all(),
        _ => {
            let Some((fact, on)) = fact(action) else { return false };
            begin(sessions_of(button), fact, on);
        }
    }
    true
}

fn fact(action: PageAction) -> Option<(&'static str, bool)> {
    Some(match action {
        PageAction::Archive => ("archived", true),
        PageAction::Unarchive => ("archived", false),
        PageAction::Pin => ("pinned", true),
        PageAction::Unpin => ("pinned", false),
        PageAction::Delete => ("deleted", true),
        _ => return None,
    })
}

/// The sessions that a button is about.
fn sessions_of(button: &Element) -> Vec<String> {
    if button.closest("#selection").ok().flatten().is_some() {
        return select::selected();
    }
    let one = button.closest("[data-session]").ok().flatten().and_then(|place| place.get_attribute(attr::SESSION));
    one.into_iter().filter(|id| !id.is_empty()).collect()
}

/// The one menu of all rows is about the row whose button opened it.
pub fn aim(button: &Element) {
    let (Some(menu), Ok(Some(row))) = (dom::by_id("row-menu"), button.closest("[data-row]")) else { return };
    for before in dom::document().map(|d| d.query_selector_all(".more[data-open]")).into_iter().flatten() {
        if let Some(before) = before.get(0).and_then(|node| wasm_bindgen::JsCast::dyn_into::<Element>(node).ok()) {
            let _ = before.remove_attribute(attr::OPEN);
        }
    }
    let _ = button.set_attribute(attr::OPEN, "");
    let _ = menu.set_attribute(attr::SESSION, &row.get_attribute(attr::ROW).unwrap_or_default());
    for name in [attr::PINNED, attr::ARCHIVED] {
        let _ = menu.toggle_attribute_with_force(name, row.has_attribute(name));
    }
    cursor::mark(&row);
}

pub fn close_menu(button: &Element) {
    if let Some(menu) = button.closest("[popover]").ok().flatten().as_ref().and_then(dom::html) {
        let _ = menu.hide_popover();
    }
}

/// Opens the menu of the current row, or of the page's session.
pub fn menu() -> bool {
    let row = cursor::current().and_then(|row| dom::find(&row, "[popovertarget=row-menu]"));
    let button = row.or_else(|| dom::by_id("main").and_then(|main| dom::find(&main, "[popovertarget=session-menu]")));
    match button.as_ref().and_then(dom::html) {
        Some(button) => {
            button.click();
            true
        }
        None => false,
    }
}

/// Does by a key what the menu's item does: to what is selected, else the current row, else the page's session. Twice
/// undoes it.
pub fn act_on_current(action: PageAction) -> bool {
    let selected = select::selected();
    let row = cursor::current().filter(|row| row.has_attribute(attr::ROW));
    let place = row.or_else(|| dom::by_id("session-menu"));
    let (sessions, state) = match (selected.is_empty(), place) {
        (false, place) => (selected, place),
        (true, Some(place)) => {
            let id = place.get_attribute(attr::ROW).or_else(|| place.get_attribute(attr::SESSION));
            (id.into_iter().collect(), Some(place))
        }
        (true, None) => return false,
    };
    let has = |name: &str| state.as_ref().is_some_and(|place| place.has_attribute(name));
    let action = match action {
        PageAction::Archive if has(attr::ARCHIVED) => PageAction::Unarchive,
        PageAction::Pin if has(attr::PINNED) => PageAction::Unpin,
        other => other,
    };
    let Some(first) = sessions.first() else { return false };
    match fact(action) {
        Some((fact, on)) => begin(sessions, fact, on),
        None => rename::begin(first),
    }
    true
}

/// Clears the selection. Returns true if anything was selected.
pub fn deselect() -> bool {
    select::clear()
}

fn begin(sessions: Vec<String>, fact: &str, on: bool) {
    if sessions.is_empty() {
        return;
    }
    let what = match sessions.len() {
        1 => "Session".to_owned(),
        n => format!("{n} sessions"),
    };
    let done = match (fact, on) {
        ("archived", true) => "archived",
        ("archived", false) => "taken out of the archive",
        ("pinned", true) => "pinned",
        ("pinned", false) => "no longer pinned",
        _ => "deleted",
    };
    let edit = Edit { sessions, fact: fact.to_owned(), on };
    send(Request::Edit { edit, words: format!("{what} {done}") });
}

/// Somebody deleted the session of this page.
pub fn say_deleted(session: String) {
    let edit = Edit { sessions: vec![session], fact: "deleted".to_owned(), on: true };
    toast::show("This session was deleted", Then::Undo(edit.undo()));
}

/// Takes back what an edit or a new title did.
pub fn take_back(undo: Undo) {
    let words = TAKEN_BACK.to_owned();
    if let Some(edit) = Edit::of(&undo) {
        send(Request::Edit { edit, words });
    } else if let Some(title) = undo.body["title"].as_str() {
        send(Request::RestoreTitle { path: undo.path, title: title.to_owned(), words });
    }
}

/// Requests to the server, in one lazily loaded part.
enum Request {
    /// `words` say what was done.
    Edit {
        edit: Edit,
        words: String,
    },
    Rename {
        session: String,
        title: String,
        before: String,
    },
    RestoreTitle {
        path: String,
        title: String,
        words: String,
    },
}

fn send(request: Request) {
    wasm_bindgen_futures::spawn_local(carry_out(request));
}

#[lazy]
async fn carry_out(request: Request) {
    match request {
        Request::Edit { edit, words } => save(edit, words).await,
        Request::Rename { session, title, before } => rename::save(session, title, before).await,
        Request::RestoreTitle { path, title, words } => rename::restore_title(path, title, words).await,
    }
}

/// Does it, says so, and offers the way back.
async fn save(edit: Edit, words: String) {
    if let Err(problem) = fragment::ask(EditSessionsEndpoint, [], edit.body(edit.on)).await {
        return toast::fail(&problem);
    }
    let gone = edit.fact == "deleted" && edit.on;
    // After an undo, the same button can redo the action.
    let can_go_back = words != TAKEN_BACK;
    if can_go_back {
        toasts::keep(&words, &edit.undo());
    }
    if gone && transcript::session().is_some_and(|id| edit.sessions.contains(&id)) {
        dom::go_to(page_path::SESSIONS);
    } else {
        toast::show(&words, if can_go_back { Then::Undo(edit.undo()) } else { Then::Nothing });
        changed(&edit);
    }
}

/// Shows what changed: in the menu that stays on the page, and in the list.
fn changed(edit: &Edit) {
    if let Some(menu) = dom::by_id("session-menu")
        && menu.get_attribute(attr::SESSION).is_some_and(|id| edit.sessions.contains(&id))
    {
        let _ = menu.toggle_attribute_with_force(&format!("data-{}", edit.fact), edit.on);
    }
    select::clear();
    page_state().edited();
}

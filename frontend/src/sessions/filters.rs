//! The sessions list follows its form and the event stream; the pages of search and statistics submit themselves.

use super::{held_pointer, recent, rows, views};
use crate::swap::swap;
use crate::{events, session_actions, times};
use api::Problem;
use app::browser::page_state::{now_and_then, page_state, whenever};
use app::browser::{dom, focus, fragment};
use app::shared::attr;
use app::shared::latest::Latest;
use app::shared::page_action::PageAction;
use app::shared::page_path;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, FormData, HtmlFormElement, UrlSearchParams};

/// Milliseconds without a key before a filter takes effect.
const PAUSE: i32 = 150;
/// Milliseconds between two refreshes that events cause.
const REFRESH: i32 = 1_000;

thread_local! {
    static ASKED: Latest = const { Latest::new() };
    /// The latest key.
    static TYPED: Latest = const { Latest::new() };
}

pub fn start() {
    if let Some(form) = dom::by_id("filters").and_then(|f| f.dyn_into::<HtmlFormElement>().ok()) {
        sessions(&form);
        rows::start();
        views::start();
    }
    for id in ["stats-filters", "files-filters"] {
        if let Some(form) = dom::by_id(id).and_then(|f| f.dyn_into::<HtmlFormElement>().ok()) {
            at_once(&form);
        }
    }
    if let Some(form) = dom::by_id("search").and_then(|f| f.dyn_into::<HtmlFormElement>().ok()) {
        search(&form);
        recent::start();
    }
}

/// Applies choices in the form immediately; typed text, and fields outside of the form, when they are submitted.
fn at_once(form: &HtmlFormElement) {
    without_empty_fields(form);
    let chosen = form.clone();
    dom::listen(form, "change", move |event: Event| {
        if dom::closest(&event, "select, input[type=date]").is_some() {
            let _ = chosen.request_submit();
        }
    });
}

/// Goes to the form's page with what its fields say.
fn without_empty_fields(form: &HtmlFormElement) {
    let submitted = form.clone();
    dom::listen(form, "submit", move |event: Event| {
        event.prevent_default();
        let (page, query) = (submitted.get_attribute("action").unwrap_or_default(), query_of(&submitted));
        dom::go_to(&if query.is_empty() { page } else { format!("{page}?{query}") });
    });
}

fn search(form: &HtmlFormElement) {
    without_empty_fields(form);
    let form = form.clone();
    if let Some(group) = dom::document().and_then(|d| d.query_selector("[data-auto=search]").ok().flatten()) {
        dom::listen(&group, "change", move |_: Event| {
            let _ = form.request_submit();
        });
    }
}

fn sessions(form: &HtmlFormElement) {
    // The fields are spread over header and bar: `main` holds all of them.
    let Some(main) = dom::by_id("main") else { return };
    let typed = form.clone();
    dom::listen(&main, "input", move |event: Event| {
        if dom::closest(&event, "#find").is_none() {
            return;
        }
        let turn = TYPED.with(Latest::begin);
        let form = typed.clone();
        dom::after(PAUSE, move || {
            if TYPED.with(|typed| typed.is(turn)) {
                show(query_of(&form));
            }
        });
    });
    let changed = form.clone();
    dom::listen(&main, "change", move |event: Event| {
        if dom::closest(&event, "[data-select], #save-view").is_some() {
            return;
        }
        if dom::closest(&event, "select[name=sort]").is_some() {
            // Headings and the direction beside it change with the order: a new page.
            dom::go_to(&address(&query_of(&changed)));
        } else if dom::closest(&event, "#find").is_none() {
            show(query_of(&changed));
        }
    });
    let submitted = form.clone();
    dom::listen(form, "submit", move |event: Event| {
        event.prevent_default();
        show(query_of(&submitted));
    });
    dom::listen(&main, "click", |event: web_sys::MouseEvent| {
        let link = match dom::action(&event) {
            Some((PageAction::ListAgain, _)) => return load(dom::query(), true),
            Some((PageAction::MoreSessions, link)) => link,
            _ => return,
        };
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            let href = link.get_attribute("href").unwrap_or_default();
            show(href.split_once('?').map_or_else(String::new, |(_, query)| query.to_owned()));
        }
    });
    if let Some(list) = dom::by_id("sessions") {
        held_pointer::watch(&list);
    }
    follow();
}

/// Redraws after changes of the workspace, at most once a second.
fn follow() {
    let state = page_state();
    now_and_then(REFRESH, [state.changes, state.imports], || show_quietly(dom::query()));
    whenever(&state.edited, || show_quietly(dom::query()));
}

fn show(query: String) {
    dom::replace_address(&address(&query));
    keep_links(&query);
    offer_to_clear(&query);
    load(query, true);
}

fn address(query: &str) -> String {
    if query.is_empty() { page_path::SESSIONS.to_owned() } else { format!("{}?{query}", page_path::SESSIONS) }
}

/// The link that clears the filters is there when there is one.
fn offer_to_clear(query: &str) {
    let (Some(form), Ok(query)) = (dom::by_id("filters"), UrlSearchParams::new_with_str(query)) else { return };
    let filtered = ["q", "project", "agent", "machine", "since", "until", "show"].iter().any(|name| query.has(name));
    if let Some(link) = dom::find(&form, &PageAction::ClearFilters.selector()) {
        let _ = link.toggle_attribute_with_force("hidden", !filtered);
    }
}

/// The links of the bar set one thing each; the rest they take from the form as it is now.
fn keep_links(query: &str) {
    let Some(main) = dom::by_id("main") else { return };
    for link in dom::find_all(&main, "a[data-action]") {
        let names = match dom::action_of(&link) {
            Some(PageAction::FilterPeriod) => &["since", "until"][..],
            Some(PageAction::FilterShow) => &["show"][..],
            Some(PageAction::FilterOrder) => &["order"][..],
            _ => continue,
        };
        let own = link.get_attribute("href").unwrap_or_default();
        let own = own.split_once('?').map_or("", |(_, query)| query);
        let (Ok(own), Ok(all)) = (UrlSearchParams::new_with_str(own), UrlSearchParams::new_with_str(query)) else {
            continue;
        };
        for name in names {
            match own.get(name) {
                Some(value) => all.set(name, &value),
                None => all.delete(name),
            }
        }
        let _ = link.set_attribute("href", &dom::at(&address(&String::from(all.to_string()))));
    }
}

fn show_quietly(query: String) {
    load(query, false);
}

fn load(query: String, aloud: bool) {
    let Some(list) = dom::by_id("sessions") else { return };
    let turn = ASKED.with(Latest::begin);
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::fetch(&format!("/fragments/sessions?{query}")).await;
        held_pointer::when_released(move || {
            if ASKED.with(|asked| asked.is(turn)) && !session_actions::renaming() {
                draw(&list, answer, aloud);
            }
        });
    });
}

fn draw(list: &Element, answer: Result<String, Problem>, aloud: bool) {
    match answer {
        Ok(html) => {
            let kept = Kept::of(list);
            fragment::fill(list, &html);
            rows::take_over(list);
            count(list);
            kept.restore(list);
            times::refresh();
            session_actions::paint();
            if aloud && let Some(count) = dom::by_id("sessions-count") {
                dom::announce(&count.text_content().unwrap_or_default());
            }
        }
        Err(problem) if aloud => {
            // The old rows don't fit the new filter.
            let words = dom::make("p", "none").zip(dom::make("button", "btn"));
            let Some((words, again)) = words else { return };
            words.set_text_content(Some(&format!("The list couldn't be loaded: {problem}. ")));
            again.set_text_content(Some("Try again"));
            let _ = again.set_attribute(attr::ACTION, PageAction::ListAgain.name());
            let _ = words.append_child(&again);
            let _ = words.set_attribute("role", "status");
            list.replace_children_with_node_1(&words);
        }
        Err(_) => {}
    }
}

/// The figures of the rail came with the list.
fn count(list: &Element) {
    let Some(fresh) = dom::find(list, ":scope > [data-rail]") else { return };
    fresh.remove();
    if let Some(facets) = dom::by_id("rail-facets") {
        swap(&facets, &fresh);
    }
    if let Some(rail) = dom::by_id("rail") {
        events::count_sessions(&rail, fresh.get_attribute(attr::SESSIONS));
    }
}

/// Elements of a row that can have the focus; the first one is the default.
const CONTROLS: [&str; 3] = ["a", "input[data-select]", "[popovertarget=row-menu]"];

/// Focus, mark and menu of the rows, which are drawn anew. They stay at their rows; where such a row is gone, the one
/// in its place is next.
struct Kept {
    current: Option<RowPosition>,
    /// The row whose menu is open.
    open: Option<String>,
    focused: Option<(RowPosition, &'static str)>,
}

/// A row of the list.
struct RowPosition {
    id: String,
    number: usize,
}

impl RowPosition {
    fn of(within: &Element, rows: &[Element]) -> Option<Self> {
        let row = within.closest("[data-row]").ok().flatten()?;
        let number = rows.iter().position(|other| *other == row)?;
        Some(Self { id: row.get_attribute(attr::ROW)?, number })
    }

    fn find<'r>(&self, rows: &'r [Element]) -> Option<&'r Element> {
        named(rows, &self.id).or_else(|| rows.get(self.number)).or(rows.last())
    }
}

fn named<'r>(rows: &'r [Element], id: &str) -> Option<&'r Element> {
    rows.iter().find(|row| row.get_attribute(attr::ROW).as_deref() == Some(id))
}

impl Kept {
    fn of(list: &Element) -> Self {
        let rows = dom::find_all(list, "[data-row]");
        let focused = dom::focus_in(list).and_then(|active| {
            let control = CONTROLS.into_iter().find(|control| active.matches(control).unwrap_or(false));
            Some((RowPosition::of(&active, &rows)?, control.unwrap_or(CONTROLS[0])))
        });
        let marked = |selector: &str| dom::find(list, selector).and_then(|marked| RowPosition::of(&marked, &rows));
        let open = marked(".more[data-open]").map(|place| place.id);
        Self { current: marked("[data-row][data-current]"), open, focused }
    }

    fn restore(self, list: &Element) {
        let rows = dom::find_all(list, "[data-row]");
        if let Some(row) = self.current.as_ref().and_then(|place| place.find(&rows)) {
            let _ = row.set_attribute(attr::CURRENT, "");
        }
        if let Some(button) = self.open.and_then(|id| dom::find(named(&rows, &id)?, ".more")) {
            let _ = button.set_attribute(attr::OPEN, "");
        }
        let Some((place, control)) = self.focused else { return };
        // In an empty list, the list itself gets the focus.
        let control = place.find(&rows).and_then(|row| dom::find(row, control)).unwrap_or_else(|| list.clone());
        // If the reader scrolled away meanwhile, the scroll position stays.
        focus::put(&control);
    }
}

/// The form as a query, without fields that say nothing.
fn query_of(form: &HtmlFormElement) -> String {
    let (Ok(data), Ok(query)) = (FormData::new_with_form(form), UrlSearchParams::new()) else { return String::new() };
    let Ok(Some(entries)) = js_sys::try_iter(&JsValue::from(data)) else { return String::new() };
    for entry in entries.flatten() {
        let entry = js_sys::Array::from(&entry);
        if let (Some(name), Some(value)) = (entry.get(0).as_string(), entry.get(1).as_string())
            && !value.is_empty()
            && (name.as_str(), value.as_str()) != ("sort", "activity")
        {
            query.append(&name, &value);
        }
    }
    query.to_string().into()
}

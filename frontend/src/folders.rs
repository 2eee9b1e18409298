//! The folders page: consent and its changes, through the typed client; the server draws the page anew after each.

use api::projects::{ForgetProject, ProjectState, SetProject};
use api::{Nothing, Problem};
use app::browser::page_state::{now_and_then, page_state};
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::page_action::PageAction;
use app::shared::words::of_import;
use leptos::prelude::lazy;
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlInputElement};

const REFRESH: i32 = 1_000;

thread_local! {
    /// The folder that the dialog asks about.
    static ASKED_ABOUT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Listens to the folders page.
#[lazy]
pub async fn folders() {
    start();
}

fn start() {
    let Some(page) = dom::by_id("folders") else { return };
    dom::listen(&page, "submit", |event: Event| {
        if dom::closest(&event, "#consent").is_some() {
            event.prevent_default();
            set(boxes(true), ProjectState::Following, BTreeMap::new());
        }
    });
    dom::listen(&page, "change", |event: Event| {
        if let Some(all) = dom::closest(&event, "#all-folders").and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) {
            for folder in inputs() {
                folder.set_checked(all.checked());
            }
        }
        label();
    });
    dom::listen(&page, "click", |event: Event| {
        let Some((action, button)) = dom::action(&event) else { return };
        let path = button.get_attribute(attr::PATH).unwrap_or_default();
        match action {
            PageAction::SetFolder => {
                let state = match button.get_attribute(attr::STATE_TO).as_deref() {
                    Some("following") => ProjectState::Following,
                    Some("paused") => ProjectState::Paused,
                    Some("waiting") => ProjectState::Waiting,
                    _ => ProjectState::Excluded,
                };
                // Agreement is to the place that stands in the row.
                let leads_to = button.get_attribute(attr::LEADS_TO).map(|place| (path.clone(), place));
                set(vec![path], state, leads_to.into_iter().collect());
            }
            PageAction::ExcludeRest => set(boxes(false), ProjectState::Excluded, BTreeMap::new()),
            PageAction::ForgetFolder => ask(&path, &button.get_attribute(attr::NAME).unwrap_or_default()),
            _ => {}
        }
    });
    // `close` doesn't bubble, and the dialog is drawn anew with the page.
    dom::listen_capturing(&page, "close", |event: Event| {
        let dialog = dom::closest(&event, "#forget").and_then(|d| d.dyn_into::<HtmlDialogElement>().ok());
        if dialog.is_some_and(|dialog| dialog.return_value() == "forget") {
            forget(ASKED_ABOUT.with_borrow(Clone::clone));
        }
    });
    follow();
}

fn follow() {
    now_and_then(REFRESH, [page_state().imports], refresh);
}

fn inputs() -> Vec<HtmlInputElement> {
    let Some(page) = dom::by_id("folders") else { return Vec::new() };
    dom::find_all(&page, "input[name=folder]").into_iter().filter_map(|e| e.dyn_into().ok()).collect()
}

/// Folders whose box is ticked, or isn't.
fn boxes(ticked: bool) -> Vec<String> {
    inputs().iter().filter(|input| input.checked() == ticked).map(HtmlInputElement::value).collect()
}

/// The button says how many folders it will import.
fn label() {
    let (chosen, all) = (boxes(true).len(), inputs().len());
    if let Some(rest) = dom::by_id("exclude-rest") {
        let _ = rest.toggle_attribute_with_force("hidden", chosen == all);
    }
    let Some(button) = dom::by_id("import-chosen") else { return };
    button.set_text_content(Some(&of_import(chosen, all)));
    let _ = if chosen == 0 { button.set_attribute("disabled", "") } else { button.remove_attribute("disabled") };
}

fn set(paths: Vec<String>, state: ProjectState, links: BTreeMap<String, String>) {
    // No paths at all would mean all that wait.
    if paths.is_empty() {
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        done(fragment::client().set_projects(Nothing {}, SetProject { paths, state, links }).await.map(drop));
    });
}

fn ask(path: &str, name: &str) {
    ASKED_ABOUT.set(path.to_owned());
    if let Some(place) = dom::by_id("forget-name") {
        place.set_text_content(Some(name));
    }
    if let Some(dialog) = dom::by_id("forget").and_then(|d| d.dyn_into::<HtmlDialogElement>().ok()) {
        dialog.set_return_value("");
        let _ = dialog.show_modal();
    }
}

fn forget(path: String) {
    wasm_bindgen_futures::spawn_local(async move {
        done(fragment::client().forget_project(Nothing {}, ForgetProject { path }).await.map(drop));
    });
}

fn done(answer: Result<(), Problem>) {
    match answer {
        Ok(()) => refresh(),
        Err(problem) => {
            if let Some(place) = dom::by_id("folders-problem") {
                place.set_text_content(Some(&problem.to_string()));
            }
        }
    }
}

fn refresh() {
    let Some(page) = dom::by_id("folders") else { return };
    wasm_bindgen_futures::spawn_local(async move {
        let Ok(html) = fragment::fetch("/fragments/folders").await else { return };
        // Somebody is being asked: the page waits.
        if dom::find(&page, "dialog[open]").is_some() {
            return;
        }
        let left_out = boxes(false);
        redraw(&page, &html);
        for input in inputs().iter().filter(|input| left_out.contains(&input.value())) {
            input.set_checked(false);
        }
        if !left_out.is_empty() {
            label();
        }
    });
}

fn redraw(page: &Element, html: &str) {
    let focused = dom::focus_in(page);
    fragment::fill(page, html);
    // The focused button is gone; the next key goes on from the page's top and not from the window's.
    if focused.is_some()
        && let Some(page) = dom::html(page)
    {
        let _ = page.focus();
    }
}

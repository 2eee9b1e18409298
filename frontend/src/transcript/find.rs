//! The find bar: which messages of the whole session hold a text, one after the other, and each place in them.
//!
//! The server says which messages; `marks` finds the places in what is in the document.

mod marks;

use super::{Column, column, jump, scroll};
use crate::page_scroll;
use api::outline::{FindQuery, Found};
use api::sessions::SessionPath;
use app::browser::page_state::page_state;
use app::browser::{dom, focus, fragment};
use app::message_renderer::type_name;
use app::shared::attr;
use app::shared::found_places::{Position, first_hit, next_hit, next_place};
use app::shared::latest::{Latest, Turn};
use leptos::prelude::lazy;
pub use marks::paint;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, KeyboardEvent, MouseEvent};

/// Milliseconds after the last letter until the server is asked.
const TYPING: i32 = 120;
/// Milliseconds after which the bar's part is loaded in any case: without a server it couldn't be.
const IDLE: i32 = 4_000;
/// Milliseconds until the server is asked again while the session goes on.
const AGAIN: i32 = 1_000;
/// In the address: what is looked for, and in messages of which type alone.
const WORDS: &str = "find";
const ONLY: &str = "find-type";

#[derive(Default)]
pub struct Find(RefCell<Finding>);

#[derive(Debug, Default)]
struct Finding {
    open: bool,
    /// The search text, as it was typed.
    words: String,
    /// None until the server answered.
    found: Option<Found>,
    /// Only messages of this type.
    only: Option<String>,
    /// The `seq` of the hit that the reader is at.
    at: Option<i64>,
    /// The place within that message, from 0; the last one stands for all that lie further.
    place: usize,
    /// Places within it, as far as it is drawn.
    places: usize,
    /// The server can't be reached: only what is in the document was looked through.
    loaded_only: bool,
    marks: marks::Marks,
    asked: Latest,
    reader: Reader,
    asks_again: bool,
}

/// The reader's position when the next result comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reader {
    #[default]
    Stays,
    IsLed,
}

impl Finding {
    fn shown_place(&self) -> usize {
        self.place.min(self.places.saturating_sub(1))
    }

    fn hits(&self) -> Vec<i64> {
        let wanted = |tag: &str| self.only.as_deref().is_none_or(|only| only == tag);
        let hits = self.found.iter().flat_map(|found| &found.hits);
        hits.filter(|hit| wanted(&hit.message_type)).map(|hit| hit.seq).collect()
    }
}

/// Stops moving the reader once they scroll.
pub fn let_go(column: &Column) {
    column.find.0.borrow_mut().marks.let_go();
}

pub fn start(column: &Rc<Column>) {
    let Some((bar, field)) = dom::by_id("find-bar").zip(dom::by_id("find-words")) else { return };
    let waiting = column.clone();
    dom::after(IDLE, move || wasm_bindgen_futures::spawn_local(carry_on(waiting, Task::Mark)));
    let typed = column.clone();
    dom::listen(&field, "input", move |_: web_sys::Event| {
        let turn = typed.find.0.borrow().asked.begin();
        let asks = typed.clone();
        dom::after(TYPING, move || {
            let is_latest = asks.find.0.borrow().asked.is(turn);
            if is_latest {
                ask(&asks, Reader::IsLed);
            }
        });
    });
    let keys = column.clone();
    dom::listen(&bar, "keydown", move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" if dom::closest(&event, "input").is_some() => {
            event.prevent_default();
            step(&keys, if event.shift_key() { -1 } else { 1 });
        }
        "Escape" => {
            event.prevent_default();
            close(&keys);
        }
        _ => {}
    });
    let clicked = column.clone();
    dom::listen(&bar, "click", move |event: MouseEvent| {
        let Some(button) = dom::closest(&event, "button") else { return };
        match button.get_attribute(attr::FIND).as_deref() {
            Some("next") => step(&clicked, 1),
            Some("previous") => step(&clicked, -1),
            Some("close") => close(&clicked),
            Some("hidden") => {
                dom::remember_dev(true);
                page_state().dev.set(true);
                ask(&clicked, Reader::IsLed);
            }
            _ => narrow(&clicked, button.get_attribute(attr::TYPE)),
        }
    });
    if let Some((words, input)) = dom::parameter(WORDS).zip(self::field()) {
        input.set_value(&words);
        let _ = bar.remove_attribute("hidden");
        {
            let mut finding = column.find.0.borrow_mut();
            (finding.open, finding.only) = (true, dom::parameter(ONLY));
        }
        // A link to a message, or a page that is opened again, leads to a place of its own.
        let has_place = page_scroll::kept().is_some() || !dom::hash().is_empty();
        ask(column, if has_place { Reader::Stays } else { Reader::IsLed });
    }
}

/// Opens the bar. Returns true if that is news: who asks again from its field wants the browser's own search.
pub fn open() -> bool {
    let (Some(column), Some(bar)) = (column(), dom::by_id("find-bar")) else { return false };
    let Some(field) = field() else { return false };
    let active = dom::active();
    if active.as_ref() == Some(field.as_ref()) {
        return false;
    }
    let _ = bar.remove_attribute("hidden");
    let chosen = dom::window().and_then(|w| w.get_selection().ok().flatten()).map(|s| String::from(s.to_string()));
    if let Some(chosen) = chosen.filter(|words| !words.trim().is_empty() && !words.contains('\n')) {
        field.set_value(&chosen);
    }
    let _ = field.focus();
    field.select();
    column.find.0.borrow_mut().open = true;
    scroll::place(&column);
    ask(&column, Reader::Stays);
    true
}

fn field() -> Option<HtmlInputElement> {
    dom::by_id("find-words")?.dyn_into().ok()
}

fn close(column: &Rc<Column>) {
    let at = {
        let mut finding = column.find.0.borrow_mut();
        let asked = std::mem::take(&mut finding.asked);
        asked.begin();
        std::mem::replace(&mut *finding, Finding { asked, ..Finding::default() }).at
    };
    keep("", None);
    marks::clear();
    if let Some(bar) = dom::by_id("find-bar") {
        let _ = bar.set_attribute("hidden", "");
    }
    // The keys are the transcript's again, at what was found.
    let row = at.and_then(|seq| scroll::row(column, seq)).unwrap_or_else(|| column.scroller.clone());
    focus::put(&row);
    scroll::place(column);
}

/// The session went on, or shows more than before.
pub fn changed(column: &Rc<Column>) {
    {
        let mut finding = column.find.0.borrow_mut();
        if !finding.open || finding.words.is_empty() || std::mem::replace(&mut finding.asks_again, true) {
            return;
        }
    }
    let column = column.clone();
    dom::after(AGAIN, move || {
        column.find.0.borrow_mut().asks_again = false;
        ask(&column, Reader::Stays);
    });
}

/// Asks the server.
fn ask(column: &Rc<Column>, reader: Reader) {
    let words = field().map(|field| field.value()).unwrap_or_default();
    let turn = column.find.0.borrow().asked.begin();
    link(&words);
    keep(&words, column.find.0.borrow().only.as_deref());
    if words.trim().is_empty() {
        {
            let mut finding = column.find.0.borrow_mut();
            (finding.words, finding.found, finding.at) = (String::new(), None, None);
            finding.reader = Reader::Stays;
        }
        show_found(column);
        marks::repaint(column);
        return;
    }
    // An answer that is overtaken, as by a session that goes on, leaves it to the next one.
    if reader == Reader::IsLed {
        column.find.0.borrow_mut().reader = reader;
    }
    wasm_bindgen_futures::spawn_local(carry_on(column.clone(), Task::Ask { words, turn }));
}

/// Tasks of the lazily loaded part of the bar.
#[derive(Debug)]
enum Task {
    Ask { words: String, turn: Turn },
    Mark,
}

#[lazy]
async fn carry_on(column: Rc<Column>, task: Task) {
    match task {
        Task::Ask { words, turn } => answer(column, words, turn).await,
        Task::Mark => marks::mark(&column),
    }
}

async fn answer(column: Rc<Column>, words: String, turn: Turn) {
    let path = SessionPath { session: column.session.clone() };
    let dev = page_state().dev.get().then_some(1);
    let answer = fragment::client()
        .find(
            path,
            FindQuery { q: words.clone(), dev, types: column.filter.types.clone(), roles: column.filter.roles.clone() },
        )
        .await;
    let loaded_only = matches!(&answer, Err(problem) if problem.status == 0);
    let answer = if loaded_only { Ok(marks::loaded(&column, &words)) } else { answer };
    let reader = {
        let mut finding = column.find.0.borrow_mut();
        if !finding.asked.is(turn) || !finding.open {
            return;
        }
        finding.loaded_only = loaded_only;
        match answer {
            Ok(found) => finding.found = Some(found),
            Err(problem) => {
                count(&problem.title);
                return;
            }
        }
        let finding = &mut *finding;
        let known = |only: &String| finding.found.iter().flat_map(|f| &f.types).any(|count| count.value == *only);
        finding.only = finding.only.take().filter(known);
        keep(&words, finding.only.as_deref());
        finding.words = words;
        std::mem::take(&mut finding.reader)
    };
    if reader == Reader::IsLed {
        first(&column);
    }
    show_found(&column);
    marks::repaint(&column);
}

/// Keeps the search in the URL.
fn keep(words: &str, only: Option<&str>) {
    let words = Some(words).filter(|words| !words.trim().is_empty());
    dom::replace_parameter(WORDS, words);
    dom::replace_parameter(ONLY, only.filter(|_| words.is_some()));
}

/// The link to the search over all history takes the words along.
fn link(words: &str) {
    let Some(link) = dom::by_id("find-everywhere") else { return };
    let href = link.get_attribute("href").unwrap_or_default();
    let base = href.split("&q=").next().unwrap_or_default();
    let _ = link.set_attribute("href", &format!("{base}&q={}", api::endpoint::segment(words)));
}

/// To the first hit from where the reader is on, or the very first.
fn first(column: &Rc<Column>) {
    let here = scroll::in_view(column).row().unwrap_or(1);
    let hits = column.find.0.borrow().hits();
    go(column, first_hit(&hits, here), false);
}

fn go(column: &Rc<Column>, seq: Option<i64>, from_end: bool) {
    {
        let mut finding = column.find.0.borrow_mut();
        (finding.at, finding.place, finding.places) = (seq, if from_end { usize::MAX } else { 0 }, 0);
        finding.marks.arrive();
    }
    jump::go_to_seq(seq);
    show_found(column);
    marks::repaint(column);
}

/// To the next place of the message, else to the next message. After the last comes the first again.
fn step(column: &Rc<Column>, way: i32) {
    let (hits, at, asked, within) = {
        let finding = column.find.0.borrow();
        let next = next_place(finding.shown_place(), way, finding.places);
        (finding.hits(), finding.at, finding.words.clone(), next)
    };
    if field().is_some_and(|field| field.value() != asked) {
        ask(column, Reader::IsLed);
        return;
    }
    let Some(at) = at else { return first(column) };
    if let Some(next) = within {
        {
            let mut finding = column.find.0.borrow_mut();
            finding.place = next;
            finding.marks.lead();
        }
        return marks::repaint(column);
    }
    go(column, next_hit(&hits, at, way), way < 0);
}

/// Only one type, or all again.
fn narrow(column: &Rc<Column>, tag: Option<String>) {
    {
        let mut finding = column.find.0.borrow_mut();
        let only = tag.filter(|tag| finding.only.as_ref() != Some(tag));
        finding.only = only;
        keep(&finding.words, finding.only.as_deref());
    }
    first(column);
}

fn count(words: &str) {
    if let Some(count) = dom::by_id("find-count").filter(|count| count.text_content().as_deref() != Some(words)) {
        count.set_text_content(Some(words));
    }
}

/// Shows how much was found, and where in it the reader is.
fn show_found(column: &Column) {
    let finding = column.find.0.borrow();
    count(&position(&finding));
    if let Some(chips) = dom::by_id("find-types") {
        show_types(&chips, &finding);
    }
}

fn position(finding: &Finding) -> String {
    if finding.found.is_none() {
        return String::new();
    }
    let hits = finding.hits();
    let hit = finding.at.and_then(|at| hits.iter().position(|seq| *seq == at));
    let (place, places) = (finding.shown_place(), finding.places);
    Position { hit, hits: hits.len(), place, places, loaded_only: finding.loaded_only }.words()
}

/// A chip for each type with its number of messages, and one for those that are hidden.
fn show_types(chips: &Element, finding: &Finding) {
    let mut wanted: Vec<(&str, &str, String)> = Vec::new();
    if let Some(found) = &finding.found {
        let types = found.types.iter().filter(|_| found.types.len() > 1);
        wanted.extend(types.map(|t| (attr::TYPE, &*t.value, format!("{} {}", type_name(&t.value), t.hits))));
        if found.hidden > 0 {
            wanted.push((attr::FIND, "hidden", format!("{} hidden: show", found.hidden)));
        }
    }
    // A chip that stays keeps the focus.
    let mut next = chips.first_element_child();
    for (name, value, words) in wanted {
        while let Some(gone) = next.take_if(|chip| chip.get_attribute(name).as_deref() != Some(value)) {
            next = gone.next_element_sibling();
            gone.remove();
        }
        let there = next.take().or_else(|| {
            let button = dom::make("button", "chip")?;
            let _ = button.set_attribute(name, value);
            chips.append_child(&button).ok().map(|_| button)
        });
        let Some(button) = there else { return };
        button.set_text_content(Some(&words));
        if name == attr::TYPE {
            let pressed = finding.only.as_deref() == Some(value);
            let _ = button.set_attribute("aria-pressed", if pressed { "true" } else { "false" });
        }
        next = button.next_element_sibling();
    }
    while let Some(gone) = next {
        next = gone.next_element_sibling();
        gone.remove();
    }
}

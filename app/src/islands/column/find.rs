//! The find bar: which messages of the whole session hold a text, one after the other, and the text itself marked in those
//! that are in the document.
//!
//! The server says which messages; the marks are the browser's highlights, so that no element of a message changes.

use super::{Column, column, moves, place};
use crate::islands::page_state::page_state;
use crate::islands::{dom, focus, fragment};
use crate::names::type_name;
use api::outline::{FindQuery, Found};
use api::sessions::SessionPath;
use js_sys::{Array, Function, JsString, Reflect};
use leptos::prelude::{GetUntracked, Set, lazy};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlInputElement, KeyboardEvent, MouseEvent, Node, StaticRange, StaticRangeInit};

/// Milliseconds after the last letter until the server is asked.
const TYPING: i32 = 120;
/// Milliseconds until the server is asked again while the session goes on.
const AGAIN: i32 = 1_000;
/// More marks than these aren't drawn.
const MOST_MARKS: usize = 2_000;
/// Names of the highlights in the style: every match, and those of the message that the reader is at.
const NAMES: [&str; 2] = ["find", "find-now"];
/// `NodeFilter.SHOW_TEXT`
const TEXT_NODES: u32 = 4;

#[derive(Debug, Default)]
pub struct Finding {
    open: bool,
    /// What is looked for, as it was typed.
    words: String,
    /// None until the server answered.
    found: Option<Found>,
    /// Only messages of this type.
    only: Option<String>,
    /// The `seq` of the hit that the reader is at.
    at: Option<i64>,
    /// The hit whose cards were unfolded.
    revealed: Option<i64>,
    /// Grows with every question: only the answer to the last one counts.
    turn: u32,
    asks_again: bool,
}

impl Finding {
    fn hits(&self) -> Vec<i64> {
        let wanted = |tag: &str| self.only.as_deref().is_none_or(|only| only == tag);
        let hits = self.found.iter().flat_map(|found| &found.hits);
        hits.filter(|hit| wanted(&hit.message_type)).map(|hit| hit.seq).collect()
    }
}

pub fn start(column: &Rc<Column>) {
    let Some((bar, field)) = dom::by_id("find-bar").zip(dom::by_id("find-words")) else { return };
    let typed = column.clone();
    dom::listen(&field, "input", move |_: web_sys::Event| {
        let turn = next_turn(&typed);
        let asks = typed.clone();
        dom::after(TYPING, move || {
            if asks.state.borrow().finding.turn == turn {
                ask(&asks, true);
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
        match button.get_attribute("data-find").as_deref() {
            Some("next") => step(&clicked, 1),
            Some("previous") => step(&clicked, -1),
            Some("close") => close(&clicked),
            Some("hidden") => {
                dom::remember_dev(true);
                page_state().dev.set(true);
                ask(&clicked, true);
            }
            _ => narrow(&clicked, button.get_attribute("data-type")),
        }
    });
}

/// Opens the bar. Says whether that is news: who asks again from its field wants the browser's own search.
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
    column.state.borrow_mut().finding.open = true;
    place::place(&column);
    ask(&column, false);
    true
}

fn field() -> Option<HtmlInputElement> {
    dom::by_id("find-words")?.dyn_into().ok()
}

fn close(column: &Rc<Column>) {
    let at = {
        let finding = &mut column.state.borrow_mut().finding;
        let (at, turn) = (finding.at, finding.turn.wrapping_add(1));
        *finding = Finding { turn, ..Finding::default() };
        at
    };
    if let Some(bar) = dom::by_id("find-bar") {
        let _ = bar.set_attribute("hidden", "");
    }
    for name in NAMES {
        register(name, &[]);
    }
    // The keys are the transcript's again, at what was found.
    let row = at.and_then(|seq| place::row(column, seq)).unwrap_or_else(|| column.scroller.clone());
    focus::put(&row);
    place::place(column);
}

fn next_turn(column: &Column) -> u32 {
    let finding = &mut column.state.borrow_mut().finding;
    finding.turn = finding.turn.wrapping_add(1);
    finding.turn
}

/// The session went on, or shows more than before.
pub fn changed(column: &Rc<Column>) {
    let finding = &mut column.state.borrow_mut().finding;
    if !finding.open || finding.words.is_empty() || std::mem::replace(&mut finding.asks_again, true) {
        return;
    }
    let column = column.clone();
    dom::after(AGAIN, move || {
        column.state.borrow_mut().finding.asks_again = false;
        ask(&column, false);
    });
}

/// Asks the server; `goes` says that the reader wants to be led to what it finds.
fn ask(column: &Rc<Column>, goes: bool) {
    let words = field().map(|field| field.value()).unwrap_or_default();
    let turn = next_turn(column);
    link(&words);
    if words.trim().is_empty() {
        {
            let finding = &mut column.state.borrow_mut().finding;
            (finding.words, finding.found, finding.at) = (String::new(), None, None);
        }
        say(column);
        paint(column);
        return;
    }
    leptos::task::spawn_local(answer(column.clone(), words, turn, goes));
}

#[lazy]
async fn answer(column: Rc<Column>, words: String, turn: u32, goes: bool) {
    let path = SessionPath { session: column.session.clone() };
    let dev = page_state().dev.get_untracked().then_some(1);
    let answer = fragment::client().find(path, FindQuery { q: words.clone(), dev }).await;
    {
        let finding = &mut column.state.borrow_mut().finding;
        if finding.turn != turn || !finding.open {
            return;
        }
        match answer {
            Ok(found) => finding.found = Some(found),
            Err(problem) => {
                count(&problem.title);
                return;
            }
        }
        let known = |only: &String| finding.found.iter().flat_map(|f| &f.types).any(|count| count.value == *only);
        finding.only = finding.only.take().filter(known);
        finding.words = words;
    }
    if goes {
        first(&column);
    }
    say(&column);
    paint(&column);
}

/// The link to the search over all history takes the words along.
fn link(words: &str) {
    let Some(link) = dom::by_id("find-everywhere") else { return };
    let href = link.get_attribute("href").unwrap_or_default();
    let base = href.split("&q=").next().unwrap_or_default();
    let _ = link.set_attribute("href", &format!("{base}&q={}", api::client::segment(words)));
}

/// To the first hit from where the reader is on, or the very first.
fn first(column: &Rc<Column>) {
    let here = match place::in_view(column) {
        super::Anchor::Row { seq, .. } => seq,
        super::Anchor::End | super::Anchor::Chunk { .. } => 1,
    };
    let hits = column.state.borrow().finding.hits();
    let next = hits.iter().find(|seq| **seq >= here).or(hits.first()).copied();
    go(column, next);
}

fn go(column: &Rc<Column>, seq: Option<i64>) {
    {
        let finding = &mut column.state.borrow_mut().finding;
        (finding.at, finding.revealed) = (seq, None);
    }
    moves::go_to_seq(seq);
    say(column);
    paint(column);
}

/// After the last comes the first again.
fn step(column: &Rc<Column>, way: i32) {
    let (hits, at, asked) = {
        let finding = &column.state.borrow().finding;
        (finding.hits(), finding.at, finding.words.clone())
    };
    if field().is_some_and(|field| field.value() != asked) {
        ask(column, true);
        return;
    }
    let Some(at) = at else { return first(column) };
    let next = if way > 0 {
        hits.iter().find(|seq| **seq > at).or(hits.first())
    } else {
        hits.iter().rev().find(|seq| **seq < at).or(hits.last())
    };
    go(column, next.copied());
}

/// Only one type, or all again.
fn narrow(column: &Rc<Column>, tag: Option<String>) {
    {
        let finding = &mut column.state.borrow_mut().finding;
        finding.only = tag.filter(|tag| finding.only.as_ref() != Some(tag));
    }
    first(column);
}

fn count(words: &str) {
    if let Some(count) = dom::by_id("find-count").filter(|count| count.text_content().as_deref() != Some(words)) {
        count.set_text_content(Some(words));
    }
}

/// `3 of 41`, and how many of each type.
fn say(column: &Column) {
    let finding = &column.state.borrow().finding;
    let hits = finding.hits();
    let at = finding.at.and_then(|at| hits.iter().position(|seq| *seq == at));
    let words = match (&finding.found, at) {
        (None, _) => String::new(),
        (Some(_), _) if hits.is_empty() => "Nothing found".to_owned(),
        (Some(_), Some(at)) => format!("{} of {}", at + 1, hits.len()),
        (Some(_), None) => crate::figures::counted(hits.len() as i64, "message"),
    };
    count(&words);
    let Some(chips) = dom::by_id("find-types") else { return };
    let mut wanted: Vec<(&str, &str, String)> = Vec::new();
    if let Some(found) = &finding.found {
        let types = found.types.iter().filter(|_| found.types.len() > 1);
        wanted.extend(types.map(|t| ("data-type", &*t.value, format!("{} {}", type_name(&t.value), t.hits))));
        if found.hidden > 0 {
            wanted.push(("data-find", "hidden", format!("{} hidden: show", found.hidden)));
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
        if name == "data-type" {
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

/// Marks the text in every row that is in the document.
pub fn paint(column: &Rc<Column>) {
    if column.state.borrow().finding.open {
        leptos::task::spawn_local(mark(column.clone()));
    }
}

#[lazy]
async fn mark(column: Rc<Column>) {
    let column = &column;
    let (words, at, revealed) = {
        let finding = &column.state.borrow().finding;
        if !finding.open {
            return;
        }
        (finding.words.clone(), finding.at, finding.revealed)
    };
    let here = at.and_then(|seq| place::row(column, seq));
    if let Some(row) = here.as_ref().filter(|_| revealed != at && !words.is_empty()) {
        column.state.borrow_mut().finding.revealed = at;
        reveal(row, &words);
    }
    let (mut all, mut now) = (Vec::new(), Vec::new());
    if !words.is_empty() {
        for row in dom::find_all(&column.feed, ".chunk > article") {
            let ranges = if here.as_ref().is_some_and(|here| row.contains(Some(here))) { &mut now } else { &mut all };
            if ranges.len() < MOST_MARKS {
                ranges.extend(matches(&row, &words));
            }
        }
    }
    for (name, ranges) in NAMES.into_iter().zip([all, now]) {
        register(name, &ranges);
    }
}

/// Unfolds what holds the text: of a head the line may be cut. Where the row doesn't say it at all, what is folded was
/// cut too: the card then draws itself.
fn reveal(row: &Element, words: &str) {
    let words = dom::lower(words);
    let says = |element: &Element| dom::lower(&element.text_content().unwrap_or_default()).contains(&words);
    for card in dom::find_all(row, "details:not([open])") {
        if says(&card) || card.has_attribute("data-folded") && !says(row) {
            let _ = card.set_attribute("open", "");
        }
    }
}

/// Ranges of a row's text that say the words, also over the ends of elements.
fn matches(row: &Element, words: &str) -> Vec<StaticRange> {
    let nodes = text_nodes(row);
    let text: String = nodes.iter().map(|(_, text)| String::from(text)).collect();
    let text = JsString::from(text);
    let (lower, wanted) = (text.to_lower_case(), JsString::from(words).to_lower_case());
    let words = String::from(&wanted);
    let mut ranges = Vec::new();
    // A letter whose small form is longer would move all places after it.
    if lower.length() != text.length() {
        return ranges;
    }
    let (mut from, mut first, mut before) = (0, 0, 0);
    while let Ok(start) = u32::try_from(lower.index_of(&words, from)) {
        let end = start + wanted.length();
        from = i32::try_from(end).unwrap_or(i32::MAX);
        // Where the match begins and ends among the nodes; they come in order.
        while let Some((_, text)) = nodes.get(first).filter(|(_, text)| before + text.length() <= start) {
            before += text.length();
            first += 1;
        }
        let (mut last, mut last_before) = (first, before);
        while let Some((_, text)) = nodes.get(last).filter(|(_, text)| last_before + text.length() < end) {
            last_before += text.length();
            last += 1;
        }
        let (Some((head, _)), Some((tail, _))) = (nodes.get(first), nodes.get(last)) else { break };
        let init = StaticRangeInit::new(tail, end - last_before, head, start - before);
        ranges.extend(StaticRange::new(&init));
    }
    ranges
}

fn text_nodes(row: &Element) -> Vec<(Node, JsString)> {
    let walker = dom::document().and_then(|d| d.create_tree_walker_with_what_to_show(row, TEXT_NODES).ok());
    let Some(walker) = walker else { return Vec::new() };
    let mut nodes = Vec::new();
    while let Ok(Some(node)) = walker.next_node() {
        let unseen = node.parent_element().is_some_and(|parent| parent.matches(".sr, .sr *").unwrap_or(false));
        if let Some(text) = node.text_content().filter(|_| !unseen) {
            nodes.push((node, JsString::from(text)));
        }
    }
    nodes
}

/// Gives ranges to a highlight of the style. Where the browser has none, the outline of the row has to do.
fn register(name: &str, ranges: &[StaticRange]) -> Option<()> {
    let window = dom::window()?;
    let get = |from: &JsValue, name: &str| Reflect::get(from, &name.into()).ok().filter(JsValue::is_truthy);
    let registry = get(&get(&window, "CSS")?, "highlights")?;
    let method = |name: &str| get(&registry, name)?.dyn_into::<Function>().ok();
    if ranges.is_empty() {
        method("delete")?.call1(&registry, &name.into()).ok()?;
        return Some(());
    }
    let class: Function = get(&window, "Highlight")?.dyn_into().ok()?;
    let highlight = Reflect::construct(&class, &ranges.iter().collect::<Array>()).ok()?;
    method("set")?.call2(&registry, &name.into(), &highlight).ok()?;
    Some(())
}

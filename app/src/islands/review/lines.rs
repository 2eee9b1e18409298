//! Lines: their numbers, which are chosen, and the address that leads to them.

use super::blocks;
use super::shown::{Shown, find, number};
use super::{cards, notes, paint, rows, shelf, walk};
use crate::islands::review::text_hash;
use crate::islands::toast::{self, Then};
use crate::islands::{dom, fragment};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlDialogElement, MouseEvent};

/// Lines of one side of a file. `L` is the old side, `R` the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    pub side: char,
    pub from: u32,
    pub to: u32,
}

impl Lines {
    /// `R12-15`.
    pub fn words(&self) -> String {
        let Self { side, from, to } = self;
        if from == to { format!("{side}{from}") } else { format!("{side}{from}-{to}") }
    }

    pub fn parse(words: &str) -> Option<Self> {
        let side = words.chars().next().filter(|side| matches!(side, 'L' | 'R'))?;
        let (from, to) = words.get(1..)?.split_once('-').unwrap_or((words.get(1..)?, words.get(1..)?));
        Some(Self { side, from: from.parse().ok()?, to: to.parse().ok()? })
    }
}

thread_local! {
    /// The file, its chosen lines, and the one that was chosen first.
    static CHOSEN: RefCell<Option<(Element, Lines, u32)>> = const { RefCell::new(None) };
    /// Lines that the address names, until their file is there: id of the file, lines, hash of their text.
    static WANTED: RefCell<Option<(String, Lines, Option<String>)>> = const { RefCell::new(None) };
}

/// A click on a number chooses the line; with shift, all from the one that was chosen before.
pub fn click(line: &Element, event: &MouseEvent) {
    let padding = dom::window()
        .and_then(|w| w.get_computed_style(line).ok().flatten())
        .and_then(|style| style.get_property_value("padding-left").ok())
        .and_then(|padding| padding.trim_end_matches("px").split('.').next()?.parse::<i32>().ok())
        .unwrap_or(0);
    if event.client_x() - line.get_bounding_client_rect().left() as i32 > padding - 14 {
        return;
    }
    if let (Some(card), Some((side, number))) = (cards::of(line), number(line)) {
        clicked(&card, side, number, event);
    }
}

/// The same in a large difference, where numbers are a text of their own.
pub fn click_number(numbers: &Element, event: &MouseEvent) {
    if let (Some(card), Some((side, number))) = (cards::of(numbers), rows::clicked(numbers, event)) {
        clicked(&card, side, number, event);
    }
}

/// Hidden lines of a large difference are shown: all of them, and the reader stays where they are.
pub fn click_text(text: &Element, event: &MouseEvent) {
    let is_selecting = dom::window()
        .and_then(|window| window.get_selection().ok().flatten())
        .is_some_and(|selection| !selection.is_collapsed());
    let (Some(card), Some((side, number))) = (cards::of(text), rows::behind_gap(text, event)) else { return };
    if !is_selecting && !card.has_attribute("data-all") {
        missing(&card, Lines { side, from: number, to: number }, None);
    }
}

fn clicked(card: &Element, side: char, number: u32, event: &MouseEvent) {
    let first = CHOSEN.with_borrow(|chosen| {
        let (in_card, lines, first) = chosen.as_ref()?;
        (event.shift_key() && in_card == card && lines.side == side).then_some(*first)
    });
    let first = first.unwrap_or(number);
    choose(card, Lines { side, from: first.min(number), to: first.max(number) }, first);
    comment();
}

fn choose(card: &Element, lines: Lines, first: u32) {
    clear();
    let found = find(card, &lines);
    for line in &found {
        let _ = line.class_list().add_1("at");
    }
    let text: Vec<String> = found.iter().map(text).collect();
    let words = lines.words();
    CHOSEN.set(Some((card.clone(), lines, first)));
    let blocks = blocks::all(card);
    let Some(first) = blocks.into_iter().next() else {
        return set_address(&format!("#{}:{words}~{}", card.id(), text_hash(&text.join("\n"))));
    };
    show_chosen(card);
    let card = card.clone();
    leptos::task::spawn_local(async move {
        if let Some((_, said)) = blocks::ask(&card, &first, &format!("find={words}")).await {
            let hash = text_hash(said.get(1).map(String::as_str).unwrap_or_default());
            set_address(&format!("#{}:{words}~{hash}", card.id()));
        }
    });
}

/// Marks the chosen lines in what was just drawn of a large difference.
pub fn show_chosen(root: &Element) {
    let chosen = CHOSEN.with_borrow(Clone::clone).filter(|(card, ..)| card.contains(Some(root)));
    rows::mark(root, "bat", |_, _, row| {
        chosen.as_ref().is_some_and(|(_, lines, _)| {
            let number = if lines.side == 'L' { row.old } else { row.new };
            number.is_some_and(|number| (lines.from..=lines.to).contains(&number))
        })
    });
}

pub fn clear() {
    CHOSEN.set(None);
    if let Some(files) = dom::by_id("files") {
        for line in dom::find_all(&files, ".l.at") {
            let _ = line.class_list().remove_1("at");
        }
        dom::find_all(&files, "i.bat").iter().for_each(Element::remove);
    }
}

pub fn text(line: &Element) -> String {
    line.text_content().unwrap_or_default().trim_end_matches('\n').to_owned()
}

fn chosen() -> Option<(Element, Lines)> {
    CHOSEN.with_borrow(|chosen| chosen.as_ref().map(|(card, lines, _)| (card.clone(), lines.clone())))
}

/// Opens the field for the chosen lines, or for the change that the keys went to.
pub fn comment() {
    let at = chosen().or_else(|| {
        let (card, lines) = walk::lines()?;
        choose(&card, lines.clone(), lines.from);
        Some((card, lines))
    });
    match at {
        Some((card, lines)) => notes::write(&card, &lines),
        None => toast::show("No lines are chosen. Go to a change first, or click a line's number.", Then::Nothing),
    }
}

/// Chooses the first line of the change that the keys went to, then one more or one fewer at the end.
pub fn extend(by: i64) {
    if let Some((card, Lines { side, from, to })) = chosen() {
        let to = i64::from(to) + by;
        let Some(to) = u32::try_from(to).ok().filter(|to| *to >= from) else { return };
        let is_there =
            !blocks::all(&card).is_empty() || Shown::of(&card, side).span().is_some_and(|(_, last)| to <= last);
        if is_there {
            choose(&card, Lines { side, from, to }, from);
        }
    } else if let Some((card, Lines { side, from, .. })) = walk::lines() {
        choose(&card, Lines { side, from, to: from }, from);
    }
    if let Some((_, lines)) = chosen() {
        dom::announce(&format!("{} chosen", lines.words()));
    }
}

/// The lines that a button of the table is about: comments on them, or copies their address.
pub fn of_table(button: &Element) {
    let card =
        button.closest("[data-of]").ok().flatten().and_then(|table| dom::by_id(&table.get_attribute("data-of")?));
    let lines = button.get_attribute("data-lines").as_deref().and_then(Lines::parse);
    let (Some(card), Some(lines)) = (card, lines) else { return };
    choose(&card, lines.clone(), lines.from);
    if button.has_attribute("data-link") {
        return copy_address(button.clone());
    }
    if let Ok(Some(dialog)) = button.closest("dialog") {
        dialog.unchecked_into::<HtmlDialogElement>().close();
    }
    notes::write(&card, &lines);
}

pub fn set_address(hash: &str) {
    let Some(location) = dom::window().map(|w| w.location()) else { return };
    let path = location.pathname().unwrap_or_default();
    let search = location.search().unwrap_or_default();
    dom::replace_address(&format!("{path}{search}{hash}"));
}

pub fn copy_address(button: Element) {
    let address = dom::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    crate::islands::actions::put(button, address);
}

/// Goes where the address leads: `#d-1a2b3c4d:R12-15~hash`.
pub fn open_address() {
    let hash = dom::hash();
    let (id, rest) = hash.split_once(':').unwrap_or((&hash, ""));
    let Some(card) = dom::by_id(id).filter(|card| card.class_list().contains("file")) else { return };
    cards::fold(&card, false);
    walk::to(&card);
    let (words, text) = rest.split_once('~').map_or((rest, None), |(words, hash)| (words, Some(hash.to_owned())));
    if let Some(lines) = Lines::parse(words) {
        WANTED.set(Some((id.to_owned(), lines, text)));
        shelf::restore(&card);
        if card.has_attribute("data-loaded") && dom::find(&card, ".l, .blocks").is_some() {
            arrive(&card);
        } else {
            cards::load(card);
        }
    }
}

/// A file was fetched: are the wanted lines in it? They may have moved since the link was made.
pub fn arrive(card: &Element) {
    let Some((_, lines, hashed)) = WANTED.with_borrow_mut(|wanted| wanted.take_if(|(id, ..)| *id == card.id())) else {
        return;
    };
    if let Some(blocks) = blocks::all(card).into_iter().next() {
        return arrive_in_blocks(card.clone(), blocks, lines, hashed);
    }
    let shown = Shown::of(card, lines.side);
    let fits = |text: &str| hashed.as_ref().is_none_or(|hashed| text_hash(text) == *hashed);
    let Some((from, to)) = shown.find(lines.from, lines.to, fits) else {
        return missing(card, lines, hashed);
    };
    choose(card, Lines { side: lines.side, from, to }, from);
    if let Some(line) = shown.elements(from, to).first() {
        walk::to(line);
    }
}

fn arrive_in_blocks(card: Element, blocks: Element, lines: Lines, hashed: Option<String>) {
    leptos::task::spawn_local(async move {
        let hash = hashed.as_ref().map(|hash| format!("~{hash}")).unwrap_or_default();
        let found = blocks::ask(&card, &blocks, &format!("find={}{hash}", lines.words())).await;
        let Some((spot, said)) = found else { return missing(&card, lines, hashed) };
        if let Some(lines) = said.first().and_then(|words| Lines::parse(words)) {
            let first = lines.from;
            choose(&card, lines, first);
        }
        blocks::reveal(&spot).await;
    });
}

/// Lines that aren't shown may be among those that a gap hides.
fn missing(card: &Element, lines: Lines, hashed: Option<String>) {
    if card.has_attribute("data-all") {
        dom::announce("These lines have changed since the link was made");
        return;
    }
    let _ = card.set_attribute("data-all", "");
    let _ = card.set_attribute("data-shown", "");
    WANTED.set(Some((card.id(), lines, hashed)));
    cards::load(card.clone());
}

/// Shows some of the unchanged lines that a gap hides.
pub fn expand(button: &Element) {
    let Some(gap) = button.closest(".gap").ok().flatten() else { return };
    let number = |name: &str| gap.get_attribute(name).and_then(|n| n.parse::<u32>().ok());
    let (Some(part), Some(from), Some(to)) = (number("data-part"), number("data-from"), number("data-to")) else {
        return;
    };
    let Some(address) = cards::of(&gap).and_then(|card| cards::address(&card)) else { return };
    let way = button.get_attribute("data-expand").unwrap_or_default();
    let (first, last) = match way.as_str() {
        "down" => (from, to.min(from + 19)),
        "up" => (from.max(to.saturating_sub(19)), to),
        _ => (from, to),
    };
    // A second click would fetch the same lines again.
    if gap.has_attribute("aria-busy") {
        return;
    }
    let _ = gap.set_attribute("aria-busy", "true");
    leptos::task::spawn_local(async move {
        let fetched = fragment::fetch(&format!("{address}&part={part}&lines={first}-{last}")).await;
        let _ = gap.remove_attribute("aria-busy");
        let fresh = match fetched {
            Ok(html) => fragment::parse(&html),
            Err(problem) => return toast::fail(&problem),
        };
        let Some(fresh) = fresh else { return };
        let focused = dom::focus_in(&gap).is_some();
        let Some(place) = gap.parent_element() else { return };
        let behind = if way == "up" { gap.next_sibling() } else { Some(gap.clone().unchecked_into()) };
        while let Some(run) = fresh.first_element_child() {
            let _ = place.insert_before(&run, behind.as_ref());
            paint::paint(&run);
        }
        let (from, to) = if way == "up" { (from, first.saturating_sub(1)) } else { (last + 1, to) };
        if from > to {
            let card = cards::of(&gap);
            let gaps = card.map(|card| dom::find_all(&card, ".gap")).unwrap_or_default();
            let next = gaps.iter().position(|other| *other == gap).and_then(|at| gaps.get(at + 1));
            let next = next.and_then(|gap| dom::find(gap, "[data-expand]")).or_else(|| dom::by_id("files"));
            gap.remove();
            if focused {
                focus(next.as_ref());
            }
            return;
        }
        let _ = gap.set_attribute("data-from", &from.to_string());
        let _ = gap.set_attribute("data-to", &to.to_string());
        if let Some(words) = dom::find(&gap, ":scope > span") {
            let count = to - from + 1;
            words.set_text_content(Some(&format!("{count} unchanged line{}", if count == 1 { "" } else { "s" })));
        }
        if to - from < 20 {
            dom::find_all(&gap, "[data-expand=down], [data-expand=up]").iter().for_each(Element::remove);
            if focused {
                focus(dom::find(&gap, "[data-expand]").as_ref());
            }
        }
    });
}

/// The control that was pressed is gone: the keys go on at another one, and nothing scrolls.
fn focus(element: Option<&Element>) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    if let Some(element) = element.and_then(dom::html) {
        let _ = element.focus_with_options(&options);
    }
}

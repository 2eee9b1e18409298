//! Lines: their numbers, which are chosen, and the address that leads to them.

use super::blocks;
use super::drawn_lines::{DrawnLines, edit_of, find};
use super::{cards, change_steps, highlights, notes, rows};
use app::browser::toast::{self, Then};
use app::browser::{clipboard, dom, editor, fragment};
use app::shared::attr;
pub use app::shared::diff_lines::Lines;
use app::shared::diff_lines::{
    Address, Expansion, chosen as from_first, expand as expansion, gap_words, is_one_step, left, range,
};
use app::shared::hash::text_hash;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlDialogElement, MouseEvent};

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
    if let (Some(card), Some((side, number))) = (cards::of(line), dom::line_number(line)) {
        clicked(&card, side, number, edit_of(line), event);
    }
}

/// Handles a click in a large difference, where line numbers are a text of their own.
pub fn click_number(numbers: &Element, event: &MouseEvent) {
    if let (Some(card), Some((side, number))) = (cards::of(numbers), rows::clicked(numbers, event)) {
        clicked(&card, side, number, edit_of(numbers), event);
    }
}

/// Hidden lines of a large difference are shown: all of them, and the reader stays where they are.
pub fn click_text(text: &Element, event: &MouseEvent) {
    let is_selecting = dom::window()
        .and_then(|window| window.get_selection().ok().flatten())
        .is_some_and(|selection| !selection.is_collapsed());
    if let Some(lines) = rows::gap(text, event).filter(|_| !is_selecting) {
        open_lines(text, &lines);
    }
}

/// A button over hidden lines of a large difference.
pub fn open_gap(button: &Element) {
    if let Some(lines) = button.get_attribute(attr::OPEN) {
        open_lines(button, &lines);
    }
}

/// Shows `40-78`, unchanged lines of the part in which an element is.
fn open_lines(element: &Element, lines: &str) {
    let part = element.closest("[data-part]").ok().flatten().and_then(|part| part.get_attribute(attr::PART));
    let (Some(card), Some(part)) = (cards::of(element), part) else { return };
    let before = card.get_attribute(attr::OPENED).map(|opened| format!("{opened},")).unwrap_or_default();
    let _ = card.set_attribute(attr::OPENED, &format!("{before}{part}:{lines}"));
    let _ = card.set_attribute(attr::SHOWN, "");
    if let Some((from, _)) = range(lines) {
        WANTED.set(Some((card.id(), Lines { side: 'R', from, to: from, edit: edit_of(element) }, None)));
    }
    cards::load(card);
}

fn clicked(card: &Element, side: char, number: u32, edit: Option<String>, event: &MouseEvent) {
    let first = CHOSEN.with_borrow(|chosen| {
        let (in_card, lines, first) = chosen.as_ref()?;
        let is_same = in_card == card && lines.side == side && lines.edit == edit;
        (event.shift_key() && is_same).then_some(*first)
    });
    let (from, to) = from_first(first, number);
    choose(card, Lines { side, from, to, edit }, first.unwrap_or(number));
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
    let is_whole = text.len() > lines.to.saturating_sub(lines.from) as usize;
    CHOSEN.set(Some((card.clone(), lines, first)));
    let blocks = blocks::all(card);
    let Some(first) = blocks.into_iter().next() else {
        // Lines that aren't drawn, as those of a folded file, say nothing that could be told again.
        let hash = if is_whole { format!("~{}", text_hash(&text.join("\n"))) } else { String::new() };
        return set_address(&format!("#{}:{words}{hash}", card.id()));
    };
    show_chosen(card);
    let (card, before) = (card.clone(), dom::hash());
    wasm_bindgen_futures::spawn_local(async move {
        let answer = blocks::ask(&card, &first, &format!("find={words}")).await;
        // An address that was gone to meanwhile is another choice, of which the page is told in a moment.
        let is_chosen =
            dom::hash() == before && chosen().is_some_and(|(of, lines)| of == card && lines.words() == words);
        if let Ok(Some((_, said))) = answer
            && is_chosen
        {
            let hash = text_hash(said.get(1).map(String::as_str).unwrap_or_default());
            set_address(&format!("#{}:{words}~{hash}", card.id()));
        }
    });
}

/// Marks the chosen lines in what was just drawn of a large difference.
pub fn show_chosen(root: &Element) {
    let chosen = CHOSEN.with_borrow(Clone::clone).filter(|(card, ..)| card.contains(Some(root)));
    rows::mark(root, "bat", |block, _, row| {
        chosen.as_ref().is_some_and(|(_, lines, _)| {
            if edit_of(block) != lines.edit {
                return false;
            }
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
        let (card, lines) = change_steps::lines()?;
        choose(&card, lines.clone(), lines.from);
        Some((card, lines))
    });
    match at {
        Some((card, lines)) => notes::write(&card, &lines),
        None => toast::show("No lines are selected. Go to a change first, or click a line number.", Then::Nothing),
    }
}

/// Opens a file at the chosen lines, at the change that the keys went to, or at the first one.
pub fn open_in_editor(card: &Element) {
    let within = |(of, lines): (Element, Lines)| (of == *card).then_some(lines);
    let lines = chosen().and_then(within).or_else(|| change_steps::lines().and_then(within));
    let line = match lines {
        Some(lines) => new_line(card, &lines),
        None => first_change(card),
    };
    if let Some(path) = card.get_attribute(attr::PATH) {
        editor::open(&path, line.map(|line| line.to_string()));
    }
}

/// Where lines are in the file as it is now: what was removed from it has left a place.
fn new_line(card: &Element, lines: &Lines) -> Option<u32> {
    match lines {
        Lines { edit: Some(_), .. } => None,
        Lines { side: 'R', from, .. } => Some(*from),
        Lines { from, .. } => {
            let Some(line) = find(card, lines).into_iter().next() else { return new_line_in_blocks(card, *from) };
            let run = line.closest(".run").ok().flatten()?;
            if !run.class_list().contains("ctx") {
                return place_of(&run);
            }
            // An unchanged line is as far from the beginning of its run on either side.
            let (old, new) = dom::lines_before(&run)?;
            u32::try_from(i64::from(*from) - old + new).ok()
        }
    }
}

/// The new line of the same row of a large difference, or of the next one that has one.
fn new_line_in_blocks(card: &Element, old: u32) -> Option<u32> {
    let placed = blocks::all(card).into_iter().filter(|blocks| edit_of(blocks).is_none());
    let mut rows = placed.flat_map(|blocks| dom::find_all(&blocks, ".bk")).flat_map(|block| rows::of(&block));
    let row = rows.find(|row| row.old == Some(old))?;
    row.new.or_else(|| rows.find_map(|row| row.new))
}

/// The first line of a run, on the new side.
fn place_of(run: &Element) -> Option<u32> {
    u32::try_from(dom::lines_before(run)?.1 + 1).ok()
}

fn first_change(card: &Element) -> Option<u32> {
    let run = dom::find_all(card, ".run.chg").into_iter().find(|run| edit_of(run).is_none());
    let rows = || {
        let blocks = blocks::all(card).into_iter().find(|blocks| edit_of(blocks).is_none())?;
        let changed = |row: &rows::BlockRow| row.new.filter(|_| row.old.is_none());
        dom::find_all(&blocks, ".bk").iter().find_map(|block| rows::of(block).iter().find_map(changed))
    };
    run.as_ref().and_then(place_of).or_else(rows)
}

/// Chooses the first line of the change that the keys went to, then one more or one fewer at the end.
pub fn extend(by: i64) {
    if let Some((card, Lines { side, from, to, edit })) = chosen() {
        let to = i64::from(to) + by;
        let Some(to) = u32::try_from(to).ok().filter(|to| *to >= from) else { return };
        let shown = || DrawnLines::of(&card, side, edit.as_deref()).span();
        if !blocks::all(&card).is_empty() || shown().is_some_and(|(_, last)| to <= last) {
            choose(&card, Lines { side, from, to, edit }, from);
        }
    } else if let Some((card, Lines { side, from, edit, .. })) = change_steps::lines() {
        choose(&card, Lines { side, from, to: from, edit }, from);
    }
    if let Some((_, lines)) = chosen() {
        dom::announce(&format!("{} chosen", lines.label()));
    }
}

/// The lines that a button of the table is about: comments on them, or copies their address.
pub fn of_table(button: &Element) {
    let card =
        button.closest("[data-of]").ok().flatten().and_then(|table| cards::by_id(&table.get_attribute(attr::OF)?));
    let lines = button.get_attribute(attr::LINES).as_deref().and_then(Lines::parse);
    let (Some(card), Some(lines)) = (card, lines) else { return };
    choose(&card, lines.clone(), lines.from);
    if button.has_attribute(attr::LINK) {
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
    clipboard::copy(button, address);
}

/// Goes where the address leads: `#d-1a2b3c4d:R12-15~hash`.
pub fn open_address() {
    let Address { file, lines, hash } = Address::read(&dom::hash());
    let Some(card) = cards::by_id(&file) else {
        if file.starts_with("d-") {
            toast::show(&format!("The linked file isn't among these changes: {file}"), Then::Nothing);
        }
        return;
    };
    cards::fold(&card, false);
    change_steps::to(&card);
    if let Some(lines) = lines {
        WANTED.set(Some((file, lines, hash)));
        // Else they are chosen when it has come.
        match (card.has_attribute(attr::LOADED), card.has_attribute("aria-busy")) {
            (true, true) => {}
            (true, false) => arrive(&card),
            (false, _) => cards::load(card),
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
    let shown = DrawnLines::of(card, lines.side, lines.edit.as_deref());
    let place = match &hashed {
        Some(hashed) => shown.find(lines.from, lines.to, |text| text_hash(text) == *hashed),
        // Where what they say isn't known, other lines aren't those that are meant.
        None => shown.has(lines.from, lines.to).then_some((lines.from, lines.to)),
    };
    let Some((from, to)) = place else {
        return missing(card, lines, hashed);
    };
    choose(card, Lines { from, to, ..lines }, from);
    if let Some(line) = shown.elements(from, to).first() {
        change_steps::to(line);
    }
}

fn arrive_in_blocks(card: Element, blocks: Element, lines: Lines, hashed: Option<String>) {
    wasm_bindgen_futures::spawn_local(async move {
        let hash = hashed.as_ref().map(|hash| format!("~{hash}")).unwrap_or_default();
        let (spot, said) = match blocks::ask(&card, &blocks, &format!("find={}{hash}", lines.words())).await {
            Ok(Some(found)) => found,
            Ok(None) => return missing(&card, lines, hashed),
            Err(problem) => return toast::fail(&problem),
        };
        if let Some(lines) = said.first().and_then(|words| Lines::parse(words)) {
            let first = lines.from;
            choose(&card, lines, first);
        }
        blocks::reveal(&spot).await;
    });
}

/// Lines that aren't shown may be among those that a gap hides.
fn missing(card: &Element, lines: Lines, hashed: Option<String>) {
    if card.has_attribute(attr::ALL) {
        let why = match hashed {
            Some(_) => "The linked lines have changed since the link was created",
            None => "The linked lines aren't in this file",
        };
        toast::show(&format!("{why}: {}", lines.label()), Then::Nothing);
        return;
    }
    let _ = card.set_attribute(attr::ALL, "");
    let _ = card.set_attribute(attr::SHOWN, "");
    WANTED.set(Some((card.id(), lines, hashed)));
    cards::load(card.clone());
}

/// Shows some of the unchanged lines that a gap hides.
pub fn expand(button: &Element) {
    let Some(gap) = button.closest(".gap").ok().flatten() else { return };
    let number = |name: &str| gap.get_attribute(name).and_then(|n| n.parse::<u32>().ok());
    let (Some(part), Some(from), Some(to)) = (number(attr::PART), number(attr::FROM), number(attr::TO)) else {
        return;
    };
    let Some(address) = cards::of(&gap).and_then(|card| cards::address(&card)) else { return };
    let way = button.get_attribute(attr::EXPAND).unwrap_or_default();
    let (first, last) = match expansion(&way, from, to) {
        Expansion::Lines(first, last) => (first, last),
        Expansion::Blocks => return open_lines(&gap, &format!("{from}-{to}")),
    };
    // A second click would fetch the same lines again.
    if gap.has_attribute("aria-busy") {
        return;
    }
    let _ = gap.set_attribute("aria-busy", "true");
    wasm_bindgen_futures::spawn_local(async move {
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
            highlights::paint(&run);
        }
        match left(&way, (from, to), (first, last)) {
            Some(lines) => narrow(&gap, lines, focused),
            None => close(&gap, focused),
        }
    });
}

/// Removes a gap that hides nothing any more. The focus goes to the next one, or else to the list of files.
fn close(gap: &Element, focused: bool) {
    let card = cards::of(gap);
    let gaps = card.map(|card| dom::find_all(&card, ".gap")).unwrap_or_default();
    let next = gaps.iter().position(|other| other == gap).and_then(|at| gaps.get(at + 1));
    let next = next.and_then(|gap| dom::find(gap, "[data-expand]")).or_else(|| dom::by_id("files"));
    gap.remove();
    if focused {
        focus(next.as_ref());
    }
}

/// Makes a gap say what it still hides. One click shows all of it once that is few enough.
fn narrow(gap: &Element, (from, to): (u32, u32), focused: bool) {
    let _ = gap.set_attribute(attr::FROM, &from.to_string());
    let _ = gap.set_attribute(attr::TO, &to.to_string());
    if let Some(words) = dom::find(gap, "[data-expand=all] > span") {
        words.set_text_content(Some(&gap_words(from, to)));
    }
    if is_one_step(from, to) {
        dom::find_all(gap, "[data-expand=down], [data-expand=up]").iter().for_each(Element::remove);
        if focused {
            focus(dom::find(gap, "[data-expand]").as_ref());
        }
    }
}

/// The control that was pressed is gone: the keys go on at another one, and nothing scrolls.
fn focus(element: Option<&Element>) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(true);
    if let Some(element) = element.and_then(dom::html) {
        let _ = element.focus_with_options(&options);
    }
}

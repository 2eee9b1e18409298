//! Where the words stand in what is in the document: their marks, and the way to the place that the reader is at.
//!
//! The marks are the browser's highlights, so that no element of a message changes.

use super::{Column, Finding, Task, carry_on, show_found};
use crate::transcript::{Anchor, rows, scroll};
use api::outline::{Found, FoundAt};
use api::search::HitCount;
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::found_places::{Letters, Nodes};
use app::shared::scroll::BELOW_TOP;
use js_sys::{Array, Function, JsString, Reflect, WeakMap};
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, MutationObserver, MutationObserverInit, MutationRecord, Node, Range, StaticRange, StaticRangeInit,
};

/// More marks than these aren't drawn.
const MOST_MARKS: usize = 2_000;
/// Names of the highlights in the style: every place, and the one that the reader is at.
const NAMES: [&str; 2] = ["find", "find-now"];
/// `NodeFilter.SHOW_TEXT`
const TEXT_NODES: u32 = 4;
/// Words that are the page's own, not those of a message.
const NOT_SAID: &str = ".sr, .sr *, button, button *, label *, footer a, .acts *, .gap *, .mv, .dev *";
/// Parts of a row that aren't drawn, or out of sight. A difference leaves unchanged lines away.
const CUT: &str = "details[data-folded], [data-action=all], .diff, .hidden-lines";
/// Elements whose text isn't visible until the message is drawn completely.
const UNSEEN: &str = "details[data-folded], .clamp";
/// A place nearer to the edge of what scrolls than this, in pixels, is brought to its middle.
const EDGE: f64 = 32.0;

/// Information about the rows, until they change.
#[derive(Debug, Default)]
pub struct Marks {
    /// Rows, each with its places for `words`.
    rows: Option<WeakMap>,
    words: String,
    observer: Option<MutationObserver>,
    is_fresh: bool,
    /// The message that was asked for whole, since parts of it are cut.
    revealed: Option<i64>,
    /// It is on its way.
    reveals: bool,
    /// The place is to be brought into view.
    leads: bool,
}

impl Marks {
    /// The reader goes to a message.
    pub fn arrive(&mut self) {
        (self.revealed, self.reveals, self.leads) = (None, false, true);
    }

    /// The reader goes to a place of the message.
    pub fn lead(&mut self) {
        self.leads = true;
    }

    pub fn let_go(&mut self) {
        self.leads = false;
    }
}

impl Drop for Marks {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

pub fn clear() {
    for name in NAMES {
        register(name, &[]);
    }
}

/// Marks the words in every row that is in the document, if anything changed since.
pub fn paint(column: &Rc<Column>) {
    let mut finding = column.find.0.borrow_mut();
    if finding.open && !std::mem::replace(&mut finding.marks.is_fresh, true) {
        wasm_bindgen_futures::spawn_local(carry_on(column.clone(), Task::Mark));
    }
}

pub fn repaint(column: &Rc<Column>) {
    column.find.0.borrow_mut().marks.is_fresh = false;
    paint(column);
}

pub fn mark(column: &Rc<Column>) {
    let Some((words, at, known)) = begin(column) else { return };
    if words.is_empty() {
        return clear();
    }
    let mut all = Vec::new();
    for row in dom::find_all(&column.feed, ".chunk > article") {
        if all.len() < MOST_MARKS {
            all.extend(places(&known, &row, &words));
        }
    }
    let here = at.and_then(|seq| Some((seq, scroll::message(column, seq)?)));
    let of_here: Vec<StaticRange> = here.as_ref().map(|(_, row)| own_places(&known, row, &words)).unwrap_or_default();
    if let Some((seq, row)) = &here {
        reveal(column, *seq, row, &words, &of_here);
    }
    let now = {
        let mut finding = column.find.0.borrow_mut();
        finding.places = of_here.len();
        of_here.get(finding.shown_place())
    };
    if let (Some(now), Some((seq, row))) = (now, &here) {
        lead(column, *seq, row, now);
    }
    all.retain(|range| now.is_none_or(|now| range != now));
    register(NAMES[0], &all);
    register(NAMES[1], now.map_or(&[], std::slice::from_ref));
    show_found(column);
}

/// The words, the message that the reader is at, and the places that are known. None while the bar is closed.
fn begin(column: &Rc<Column>) -> Option<(String, Option<i64>, WeakMap)> {
    let mut finding = column.find.0.borrow_mut();
    let Finding { open: true, words, at, marks, .. } = &mut *finding else { return None };
    if marks.observer.is_none() {
        marks.observer = watch(column);
    }
    if marks.words != *words {
        marks.words.clone_from(words);
        marks.rows = None;
    }
    let known = marks.rows.get_or_insert_with(WeakMap::new).clone();
    Some((words.clone(), *at, known))
}

/// Rows that change, or come, have other places.
fn watch(column: &Rc<Column>) -> Option<MutationObserver> {
    let watched = Rc::downgrade(column);
    let changed = Closure::<dyn FnMut(Array)>::new(move |records: Array| {
        let Some(column) = watched.upgrade() else { return };
        {
            let marks = &mut column.find.0.borrow_mut().marks;
            marks.is_fresh = false;
            for record in records.iter() {
                let target = record.dyn_into::<MutationRecord>().ok().and_then(|record| record.target());
                if let (Some(row), Some(known)) = (target.and_then(|node| top_row(&node)), &marks.rows) {
                    known.delete(&row);
                }
            }
        }
        column.soon();
    })
    .into_js_value();
    let observer = MutationObserver::new(changed.unchecked_ref()).ok()?;
    let what = MutationObserverInit::new();
    what.set_child_list(true);
    what.set_character_data(true);
    what.set_subtree(true);
    observer.observe_with_options(&column.feed, &what).ok()?;
    Some(observer)
}

fn top_row(node: &Node) -> Option<Element> {
    let element = node.dyn_ref::<Element>().cloned().or_else(|| node.parent_element())?;
    element.closest(".chunk > article").ok().flatten()
}

/// The places of a row, as they are known or as they are found now.
fn places(known: &WeakMap, row: &Element, words: &str) -> Vec<StaticRange> {
    if let Ok(ranges) = known.get(row).dyn_into::<Array>() {
        return ranges.iter().filter_map(|range| range.dyn_into().ok()).collect();
    }
    let ranges = matches(row, words);
    known.set(row, &ranges.iter().collect::<Array>());
    ranges
}

/// Those of them that the message itself says, not one that stands within its row. What a head of one line has no room
/// for is said again below it.
fn own_places(known: &WeakMap, row: &Element, words: &str) -> Vec<StaticRange> {
    let top = top_row(row).unwrap_or_else(|| row.clone());
    let is_own = |range: &StaticRange| {
        let holder = range.start_container().parent_element();
        holder.and_then(|holder| holder.closest("article").ok().flatten()).as_ref() == Some(row)
    };
    let (cut, own): (Vec<_>, Vec<_>) = places(known, &top, words).into_iter().filter(is_own).partition(is_cut_off);
    if own.is_empty() { cut } else { own }
}

/// Returns true if it is hidden after the ellipsis of its line.
fn is_cut_off(range: &StaticRange) -> bool {
    let holder = range.start_container().parent_element();
    let line = holder.and_then(|holder| holder.closest(".cut, .target, .path").ok().flatten());
    let ends =
        |line: Element| Some(live(range)?.get_bounding_client_rect().right() > line.get_bounding_client_rect().right());
    line.and_then(ends).unwrap_or(false)
}

/// A message of which parts are cut is asked for whole, once. It takes the place of the row if more of it says the
/// words.
fn reveal(column: &Rc<Column>, seq: i64, row: &Element, words: &str, places: &[StaticRange]) {
    {
        let marks = &mut column.find.0.borrow_mut().marks;
        if marks.revealed.replace(seq) == Some(seq) {
            return;
        }
    }
    if let Some(button) = dom::find(row, ":scope > [data-action=hidden][aria-expanded=false]") {
        return rows::hidden(column, row.clone(), &button);
    }
    if row.id() != format!("m{seq}") || dom::find(row, CUT).is_none() {
        return;
    }
    let unseen = |range: &StaticRange| is_within(range, UNSEEN);
    let (count, any_unseen) = (places.len(), places.iter().any(unseen));
    column.find.0.borrow_mut().marks.reveals = true;
    let path = format!("{}&find={}", rows::message(column, seq, "full"), api::endpoint::segment(words));
    let (column, row, words) = (column.clone(), row.clone(), words.to_owned());
    wasm_bindgen_futures::spawn_local(async move {
        let html = fragment::fetch(&path).await.unwrap_or_default();
        let fresh = fragment::parse(&html).and_then(|holder| holder.first_element_child());
        {
            let mut finding = column.find.0.borrow_mut();
            if finding.at != Some(seq) || finding.words != words {
                return;
            }
            finding.marks.reveals = false;
        }
        if let Some(fresh) = fresh.filter(|fresh| any_unseen || matches(fresh, &words).len() > count) {
            rows::replace(&column, &row, &fresh);
        }
        repaint(&column);
    });
}

fn is_within(range: &StaticRange, selector: &str) -> bool {
    let holder = range.start_container().parent_element();
    holder.is_some_and(|holder| holder.closest(selector).ok().flatten().is_some())
}

/// Unfolds what the place is in, and brings it into view.
fn lead(column: &Rc<Column>, seq: i64, row: &Element, at: &StaticRange) {
    {
        let marks = &mut column.find.0.borrow_mut().marks;
        // A folded message is drawn completely in a moment.
        if !marks.leads || marks.reveals && is_within(at, UNSEEN) {
            return;
        }
        marks.leads = false;
    }
    let Some(range) = live(at) else { return };
    let within = |element: &Element| *element != column.feed;
    let holders = || std::iter::successors(at.start_container().parent_element(), |it| it.parent_element());
    for holder in holders().take_while(within) {
        let is_head =
            || dom::find(&holder, ":scope > summary").is_some_and(|it| it.contains(Some(&at.start_container())));
        if holder.tag_name() == "DETAILS" && !is_head() {
            let _ = holder.set_attribute("open", "");
        }
    }
    for holder in holders().take_while(within).filter(scrolls) {
        let (rect, frame) = (range.get_bounding_client_rect(), holder.get_bounding_client_rect());
        if rect.top() < frame.top() + EDGE || rect.bottom() > frame.bottom() - EDGE {
            let way = rect.top() - frame.top() - frame.height() / 3.0;
            holder.set_scroll_top(holder.scroll_top() + way as i32);
        }
        if rect.left() < frame.left() || rect.right() > frame.right() {
            let way = rect.left() - frame.left() - frame.width() / 3.0;
            holder.set_scroll_left(holder.scroll_left() + way as i32);
        }
    }
    let (view, rect) = (column.scroller.get_bounding_client_rect(), range.get_bounding_client_rect());
    if rect.top() >= view.top() + BELOW_TOP && rect.bottom() <= view.bottom() - EDGE {
        return;
    }
    // The row goes where the place is in the upper part of the view.
    let row = scroll::row(column, seq).unwrap_or_else(|| row.clone());
    let wanted = BELOW_TOP.max(view.height() / 3.0);
    let offset = row.get_bounding_client_rect().top() - rect.top() + wanted;
    column.scroll.set_anchor(Anchor::Row { seq, offset });
    scroll::place(column);
    column.soon();
}

/// Returns true if the element's content scrolls.
fn scrolls(element: &Element) -> bool {
    let larger =
        element.scroll_height() > element.client_height() + 1 || element.scroll_width() > element.client_width() + 1;
    let style = || dom::window()?.get_computed_style(element).ok().flatten();
    let overflow = || style().and_then(|style| style.get_property_value("overflow").ok()).unwrap_or_default();
    larger && overflow().split(' ').any(|way| matches!(way, "auto" | "scroll"))
}

fn live(range: &StaticRange) -> Option<Range> {
    let live = dom::document()?.create_range().ok()?;
    live.set_start(&range.start_container(), range.start_offset()).ok()?;
    live.set_end(&range.end_container(), range.end_offset()).ok()?;
    Some(live)
}

/// The messages that say the words of those that are in the document or were, for when nobody else can be asked.
pub fn loaded(column: &Column, words: &str) -> Found {
    let hit = |row: &Element| {
        let seq = row.get_attribute(attr::SEQ)?.parse().ok()?;
        Some(FoundAt { seq, message_type: row.get_attribute(attr::TYPE)? })
    };
    let says = |row: &Element| !matches(row, words).is_empty();
    let mut sections: Vec<Element> = column.chunks.mounted().into_iter().map(|(_, section)| section).collect();
    sections.extend(column.chunks.left());
    let rows = sections.iter().flat_map(|section| dom::find_all(section, "article[data-type]"));
    let mut hits: Vec<FoundAt> = rows.filter(says).filter_map(|row| hit(&row)).collect();
    hits.sort_unstable_by_key(|hit| hit.seq);
    let mut types: Vec<HitCount> = Vec::new();
    for hit in &hits {
        match types.iter_mut().find(|count| count.value == hit.message_type) {
            Some(count) => count.hits += 1,
            None => types.push(HitCount { value: hit.message_type.clone(), hits: 1 }),
        }
    }
    Found { hits, types, hidden: 0 }
}

/// Ranges of a row's text that say the words, also over the ends of elements.
fn matches(row: &Element, words: &str) -> Vec<StaticRange> {
    let nodes = text_nodes(row);
    let text: String = nodes.iter().map(|(_, text)| String::from(text)).collect();
    let (folded, wanted) = (Folded::of(&text), fold(&JsString::from(words)));
    let words = String::from(&wanted);
    let mut ranges = Vec::new();
    let mut places = Nodes::new(nodes.iter().map(|(_, text)| text.length()).collect());
    let mut from = 0;
    while let Ok(start) = u32::try_from(folded.text.index_of(&words, from)) {
        let end = start + wanted.length();
        from = i32::try_from(end).unwrap_or(i32::MAX);
        let (start, end) = folded.written(start, end);
        let Some([(first, start), (last, end)]) = places.find(start, end) else { break };
        if let (Some((head, _)), Some((tail, _))) = (nodes.get(first), nodes.get(last)) {
            ranges.extend(StaticRange::new(&StaticRangeInit::new(tail, end, head, start)));
        }
    }
    ranges
}

/// As the server compares texts: whatever their case, and however their letters were typed.
fn fold(text: &JsString) -> JsString {
    text.normalize("NFKC").to_lower_case()
}

/// A text as it is compared.
struct Folded {
    text: JsString,
    /// None where each letter stands in its own place.
    letters: Option<Letters>,
}

impl Folded {
    fn of(written: &str) -> Self {
        let text = JsString::from(written);
        let lower = text.to_lower_case();
        if fold(&text) == lower && lower.length() == text.length() {
            return Self { text: lower, letters: None };
        }
        let letters = Letters::of(written, |letter| String::from(fold(&JsString::from(letter))));
        Self { text: JsString::from(&*letters.text), letters: Some(letters) }
    }

    /// The place in the text as it was written.
    fn written(&self, start: u32, end: u32) -> (u32, u32) {
        self.letters.as_ref().map_or((start, end), |letters| letters.written(start, end))
    }
}

fn text_nodes(row: &Element) -> Vec<(Node, JsString)> {
    let walker = dom::document().and_then(|d| d.create_tree_walker_with_what_to_show(row, TEXT_NODES).ok());
    let Some(walker) = walker else { return Vec::new() };
    let mut nodes = Vec::new();
    while let Ok(Some(node)) = walker.next_node() {
        let unseen = node.parent_element().is_some_and(|parent| parent.matches(NOT_SAID).unwrap_or(false));
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

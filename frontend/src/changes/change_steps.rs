//! From change to change, from file to file; which of them is before the reader's eyes.

use super::blocks::{self, Spot};
use super::lines::Lines;
use super::{cards, drawn_lines, file_lists, rows};
use app::browser::{dom, toast};
use app::shared::attr;
use std::cell::RefCell;
use web_sys::{Element, MouseEvent};

/// Below the sticky head of a card.
const HEAD: f64 = 52.0;
/// Space above a change after a jump to it, in pixels.
pub const SPACE: f64 = HEAD + 60.0;

/// Where the reader is.
#[derive(Clone)]
struct At {
    /// A run, a file, or a large difference.
    element: Element,
    /// In a large difference: the change, and how many are before it.
    change: Option<(Spot, u32)>,
}

thread_local! {
    static AT: RefCell<Option<At>> = const { RefCell::new(None) };
    /// The row of the tree that is marked.
    static CURRENT: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// Something to stop at.
struct Stop {
    element: Element,
    /// Changes in it.
    count: u32,
}

/// Every run, large difference, and file whose changes aren't there, in order.
fn stops() -> Vec<Stop> {
    let shown = cards::all().into_iter().filter(|card| !card.has_attribute("hidden"));
    shown
        .flat_map(|card| {
            let found = if cards::is_folded(&card) { Vec::new() } else { dom::find_all(&card, ".run.chg, .blocks") };
            if found.is_empty() { vec![card] } else { found }
        })
        .map(|element| Stop { count: blocks::number(&element, attr::CHANGES).unwrap_or(1).max(1), element })
        .collect()
}

/// Where an element is among the stops: itself, or the file that was folded around it.
fn place_of(stops: &[Stop], element: &Element) -> Option<usize> {
    let place = |element: &Element| stops.iter().position(|stop| stop.element == *element);
    place(element).or_else(|| place(&cards::of(element)?))
}

fn is_blocks(element: &Element) -> bool {
    element.class_list().contains("blocks")
}

/// How far an element is below the top of the scroller.
fn top(element: &Element) -> f64 {
    if let Some(card) = cards::of(element).filter(|card| !card.is_connected()) {
        return file_lists::top(&card);
    }
    let top = dom::by_id("files").map_or(0.0, |files| files.get_bounding_client_rect().top());
    element.get_bounding_client_rect().top() - top
}

pub fn to(element: &Element) {
    let Some(files) = dom::by_id("files") else { return };
    if let Some(card) = cards::of(element) {
        file_lists::bring(&card);
    }
    let space = if element.class_list().contains("file") { 8.0 } else { SPACE };
    files.set_scroll_top((f64::from(files.scroll_top()) + top(element) - space) as i32);
}

/// The lines of the change that the reader is at: the new ones, or what was removed where nothing is new.
pub fn lines() -> Option<(Element, Lines)> {
    let at = AT.with_borrow(Clone::clone)?;
    let card = cards::of(&at.element)?;
    let numbers: [Vec<u32>; 2] = match at.change {
        Some((spot, _)) => {
            let mut numbers = [Vec::new(), Vec::new()];
            for block in dom::find_all(&spot.blocks, ".bk") {
                let first = rows::first(&block);
                for (row, at) in rows::of(&block).into_iter().zip(first..) {
                    if (spot.first..spot.end).contains(&at) {
                        numbers[0].extend(row.new);
                        numbers[1].extend(row.old);
                    }
                }
            }
            numbers
        }
        None if at.element.class_list().contains("run") => ['R', 'L'].map(|side| {
            let tag = if side == 'R' { "ins" } else { "del" };
            dom::find_all(&at.element, &format!(":scope > {tag}.l"))
                .iter()
                .filter_map(dom::line_number)
                .map(|(_, n)| n)
                .collect()
        }),
        None => return None,
    };
    let (side, numbers) = ['R', 'L'].into_iter().zip(&numbers).find(|(_, numbers)| !numbers.is_empty())?;
    let edit = drawn_lines::edit_of(&at.element);
    Some((card, Lines { side, from: *numbers.first()?, to: *numbers.last()?, edit }))
}

/// To the share of a file at which its overview was clicked.
pub fn to_share(ruler: &Element, event: &MouseEvent) {
    let (Some(files), Some(body)) = (dom::by_id("files"), cards::of(ruler).and_then(|card| cards::body(&card))) else {
        return;
    };
    let rect = ruler.get_bounding_client_rect();
    let share = (f64::from(event.client_y()) - rect.top()) / rect.height().max(1.0);
    let middle = f64::from(files.client_height()) / 2.0;
    let at = top(&body) + share * body.get_bounding_client_rect().height() - middle;
    files.set_scroll_top((f64::from(files.scroll_top()) + at) as i32);
}

/// To the next or the previous change.
pub fn step(forward: bool) {
    wasm_bindgen_futures::spawn_local(async move {
        let stops = stops();
        let at = AT.with_borrow(Clone::clone);
        let place = at.as_ref().and_then(|at| place_of(&stops, &at.element));
        if let (Some(At { element, change: Some((spot, _)) }), Some(place)) = (&at, place)
            && stops[place].element == *element
            && within(element, forward, Some(spot.first)).await
        {
            return;
        }
        let next = match (place, forward) {
            (Some(place), true) => place + 1,
            (Some(place), false) => match place.checked_sub(1) {
                Some(before) => before,
                None => return dom::announce("This is the first change"),
            },
            (None, _) => match from_here(&stops, forward).await {
                Some(next) => next,
                None => return,
            },
        };
        match stops.get(next) {
            Some(stop) => enter(&stop.element, forward).await,
            None => dom::announce("This is the last change"),
        }
    });
}

/// Where the way begins: at what is in view. None if a change in view was gone to.
async fn from_here(stops: &[Stop], forward: bool) -> Option<usize> {
    let in_view = stops.iter().find(|stop| {
        let top = top(&stop.element);
        is_blocks(&stop.element) && top < 0.0 && top + stop.element.get_bounding_client_rect().height() > SPACE
    });
    if let Some(stop) = in_view {
        let row = (SPACE - top(&stop.element)) / rows::ROW;
        if within(&stop.element, forward, Some(row as u32)).await {
            return None;
        }
    }
    let is_ahead = |stop: &Stop| top(&stop.element) >= 0.0;
    Some(
        if forward { stops.iter().position(is_ahead) } else { stops.iter().rposition(|stop| !is_ahead(stop)) }
            .unwrap_or(0),
    )
}

/// To a change of a large difference. Returns true if there is one.
async fn within(blocks: &Element, forward: bool, row: Option<u32>) -> bool {
    let Some(card) = cards::of(blocks) else { return false };
    let way = if forward { "next" } else { "previous" };
    let at = row.map(|row| format!("&at={row}")).unwrap_or_default();
    let (spot, said) = match blocks::ask(&card, blocks, &format!("step={way}{at}")).await {
        Ok(Some(found)) => found,
        Ok(None) => return false,
        // Whether there is one isn't known: the reader stays.
        Err(problem) => {
            toast::fail(&problem);
            return true;
        }
    };
    let index = said.first().and_then(|index| index.parse().ok()).unwrap_or(0);
    mark(blocks, Some((spot.clone(), index)));
    count();
    blocks::reveal(&spot).await;
    show(blocks);
    follow();
    true
}

async fn enter(element: &Element, forward: bool) {
    if let Some(card) = cards::of(element) {
        file_lists::bring(&card);
    }
    if is_blocks(element) && within(element, forward, None).await {
        return;
    }
    mark(element, None);
    to(element);
    count();
    // Where nothing scrolls, nobody else does.
    follow();
    if element.class_list().contains("file") {
        say_collapsed(element);
    }
}

/// A file that shows none of its changes isn't passed without a word.
fn say_collapsed(card: &Element) {
    let said = || dom::find(card, ".folded-why > span")?.text_content();
    let why = match (cards::is_folded(card), cards::is_viewed(card)) {
        (true, true) => Some("viewed".to_owned()),
        (true, false) => Some("folded".to_owned()),
        _ => said(),
    };
    if let Some(why) = why {
        dom::announce(&format!("{}, collapsed: {why}", card.get_attribute("aria-label").unwrap_or_default()));
    }
}

/// The changes of a file are there: who went to it is at the first of them.
pub fn arrived(card: &Element) {
    if !AT.with_borrow(|at| at.as_ref().is_some_and(|at| at.element == *card)) {
        return;
    }
    match dom::find(card, ".run.chg") {
        Some(run) => mark(&run, None),
        None => say_collapsed(card),
    }
}

fn mark(element: &Element, change: Option<(Spot, u32)>) {
    AT.with_borrow_mut(|at| {
        if let Some(before) = at.take() {
            let _ = before.element.remove_attribute(attr::AT);
            dom::find_all(&before.element, "i.bnow").iter().for_each(Element::remove);
        }
        let _ = element.set_attribute(attr::AT, "");
        *at = Some(At { element: element.clone(), change });
    });
}

/// Marks the change in what was just drawn of a large difference.
pub fn show(root: &Element) {
    let Some((spot, _)) = AT.with_borrow(|at| at.as_ref().and_then(|at| at.change.clone())) else { return };
    if spot.blocks.contains(Some(root)) {
        rows::mark(root, "bnow", |_, row, _| (spot.first..spot.end).contains(&row));
    }
}

/// `3 of 9` in the header.
pub fn count() {
    let stops = stops();
    let total: u32 = stops.iter().map(|stop| stop.count).sum();
    let index = AT.with_borrow(|at| {
        let at = at.as_ref()?;
        let place = place_of(&stops, &at.element)?;
        let before: u32 = stops[..place].iter().map(|stop| stop.count).sum();
        Some(before + at.change.as_ref().map_or(0, |(_, index)| *index))
    });
    let words = match index {
        Some(index) => format!("{} of {total}", index + 1),
        None => format!("{total} change{}", if total == 1 { "" } else { "s" }),
    };
    if let Some(place) = dom::by_id("review-at") {
        place.set_text_content(Some(&words));
    }
}

/// The file under the top edge.
pub fn current_file() -> Option<Element> {
    let shown = || cards::all().into_iter().filter(|card| card.is_connected());
    let at = AT.with_borrow(|at| at.as_ref().map(|at| at.element.clone()));
    let at = at.and_then(|at| cards::of(&at)).filter(|card| card.is_connected()).filter(|card| {
        let (top, rect) = (top(card), card.get_bounding_client_rect());
        (top < 400.0 || is_at_end()) && top + rect.height() > HEAD
    });
    at.or_else(|| shown().find(|card| top(card) + card.get_bounding_client_rect().height() > HEAD))
        .or_else(|| shown().last())
}

/// Returns true if the page is scrolled to its end.
fn is_at_end() -> bool {
    dom::by_id("files").is_none_or(|files| files.scroll_top() + files.client_height() + 1 >= files.scroll_height())
}

pub fn file(forward: bool) {
    let cards: Vec<Element> = cards::all().into_iter().filter(|card| !card.has_attribute("hidden")).collect();
    let at = current_file().and_then(|current| cards.iter().position(|card| *card == current));
    let next = match (at, forward) {
        (Some(at), true) => at + 1,
        (Some(at), false) => at.saturating_sub(1),
        (None, _) => 0,
    };
    if let Some(card) = cards.get(next) {
        mark(card, None);
        to(card);
        follow();
        count();
    }
}

/// The tree marks the file that is before the eyes.
pub fn follow() {
    let row = current_file().and_then(|card| file_lists::row(&card.id()));
    let before = CURRENT.replace(row.clone());
    if before == row {
        return;
    }
    if let Some(before) = before {
        let _ = before.remove_attribute("aria-current");
    }
    if let Some(row) = row {
        let _ = row.set_attribute("aria-current", "true");
    }
}

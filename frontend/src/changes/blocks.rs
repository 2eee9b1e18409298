//! Large differences: places of rows that are fetched one after the other, so that the browser finds all of them;
//! beyond a bound only what is near.

use super::{change_steps, highlights, lines, notes, rows, wrap};
use api::Problem;
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::diff_lines;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Rows of a difference that are all kept in the page.
const MAX_ROWS: u32 = 12_000;
/// A place of more rows becomes places of as many when it comes near.
const CHUNK: u32 = 500;

thread_local! {
    static NEAR: RefCell<Option<IntersectionObserver>> = const { RefCell::new(None) };
}

/// Rows of a large difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The difference, a `.blocks`.
    pub blocks: Element,
    pub first: u32,
    /// Behind the last one.
    pub end: u32,
}

/// Calls for each element that comes near, or goes far.
pub fn observer(margin: &str, mut act: impl FnMut(Element, bool) + 'static) -> Option<IntersectionObserver> {
    let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        for entry in entries.iter().filter_map(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok()) {
            act(entry.target(), entry.is_intersecting());
        }
    });
    let options = IntersectionObserverInit::new();
    options.set_root(dom::by_id("files").as_ref());
    options.set_root_margin(margin);
    let made = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options).ok();
    callback.forget();
    made
}

pub fn all(card: &Element) -> Vec<Element> {
    dom::find_all(card, ".blocks")
}

/// A number that an element of a large difference says.
pub fn number(element: &Element, name: &str) -> Option<u32> {
    element.get_attribute(name)?.parse().ok()
}

/// Takes over the places below a card's body.
pub fn start(body: &Element) {
    for blocks in all(body) {
        let places = dom::find_all(&blocks, ".bc");
        for place in &places {
            observe(place);
        }
        if number(&blocks, attr::ROWS).is_some_and(|rows| rows <= MAX_ROWS) {
            fill_all(places);
        }
    }
}

/// Lays out what is there again: the card was away.
pub fn wake(card: &Element) {
    for place in dom::find_all(card, ".bc[data-near]") {
        wasm_bindgen_futures::spawn_local(async move { fill(&place).await });
    }
}

/// Elements of the document beyond which also those places of a large difference leave it that the browser could still
/// find.
const MANY: u32 = 1_350;

/// Takes what is far from the view out of large differences, until the document is small enough.
pub fn thin_out() {
    let Some(document) = dom::document() else { return };
    let (elements, Some(files)) = (document.get_elements_by_tag_name("*"), dom::by_id("files")) else { return };
    if elements.length() <= MANY {
        return;
    }
    for place in dom::find_all(&files, ".bc:not([data-near])").iter().rev() {
        if elements.length() <= MANY {
            return;
        }
        if dom::find(place, ":scope > .bk").is_some() {
            clear(place);
        }
    }
}

fn observe(place: &Element) {
    NEAR.with_borrow_mut(|near| {
        if near.is_none() {
            *near = observer("1500px 0px", |place, is_near| {
                let _ = place.toggle_attribute_with_force(attr::NEAR, is_near);
                if is_near {
                    wasm_bindgen_futures::spawn_local(async move { fill(&place).await });
                } else {
                    leave(&place);
                }
            });
        }
        if let Some(near) = near {
            near.observe(place);
        }
    });
}

fn range(place: &Element) -> Option<(u32, u32)> {
    diff_lines::range(&place.get_attribute(attr::R)?)
}

fn of(place: &Element) -> Option<Element> {
    place.closest(".blocks").ok().flatten()
}

/// One after the other, once the first rows were painted: the page stays free for the reader between them.
fn fill_all(places: Vec<Element>) {
    dom::next_frame(|| {
        dom::after(0, || {
            wasm_bindgen_futures::spawn_local(async move {
                for place in &places {
                    if of(place).is_none() {
                        return;
                    }
                    if dom::document().is_some_and(|it| it.get_elements_by_tag_name("*").length() > MANY) {
                        return;
                    }
                    fill(place).await;
                }
            });
        });
    });
}

async fn fill(place: &Element) {
    let (Some((from, to)), Some(blocks)) = (range(place), of(place)) else { return };
    if place.child_element_count() > 0 {
        return arrange(place);
    }
    if to - from > CHUNK {
        return divide(place, from, to);
    }
    let Some(path) = blocks.get_attribute(attr::LOAD) else { return };
    loop {
        let cuts = notes::rows_within(&blocks, from, to);
        let answer = fragment::fetch(&format!("{path}&rows={from}-{to}{cuts}")).await;
        // Asked for twice, what comes first is as good.
        if place.child_element_count() > 0 || !is_wanted(place) {
            return;
        }
        match answer {
            // A comment came or went meanwhile: a block has to end elsewhere.
            Ok(_) if notes::rows_within(&blocks, from, to) != cuts => {}
            Ok(html) => {
                fragment::fill(place, &html);
                return arrange(place);
            }
            Err(problem) => return place.set_text_content(Some(&problem.title)),
        }
    }
}

/// Returns true if it is near still, or in a difference that is kept as a whole.
fn is_wanted(place: &Element) -> bool {
    let is_kept = of(place).and_then(|blocks| number(&blocks, attr::ROWS)).is_some_and(|rows| rows <= MAX_ROWS);
    is_kept || place.has_attribute(attr::NEAR) || place.has_attribute(attr::WANTED)
}

/// A large place becomes several.
fn divide(place: &Element, from: u32, to: u32) {
    for (start, end) in diff_lines::divide(from, to, CHUNK) {
        if let Some(within) = dom::make("div", "bc") {
            let _ = within.set_attribute("style", &format!("--n:{}", end - start));
            let _ = within.set_attribute(attr::R, &format!("{start}-{end}"));
            let _ = place.append_child(&within);
            observe(&within);
        }
    }
}

/// Arranges a block that was just filled: wrapping, colours, comments and marks.
fn arrange(place: &Element) {
    if dom::find(place, ":scope > .bk").is_none() {
        return;
    }
    let is_new = !place.has_attribute(attr::PAINTED);
    if place.has_attribute(attr::NEAR) {
        lay(place);
    }
    if is_new {
        let _ = place.set_attribute(attr::PAINTED, "");
        highlights::paint(place);
        notes::place_within(place);
    }
    offer(place);
    lines::show_chosen(place);
    change_steps::show(place);
}

/// Buttons over hidden lines, where the reader may press them: some more of them, or all.
fn offer(place: &Element) {
    dom::find_all(place, ".bgap").iter().for_each(Element::remove);
    if !place.has_attribute(attr::NEAR) {
        return;
    }
    for block in dom::find_all(place, ":scope > .bk[data-gaps]") {
        for (top, lines) in rows::gaps(&block) {
            let Some((from, to)) = diff_lines::range(&lines) else { continue };
            let Some(over) = dom::make("div", "bgap") else { continue };
            let _ = over.set_attribute("style", &format!("--t:{top}"));
            let some = if to - from > 20 {
                vec![
                    ("\u{2193}\u{a0}20", "Show 20 lines below the change", format!("{from}-{}", from + 19)),
                    ("\u{2191}\u{a0}20", "Show 20 lines above the change", format!("{}-{to}", to - 19)),
                ]
            } else {
                Vec::new()
            };
            for (words, title, lines) in some.into_iter().chain([("Show", "Show all of them", lines.clone())]) {
                let Some(button) = dom::make("button", "btn quiet tiny") else { continue };
                button.set_text_content(Some(words));
                let _ = button.set_attribute("title", title);
                let _ = button.set_attribute(attr::OPEN, &lines);
                let _ = over.append_child(&button);
            }
            let _ = block.append_child(&over);
        }
    }
}

/// Wraps long lines; colours are of texts that are whole.
fn lay(place: &Element) {
    if wrap::lay(place) && place.has_attribute(attr::PAINTED) {
        highlights::release(place);
        highlights::paint(place);
    }
}

/// Goes far away.
fn leave(place: &Element) {
    let Some(rows) = of(place).and_then(|blocks| number(&blocks, attr::ROWS)) else { return };
    if rows > MAX_ROWS {
        clear(place);
    }
}

/// Leaves an empty place as high as what it held.
fn clear(place: &Element) {
    if dom::find(place, ".writing-note").is_some() || place.has_attribute(attr::WANTED) {
        return;
    }
    let is_leaf = dom::find(place, ":scope > .bc").is_none();
    if place.has_attribute(attr::WRAPPED) || dom::find(place, ".note").is_some() || !is_leaf {
        // Its height isn't that of its rows.
        let height = (place.get_bounding_client_rect().height() / rows::ROW).ceil() as u32;
        let rows = range(place).map_or(0, |(from, to)| to - from);
        let _ = place.set_attribute("style", &format!("--n:{}", height.max(rows)));
    }
    empty(place);
}

fn empty(place: &Element) {
    highlights::release(place);
    for within in dom::find_all(place, ".bc") {
        NEAR.with_borrow(|near| {
            if let Some(near) = near {
                near.unobserve(&within);
            }
        });
    }
    place.set_text_content(None);
    let _ = place.remove_attribute(attr::WRAPPED);
    let _ = place.remove_attribute(attr::PAINTED);
}

/// Fetches what holds these rows again, since a comment came or went.
pub async fn renew(blocks: &Element, rows: &[u32]) {
    let mut places: Vec<Element> = rows.iter().filter_map(|row| holding(blocks, *row)).collect();
    places.dedup();
    for place in &places {
        empty(place);
        let _ = place.set_attribute(attr::WANTED, "");
        fill(place).await;
        let _ = place.remove_attribute(attr::WANTED);
    }
}

/// The smallest place that holds a row.
fn holding(blocks: &Element, row: u32) -> Option<Element> {
    let holds = |place: &Element| range(place).is_some_and(|(from, to)| (from..to).contains(&row));
    dom::find_all(blocks, ".bc").into_iter().rfind(holds)
}

/// The block that holds a row, if it is there.
pub fn block(blocks: &Element, row: u32) -> Option<Element> {
    let place = holding(blocks, row)?;
    dom::find_all(&place, ":scope > .bk").into_iter().rfind(|block| rows::first(block) <= row)
}

/// Scrolls to rows, and fetches them.
pub async fn reveal(spot: &Spot) {
    let Some(files) = dom::by_id("files") else { return };
    let Some(mut place) = holding(&spot.blocks, spot.first) else { return };
    scroll(&files, &place, spot.first);
    while let Some((from, to)) = range(&place).filter(|(from, to)| to - from > CHUNK) {
        if place.child_element_count() == 0 {
            divide(&place, from, to);
        }
        match holding(&spot.blocks, spot.first) {
            Some(within) if within != place => place = within,
            _ => break,
        }
    }
    let _ = place.set_attribute(attr::WANTED, "");
    fill(&place).await;
    lay(&place);
    let _ = place.remove_attribute(attr::WANTED);
    scroll(&files, &place, spot.first);
    let (blocks, row) = (spot.blocks.clone(), spot.first);
    // The block that came into view may be higher than estimated.
    dom::next_frame(move || {
        dom::next_frame(move || {
            if let Some(block) = block(&blocks, row) {
                scroll(&files, &block, row);
            }
        });
    });
}

/// Brings a row of a place, or of a block, below the head of its file.
fn scroll(files: &Element, element: &Element, row: u32) {
    let rows = rows::of(element);
    let within = if let Some((from, _)) = range(element) {
        block_top(element, row).unwrap_or_else(|| f64::from(row.saturating_sub(from)) * rows::ROW)
    } else {
        let row = rows.get(row.saturating_sub(rows::first(element)) as usize);
        row.map_or(0.0, |row| f64::from(row.top) * rows::ROW)
    };
    let top = element.get_bounding_client_rect().top() - files.get_bounding_client_rect().top() + within;
    files.set_scroll_top((f64::from(files.scroll_top()) + top - change_steps::SPACE) as i32);
}

/// How far a row is below the top of its place, if it is there.
fn block_top(place: &Element, row: u32) -> Option<f64> {
    let block = dom::find_all(place, ":scope > .bk").into_iter().rfind(|block| rows::first(block) <= row)?;
    let rows = rows::of(&block);
    let row = rows.get((row - rows::first(&block)) as usize)?;
    let top = block.get_bounding_client_rect().top() - place.get_bounding_client_rect().top();
    Some(top + f64::from(row.top) * rows::ROW)
}

/// Asks the server where something is: `part first end`, and what follows in lines of their own. None: it isn't there.
pub async fn ask(card: &Element, blocks: &Element, question: &str) -> Result<Option<(Spot, Vec<String>)>, Problem> {
    let address = blocks.get_attribute(attr::LOAD).unwrap_or_default();
    Ok(read(card, &fragment::fetch(&format!("{address}&{question}")).await?))
}

fn read(card: &Element, answer: &str) -> Option<(Spot, Vec<String>)> {
    let mut lines = answer.splitn(3, '\n').map(str::to_owned);
    let place = lines.next()?;
    let mut numbers = place.split(' ').filter_map(|number| number.parse::<u32>().ok());
    let (part, first, end) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let blocks = all(card).into_iter().find(|blocks| number(blocks, attr::PART) == Some(part))?;
    Some((Spot { blocks, first, end }, lines.collect()))
}

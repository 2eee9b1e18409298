//! The cards of files: fetched when near, folded, ticked off, filtered.

use super::{blocks, lines, notes, paint, shelf, store, unfinished, walk};
use crate::islands::{dom, fragment};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

pub fn all() -> Vec<Element> {
    dom::by_id("files").map(|files| dom::find_all(&files, "section.file")).unwrap_or_default()
}

pub fn of(element: &Element) -> Option<Element> {
    element.closest("section.file").ok().flatten()
}

pub fn body(card: &Element) -> Option<Element> {
    dom::find(card, ":scope > .file-body")
}

/// Fetches those that come near.
pub fn start() {
    let near = blocks::observer("900px 0px", |card, is_near| {
        let _ = card.toggle_attribute_with_force("data-near", is_near);
        if !is_near {
            return shelf::thin_out();
        }
        shelf::restore(&card);
        if !card.has_attribute("data-loaded") {
            load(card);
        }
    });
    for card in all() {
        show_viewed(&card);
        match &near {
            Some(near) => near.observe(&card),
            None => load(card),
        }
    }
    count();
}

/// Where the difference is fetched, as it is looked at now.
pub fn address(card: &Element) -> Option<String> {
    let mut path = card.get_attribute("data-load")?;
    let mut add = |word: &str| {
        path.push('&');
        path.push_str(word);
    };
    if store::is_split() {
        add("view=split");
    }
    if store::is_on("spaces") {
        add("spaces=1");
    }
    if !paint::is_possible() {
        add("spans=1");
    }
    for (mark, word) in [("data-all", "context=all"), ("data-shown", "show=1")] {
        if card.has_attribute(mark) {
            add(word);
        }
    }
    Some(path)
}

pub fn load(card: Element) {
    if shelf::is_shelved(&card) {
        let _ = card.set_attribute("data-stale", "");
        return;
    }
    let (Some(path), Some(body)) = (address(&card), body(&card)) else { return };
    let _ = card.set_attribute("data-loaded", &path);
    leptos::task::spawn_local(async move {
        let answer = fragment::fetch(&path).await;
        // Another look was chosen meanwhile.
        if card.get_attribute("data-loaded").as_deref() != Some(&path) {
            return;
        }
        paint::release(&body);
        match answer {
            Ok(html) => {
                fragment::fill(&body, &html);
                // The places of a large difference are coloured when their lines are wrapped.
                if blocks::all(&body).is_empty() {
                    paint::paint(&body);
                }
                blocks::start(&body);
                notes::place(&card);
                unfinished::reopen(&card);
                lines::arrive(&card);
                walk::count();
                shelf::thin_out();
            }
            Err(problem) => {
                let _ = card.remove_attribute("data-loaded");
                body.set_text_content(Some(&problem.to_string()));
            }
        }
    });
}

/// All that were fetched are fetched anew: they are looked at in another way.
pub fn reload() {
    all().into_iter().filter(|card| card.has_attribute("data-loaded")).for_each(load);
}

/// Those with large differences: what they hold depends on the width of the page.
pub fn reload_large() {
    all().into_iter().filter(|card| !blocks::all(card).is_empty()).for_each(load);
}

pub fn fold(card: &Element, folded: bool) {
    let _ = card.toggle_attribute_with_force("data-folded", folded);
    if let Some(button) = dom::find(card, "[data-review=fold]") {
        let _ = button.set_attribute("aria-expanded", if folded { "false" } else { "true" });
    }
}

pub fn is_folded(card: &Element) -> bool {
    card.has_attribute("data-folded")
}

/// What was viewed is ticked, and folded.
pub fn show_viewed(card: &Element) {
    let viewed = store::is_viewed(card);
    let boxes = format!("[data-file=\"{0}\"] [data-review=viewed], [id=\"{0}\"] [data-review=viewed]", card.id());
    if let Some(main) = dom::by_id("main") {
        for tick in dom::find_all(&main, &boxes).into_iter().filter_map(|tick| tick.dyn_into::<HtmlInputElement>().ok())
        {
            tick.set_checked(viewed);
        }
    }
    let was = card.has_attribute("data-viewed");
    let _ = card.toggle_attribute_with_force("data-viewed", viewed);
    let folded = if was == viewed { is_folded(card) } else { viewed };
    fold(card, folded);
}

/// Ticks a file off, or takes the tick back.
pub fn view(card: &Element, viewed: bool) {
    store::set_viewed(card, viewed);
    show_viewed(card);
    count();
    dom::announce(if viewed { "Viewed" } else { "Not viewed" });
}

/// `3 of 12 viewed`.
fn count() {
    let cards = all();
    let viewed = cards.iter().filter(|card| store::is_viewed(card)).count();
    if let Some(place) = dom::by_id("viewed-count") {
        place.set_text_content(Some(&format!("{viewed} of {} viewed", cards.len())));
    }
    if let Some(place) = dom::by_id("files-count") {
        place.set_text_content(Some(&format!("Files {viewed}/{}", cards.len())));
    }
    if let Some(bar) = dom::by_id("viewed-bar") {
        let _ = bar.set_attribute("style", &format!("--v:{}", viewed * 100 / cards.len().max(1)));
    }
}

/// The file with the id of a row of the tree.
pub fn by_row(element: &Element) -> Option<Element> {
    let row = element.closest("[data-file]").ok().flatten()?;
    dom::by_id(&row.get_attribute("data-file")?)
}

pub fn filter(words: &str) {
    let words = dom::lower(words.trim());
    let Some(side) = dom::by_id("review-side") else { return };
    for row in dom::find_all(&side, "[data-name]") {
        let fits = row.get_attribute("data-name").is_some_and(|name| name.contains(&words));
        let _ = row.toggle_attribute_with_force("hidden", !fits);
        if let Some(card) = by_row(&row) {
            let _ = card.toggle_attribute_with_force("hidden", !fits);
        }
    }
    for folder in dom::find_all(&side, ".tree > details") {
        let is_empty = dom::find(&folder, ".file-row:not([hidden])").is_none();
        let _ = folder.toggle_attribute_with_force("hidden", is_empty);
    }
    walk::count();
}

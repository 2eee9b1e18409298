//! The cards of files: fetched when near, folded, ticked off, filtered.

use super::{blocks, change_steps, file_lists, highlights, lines, notes, page, restore, store};
use app::browser::{dom, fragment};
use app::shared::attr;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

pub fn all() -> Vec<Element> {
    file_lists::files()
}

/// The file with this id.
pub fn by_id(id: &str) -> Option<Element> {
    file_lists::file(id)
}

pub fn of(element: &Element) -> Option<Element> {
    element.closest("section.file").ok().flatten()
}

pub fn body(card: &Element) -> Option<Element> {
    dom::find(card, ":scope > .file-body")
}

/// Fetches those that come near.
pub fn start() {
    let viewed = store::viewed();
    file_lists::start(&viewed);
    for card in all() {
        show_viewed(&card, viewed.has(&card));
    }
    count();
    file_lists::draw();
    file_lists::draw_rows();
}

/// Where the difference is fetched, as it is looked at now.
pub fn address(card: &Element) -> Option<String> {
    let mut path = card.get_attribute(attr::LOAD)?;
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
    if !highlights::is_possible() {
        add("spans=1");
    }
    for (mark, word) in [(attr::ALL, "context=all"), (attr::SHOWN, "show=1")] {
        if card.has_attribute(mark) {
            add(word);
        }
    }
    if let Some(opened) = card.get_attribute(attr::OPENED) {
        add(&format!("open={opened}"));
    }
    Some(path)
}

pub fn load(card: Element) {
    if !card.is_connected() {
        let _ = card.set_attribute(attr::STALE, "");
        return;
    }
    let (Some(path), Some(body)) = (address(&card), body(&card)) else { return };
    let _ = card.set_attribute(attr::LOADED, &path);
    let _ = card.set_attribute("aria-busy", "true");
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::fetch(&path).await;
        // Another look was chosen meanwhile.
        if card.get_attribute(attr::LOADED).as_deref() != Some(&path) {
            return;
        }
        let _ = card.remove_attribute("aria-busy");
        highlights::release(&body);
        match answer {
            Ok(html) => {
                fragment::fill(&body, &html);
                // The places of a large difference are coloured when their lines are wrapped.
                if blocks::all(&body).is_empty() {
                    highlights::paint(&body);
                }
                blocks::start(&body);
                for diff in dom::find_all(&body, ".diff").iter().filter(|_| store::is_on("nowrap")) {
                    page::reach(diff, true);
                }
                notes::place(&card).await;
                lines::arrive(&card);
                change_steps::arrived(&card);
                restore::hold();
                change_steps::count();
                file_lists::draw_soon();
            }
            Err(problem) => {
                let _ = card.remove_attribute(attr::LOADED);
                body.set_text_content(Some(&problem.to_string()));
            }
        }
    });
}

/// All that were fetched are fetched anew: they are looked at in another way.
pub fn reload() {
    all().into_iter().filter(|card| card.has_attribute(attr::LOADED)).for_each(load);
}

/// Those with large differences: what they hold depends on the width of the page.
pub fn reload_large() {
    all().into_iter().filter(|card| !blocks::all(card).is_empty()).for_each(load);
}

pub fn fold(card: &Element, folded: bool) {
    let _ = card.toggle_attribute_with_force(attr::FOLDED, folded);
    if let Some(button) = dom::find(card, "[data-review=fold]") {
        let _ = button.set_attribute("aria-expanded", if folded { "false" } else { "true" });
    }
    file_lists::draw_soon();
}

pub fn is_folded(card: &Element) -> bool {
    card.has_attribute(attr::FOLDED)
}

pub fn is_viewed(card: &Element) -> bool {
    card.has_attribute(attr::VIEWED)
}

/// Ticks and folds viewed files.
fn show_viewed(card: &Element, viewed: bool) {
    for place in [Some(card.clone()), file_lists::row(&card.id())].into_iter().flatten() {
        let tick = dom::find(&place, "[data-review=viewed]").and_then(|tick| tick.dyn_into::<HtmlInputElement>().ok());
        if let Some(tick) = tick {
            tick.set_checked(viewed);
        }
    }
    let was = is_viewed(card);
    let _ = card.toggle_attribute_with_force(attr::VIEWED, viewed);
    let folded = if was == viewed { is_folded(card) } else { viewed };
    fold(card, folded);
}

/// Ticks a file off, or takes the tick back.
pub fn view(card: &Element, viewed: bool) {
    store::set_viewed(card, viewed);
    show_viewed(card, viewed);
    count();
    dom::announce(if viewed { "Viewed" } else { "Not viewed" });
}

/// `3 of 12 viewed`.
fn count() {
    let cards = all();
    let viewed = cards.iter().filter(|card| is_viewed(card)).count();
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
    by_id(&row.get_attribute(attr::FILE)?)
}

/// Shows the files whose names fit, and of the tree also no rows of folders that are closed.
pub fn filter() {
    let field = dom::by_id("find").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    let words = dom::lower(field.map(|field| field.value()).unwrap_or_default().trim());
    // Its id, and whether it is open.
    let mut folder: Option<(String, bool)> = None;
    let mut has_rows = false;
    for row in file_lists::rows() {
        let Some(id) = row.get_attribute(attr::FILE) else { continue };
        let Some(name) = row.get_attribute(attr::NAME) else {
            let is_open = is_open(&row);
            if let Some((folder, _)) = folder.replace((id, is_open)) {
                file_lists::hide_row(&folder, !has_rows);
            }
            has_rows = false;
            continue;
        };
        let fits = name.contains(&words);
        has_rows |= fits;
        file_lists::hide_row(&id, !fits || folder.as_ref().is_some_and(|(_, is_open)| !is_open));
        file_lists::hide_file(&id, !fits);
        if let Some(card) = by_id(&id) {
            let _ = card.toggle_attribute_with_force("hidden", !fits);
        }
    }
    if let Some((folder, _)) = folder {
        file_lists::hide_row(&folder, !has_rows);
    }
    file_lists::draw();
    file_lists::draw_rows();
    change_steps::count();
}

fn is_open(folder: &Element) -> bool {
    folder.get_attribute("aria-expanded").as_deref() != Some("false")
}

/// Opens or closes a folder of the tree.
pub fn fold_folder(folder: &Element) {
    let _ = folder.set_attribute("aria-expanded", if is_open(folder) { "false" } else { "true" });
    filter();
}

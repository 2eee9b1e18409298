//! Large differences: pieces of rows that are fetched one after the other, so that the browser finds all of them; beyond
//! a bound only what is near.

use super::paint;
use crate::islands::{dom, fragment};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Rows of a difference that are all kept in the page.
const MAX_ROWS: f64 = 10_000.0;

thread_local! {
    static NEAR: RefCell<Option<IntersectionObserver>> = const { RefCell::new(None) };
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

/// Takes over the pieces below an element.
pub fn start(body: &Element) {
    let pieces = dom::find_all(body, ".bc[data-rows]");
    if pieces.is_empty() {
        return;
    }
    let rows: f64 = pieces.iter().filter_map(rows_of).sum();
    if rows <= MAX_ROWS {
        fill_all(pieces);
        return;
    }
    NEAR.with_borrow_mut(|near| {
        if near.is_none() {
            *near = observer("1500px 0px", |piece, is_near| {
                if is_near {
                    leptos::task::spawn_local(async move { fill(&piece).await });
                } else {
                    empty(&piece);
                }
            });
        }
        if let Some(near) = near {
            for piece in &pieces {
                near.observe(piece);
            }
        }
    });
}

fn rows_of(piece: &Element) -> Option<f64> {
    let rows = piece.get_attribute("data-rows")?;
    let (_, range) = rows.rsplit_once("rows=")?;
    let (from, to) = range.split_once('-')?;
    Some(f64::from(to.parse::<i32>().ok()? - from.parse::<i32>().ok()?))
}

/// One after the other: the page stays free for the reader between them.
fn fill_all(pieces: Vec<Element>) {
    leptos::task::spawn_local(async move {
        for piece in &pieces {
            if !piece.is_connected() {
                return;
            }
            fill(piece).await;
        }
    });
}

async fn fill(piece: &Element) {
    if piece.child_element_count() > 0 {
        return;
    }
    let Some(path) = piece.get_attribute("data-rows") else { return };
    match fragment::fetch(&path).await {
        Ok(html) if piece.is_connected() => {
            fragment::fill(piece, &html);
            paint::paint(piece);
        }
        Ok(_) => {}
        Err(problem) => piece.set_text_content(Some(&problem.title)),
    }
}

fn empty(piece: &Element) {
    paint::release(piece);
    piece.set_text_content(None);
}

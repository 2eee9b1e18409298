//! Chunks come: one request in flight for each, and never an old answer over a new one.

use super::{Column, days, jump, key, live, reading, scroll};
use crate::{reconcile, times};
use api::Problem;
use app::browser::fragment::Fetched;
use app::browser::page_state::page_state;
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::loads::is_away;
use app::shared::window::chunk_of;
use leptos::prelude::lazy;
use std::rc::Rc;
use web_sys::Element;

/// Asks for a chunk; a chunk that is already on its way is asked for again after it came.
pub fn load(column: &Rc<Column>, chunk: usize) {
    if !column.loads.begin(chunk, column.chunks.is_mounted(chunk)) {
        return;
    }
    let dev = column.dev.get();
    let path = format!("{}/chunks/{chunk}?dev={}{}", column.base, u8::from(dev), column.level);
    let _ = column.feed.set_attribute("aria-busy", "true");
    wasm_bindgen_futures::spawn_local(bring(column.clone(), chunk, dev, column.paused.get(), path));
}

/// The first chunks came with the page: what brings others is loaded with the first of them.
#[lazy]
async fn bring(column: Rc<Column>, chunk: usize, dev: bool, was_paused: bool, path: String) {
    let answer = fragment::look(&path).await;
    let is_other_view = column.dev.get() != dev;
    let (is_old, idle) = column.loads.end(chunk);
    let again = is_old || is_other_view;
    if idle {
        let _ = column.feed.set_attribute("aria-busy", "false");
    }
    // A pause that began meanwhile holds back what the server drew after it, but neither a chunk that isn't in the
    // document yet, nor the other view: the reader asked for both.
    if !was_paused && column.paused.get() && column.chunks.is_mounted(chunk) && !is_other_view {
        column.loads.hold(chunk);
        return;
    }
    let problem = match answer {
        Ok(Fetched { html, is_kept }) => {
            column.loads.succeed(chunk);
            // Drawn for the other view: its successor is asked for below.
            if !is_other_view {
                let came = column.loads.take_came(chunk, again);
                arrived(&column, chunk, &html, &came);
                column.become_feed();
            }
            if again {
                load(&column, chunk);
            }
            if !is_kept {
                // The rest of the page may have been drawn from what was kept too.
                if dom::kept_at().is_none() && fragment::was_stale() {
                    page_state().changed(true);
                }
                return;
            }
            Problem::transport("The server can't be reached")
        }
        Err(problem) => problem,
    };
    let pause = column.loads.fail(chunk, problem.to_string(), problem.status, page_state().is_live());
    // It stays among what failed: once the server is back, it is asked for.
    if is_away(problem.status) && column.mount_again(chunk) {
        shown(&column);
    } else {
        column.arrange();
    }
    if let Some(pause) = pause {
        dom::after(pause, move || attempt(&column, chunk));
    }
}

/// Once more: what stands there is old. What doesn't may have gone out of sight meanwhile.
fn attempt(column: &Rc<Column>, chunk: usize) {
    if !column.loads.retry(chunk) {
        return;
    }
    if column.chunks.is_mounted(chunk) {
        load(column, chunk);
    } else {
        column.soon();
    }
}

/// The server answers again, or the reader asks for it: everything that failed is asked for once more.
pub fn resume(column: &Rc<Column>) {
    for chunk in column.loads.reset() {
        attempt(column, chunk);
    }
    column.arrange();
}

/// `came` are the messages of the chunk that are new or changed.
fn arrived(column: &Rc<Column>, chunk: usize, html: &str, came: &[i64]) {
    let section = if let Some(section) = column.chunks.section(chunk) {
        let reached = scroll::reach(&section);
        let writing = dom::find_all(&section, ":scope > article:has(> .writing)");
        reconcile::rows(&section, html);
        live::say_completed(column, writing);
        // Rows that run on into the next chunks aren't drawn there.
        let reaches = scroll::reach(&section);
        if reached != reaches {
            for next in chunk + 1..=chunk_of(reached.max(reaches)) {
                load_mounted(column, next);
            }
        }
        section
    } else {
        let Some(section) = section(chunk, html) else { return };
        unfold_again(column, &section);
        // Several may come before the next frame, also some that the reader has passed by now.
        column.make_room();
        column.mount(chunk, section.clone());
        column.arrange();
        section
    };
    days::divide(&section);
    let ticks = |seq: &i64| scroll::itself(&section, *seq).is_some_and(|row| dom::find(&row, "[data-ticks]").is_some());
    if came.iter().any(ticks) {
        draw_plan(column, Some(chunk));
    }
    // A part that isn't drawn may continue an earlier chunk.
    if let Some(before) = scroll::begins(&section).or(chunk.checked_sub(1))
        && came.iter().any(|seq| scroll::itself(&section, *seq).is_none())
    {
        load_mounted(column, before);
    }
    shown(column);
    jump::arrived(column, came);
}

/// Rows came: the reader's place, and what counts and marks them, follow.
pub fn shown(column: &Rc<Column>) {
    column.measure();
    column.arrange();
    reading::divide(column);
    jump::reach_goal(column);
    scroll::place(column);
    column.count_new();
    times::refresh();
    column.soon();
}

/// Somebody ticked an item: the newest plan, which stands above, says so too.
pub fn draw_plan(column: &Rc<Column>, ticked: Option<usize>) {
    let has_plan = |section: &Element| dom::find(section, ".card.plan:not(.tool)").is_some();
    let found = column.chunks.numbers_where(has_plan).into_iter().rfind(|chunk| Some(*chunk) != ticked);
    if let Some(chunk) = found {
        load(column, chunk);
    }
}

fn load_mounted(column: &Rc<Column>, chunk: usize) {
    if column.chunks.is_mounted(chunk) {
        load(column, chunk);
    }
}

fn section(chunk: usize, html: &str) -> Option<Element> {
    let section = dom::document()?.create_element("section").ok()?;
    section.set_class_name("chunk");
    let _ = section.set_attribute(attr::CHUNK, &chunk.to_string());
    fragment::fill(&section, html);
    Some(section)
}

fn unfold_again(column: &Column, section: &Element) {
    for article in dom::find_all(section, "article[data-seq]") {
        let Some(open) = key(&article).and_then(|key| column.chunks.unfolded(&key)) else { continue };
        let details = reconcile::cards(&article);
        if details.len() != open.len() {
            continue;
        }
        for (details, open) in details.iter().zip(open) {
            let _ = if open { details.set_attribute("open", "") } else { details.remove_attribute("open") };
        }
    }
}

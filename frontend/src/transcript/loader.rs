//! Chunks come: one request in flight for each, and never an old answer over a new one.

use super::{Column, days, jump, key, live, reading, scroll};
use crate::{reconcile, times};
use api::Problem;
use app::browser::fragment::Fetched;
use app::browser::page_state::page_state;
use app::browser::{dom, fragment};
use app::shared::backoff::Backoff;
use app::shared::window::chunk_of;
use leptos::prelude::lazy;
use std::rc::Rc;
use web_sys::Element;

/// Milliseconds until a failed chunk is asked for again, the first time.
const RETRY: i32 = 3_000;

/// Asks for a chunk; a chunk that is already on its way is asked for again after it came.
pub fn load(column: &Rc<Column>, chunk: usize) {
    {
        let mut state = column.state.borrow_mut();
        if let Some(failure) = state.failed.get_mut(&chunk) {
            failure.is_due = false;
        }
        if !state.in_flight.insert(chunk) {
            if state.mounted.contains_key(&chunk) {
                state.again.insert(chunk);
            }
            return;
        }
    }
    let dev = column.state.borrow().dev;
    let path = format!("{}/chunks/{chunk}?dev={}{}", column.base, u8::from(dev), column.level);
    let _ = column.feed.set_attribute("aria-busy", "true");
    wasm_bindgen_futures::spawn_local(bring(column.clone(), chunk, dev, column.paused.get(), path));
}

/// The first chunks came with the page: what brings others is loaded with the first of them.
#[lazy]
async fn bring(column: Rc<Column>, chunk: usize, dev: bool, was_paused: bool, path: String) {
    let answer = fragment::look(&path).await;
    let (again, idle, is_held) = {
        let mut state = column.state.borrow_mut();
        state.in_flight.remove(&chunk);
        // A pause that began meanwhile holds back what the server drew after it, but neither a chunk that isn't in the
        // document yet, nor the other view: the reader asked for both.
        let is_mounted = state.mounted.contains_key(&chunk);
        let is_held = !was_paused && column.paused.get() && is_mounted && state.dev == dev;
        if is_held {
            state.held.insert(chunk);
        }
        (state.again.remove(&chunk) || state.dev != dev, state.in_flight.is_empty(), is_held)
    };
    if idle {
        let _ = column.feed.set_attribute("aria-busy", "false");
    }
    if is_held {
        return;
    }
    let problem = match answer {
        Ok(Fetched { html, is_kept }) => {
            column.state.borrow_mut().failed.remove(&chunk);
            // Drawn for the other view: its successor is asked for below.
            if column.state.borrow().dev == dev {
                let came = {
                    let came = &mut column.state.borrow_mut().came;
                    let these = came.take(|seq| chunk_of(*seq) == chunk);
                    // The next answer may draw them elsewhere.
                    if again {
                        came.extend(these.iter().copied());
                    }
                    these
                };
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
    let pause = {
        let failed = &mut column.state.borrow_mut().failed;
        let mut failure = failed.remove(&chunk).unwrap_or_default();
        failure.why = problem.to_string();
        let pause = failure.backoff.after(problem.status, RETRY, page_state().is_live());
        failed.insert(chunk, failure);
        pause
    };
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

/// Can the server not be reached, or only by a worker or a proxy that doesn't reach it either?
fn is_away(status: u16) -> bool {
    matches!(status, 0 | 502 | 504)
}

/// A chunk that couldn't be loaded. It isn't asked for again just because it is near.
#[derive(Debug, Default)]
pub struct Failure {
    pub why: String,
    pub is_due: bool,
    backoff: Backoff,
}

/// Once more: what stands there is old. What doesn't may have gone out of sight meanwhile.
fn attempt(column: &Rc<Column>, chunk: usize) {
    let is_there = {
        let mut state = column.state.borrow_mut();
        let Some(failure) = state.failed.get_mut(&chunk) else { return };
        failure.is_due = true;
        state.mounted.contains_key(&chunk)
    };
    if is_there {
        load(column, chunk);
    } else {
        column.soon();
    }
}

/// The server answers again, or the reader asks for it: everything that failed is asked for once more.
pub fn resume(column: &Rc<Column>) {
    let failed: Vec<usize> = column.state.borrow().failed.keys().copied().collect();
    for chunk in failed {
        if let Some(failure) = column.state.borrow_mut().failed.get_mut(&chunk) {
            failure.backoff = Backoff::default();
        }
        attempt(column, chunk);
    }
    column.arrange();
}

/// `came` are the messages of the chunk that are new or changed.
fn arrived(column: &Rc<Column>, chunk: usize, html: &str, came: &[i64]) {
    let mounted = column.state.borrow().mounted.get(&chunk).cloned();
    let section = if let Some(section) = mounted {
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
        column.mount(chunk, section.clone());
        column.arrange();
        section
    };
    days::divide(&section);
    let ticks = |seq: &i64| scroll::itself(&section, *seq).is_some_and(|row| dom::find(&row, "[data-ticks]").is_some());
    if came.iter().any(ticks) {
        draw_plan(column, Some(chunk));
    }
    // What isn't drawn here may run on from an earlier chunk.
    if let Some(before) = scroll::begins(&section).or(chunk.checked_sub(1))
        && came.iter().any(|seq| scroll::itself(&section, *seq).is_none())
    {
        load_mounted(column, before);
    }
    shown(column);
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
    let found = {
        let state = column.state.borrow();
        state
            .mounted
            .iter()
            .rev()
            .find(|(chunk, section)| Some(**chunk) != ticked && has_plan(section))
            .map(|(chunk, _)| *chunk)
    };
    if let Some(chunk) = found {
        load(column, chunk);
    }
}

fn load_mounted(column: &Rc<Column>, chunk: usize) {
    if column.state.borrow().mounted.contains_key(&chunk) {
        load(column, chunk);
    }
}

fn section(chunk: usize, html: &str) -> Option<Element> {
    let section = dom::document()?.create_element("section").ok()?;
    section.set_class_name("chunk");
    let _ = section.set_attribute("data-chunk", &chunk.to_string());
    fragment::fill(&section, html);
    Some(section)
}

fn unfold_again(column: &Column, section: &Element) {
    let state = column.state.borrow();
    for article in dom::find_all(section, "article[data-seq]") {
        let Some(open) = key(&article).and_then(|key| state.unfolded.get(&key)) else { continue };
        let details = reconcile::cards(&article);
        if details.len() != open.len() {
            continue;
        }
        for (details, open) in details.iter().zip(open) {
            let _ = if *open { details.set_attribute("open", "") } else { details.remove_attribute("open") };
        }
    }
}

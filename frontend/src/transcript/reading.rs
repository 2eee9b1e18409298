//! How far the reader has read: a line above what is new since, and word to the server when the end was seen.

use super::{Anchor, Column, scroll};
use crate::unread;
use api::{Method, Transport as _, transport::fetch::Fetch};
use app::browser::dom;
use app::browser::page_state::page_state;
use app::shared::backoff::Backoff;
use app::shared::window::chunk_of;
use std::rc::Rc;

/// Milliseconds between two words to the server.
const PAUSE: i32 = 1_000;

#[derive(Debug, Default)]
pub struct Reading {
    /// The server said what is new.
    known: bool,
    /// What comes after this is new since the reader was here last.
    line: Option<i64>,
    /// Told to the server.
    told: i64,
    telling: bool,
    backoff: Backoff,
}

pub fn start(column: &Rc<Column>) {
    ask(column);
    let seen = column.clone();
    if let Some(document) = dom::document() {
        dom::listen(&document, "visibilitychange", move |_: web_sys::Event| mark(&seen));
    }
}

fn ask(column: &Rc<Column>) {
    // What a kept page shows was read, or will be when the server answers.
    if dom::kept_at().is_some() {
        return;
    }
    let column = column.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let Some(line) = unread::read_up_to(&column.session).await else { return };
        {
            let mut state = column.state.borrow_mut();
            (state.reading.known, state.reading.line) = (true, line);
        }
        divide(&column);
        scroll::place(&column);
        mark(&column);
    });
}

/// The server answers again.
pub fn resume(column: &Rc<Column>) {
    let known = {
        let reading = &mut column.state.borrow_mut().reading;
        reading.backoff = Backoff::default();
        reading.known
    };
    if known {
        mark(column);
    } else {
        ask(column);
    }
}

/// The line stands above the first row that is new. Rows are drawn anew without it.
pub fn divide(column: &Column) {
    let Some(after) = column.state.borrow().reading.line else { return };
    let new = |row: &web_sys::Element| {
        row.get_attribute("data-seq").and_then(|seq| seq.parse::<i64>().ok()).is_some_and(|seq| seq > after)
    };
    let first = {
        let state = column.state.borrow();
        let chunk = chunk_of(after + 1);
        let from = state.mounted.range(chunk..).next().map_or(chunk, |(found, _)| (*found).min(chunk + 1));
        // What is new may be part of rows that began before, through whole chunks.
        let there = (from..).map_while(|chunk| state.mounted.get(&chunk));
        there.flat_map(|section| dom::find_all(section, ":scope > article[data-seq]")).find(new)
    };
    for row in dom::find_all(&column.feed, "[data-new]").into_iter().filter(|row| Some(row) != first.as_ref()) {
        let _ = row.remove_attribute("data-new");
    }
    if let Some(row) = first {
        let _ = row.set_attribute("data-new", "");
        column.measure();
    }
}

/// Who stands at the end of a page that can be seen has read it.
pub fn mark(column: &Rc<Column>) {
    let seq = {
        let mut state = column.state.borrow_mut();
        let reading = &state.reading;
        let read = reading.known && state.anchor == Anchor::End && state.last_seq > reading.told;
        if !read || reading.telling || reading.backoff.gave_up() || !dom::visible() {
            return;
        }
        state.reading.telling = true;
        state.last_seq
    };
    let column = column.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let path = format!("/v1/sessions/{}/read", api::client::segment(&column.session));
        let body = format!("{{\"seq\":{seq}}}").into_bytes();
        let told = Fetch.send(Method::Put, path, Some(body)).await;
        let status = told.map_or_else(|problem| problem.status, |answer| answer.status);
        let pause = {
            let reading = &mut column.state.borrow_mut().reading;
            if (200..400).contains(&status) {
                (reading.told, reading.backoff) = (seq, Backoff::default());
                Some(PAUSE)
            } else {
                let pause = reading.backoff.after(status, PAUSE, page_state().is_live());
                reading.telling = pause.is_some();
                pause
            }
        };
        if let Some(pause) = pause {
            dom::after(pause, move || {
                column.state.borrow_mut().reading.telling = false;
                mark(&column);
            });
        }
    });
}

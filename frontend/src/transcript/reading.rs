//! How far the reader has read: a line above what is new since, and word to the server when the end was seen.

use super::{Column, scroll};
use crate::unread;
use api::contract::MarkRead;
use api::{Method, Route as _, Transport as _, transport::fetch::Fetch};
use app::browser::dom;
use app::browser::page_state::page_state;
use app::shared::attr;
use app::shared::backoff::Backoff;
use app::shared::window::chunk_of;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Milliseconds between two words to the server.
const PAUSE: i32 = 1_000;

#[derive(Default)]
pub struct Reading {
    /// The server said what is new.
    known: Cell<bool>,
    /// `seq` after which messages are new since the reader's last visit.
    line: Cell<Option<i64>>,
    /// Told to the server.
    told: Cell<i64>,
    telling: Cell<bool>,
    backoff: RefCell<Backoff>,
}

pub fn start(column: &Rc<Column>) {
    ask(column);
    let seen = column.clone();
    if let Some(document) = dom::document() {
        dom::listen(&document, "visibilitychange", move |_: web_sys::Event| mark(&seen));
    }
}

fn ask(column: &Rc<Column>) {
    // The messages of an offline page count as read once the server responds.
    if dom::kept_at().is_some() {
        return;
    }
    let column = column.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let Some(line) = unread::read_up_to(&column.session).await else { return };
        column.reading.known.set(true);
        column.reading.line.set(line);
        divide(&column);
        scroll::place(&column);
        mark(&column);
    });
}

/// The server answers again.
pub fn resume(column: &Rc<Column>) {
    column.reading.backoff.take();
    if column.reading.known.get() {
        mark(column);
    } else {
        ask(column);
    }
}

/// The line stands above the first row that is new. Rows are drawn anew without it.
pub fn divide(column: &Column) {
    let Some(after) = column.reading.line.get() else { return };
    let new = |row: &web_sys::Element| {
        row.get_attribute(attr::SEQ).and_then(|seq| seq.parse::<i64>().ok()).is_some_and(|seq| seq > after)
    };
    let chunk = chunk_of(after + 1);
    let next = column.chunks.numbers().into_iter().find(|mounted| *mounted >= chunk);
    // New messages can be part of rows that begin earlier, across whole chunks.
    let there = (next.map_or(chunk, |next| next.min(chunk + 1))..).map_while(|chunk| column.chunks.section(chunk));
    let first = there.flat_map(|section| dom::find_all(&section, ":scope > article[data-seq]")).find(new);
    for row in dom::find_all(&column.feed, "[data-new]").into_iter().filter(|row| Some(row) != first.as_ref()) {
        let _ = row.remove_attribute(attr::NEW);
    }
    if let Some(row) = first {
        let _ = row.set_attribute(attr::NEW, "");
        column.measure();
    }
}

/// Marks the session as read if the reader is at the end of a visible page.
pub fn mark(column: &Rc<Column>) {
    let (reading, seq) = (&column.reading, column.arrivals.last_seq());
    // In a filtered session it is unknown how far it was read.
    let read = column.filter.is_empty() && reading.known.get() && column.scroll.is_at_end() && seq > reading.told.get();
    if !read || reading.telling.get() || reading.backoff.borrow().gave_up() || !dom::visible() {
        return;
    }
    reading.telling.set(true);
    let column = column.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let path = MarkRead.path([&column.session]);
        let body = format!("{{\"seq\":{seq}}}").into_bytes();
        let told = Fetch.send(Method::Put, path, Some(body)).await;
        let status = told.map_or_else(|problem| problem.status, |answer| answer.status);
        let reading = &column.reading;
        let pause = if (200..400).contains(&status) {
            reading.told.set(seq);
            reading.backoff.take();
            Some(PAUSE)
        } else {
            let pause = reading.backoff.borrow_mut().after(status, PAUSE, page_state().is_live());
            reading.telling.set(pause.is_some());
            pause
        };
        if let Some(pause) = pause {
            dom::after(pause, move || {
                column.reading.telling.set(false);
                mark(&column);
            });
        }
    });
}

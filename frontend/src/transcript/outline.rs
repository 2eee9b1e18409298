//! Where the reader is among the landmarks of the session: the minimap, the prompt of the turn at the top of the view,
//! and the ways from one landmark to the next.

use super::{Anchor, Column, column, jump, scroll, waiting};
use crate::cursor;
use api::contract::GetOutline;
use api::json::Json;
use api::outline::{Mark, MarkKind};
use api::{Problem, Route as _};
use app::browser::page_state::page_state;
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::landmarks::{Answer, Landmarks, Step, Stepped, lines, percent, step_from};
use app::unmarked;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Element, PointerEvent};

/// Milliseconds until they are asked for: the page is there before what leads through it.
const LATER: i32 = 300;
/// Kinds in the order in which they are drawn: the later ones lie above. Where each begins on the rail, and how wide it
/// is.
const KINDS: [(MarkKind, &str, &str); 4] = [
    (MarkKind::Edit, "edit", "M6 {y}h4"),
    (MarkKind::Prompt, "prompt", "M0 {y}h10"),
    (MarkKind::Approval, "approval", "M0 {y}h10"),
    (MarkKind::Error, "error", "M0 {y}h10"),
];
#[derive(Default)]
pub struct Outline(RefCell<Landmarks>);

pub fn start(column: &Rc<Column>) {
    let opened = column.clone();
    let from = column.outline.0.borrow_mut().open(column.arrivals.last_seq());
    dom::after(LATER, move || load(&opened, from));
    let Some((prompt, map)) = dom::by_id("sticky-prompt").zip(dom::by_id("minimap")) else { return };
    let back = column.clone();
    dom::listen(&prompt, "click", move |_: web_sys::Event| {
        let seq = back.outline.0.borrow().sticky();
        jump::go_to_seq(seq);
    });
    for name in ["pointerdown", "pointermove"] {
        let (pointed, rail) = (column.clone(), map.clone());
        dom::listen(&map, name, move |event: PointerEvent| point(&pointed, &rail, &event));
    }
}

/// Asks for the landmarks from a `seq` on, as they are by now.
pub fn load(column: &Rc<Column>, from: i64) {
    column.outline.0.borrow_mut().change(from);
    load_part(column);
}

/// Asks for what changed since, or else for the part before those that are there.
fn load_part(column: &Rc<Column>) {
    let Some(part) = column.outline.0.borrow_mut().begin() else { return };
    let seen = column.arrivals.seen_seq();
    let asked = column.is_elsewhere().then_some(seen);
    let column = column.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let answer = ask(&column, part.after, asked).await;
        if let Some(count) = answer.as_ref().ok().and_then(|outline| outline.new) {
            column.found_new(seen, count);
        }
        let (pause, waiting) = {
            let mut landmarks = column.outline.0.borrow_mut();
            let pause = match answer {
                Ok(outline) => Some(landmarks.take(part, outline)),
                Err(problem) => landmarks.fail(part, problem.status, page_state().is_live()),
            };
            (pause, landmarks.take_waiting())
        };
        draw(&column);
        if let Some((goal, way)) = waiting {
            step(goal, way);
        }
        let Some(pause) = pause else { return column.outline.0.borrow_mut().finish() };
        dom::after(pause, move || {
            column.outline.0.borrow_mut().finish();
            dom::next_frame(move || load_part(&column));
        });
    });
}

/// A typed call of the endpoint would be ten times as much code.
async fn ask(column: &Column, after: i64, seen: Option<i64>) -> Result<Answer, Problem> {
    let seen = seen.map(|seen| format!("&seen={seen}{}", column.filter.api_query())).unwrap_or_default();
    let path = format!("{}?after={}{seen}", GetOutline.path([&*column.session]), after.max(0));
    let bytes = fragment::client().get_bytes(&path).await?;
    let outline = Json::of_bytes(&bytes).ok_or_else(|| api::client::unreadable("it isn't JSON"))?;
    let mark = |said: &Json| {
        let kind = kind(&said.text("kind")?)?;
        Some(Mark { seq: said.number("seq")?, kind, words: said.text("words").unwrap_or_default() })
    };
    let (next, new) = (outline.number("next"), outline.number("new"));
    Ok(Answer { marks: outline.list("marks").iter().filter_map(mark).collect(), next, new })
}

fn kind(name: &str) -> Option<MarkKind> {
    KINDS.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind)
}

/// The server answers again.
pub fn resume(column: &Rc<Column>) {
    column.outline.0.borrow_mut().resume();
    load_part(column);
}

/// To the next landmark, or the one before. Returns true if this page has any.
pub fn step(goal: Step, way: i32) -> bool {
    let Some(column) = column() else { return false };
    let chosen = cursor::current().filter(|row| column.feed.contains(Some(row)));
    let chosen = chosen.and_then(|row| row.get_attribute(attr::SEQ)?.parse::<i64>().ok());
    let from = chosen.or_else(|| match scroll::in_view(&column) {
        Anchor::Row { seq, offset } => Some(step_from(seq, offset, way)),
        Anchor::End | Anchor::Chunk { .. } => None,
    });
    let next = column.outline.0.borrow_mut().step(goal, way, from.unwrap_or(0));
    match (next, goal, way > 0) {
        (Stepped::Waits, ..) => {}
        (Stepped::To(seq), ..) => jump::go_to_seq(Some(seq)),
        (Stepped::Nowhere, Step::Prompts, true) => drop(jump::to_end()),
        (Stepped::Nowhere, Step::Prompts, false) => jump::to_beginning(),
        (Stepped::Nowhere, Step::Trouble, true) => dom::announce("No further error or approval"),
        (Stepped::Nowhere, Step::Trouble, false) => dom::announce("No earlier error or approval"),
    }
    true
}

/// Brings everything that is told of landmarks to where the reader is: also when they come after the last scroll.
pub fn draw(column: &Column) {
    guide(column);
    waiting::draw(column);
}

/// Minimap and prompt.
fn guide(column: &Column) {
    let Some((prompt, map)) = dom::by_id("sticky-prompt").zip(dom::by_id("minimap")) else { return };
    let view = scroll::view(column);
    let top = scroll::in_view(column);
    let all = column.chunks.heights(|window| window.top(window.len()));
    let landmarks = &mut *column.outline.0.borrow_mut();
    let Some(needed) = landmarks.marks().map(|marks| all > 2.0 * view.height && !marks.is_empty()) else { return };
    show(&map, needed);
    if needed {
        if let Some(frame) = dom::find(&map, ".view").as_ref().and_then(dom::html) {
            let _ = frame.style().set_property("--at", &percent(view.top, all));
            let _ = frame.style().set_property("--h", &percent(view.height, all));
        }
        if landmarks.is_drawn_anew(all) {
            let marks = landmarks.marks().unwrap_or_default();
            for (kind, name, path) in KINDS {
                if let Some(element) = dom::find(&map, &format!("[data-kind={name}]")) {
                    let lines = column.chunks.heights(|window| lines(window, marks, kind, path));
                    let _ = element.set_attribute("d", &lines);
                }
            }
        }
    }
    if let Some(above) = landmarks.stick(top.row()) {
        show(&prompt, above.is_some());
        if let (Some(mark), Some(words)) = (above, dom::by_id("sticky-words")) {
            words.set_text_content(Some(&unmarked::line(&mark.words)));
        }
    }
}

/// Approvals that are still open.
pub fn waiting(column: &Column) -> Vec<Mark> {
    column.outline.0.borrow().open_approvals()
}

fn show(element: &Element, shown: bool) {
    let _ = element.toggle_attribute_with_force("hidden", !shown);
}

/// The pointer on the rail: what is there is named; pressed, it goes there.
fn point(column: &Rc<Column>, rail: &Element, event: &PointerEvent) {
    let rect = rail.get_bounding_client_rect();
    let share = (f64::from(event.client_y()) - rect.top()) / rect.height().max(1.0);
    let (seq, words) = column.chunks.heights(|window| column.outline.0.borrow().point(window, share));
    let _ = rail.set_attribute("title", &words);
    if event.buttons() & 1 == 1 {
        event.prevent_default();
        jump::go_to_seq(Some(seq));
    }
}

//! Where the reader is among the landmarks of the session: the minimap, the prompt of the turn at the top of the view,
//! and the ways from one landmark to the next.

use super::{Anchor, Column, column, jump, scroll, waiting};
use crate::cursor;
use api::contract::GetOutline;
use api::json::Json;
use api::outline::{Mark, MarkKind, PART};
use api::{Problem, Route as _};
use app::browser::page_state::page_state;
use app::browser::{dom, fragment};
use app::shared::backoff::Backoff;
use app::shared::window::Window;
use app::unmarked;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Element, PointerEvent};

/// Milliseconds until they are asked for: the page is there before what leads through it.
const LATER: i32 = 300;
/// Milliseconds between two questions for the landmarks.
const PAUSE: i32 = 1_000;
/// Kinds in the order in which they are drawn: the later ones lie above. Where each begins on the rail, and how wide it is.
const KINDS: [(MarkKind, &str, &str); 4] = [
    (MarkKind::Edit, "edit", "M6 {y}h4"),
    (MarkKind::Prompt, "prompt", "M0 {y}h10"),
    (MarkKind::Approval, "approval", "M0 {y}h10"),
    (MarkKind::Error, "error", "M0 {y}h10"),
];
/// Height of the rail in its own units.
const RAIL: f64 = 1_000.0;
/// A pointer nearer to a mark than this, in the same units, means the mark.
const NEAR: f64 = 10.0;

/// What a step goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Prompts,
    Trouble,
}

impl Step {
    fn includes(self, kind: MarkKind) -> bool {
        match self {
            Self::Prompts => kind == MarkKind::Prompt,
            Self::Trouble => matches!(kind, MarkKind::Error | MarkKind::Approval),
        }
    }
}

#[derive(Default)]
pub struct Outline(RefCell<Landmarks>);

#[derive(Default)]
struct Landmarks {
    /// None until they were loaded.
    marks: Option<Vec<Mark>>,
    loading: bool,
    backoff: Backoff,
    /// Landmarks before this `seq` are still to be loaded, after those that the page begins with.
    earlier: i64,
    /// From which `seq` on they changed since.
    stale: Option<i64>,
    /// A step that waits for the marks.
    waiting: Option<(Step, i32)>,
    /// For which height of everything the marks were drawn, in pixels; `None` if they have to be drawn.
    drawn: Option<i64>,
    /// `seq` of the prompt at the top of the view.
    sticky: Option<i64>,
}

impl Landmarks {
    fn changed(&mut self, from: i64) {
        self.stale = Some(self.stale.map_or(from, |stale| stale.min(from)));
    }
}

pub fn start(column: &Rc<Column>) {
    let opened = column.clone();
    let from = (column.arrivals.last_seq() - PART).max(0) + 1;
    column.outline.0.borrow_mut().earlier = from;
    dom::after(LATER, move || load(&opened, from));
    let Some((prompt, map)) = dom::by_id("sticky-prompt").zip(dom::by_id("minimap")) else { return };
    let back = column.clone();
    dom::listen(&prompt, "click", move |_: web_sys::Event| {
        let seq = back.outline.0.borrow().sticky;
        jump::go_to_seq(seq);
    });
    for name in ["pointerdown", "pointermove"] {
        let (pointed, rail) = (column.clone(), map.clone());
        dom::listen(&map, name, move |event: PointerEvent| point(&pointed, &rail, &event));
    }
}

/// Asks for the landmarks from a `seq` on, as they are by now.
pub fn load(column: &Rc<Column>, from: i64) {
    column.outline.0.borrow_mut().changed(from);
    load_part(column);
}

/// Asks for what changed since, or else for the part before those that are there.
fn load_part(column: &Rc<Column>) {
    let elsewhere = column.is_elsewhere();
    let seen = column.arrivals.seen_seq();
    let (after, is_earlier) = {
        let mut landmarks = column.outline.0.borrow_mut();
        let stale = landmarks.stale.map(|from| (from - 1, false));
        let earlier = (landmarks.earlier > 1).then(|| ((landmarks.earlier - 1 - PART).max(0), true));
        let Some(part) = stale.or(earlier) else { return };
        if landmarks.backoff.gave_up() || std::mem::replace(&mut landmarks.loading, true) {
            return;
        }
        landmarks.stale = None;
        part
    };
    let column = column.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let answer = ask(&column, after, elsewhere.then_some(seen)).await;
        if let Some(count) = answer.as_ref().ok().and_then(|outline| outline.new) {
            column.found_new(seen, count);
        }
        let mut pause = Some(PAUSE);
        let waiting = {
            let mut landmarks = column.outline.0.borrow_mut();
            match answer {
                Ok(outline) => {
                    landmarks.backoff = Backoff::default();
                    let end = if is_earlier { landmarks.earlier - 1 } else { outline.next.unwrap_or(i64::MAX) };
                    let marks = landmarks.marks.get_or_insert_default();
                    marks.retain(|mark| mark.seq <= after || mark.seq > end);
                    marks.extend(outline.marks.into_iter().filter(|mark| mark.seq <= end));
                    marks.sort_by_key(|mark| mark.seq);
                    landmarks.drawn = None;
                    if is_earlier {
                        landmarks.earlier = after + 1;
                        pause = Some(0);
                    } else if let Some(next) = outline.next {
                        landmarks.changed(next + 1);
                        pause = Some(0);
                    }
                }
                Err(problem) => {
                    if !is_earlier {
                        landmarks.changed(after + 1);
                    }
                    pause = landmarks.backoff.after(problem.status, PAUSE, page_state().is_live());
                }
            }
            landmarks.waiting.take()
        };
        draw(&column);
        if let Some((goal, way)) = waiting {
            step(goal, way);
        }
        let Some(pause) = pause else {
            column.outline.0.borrow_mut().loading = false;
            return;
        };
        dom::after(pause, move || {
            column.outline.0.borrow_mut().loading = false;
            dom::next_frame(move || load_part(&column));
        });
    });
}

/// What is read of the answer.
struct Answer {
    marks: Vec<Mark>,
    next: Option<i64>,
    new: Option<i64>,
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
    column.outline.0.borrow_mut().backoff = Backoff::default();
    load_part(column);
}

/// To the next landmark, or the one before. Returns true if this page has any.
pub fn step(goal: Step, way: i32) -> bool {
    let Some(column) = column() else { return false };
    let chosen = cursor::current().filter(|row| column.feed.contains(Some(row)));
    let chosen = chosen.and_then(|row| row.get_attribute("data-seq")?.parse::<i64>().ok());
    let from = chosen.or_else(|| match scroll::in_view(&column) {
        // Where nothing is chosen, a landmark in view is the next one, and one whose head is above the view the one before.
        Anchor::Row { seq, .. } if way > 0 => Some(seq - 1),
        Anchor::Row { seq, offset } => Some(if offset < 0.0 { seq + 1 } else { seq }),
        Anchor::End | Anchor::Chunk { .. } => None,
    });
    let next = {
        let landmarks = &mut *column.outline.0.borrow_mut();
        let from = from.unwrap_or(0);
        let mut wanted = landmarks.marks.iter().flatten().filter(|mark| goal.includes(mark.kind)).map(|mark| mark.seq);
        let next = if way > 0 { wanted.find(|seq| *seq > from) } else { wanted.take_while(|seq| *seq < from).last() };
        let nearer = if way > 0 { from + 1 < landmarks.earlier } else { next.is_none() && landmarks.earlier > 1 };
        if landmarks.marks.is_none() || nearer {
            landmarks.waiting = Some((goal, way));
            return true;
        }
        next
    };
    match (next, goal, way > 0) {
        (Some(seq), ..) => jump::go_to_seq(Some(seq)),
        (None, Step::Prompts, true) => drop(jump::to_end()),
        (None, Step::Prompts, false) => jump::to_beginning(),
        (None, Step::Trouble, true) => dom::announce("No further error or approval"),
        (None, Step::Trouble, false) => dom::announce("No earlier error or approval"),
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
    let Some(marks) = &landmarks.marks else { return };

    let needed = all > 2.0 * view.height && !marks.is_empty();
    show(&map, needed);
    if needed {
        if let Some(frame) = dom::find(&map, ".view").as_ref().and_then(dom::html) {
            // In hundredths: printing fractions is a twentieth of the WebAssembly.
            let percent = |px: f64| {
                let hundredths = (px / all * 10_000.0).clamp(0.0, 10_000.0).round() as i64;
                format!("{}.{:02}%", hundredths / 100, hundredths % 100)
            };
            let _ = frame.style().set_property("--at", &percent(view.top));
            let _ = frame.style().set_property("--h", &percent(view.height));
        }
        if landmarks.drawn.replace(all as i64) != Some(all as i64) {
            for (kind, name, path) in KINDS {
                if let Some(element) = dom::find(&map, &format!("[data-kind={name}]")) {
                    let lines = column.chunks.heights(|window| lines(window, marks, kind, path));
                    let _ = element.set_attribute("d", &lines);
                }
            }
        }
    }

    let above = match top {
        Anchor::Row { seq, .. } => above(marks, seq),
        Anchor::End | Anchor::Chunk { .. } => None,
    };
    let seq = above.map(|mark| mark.seq);
    if landmarks.sticky != seq {
        landmarks.sticky = seq;
        show(&prompt, seq.is_some());
        if let (Some(mark), Some(words)) = (above, dom::by_id("sticky-words")) {
            words.set_text_content(Some(&unmarked::line(&mark.words)));
        }
    }
}

/// Approvals that are still open: they alone say what they ask.
pub fn waiting(column: &Column) -> Vec<Mark> {
    let landmarks = column.outline.0.borrow();
    let marks = landmarks.marks.iter().flatten();
    marks.filter(|mark| mark.kind == MarkKind::Approval && !mark.words.is_empty()).cloned().collect()
}

fn show(element: &Element, shown: bool) {
    let _ = element.toggle_attribute_with_force("hidden", !shown);
}

/// The prompt whose turn a row belongs to, unless it is the row itself.
fn above(marks: &[Mark], seq: i64) -> Option<&Mark> {
    let before = marks.get(..marks.partition_point(|mark| mark.seq <= seq))?;
    before.iter().rfind(|mark| mark.kind == MarkKind::Prompt).filter(|mark| mark.seq < seq)
}

/// A short line for each mark; those that would lie on each other are one.
fn lines(window: &Window, marks: &[Mark], kind: MarkKind, path: &str) -> String {
    let mut lines = String::new();
    let mut last = None;
    for mark in marks.iter().filter(|mark| mark.kind == kind) {
        let y = (place_of(window, mark) / 2.0).round() as i64 * 2;
        if last.replace(y) != Some(y) {
            lines.push_str(&path.replace("{y}", &y.to_string()));
        }
    }
    lines
}

/// Where a mark lies on the rail.
fn place_of(window: &Window, mark: &Mark) -> f64 {
    window.position(mark.seq) / window.top(window.len()).max(1.0) * RAIL
}

/// The pointer on the rail: what is there is named; pressed, it goes there.
fn point(column: &Rc<Column>, rail: &Element, event: &PointerEvent) {
    let rect = rail.get_bounding_client_rect();
    let at = (f64::from(event.client_y()) - rect.top()) / rect.height().max(1.0) * RAIL;
    let (seq, words) = {
        let landmarks = column.outline.0.borrow();
        let marks = landmarks.marks.as_deref().unwrap_or_default();
        column.chunks.heights(|window| {
            let far = |mark: &Mark| (place_of(window, mark) - at).abs();
            let nearest = marks.iter().min_by(|a, b| far(a).total_cmp(&far(b))).filter(|mark| far(mark) < NEAR);
            let words = nearest.map_or("", |mark| match mark.kind {
                MarkKind::Prompt => mark.words.as_str(),
                MarkKind::Edit => "Code edit",
                MarkKind::Approval => "Approval",
                MarkKind::Error => "Error",
            });
            let all = window.top(window.len());
            (nearest.map_or_else(|| window.seq_at(at / RAIL * all), |mark| mark.seq), words.to_owned())
        })
    };
    let _ = rail.set_attribute("title", &words);
    if event.buttons() & 1 == 1 {
        event.prevent_default();
        jump::go_to_seq(Some(seq));
    }
}

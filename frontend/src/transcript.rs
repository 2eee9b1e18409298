//! The column of the transcript in the browser: which chunks stand in it, and where the reader is in them.
//!
//! The reader's place is an [`Anchor`]. Whatever changes above it, [`place`] puts it back in the same frame; nothing else
//! writes `scrollTop`.

mod copying;
mod days;
mod find;
mod jump;
mod live;
mod loader;
mod new_messages;
mod outline;
mod pause;
mod reading;
mod restore;
mod rows;
mod scroll;
mod streaming;
mod waiting;

use crate::reconcile;
use app::browser::page_state::{page_state, whenever};
use app::browser::{dom, focus};
use app::shared::page_action::PageAction;
use app::shared::sorted::{Map, Set};
use app::shared::window::{self, Segment, Window};
pub use find::open as open_find;
pub use jump::{go_to_seq, here, hold_current, is_here, to_beginning, to_end, walk};
pub use outline::{Goal, step};
pub use pause::toggle as pause;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
pub use streaming::told as grown;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Anchor {
    /// At the end, and wants to stay there.
    End,
    /// A row, and how far its top is below the top of the view.
    Row { seq: i64, offset: f64 },
    /// Within a chunk that isn't in the document, so far below its top.
    Chunk { chunk: usize, offset: f64 },
}

/// Elements that a page may have, less what a chunk may hold more than the others.
const PAGE: usize = 950;
/// Chunks that left the document and are kept for as long as the server can't be reached.
const MOST_LEFT: usize = 40;
/// On a transcript that has the focus because its row went: said until a key is pressed.
const FELL: &str = "data-fell";
/// A selection over more chunks than this loses its middle.
const MOST_KEPT: usize = 50;

struct Column {
    session: String,
    /// `/fragments/sessions/<id>`
    base: String,
    scroller: Element,
    feed: Element,
    observer: ResizeObserver,
    /// Rows that came while the reader was elsewhere, or while the output was paused.
    new: Cell<i64>,
    /// The reader lets nothing come.
    paused: Cell<bool>,
    /// `&view=normal` where the address asks for a level of detail, which needn't be the reader's usual one.
    level: String,
    state: RefCell<State>,
}

#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
struct State {
    window: Window,
    mounted: Map<usize, Element>,
    /// Chunks that left the document, the latest last: without a server they come back as they were.
    left: VecDeque<(usize, Element)>,
    anchor: Anchor,
    last_seq: i64,
    /// Highest `seq` that the reader has had before the eyes, at the end.
    seen_seq: i64,
    dev: bool,
    /// Width of the scroller for which the heights hold.
    width: i32,
    /// What we wrote into `scrollTop`, until the browser told of it: that scroll event isn't the reader's.
    written: Option<i32>,
    /// `scrollTop` for which the anchor holds, and the height of all there was then.
    at: i32,
    height: i32,
    /// Until when a scroll that the reader began may go on, in milliseconds.
    moving_until: f64,
    /// The reader's last move went up.
    upward: bool,
    /// Something of the transcript is selected.
    selecting: bool,
    in_flight: Set<usize>,
    failed: Map<usize, loader::Failure>,
    /// Chunks that changed while they were in flight.
    again: Set<usize>,
    /// Chunks whose response arrived after the reader paused the output: requested again when it resumes.
    held: Set<usize>,
    /// Messages that are new or changed, until their chunk came.
    came: Set<i64>,
    /// Texts that are being written and asked for; whether they grew since.
    growing: Map<i64, bool>,
    /// What was unfolded in rows that left the document.
    unfolded: Map<String, Vec<bool>>,
    /// The row to show and to outline once its chunk is there.
    goal: Option<i64>,
    /// The goal is where the reader was when the page was left, so far below the top of the view.
    back: Option<f64>,
    frame_due: bool,
    /// Looks at what came that aren't made up for.
    looks: u32,
    reading: reading::Reading,
    landmarks: outline::Landmarks,
    finding: find::Finding,
}

thread_local! {
    static COLUMN: RefCell<Option<Rc<Column>>> = const { RefCell::new(None) };
}

fn column() -> Option<Rc<Column>> {
    COLUMN.with_borrow(Clone::clone)
}

/// The reader ticked an item of the newest plan.
pub fn draw_plan() {
    if let Some(column) = column() {
        loader::draw_plan(&column, None);
    }
}

/// The session of this page has another state.
pub fn state_changed() {
    if let Some(column) = column() {
        live::state_changed(&column);
    }
}

/// Draws a request of this session anew: what it asks for has changed.
pub fn ask_again(form: &Element) {
    let row = form.closest("article[data-seq]").ok().flatten();
    let seq = row.and_then(|row| row.get_attribute("data-seq")?.parse().ok());
    if let (Some(column), Some(seq)) = (column(), seq)
        && form.closest(".nested").is_ok_and(|nested| nested.is_none())
    {
        loader::load(&column, window::chunk_of(seq));
    }
}

/// The session of this page, if it has one.
pub fn session() -> Option<String> {
    column().map(|c| c.session.clone())
}

/// The session that holds this row: the page's, or a sub-agent's.
pub fn session_of(element: &Element) -> Option<String> {
    dom::nested_session(element).or_else(session)
}

/// Takes over what the server drew.
pub fn start() {
    let Some((scroller, session)) = dom::by_id("transcript").zip(dom::session()) else { return };
    let number = |name: &str| scroller.get_attribute(name)?.parse().ok();
    let (last_seq, at) = (number("data-last-seq").unwrap_or(0), number("data-at"));
    let Some(element) = dom::find(&scroller, ".column") else { return };
    let resized = Closure::<dyn FnMut()>::new(|| {
        if let Some(column) = column() {
            column.measure();
            scroll::place(&column);
            column.soon();
        }
    });
    let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) else { return };
    resized.forget();
    let mut mounted = Map::default();
    for section in dom::find_all(&element, "[data-chunk]") {
        if let Some(chunk) = section.get_attribute("data-chunk").and_then(|n| n.parse().ok()) {
            observer.observe(&section);
            days::divide(&section);
            mounted.insert(chunk, section);
        }
    }
    observer.observe(&scroller);
    for way in dom::find_all(&scroller, "[data-way]") {
        way.remove();
    }
    if let Some(history) = dom::window().and_then(|w| w.history().ok()) {
        let _ = history.set_scroll_restoration(web_sys::ScrollRestoration::Manual);
    }
    let state = State {
        window: Window::new(window::chunks(last_seq)),
        mounted,
        left: VecDeque::new(),
        anchor: Anchor::End,
        last_seq,
        seen_seq: last_seq,
        dev: page_state().dev.get(),
        width: scroller.client_width(),
        written: None,
        at: scroller.scroll_top(),
        height: scroller.scroll_height(),
        moving_until: 0.0,
        upward: false,
        selecting: false,
        in_flight: Set::default(),
        failed: Map::default(),
        again: Set::default(),
        held: Set::default(),
        came: Set::default(),
        growing: Map::default(),
        unfolded: Map::default(),
        goal: None,
        back: None,
        frame_due: false,
        looks: 0,
        reading: reading::Reading::default(),
        landmarks: outline::Landmarks::default(),
        finding: find::Finding::default(),
    };
    let base = format!("/fragments/sessions/{}", api::client::segment(&session));
    let level = dom::parameter("view");
    let level = level.map(|level| format!("&view={}", api::client::segment(&level))).unwrap_or_default();
    let state = RefCell::new(state);
    let column = Rc::new(Column {
        session,
        base,
        scroller,
        feed: element,
        observer,
        new: Cell::new(0),
        paused: Cell::new(false),
        level,
        state,
    });
    COLUMN.set(Some(column.clone()));
    column.measure();
    column.arrange();
    jump::open_at(&column, at);
    scroll::place(&column);
    scroll::listen(&column);
    jump::listen(&column);
    restore::listen(&column);
    copying::listen(&column);
    reading::start(&column);
    rows::listen(&column);
    live::start(&column);
    outline::start(&column);
    new_messages::start();
    waiting::start(&column);
    find::start(&column);
    whenever(&page_state().to_end, || {
        to_end();
    });
    column.soon();
}

impl Column {
    /// Looks at everything once, before the next frame.
    fn soon(self: &Rc<Self>) {
        if std::mem::replace(&mut self.state.borrow_mut().frame_due, true) {
            return;
        }
        let column = self.clone();
        dom::next_frame(move || {
            column.state.borrow_mut().frame_due = false;
            column.settle();
        });
    }

    /// Lets far chunks go, asks for near ones, and keeps the reader's place.
    fn settle(self: &Rc<Self>) {
        let view = scroll::view(self);
        let mut keep = kept();
        // What stands for a row may begin in a chunk far above. Without both, the place would be another one.
        let anchor = self.state.borrow().anchor;
        if let Anchor::Row { seq, .. } = anchor {
            keep.extend(scroll::chunks_of(self, seq));
        }
        // What is before the eyes stays, also where its height isn't what it was when it was measured.
        keep.extend(scroll::seen(self));
        let plan = {
            let state = self.state.borrow();
            let mounted = state.mounted.keys().copied().collect();
            state.window.plan(view, &mounted, &keep, self.room())
        };
        for chunk in &plan.unload {
            self.unmount(*chunk);
        }
        if !plan.unload.is_empty() {
            self.arrange();
        }
        scroll::place(self);
        scroll::hold_row(self);
        // What is selected is loaded too, so that a copy has all of it.
        let selected = keep.iter().filter(|chunk| !plan.load.contains(chunk)).copied().collect::<Vec<_>>();
        for chunk in plan.load.into_iter().chain(selected) {
            let is_there = self.state.borrow().mounted.contains_key(&chunk);
            let waits = self.state.borrow().failed.get(&chunk).is_some_and(|failure| !failure.is_due);
            if !is_there && !waits {
                loader::load(self, chunk);
            } else if waits && self.mount_again(chunk) {
                loader::shown(self);
            }
        }
        reading::mark(self);
        outline::draw(self);
        find::paint(self);
        restore::moved(self);
    }

    /// Elements that the column may have beside the rest of the page.
    fn room(&self) -> usize {
        let page = dom::document().and_then(|d| d.document_element()).map_or(0, |root| dom::elements(&root));
        PAGE.saturating_sub(page.saturating_sub(dom::elements(&self.feed)))
    }

    /// Heights of what is in the document.
    fn measure(&self) {
        let mut state = self.state.borrow_mut();
        let width = self.scroller.client_width();
        if state.width != width {
            state.width = width;
            state.window.forget();
        }
        let measures: Vec<_> =
            state.mounted.iter().map(|(n, e)| (*n, e.get_bounding_client_rect().height(), dom::elements(e))).collect();
        for (chunk, height, elements) in measures {
            state.window.measure(chunk, height, elements);
        }
    }

    /// Puts chunks and gaps into the column in their order. What stands there already isn't moved.
    fn arrange(&self) {
        let state = self.state.borrow();
        let segments = state.window.segments(&state.mounted.keys().copied().collect());
        let mut next = self.feed.first_element_child();
        for segment in segments {
            let element = match segment {
                Segment::Chunk(chunk) => {
                    drop_gaps(&mut next);
                    state.mounted.get(&chunk).cloned()
                }
                Segment::Gap { from, to, px } => next.clone().filter(is_gap).or_else(gap).inspect(|gap| {
                    heighten(gap, px);
                    // What is asked for again as soon as it is near hasn't failed.
                    let failure = state.failed.range(from..to).find(|(_, failure)| !failure.is_due);
                    say_failed(gap, failure.map(|(_, failure)| &*failure.why));
                }),
            };
            let Some(element) = element else { continue };
            if next.as_ref() == Some(&element) {
                next = element.next_element_sibling();
            } else {
                let _ = self.feed.insert_before(&element, next.as_deref());
            }
        }
        drop_gaps(&mut next);
    }

    /// A feed without an article is none; the first one makes it one.
    fn become_feed(&self) {
        if self.feed.has_attribute("role") || dom::find(&self.feed, "article").is_none() {
            return;
        }
        let _ = self.feed.set_attribute("role", "feed");
        let _ = self.feed.set_attribute("aria-label", "Transcript");
        if let Some(words) = dom::find(&self.scroller, ":scope > .none") {
            words.remove();
        }
    }

    fn mount(&self, chunk: usize, section: Element) {
        self.observer.observe(&section);
        let mut state = self.state.borrow_mut();
        state.left.retain(|(left, _)| *left != chunk);
        state.mounted.insert(chunk, section);
    }

    /// Puts a chunk back as it left. Says whether it was kept.
    fn mount_again(&self, chunk: usize) -> bool {
        let left = self.state.borrow().left.iter().find(|(left, _)| *left == chunk).cloned();
        let Some((_, section)) = left.filter(|_| !self.state.borrow().mounted.contains_key(&chunk)) else {
            return false;
        };
        self.mount(chunk, section);
        self.arrange();
        true
    }

    fn unmount(&self, chunk: usize) {
        let Some(section) = self.state.borrow_mut().mounted.remove(&chunk) else { return };
        self.observer.unobserve(&section);
        let mut state = self.state.borrow_mut();
        for article in dom::find_all(&section, "article[data-seq]") {
            let open: Vec<_> = reconcile::cards(&article).iter().map(|d| d.has_attribute("open")).collect();
            if let Some(key) = key(&article).filter(|_| !open.is_empty()) {
                state.unfolded.insert(key, open);
            }
        }
        drop(state);
        // The keys of a row that goes are the transcript's.
        if dom::focus_in(&section).is_some() {
            let _ = self.scroller.set_attribute(FELL, "");
            focus::put(&self.scroller);
        }
        section.remove();
        let left = &mut self.state.borrow_mut().left;
        left.push_back((chunk, section));
        if left.len() > MOST_LEFT {
            left.pop_front();
        }
    }
}

/// The chunks that hold the reader's focus or selection: they stay, however far away.
fn kept() -> Set<usize> {
    // A row that was only jumped to may go; what the reader works at, a field or a button, stays.
    let active = dom::active().filter(|active| !active.matches("article").unwrap_or(false));
    let mut kept: Set<usize> = active.and_then(chunk_at).into_iter().collect();
    if let Some((from, to)) = copying::selected() {
        kept.extend((from..=to).take(MOST_KEPT));
        kept.insert(to);
    }
    kept
}

/// The chunk that holds an element.
fn chunk_at(element: Element) -> Option<usize> {
    element.closest("[data-chunk]").ok().flatten()?.get_attribute("data-chunk")?.parse().ok()
}

/// What names a row across loads.
fn key(article: &Element) -> Option<String> {
    article.get_attribute("data-id").or_else(|| article.get_attribute("data-seq"))
}

/// Stands for chunks that aren't in the document.
fn gap() -> Option<Element> {
    let gap = dom::make("div", "chunk-gap")?;
    let _ = gap.set_attribute("aria-hidden", "true");
    Some(gap)
}

/// Why a gap stays one, and the way to try again.
fn say_failed(gap: &Element, why: Option<&str>) {
    let said = dom::find(gap, ".failed");
    let Some(why) = why else {
        if let Some(said) = said {
            said.remove();
            let _ = gap.set_attribute("aria-hidden", "true");
        }
        return;
    };
    let words = format!("This part couldn't be loaded: {why}");
    if let Some(said) = said.and_then(|said| dom::find(&said, "span")) {
        said.set_text_content(Some(&words));
        return;
    }
    let parts = dom::make("p", "failed").zip(dom::make("span", "")).zip(dom::make("button", "btn tiny"));
    let Some(((place, text), button)) = parts else { return };
    let _ = place.set_attribute("role", "status");
    text.set_text_content(Some(&words));
    button.set_text_content(Some("Try again"));
    let _ = button.set_attribute("data-action", PageAction::LoadAgain.name());
    let _ = place.append_with_node_2(&text, &button);
    let _ = gap.remove_attribute("aria-hidden");
    let _ = gap.append_child(&place);
}

fn is_gap(element: &Element) -> bool {
    element.class_list().contains("chunk-gap")
}

/// Gaps that were filled go, from `next` on.
fn drop_gaps(next: &mut Option<Element>) {
    while let Some(gone) = next.take_if(|next| is_gap(next)) {
        *next = gone.next_element_sibling();
        gone.remove();
    }
}

fn heighten(gap: &Element, px: f64) {
    if let Some(gap) = dom::html(gap) {
        let _ = gap.style().set_property("height", &format!("{}px", px.round() as i64));
    }
}

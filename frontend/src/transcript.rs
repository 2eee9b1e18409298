//! The column of the transcript in the browser: which chunks stand in it, and where the reader is in them.
//!
//! The reader's place is an [`Anchor`]. Whatever changes above it, `scroll` puts it back in the same frame; nothing
//! else writes `scrollTop`. Each part of the state belongs to one module, and no borrow of it is held across a call
//! into another.

mod chunks;
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

use app::browser::dom;
use app::browser::page_state::{page_state, whenever};
use app::shared::arrivals::Arrivals;
use app::shared::attr;
use app::shared::fragments_href;
pub use app::shared::landmarks::Step;
use app::shared::loads::Loads;
use app::shared::message_filter::MessageFilter;
use app::shared::scroll::{Anchor, Goal, Scroll};
use app::shared::sorted::{Map, Set};
use app::shared::window;
pub use find::open as open_find;
pub use jump::{go_to_seq, here, hold_current, is_here, to_beginning, to_end, walk};
pub use outline::step;
pub use pause::toggle as pause;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
pub use streaming::told as grown;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

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
    /// `&view=normal` where the address asks for a level of detail, which needn't be the reader's usual one; and the
    /// filter.
    level: String,
    /// The messages that are shown; all without one.
    filter: MessageFilter,
    /// The dev toggle, as the rows are drawn.
    dev: Cell<bool>,
    frame_due: Cell<bool>,
    // The parts of the state, each behind a few functions of its owner.
    chunks: chunks::Chunks,
    scroll: Scroll,
    goal: Goal,
    loads: Loads,
    arrivals: Arrivals,
    growing: streaming::Growing,
    reading: reading::Reading,
    outline: outline::Outline,
    find: find::Find,
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
    let seq = row.and_then(|row| row.get_attribute(attr::SEQ)?.parse().ok());
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
    let at = scroller.get_attribute(attr::AT).and_then(|at| at.parse().ok());
    let Some(column) = take_over(scroller, session) else { return };
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

/// Calls back when the size of an observed element changes.
fn observer() -> Option<ResizeObserver> {
    let resized = Closure::<dyn FnMut()>::new(|| {
        if let Some(column) = column() {
            column.measure();
            scroll::place(&column);
            column.soon();
        }
    });
    let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    resized.forget();
    observer
}

/// The transcript of a session, with the chunks that the server drew.
fn take_over(scroller: Element, session: String) -> Option<Rc<Column>> {
    let last_seq = scroller.get_attribute(attr::LAST_SEQ).and_then(|seq| seq.parse().ok()).unwrap_or(0);
    let element = dom::find(&scroller, ".column")?;
    let observer = observer()?;
    let mut mounted = Map::default();
    for section in dom::find_all(&element, "[data-chunk]") {
        if let Some(chunk) = section.get_attribute(attr::CHUNK).and_then(|n| n.parse().ok()) {
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
    let base = fragments_href(&session);
    let chunks = chunks::Chunks::new(window::chunks(last_seq), mounted, scroller.client_width());
    let scroll = Scroll::new(scroll::extent(&scroller));
    let level = dom::parameter("view");
    let level = level.map(|level| format!("&view={}", api::endpoint::segment(&level))).unwrap_or_default();
    // The server refuses an address with a wrong filter.
    let filter = MessageFilter::parse(dom::parameter("type").as_deref(), dom::parameter("role").as_deref());
    let filter = filter.unwrap_or_default();
    let level = level + &filter.page_query();
    if let Some(holds) = scroller.get_attribute(attr::HOLDS) {
        chunks.empty_but(&holds.split(' ').filter_map(|chunk| chunk.parse().ok()).collect());
    }
    Some(Rc::new(Column {
        session,
        base,
        scroller,
        feed: element,
        observer,
        new: Cell::new(0),
        paused: Cell::new(false),
        level,
        filter,
        dev: Cell::new(page_state().dev.get()),
        frame_due: Cell::new(false),
        chunks,
        scroll,
        goal: Goal::default(),
        loads: Loads::default(),
        arrivals: Arrivals::new(last_seq),
        growing: streaming::Growing::default(),
        reading: reading::Reading::default(),
        outline: outline::Outline::default(),
        find: find::Find::default(),
    }))
}

impl Column {
    /// Looks at everything once, before the next frame.
    fn soon(self: &Rc<Self>) {
        if self.frame_due.replace(true) {
            return;
        }
        let column = self.clone();
        dom::next_frame(move || {
            column.frame_due.set(false);
            column.settle();
        });
    }

    /// Lets far chunks go. Returns what to load, and the chunks that stay, however far away they are.
    fn make_room(&self) -> (Vec<usize>, Set<usize>) {
        let view = scroll::view(self);
        let mut keep = kept();
        // A row may begin in a chunk far above. Both are needed to keep the scroll position.
        if let Some(seq) = self.scroll.anchor().row() {
            keep.extend(scroll::chunks_of(self, seq));
        }
        // Visible chunks stay, even if their height isn't the measured one.
        keep.extend(scroll::seen(self));
        let plan = self.chunks.plan(view, &keep, self.room());
        for chunk in &plan.unload {
            self.unmount(*chunk);
        }
        if !plan.unload.is_empty() {
            self.arrange();
        }
        (plan.load, keep)
    }

    /// Lets far chunks go, asks for near ones, and keeps the reader's place.
    fn settle(self: &Rc<Self>) {
        let (load, keep) = self.make_room();
        scroll::place(self);
        scroll::hold_row(self);
        // Selected chunks are loaded too, so that a copy has all of the selection.
        let selected = keep.iter().filter(|chunk| !load.contains(chunk)).copied().collect::<Vec<_>>();
        for chunk in load.into_iter().chain(selected) {
            let (is_there, waits) = (self.chunks.is_mounted(chunk), self.loads.has_failed(chunk));
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
    element.closest("[data-chunk]").ok().flatten()?.get_attribute(attr::CHUNK)?.parse().ok()
}

/// Identifies a row across loads.
fn key(article: &Element) -> Option<String> {
    article.get_attribute(attr::ID).or_else(|| article.get_attribute(attr::SEQ))
}

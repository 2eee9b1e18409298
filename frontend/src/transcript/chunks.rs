//! The chunks of the session: which of them stand in the document, how high they are, and gaps for the others.

use super::{Column, key};
use crate::reconcile;
use app::browser::{dom, focus};
use app::shared::attr;
use app::shared::page_action::PageAction;
use app::shared::sorted::{Map, Set};
use app::shared::window::{Plan, Segment, View, Window};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use web_sys::Element;

/// Elements of the page up to which chunks are added. Its budget is 1,500: one chunk may hold as many as the
/// difference.
const MOST_ELEMENTS: usize = 950;
/// Chunks that left the document and are kept for as long as the server can't be reached.
const MOST_LEFT: usize = 40;

pub struct Chunks {
    window: RefCell<Window>,
    mounted: RefCell<Map<usize, Element>>,
    /// Chunks that left the document, the latest last: without a server they come back as they were.
    left: RefCell<VecDeque<(usize, Element)>>,
    /// Unfolded parts of rows that left the document.
    unfolded: RefCell<Map<String, Vec<bool>>>,
    /// Chunks that hold nothing that the filter takes: they are as high as nothing, and never asked for.
    empty: RefCell<Set<usize>>,
    /// Width of the scroller for which the heights hold.
    width: Cell<i32>,
}

impl Chunks {
    pub fn new(chunks: usize, mounted: Map<usize, Element>, width: i32) -> Self {
        Self {
            window: RefCell::new(Window::new(chunks)),
            mounted: RefCell::new(mounted),
            left: RefCell::default(),
            unfolded: RefCell::default(),
            empty: RefCell::default(),
            width: Cell::new(width),
        }
    }

    pub fn is_mounted(&self, chunk: usize) -> bool {
        self.mounted.borrow().contains_key(&chunk)
    }

    /// The element of a chunk that is in the document.
    pub fn section(&self, chunk: usize) -> Option<Element> {
        self.mounted.borrow().get(&chunk).cloned()
    }

    /// The chunks that are in the document, in their order.
    pub fn mounted(&self) -> Vec<(usize, Element)> {
        self.mounted.borrow().iter().map(|(chunk, section)| (*chunk, section.clone())).collect()
    }

    /// Their numbers.
    pub fn numbers(&self) -> Vec<usize> {
        self.mounted.borrow().keys().copied().collect()
    }

    /// Those of them for whose element something holds.
    pub fn numbers_where(&self, holds: impl Fn(&Element) -> bool) -> Vec<usize> {
        self.mounted().into_iter().filter(|(_, section)| holds(section)).map(|(chunk, _)| chunk).collect()
    }

    /// The elements that left the document and are kept.
    pub fn left(&self) -> Vec<Element> {
        self.left.borrow().iter().map(|(_, section)| section.clone()).collect()
    }

    pub fn forget_left(&self) {
        self.left.borrow_mut().clear();
    }

    pub fn forget_heights(&self) {
        let mut window = self.window.borrow_mut();
        window.forget();
        self.empty.borrow().iter().for_each(|chunk| window.measure(*chunk, 0.0, 0));
    }

    /// All but these hold nothing that the filter takes.
    pub fn empty_but(&self, holds: &Set<usize>) {
        let chunks = self.window.borrow().len();
        self.empty.borrow_mut().extend((0..chunks).filter(|chunk| !holds.contains(chunk)));
        self.forget_heights();
    }

    pub fn is_empty(&self, chunk: usize) -> bool {
        self.empty.borrow().contains(&chunk)
    }

    /// Messages of these chunks are new or changed: they may hold something by now.
    pub fn fill(&self, chunks: &RangeInclusive<usize>) {
        self.empty.borrow_mut().take(|chunk| chunks.contains(chunk));
    }

    /// The session has so many chunks by now.
    pub fn grow(&self, chunks: usize) {
        self.window.borrow_mut().grow(chunks);
    }

    /// Returns the chunks to load and to drop, see [`Window::plan`].
    pub fn plan(&self, view: View, keep: &Set<usize>, room: usize) -> Plan {
        let mounted = self.numbers().into_iter().collect();
        let mut plan = self.window.borrow().plan(view, &mounted, keep, room);
        plan.load.retain(|chunk| !self.is_empty(*chunk));
        plan
    }

    /// A look at the heights. `read` calls nothing of the column.
    pub fn heights<R>(&self, read: impl FnOnce(&Window) -> R) -> R {
        read(&self.window.borrow())
    }

    /// Returns the unfolded parts of a row when it left the document.
    pub fn unfolded(&self, row: &str) -> Option<Vec<bool>> {
        self.unfolded.borrow().get(&row.to_owned()).cloned()
    }
}

impl Column {
    /// Elements that the column may have beside the rest of the page.
    pub(super) fn room(&self) -> usize {
        let page = dom::document().and_then(|d| d.document_element()).map_or(0, |root| dom::elements(&root));
        MOST_ELEMENTS.saturating_sub(page.saturating_sub(dom::elements(&self.feed)))
    }

    /// Heights of what is in the document.
    pub(super) fn measure(&self) {
        let width = self.scroller.client_width();
        if self.chunks.width.replace(width) != width {
            self.chunks.forget_heights();
        }
        for (chunk, section) in self.chunks.mounted() {
            let (height, elements) = (section.get_bounding_client_rect().height(), dom::elements(&section));
            self.chunks.window.borrow_mut().measure(chunk, height, elements);
        }
    }

    /// Puts chunks and gaps into the column in their order. What stands there already isn't moved.
    pub(super) fn arrange(&self) {
        let segments = self.chunks.window.borrow().segments(&self.chunks.numbers().into_iter().collect());
        let mut next = self.feed.first_element_child();
        for segment in segments {
            let element = match segment {
                Segment::Chunk(chunk) => {
                    drop_gaps(&mut next);
                    self.chunks.section(chunk)
                }
                Segment::Gap { from, to, px } => next.clone().filter(is_gap).or_else(gap).inspect(|gap| {
                    heighten(gap, px);
                    // A chunk that is loaded again automatically isn't shown as failed.
                    say_failed(gap, self.loads.why_failed(from..to).as_deref());
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
    pub(super) fn become_feed(&self) {
        if self.feed.has_attribute("role") || dom::find(&self.feed, "article").is_none() {
            return;
        }
        let _ = self.feed.set_attribute("role", "feed");
        let _ = self.feed.set_attribute("aria-label", "Transcript");
        if let Some(words) = dom::find(&self.scroller, ":scope > .none") {
            words.remove();
        }
    }

    pub(super) fn mount(&self, chunk: usize, section: Element) {
        self.observer.observe(&section);
        self.chunks.left.borrow_mut().retain(|(left, _)| *left != chunk);
        self.chunks.mounted.borrow_mut().insert(chunk, section);
    }

    /// Puts a chunk back as it left. Returns true if it was kept.
    pub(super) fn mount_again(&self, chunk: usize) -> bool {
        let left = self.chunks.left.borrow().iter().find(|(left, _)| *left == chunk).cloned();
        let Some((_, section)) = left.filter(|_| !self.chunks.is_mounted(chunk)) else { return false };
        self.mount(chunk, section);
        self.arrange();
        true
    }

    pub(super) fn unmount(&self, chunk: usize) {
        let Some(section) = self.chunks.mounted.borrow_mut().remove(&chunk) else { return };
        self.observer.unobserve(&section);
        for article in dom::find_all(&section, "article[data-seq]") {
            let open: Vec<_> = reconcile::cards(&article).iter().map(|d| d.has_attribute("open")).collect();
            if let Some(key) = key(&article).filter(|_| !open.is_empty()) {
                self.chunks.unfolded.borrow_mut().insert(key, open);
            }
        }
        // The keys of a row that goes are the transcript's.
        if dom::focus_in(&section).is_some() {
            let _ = self.scroller.set_attribute(attr::FELL, "");
            focus::put(&self.scroller);
        }
        section.remove();
        let mut left = self.chunks.left.borrow_mut();
        left.push_back((chunk, section));
        if left.len() > MOST_LEFT {
            left.pop_front();
        }
    }
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
    let _ = button.set_attribute(attr::ACTION, PageAction::LoadAgain.name());
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

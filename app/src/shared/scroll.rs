//! The reader's place in a transcript: where it is, and which scrolling is the reader's own. Pure: pixels in, decisions
//! out.

use super::window::{CHUNK, Window, chunk_of};
use std::cell::Cell;

/// Nearer to the end than this, in pixels, the reader is at the end.
const AT_END: i32 = 80;
/// Milliseconds for which browsers animate a scroll of a key or a wheel, and more.
const MOVING: f64 = 1_000.0;
/// A place is written in the steps in which browsers lay out, of a pixel: to read a fraction would take 10 kB of
/// WebAssembly.
const STEPS: f64 = 64.0;
/// How far below the top of the view a message stands after a jump, in pixels.
pub const BELOW_TOP: f64 = 72.0;
/// So much of the view's top the prompt of the turn may cover, in pixels.
const COVERED: f64 = 40.0;

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// At the end, and wants to stay there.
    End,
    /// A row, and how far its top is below the top of the view.
    Row { seq: i64, offset: f64 },
    /// Within a chunk that isn't in the document, so far below its top.
    Chunk { chunk: usize, offset: f64 },
}

impl Anchor {
    /// The very top, with the column's own padding.
    pub const TOP: Self = Self::Chunk { chunk: 0, offset: 0.0 };

    /// The row that the reader is at.
    pub fn row(self) -> Option<i64> {
        match self {
            Self::Row { seq, .. } => Some(seq),
            Self::End | Self::Chunk { .. } => None,
        }
    }

    /// Returns the anchor as the history keeps it: `end`, or a row and its offset. What isn't in the document isn't
    /// kept.
    pub fn written(self) -> Option<String> {
        match self {
            Self::End => Some("end".to_owned()),
            Self::Row { seq, offset } => Some(format!("{seq} {}", (offset * STEPS).round() as i64)),
            Self::Chunk { .. } => None,
        }
    }

    /// Reads what [`Self::written`] wrote.
    pub fn read(kept: &str) -> Option<Self> {
        if kept == "end" {
            return Some(Self::End);
        }
        let (seq, offset) = kept.split_once(' ')?;
        Some(Self::Row { seq: seq.parse().ok()?, offset: offset.parse::<i64>().ok()? as f64 / STEPS })
    }

    /// Where to scroll, by computed heights, for what isn't in the document. `start` is how far the first chunk is
    /// below the top of the view while `scrollTop` is `now`.
    pub fn computed_target(self, window: &Window, start: f64, now: i32) -> Option<i32> {
        let (chunk, offset) = match self {
            Self::End => return None,
            Self::Chunk { chunk: 0, offset } if offset <= 0.0 => return Some(0),
            Self::Row { seq, offset } => (chunk_of(seq), -offset),
            Self::Chunk { chunk, offset } => (chunk, offset),
        };
        Some(moved(now, start + window.top(chunk) + offset))
    }
}

/// Returns `scrollTop` after a distance. Rows stand between pixels, the scroll position doesn't: less than one of them
/// is no way to go.
pub fn moved(now: i32, distance: f64) -> i32 {
    if distance.abs() < 1.0 { now } else { now + distance.round() as i32 }
}

/// How far below the top of the view a row goes that was stepped to: it stays where it is if all of it can be seen
/// there.
pub fn step_offset(top: f64, bottom: f64, view: f64) -> f64 {
    let fits = top >= COVERED && bottom <= view;
    if fits { top } else { BELOW_TOP.min((view - (bottom - top)).max(COVERED)) }
}

/// The message behind the last loaded row, or before the first one. `reaches` is the last message that the row stands
/// for: a row may run on into chunks that have none of their own.
pub fn seq_beyond(chunk: i64, reaches: i64, forward: bool, last_seq: i64) -> Option<i64> {
    let seq = if forward { ((chunk + 1) * CHUNK).max(reaches) + 1 } else { chunk * CHUNK };
    (1..=last_seq).contains(&seq).then_some(seq)
}

/// Target of a URL's hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HashTarget {
    /// `m42`: a message by its `seq`.
    Seq(i64),
    /// `m=...`: a message by its id.
    Id(String),
}

impl HashTarget {
    pub fn read(hash: &str) -> Option<Self> {
        let name = hash.strip_prefix('m')?;
        name.parse().ok().map(Self::Seq).or_else(|| Some(Self::Id(name.strip_prefix('=')?.to_owned())))
    }
}

/// The row to show and to outline once its chunk is there.
#[derive(Debug, Default)]
pub struct Goal {
    seq: Cell<Option<i64>>,
    /// It is where the reader was when the page was left, so far below the top of the view.
    back: Cell<Option<f64>>,
    /// The row at the end gets the keys once this one came, which was the newest one when the reader went there.
    newest: Cell<Option<i64>>,
}

impl Goal {
    pub fn seq(&self) -> Option<i64> {
        self.seq.get()
    }

    /// Sets the message to go to, of those up to `last_seq`. Returns the anchor until it is there.
    pub fn aim(&self, seq: i64, last_seq: i64) -> Anchor {
        let seq = seq.clamp(1, last_seq.max(1));
        self.seq.set(Some(seq));
        Anchor::Chunk { chunk: chunk_of(seq), offset: 0.0 }
    }

    /// The reader comes back to the message, so far below the top of the view.
    pub fn come_back(&self, offset: f64) {
        self.back.set(Some(offset));
    }

    /// The message is there. Returns where it goes, and whether it is chosen: who came back isn't led anywhere.
    pub fn reach(&self) -> Option<(Anchor, bool)> {
        let seq = self.seq.take()?;
        let back = self.back.take();
        Some((Anchor::Row { seq, offset: back.unwrap_or(BELOW_TOP) }, back.is_none()))
    }

    /// The reader goes to another place, which isn't a message.
    pub fn forget(&self) {
        self.seq.set(None);
    }

    /// The reader goes elsewhere. The newest message is still waited for: a scroll that ends late may leave the reader
    /// at the end.
    pub fn give_up(&self) {
        self.seq.set(None);
        self.back.set(None);
    }

    /// Waits for the newest message, unless it is there.
    pub fn wait_for_newest(&self, newest: Option<i64>) {
        self.newest.set(newest);
    }

    /// Returns true if the newest message is among those that came. It is waited for no longer then.
    pub fn take_newest(&self, came: &[i64]) -> bool {
        let is_here = self.newest.get().is_some_and(|newest| came.contains(&newest));
        if is_here {
            self.newest.set(None);
        }
        is_here
    }
}

/// Size and position of a scroller, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// `scrollTop`
    pub top: i32,
    /// `scrollHeight`
    pub height: i32,
    /// `clientHeight`
    pub view: i32,
}

impl Extent {
    /// `scrollTop` at the end.
    pub fn end(self) -> i32 {
        self.height - self.view
    }

    fn to_end(self) -> i32 {
        self.end() - self.top
    }
}

/// Kind of a scroll event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scrolled {
    /// Written by us, or known already.
    Known,
    /// New content moved the end away from the reader: the scroll position must be restored.
    Pushed,
    /// The reader's own.
    ByReader,
}

/// The reader's place, and what tells the reader's scrolling from ours. Times are in milliseconds.
#[derive(Debug)]
pub struct Scroll {
    anchor: Cell<Anchor>,
    /// The value written to `scrollTop`, until the browser reports it: that event isn't the reader's.
    written: Cell<Option<i32>>,
    /// `scrollTop` for which the anchor holds, and the height of all there was then.
    at: Cell<i32>,
    height: Cell<i32>,
    /// Until when a scroll that the reader began may go on.
    moving_until: Cell<f64>,
    /// The reader's last move went up.
    upward: Cell<bool>,
    /// Something of the transcript is selected.
    selecting: Cell<bool>,
}

impl Scroll {
    pub fn new(extent: Extent) -> Self {
        Self {
            anchor: Cell::new(Anchor::End),
            written: Cell::new(None),
            at: Cell::new(extent.top),
            height: Cell::new(extent.height),
            moving_until: Cell::new(0.0),
            upward: Cell::new(false),
            selecting: Cell::new(false),
        }
    }

    pub fn anchor(&self) -> Anchor {
        self.anchor.get()
    }

    pub fn set_anchor(&self, anchor: Anchor) {
        self.anchor.set(anchor);
    }

    pub fn is_at_end(&self) -> bool {
        self.anchor() == Anchor::End
    }

    /// The reader wants the end.
    pub fn go_to_end(&self) {
        self.anchor.set(Anchor::End);
        self.upward.set(false);
    }

    /// The reader starts to scroll.
    pub fn start(&self, upward: bool, now: f64) {
        self.upward.set(upward);
        self.moving_until.set(now + MOVING);
    }

    /// The reader presses a key: one that scrolls, or another one.
    pub fn press(&self, key: &str, shift: bool, now: f64) {
        match key {
            "PageUp" | "ArrowUp" | "Home" => self.start(true, now),
            " " => self.start(shift, now),
            "PageDown" | "ArrowDown" | "End" => self.start(false, now),
            _ => self.upward.set(false),
        }
    }

    fn is_moving(&self, now: f64) -> bool {
        now <= self.moving_until.get()
    }

    /// A scroll that the browser animates is further than when it was last told of: the place goes with it. Returns
    /// true if the reader is on the way up from the end, and is left alone until the browser tells.
    pub fn is_leaving(&self, top: i32, now: f64) -> bool {
        let gone = top - self.at.replace(top);
        if gone == 0 || !self.is_moving(now) {
            return false;
        }
        self.anchor.set(match self.anchor() {
            Anchor::End => return gone < 0 && self.upward.get(),
            Anchor::Row { seq, offset } => Anchor::Row { seq, offset: offset - f64::from(gone) },
            Anchor::Chunk { chunk, offset } => Anchor::Chunk { chunk, offset: offset + f64::from(gone) },
        });
        false
    }

    /// The place was put back: `scrollTop` was `before`, and is as the extent says.
    pub fn placed(&self, before: i32, extent: Extent) {
        self.hold(extent);
        if extent.top != before {
            self.written.set(Some(extent.top));
        }
    }

    /// Says what a scroll event is.
    pub fn scrolled(&self, extent: Extent, now: f64) -> Scrolled {
        if self.written.take() == Some(extent.top) {
            return Scrolled::Known;
        }
        // Nobody pressed anything, and the height isn't what it was.
        if self.is_at_end() && !self.upward.get() && self.height.get() != extent.height && !self.is_moving(now) {
            return Scrolled::Pushed;
        }
        // Put right since this scroll, which the browser tells of late: what folds up is lower with each frame.
        if self.at.get() == extent.top && !self.is_moving(now) {
            return Scrolled::Known;
        }
        // The scroll bar has no key and no wheel.
        self.upward.set(self.upward.get() || extent.top < self.at.get());
        // A fling goes on for as long as it likes.
        if self.is_moving(now) {
            self.moving_until.set(now + MOVING);
        }
        Scrolled::ByReader
    }

    /// Takes the reader's place: the end, or what is in view. Returns true at the end.
    pub fn capture(&self, extent: Extent, selecting: bool, in_view: impl FnOnce() -> Anchor) -> bool {
        let holds = selecting || self.upward.get() && extent.to_end() > 0;
        self.set_anchor(if extent.to_end() <= AT_END && !holds { Anchor::End } else { in_view() });
        self.hold(extent);
        self.is_at_end()
    }

    fn hold(&self, extent: Extent) {
        self.at.set(extent.top);
        self.height.set(extent.height);
    }

    /// Notes whether text is selected. A reader at the end stays there until the selection is gone. Returns true if the
    /// anchor has to be captured again.
    pub fn select(&self, selecting: bool) -> bool {
        let before = self.selecting.replace(selecting);
        selecting && self.is_at_end() || before && !selecting
    }

    /// Returns true if the reader came to where nothing was drawn: a row is held as soon as one is there.
    pub fn lacks_row(&self) -> bool {
        matches!(self.anchor(), Anchor::Chunk { .. }) && self.anchor() != Anchor::TOP
    }
}

#[cfg(test)]
mod tests;

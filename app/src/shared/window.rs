//! Which chunks of a transcript belong into the document. Pure: pixels in, decisions out.
//!
//! Heights that were measured are remembered; the others are estimated by the mean of the measured ones.

mod heights;

use super::sorted::Set;
use heights::Heights;

/// Messages of one chunk.
pub const CHUNK: i64 = 20;
/// Chunks nearer to the view than this are loaded, in heights of the view.
const NEAR: f64 = 1.0;
/// Chunks further from the view than this leave, in heights of the view.
const FAR: f64 = 2.0;
/// Chunks nearer than this are loaded and stay, however many elements the document then has, in heights of the view.
const CLOSE: f64 = 0.3;

/// The chunk that holds a `seq`.
pub fn chunk_of(seq: i64) -> usize {
    usize::try_from((seq.max(1) - 1) / CHUNK).unwrap_or(0)
}

/// How many chunks a session of so many messages has.
pub fn chunks(last_seq: i64) -> usize {
    usize::try_from((last_seq.max(0) + CHUNK - 1) / CHUNK).unwrap_or(0)
}

/// The visible part: distance of its top from the top of the first chunk, and its height, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    pub top: f64,
    pub height: f64,
}

/// Chunks to load and to drop. Those to load are ordered by distance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub load: Vec<usize>,
    pub unload: Vec<usize>,
}

/// A part of the column, in order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    Chunk(usize),
    /// Chunks `from..to` that aren't in the document, and the height that stands for them.
    Gap {
        from: usize,
        to: usize,
        px: f64,
    },
}

#[derive(Debug, Clone, Default)]
pub struct Window {
    heights: Heights,
    /// Elements of each chunk.
    elements: Vec<Option<usize>>,
}

impl Window {
    pub fn new(chunks: usize) -> Self {
        Self { heights: Heights::new(chunks), elements: vec![None; chunks] }
    }

    pub fn len(&self) -> usize {
        self.heights.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The session grew.
    pub fn grow(&mut self, chunks: usize) {
        if chunks > self.len() {
            self.heights.grow(chunks);
            self.elements.resize(chunks, None);
        }
    }

    /// A chunk's height as the browser laid it out, and the elements that it has.
    pub fn measure(&mut self, chunk: usize, px: f64, elements: usize) {
        self.heights.set(chunk, px);
        if let Some(known) = self.elements.get_mut(chunk) {
            *known = Some(elements);
        }
    }

    /// The width or the dev toggle changed: what was measured holds no more.
    pub fn forget(&mut self) {
        self.heights = Heights::new(self.len());
        self.elements.fill(None);
    }

    pub fn height(&self, chunk: usize) -> f64 {
        self.heights.get(chunk)
    }

    /// Distance of a chunk's top from the top of the first one.
    pub fn top(&self, chunk: usize) -> f64 {
        self.heights.before(chunk)
    }

    /// About where a message is: chunks tell their height, not what is in them.
    pub fn position(&self, seq: i64) -> f64 {
        let chunk = chunk_of(seq);
        let within = ((seq.max(1) - 1) % CHUNK) as f64 / CHUNK as f64;
        self.top(chunk) + within * self.height(chunk)
    }

    /// About which message is at a distance from the top.
    pub fn seq_at(&self, y: f64) -> i64 {
        let (chunk, offset) = self.at(y);
        let within = (offset / self.height(chunk).max(1.0)).clamp(0.0, 0.99);
        chunk as i64 * CHUNK + (within * CHUNK as f64) as i64 + 1
    }

    /// The chunk at a distance from the top, and how far below that chunk's top it is. The last one, beyond the end.
    pub fn at(&self, y: f64) -> (usize, f64) {
        if self.is_empty() {
            return (0, 0.0);
        }
        let chunk = self.heights.at(y.max(0.0));
        (chunk, (y - self.top(chunk)).max(0.0))
    }

    /// Returns the chunks to load and to drop. `keep` has the focused and selected ones. `room` limits the number of
    /// elements, so that fewer invisible chunks are in the document if rows are large.
    pub fn plan(&self, view: View, mounted: &Set<usize>, keep: &Set<usize>, room: usize) -> Plan {
        let mut plan = Plan::default();
        let distance = |chunk: usize| {
            let top = self.top(chunk);
            (view.top - top - self.height(chunk)).max(top - (view.top + view.height)).max(0.0)
        };
        let mut stays = Vec::new();
        for &chunk in mounted.iter().filter(|chunk| **chunk < self.len()) {
            let distance = distance(chunk);
            if distance > FAR * view.height && !keep.contains(&chunk) {
                plan.unload.push(chunk);
            } else {
                stays.push((distance, chunk));
            }
        }
        let mut wanted = Vec::new();
        if !self.is_empty() {
            let first = self.at(view.top - NEAR * view.height).0.saturating_sub(1);
            let last = self.at(view.top + (1.0 + NEAR) * view.height).0;
            let near = (first..=last).filter(|chunk| !mounted.contains(chunk)).map(|chunk| (distance(chunk), chunk));
            wanted.extend(near.filter(|(distance, _)| *distance <= NEAR * view.height));
        }
        nearest_first(&mut stays);
        nearest_first(&mut wanted);
        let close = |distance: f64| distance <= CLOSE * view.height;
        let mut elements: usize = stays.iter().map(|(_, chunk)| self.cost(*chunk)).sum();
        for (distance, chunk) in stays.into_iter().rev() {
            if elements <= room || close(distance) {
                break;
            }
            if !keep.contains(&chunk) {
                elements = elements.saturating_sub(self.cost(chunk));
                plan.unload.push(chunk);
            }
        }
        for (distance, chunk) in wanted {
            elements = elements.saturating_add(self.cost(chunk));
            if elements > room && !close(distance) {
                break;
            }
            plan.load.push(chunk);
        }
        plan
    }

    /// Elements of a chunk; the mean of the known ones where it isn't known.
    fn cost(&self, chunk: usize) -> usize {
        self.elements.get(chunk).copied().flatten().unwrap_or_else(|| {
            let known: Vec<usize> = self.elements.iter().copied().flatten().collect();
            known.iter().sum::<usize>() / known.len().max(1)
        })
    }

    /// The column: chunks that are in the document, and gaps for the others.
    pub fn segments(&self, mounted: &Set<usize>) -> Vec<Segment> {
        let gap = |from: usize, to: usize| Segment::Gap { from, to, px: self.top(to) - self.top(from) };
        let mut segments = Vec::new();
        let mut from = 0;
        for chunk in mounted.iter().copied().filter(|chunk| *chunk < self.len()) {
            if from < chunk {
                segments.push(gap(from, chunk));
            }
            segments.push(Segment::Chunk(chunk));
            from = chunk + 1;
        }
        if from < self.len() {
            segments.push(gap(from, self.len()));
        }
        segments
    }
}

/// There are few of them: the standard sort is more code than the rest of the window.
fn nearest_first(chunks: &mut [(f64, usize)]) {
    for end in 1..chunks.len() {
        for at in (1..=end).rev() {
            if let Some([before, after]) = chunks.get_mut(at - 1..=at)
                && *after < *before
            {
                std::mem::swap(before, after);
            }
        }
    }
}

#[cfg(test)]
mod tests;

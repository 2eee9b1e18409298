//! Which chunks of a transcript belong into the document. Pure: pixels in, decisions out.
//!
//! Heights that were measured are remembered; the others are estimated by the mean of the measured ones. Sums run over all
//! chunks: a session of 100,000 messages has 5,000 of them, which takes microseconds.

use std::collections::BTreeSet;

/// Messages of one chunk.
pub const CHUNK: i64 = 20;
/// Height of a chunk while none was measured, in pixels.
const FIRST_GUESS: f64 = 1_200.0;
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

/// What the reader sees: the distance of its top from the top of the first chunk, and its height, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    pub top: f64,
    pub height: f64,
}

/// What to do. Chunks to load come nearest first.
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
    heights: Vec<Option<f64>>,
    /// Elements of each chunk.
    elements: Vec<Option<usize>>,
}

impl Window {
    pub fn new(chunks: usize) -> Self {
        Self { heights: vec![None; chunks], elements: vec![None; chunks] }
    }

    pub fn len(&self) -> usize {
        self.heights.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heights.is_empty()
    }

    /// The session grew.
    pub fn grow(&mut self, chunks: usize) {
        if chunks > self.heights.len() {
            self.heights.resize(chunks, None);
            self.elements.resize(chunks, None);
        }
    }

    /// A chunk's height as the browser laid it out, and the elements that it has.
    pub fn measure(&mut self, chunk: usize, px: f64, elements: usize) {
        if let Some(height) = self.heights.get_mut(chunk) {
            *height = Some(px);
        }
        if let Some(known) = self.elements.get_mut(chunk) {
            *known = Some(elements);
        }
    }

    /// The width or the dev toggle changed: what was measured holds no more.
    pub fn forget(&mut self) {
        self.heights.fill(None);
        self.elements.fill(None);
    }

    pub fn height(&self, chunk: usize) -> f64 {
        self.heights.get(chunk).copied().flatten().unwrap_or_else(|| self.mean())
    }

    /// Distance of a chunk's top from the top of the first one.
    pub fn top(&self, chunk: usize) -> f64 {
        self.sum(0, chunk)
    }

    /// The chunk at a distance from the top, and how far below that chunk's top it is. The last one, beyond the end.
    pub fn at(&self, y: f64) -> (usize, f64) {
        let mean = self.mean();
        let mut top = 0.0;
        let last = self.heights.len().saturating_sub(1);
        for (chunk, height) in self.heights.iter().enumerate() {
            let height = height.unwrap_or(mean);
            if y < top + height || chunk == last {
                return (chunk, (y - top).max(0.0));
            }
            top += height;
        }
        (0, 0.0)
    }

    /// What to load and what to let go. `keep` holds what the reader has focused or selected. There is room for so many
    /// elements: where rows are rich, fewer of those that can't be seen are in the document.
    pub fn plan(&self, view: View, mounted: &BTreeSet<usize>, keep: Option<usize>, room: usize) -> Plan {
        let mean = self.mean();
        let mut plan = Plan::default();
        let (mut wanted, mut stays) = (Vec::new(), Vec::new());
        let mut top = 0.0;
        for (chunk, height) in self.heights.iter().enumerate() {
            let bottom = top + height.unwrap_or(mean);
            let distance = (view.top - bottom).max(top - (view.top + view.height)).max(0.0);
            if mounted.contains(&chunk) {
                if distance > FAR * view.height && keep != Some(chunk) {
                    plan.unload.push(chunk);
                } else {
                    stays.push((distance, chunk));
                }
            } else if distance <= NEAR * view.height {
                wanted.push((distance, chunk));
            }
            top = bottom;
        }
        let nearest = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        stays.sort_unstable_by(nearest);
        wanted.sort_unstable_by(nearest);
        let close = |distance: f64| distance <= CLOSE * view.height;
        let mut elements: usize = stays.iter().map(|(_, chunk)| self.cost(*chunk)).sum();
        for (distance, chunk) in stays.into_iter().rev() {
            if elements <= room || close(distance) {
                break;
            }
            if keep != Some(chunk) {
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
    pub fn segments(&self, mounted: &BTreeSet<usize>) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut from = 0;
        for chunk in mounted.iter().copied().filter(|chunk| *chunk < self.heights.len()) {
            if from < chunk {
                segments.push(Segment::Gap { from, to: chunk, px: self.sum(from, chunk) });
            }
            segments.push(Segment::Chunk(chunk));
            from = chunk + 1;
        }
        let to = self.heights.len();
        if from < to {
            segments.push(Segment::Gap { from, to, px: self.sum(from, to) });
        }
        segments
    }

    fn sum(&self, from: usize, to: usize) -> f64 {
        let mean = self.mean();
        self.heights.get(from..to.min(self.heights.len())).unwrap_or_default().iter().map(|h| h.unwrap_or(mean)).sum()
    }

    fn mean(&self) -> f64 {
        let known: Vec<f64> = self.heights.iter().copied().flatten().collect();
        if known.is_empty() { FIRST_GUESS } else { known.iter().sum::<f64>() / known.len() as f64 }
    }
}

#[cfg(test)]
mod tests;

//! Heights of all chunks, with sums in logarithmic time: two Fenwick trees, of what was measured and of how many were.

/// Heights of chunks. Unmeasured ones count as the mean of the others.
#[derive(Debug, Clone, Default)]
pub struct Heights {
    known: Vec<Option<f64>>,
    /// Element `i` is the sum over the `i & -i` chunks that end with chunk `i - 1`.
    px: Vec<f64>,
    count: Vec<usize>,
}

/// Height of a chunk that wasn't measured at least, in pixels: where a few messages stand for whole chunks, the others
/// may yet be as high as any.
const LEAST: f64 = 60.0;

/// Height of a chunk while none was measured, in pixels.
const FIRST_GUESS: f64 = 1_200.0;

impl Heights {
    pub fn new(chunks: usize) -> Self {
        Self { known: vec![None; chunks], px: vec![0.0; chunks + 1], count: vec![0; chunks + 1] }
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn grow(&mut self, chunks: usize) {
        if chunks > self.len() {
            let mut grown = Self::new(chunks);
            for (chunk, px) in self.known.iter().enumerate() {
                if let Some(px) = px {
                    grown.set(chunk, *px);
                }
            }
            *self = grown;
        }
    }

    pub fn set(&mut self, chunk: usize, px: f64) {
        let Some(known) = self.known.get_mut(chunk) else { return };
        let before = known.replace(px);
        let (more, new) = (px - before.unwrap_or(0.0), usize::from(before.is_none()));
        let mut at = chunk + 1;
        while let (Some(sum), Some(count)) = (self.px.get_mut(at), self.count.get_mut(at)) {
            *sum += more;
            *count += new;
            at += at & at.wrapping_neg();
        }
    }

    pub fn get(&self, chunk: usize) -> f64 {
        self.known.get(chunk).copied().flatten().unwrap_or_else(|| self.mean())
    }

    /// Returns the sum of the heights before a chunk.
    pub fn before(&self, chunk: usize) -> f64 {
        let chunk = chunk.min(self.len());
        let (px, count) = self.measured(chunk);
        px + (chunk - count) as f64 * self.mean()
    }

    /// The chunk at a distance from the top: the last one, beyond the end.
    pub fn at(&self, y: f64) -> usize {
        let (mean, mut left, mut chunk) = (self.mean(), y, 0);
        let mut step = self.len().checked_ilog2().map_or(0, |log| 1_usize << log);
        while step > 0 {
            if let (Some(px), Some(count)) = (self.px.get(chunk + step), self.count.get(chunk + step)) {
                let height = px + (step - count) as f64 * mean;
                if height <= left {
                    left -= height;
                    chunk += step;
                }
            }
            step /= 2;
        }
        chunk.min(self.len().saturating_sub(1))
    }

    fn measured(&self, chunk: usize) -> (f64, usize) {
        let (mut px, mut count, mut at) = (0.0, 0, chunk);
        while at > 0 {
            px += self.px.get(at).copied().unwrap_or(0.0);
            count += self.count.get(at).copied().unwrap_or(0);
            at &= at - 1;
        }
        (px, count)
    }

    fn mean(&self) -> f64 {
        match self.measured(self.len()) {
            (_, 0) => FIRST_GUESS,
            (px, count) => (px / count as f64).max(LEAST),
        }
    }
}

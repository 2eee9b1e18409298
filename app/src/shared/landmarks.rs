//! The landmarks of a session: which part of them to ask for, the ways between them, and where they lie on the rail.

use super::backoff::Backoff;
use super::window::Window;
use api::outline::{Mark, MarkKind, PART};

/// Milliseconds between two questions for the landmarks.
const PAUSE: i32 = 1_000;
/// Height of the rail in its own units.
const RAIL: f64 = 1_000.0;
/// A pointer nearer to a mark than this, in the same units, means the mark.
const NEAR: f64 = 10.0;

/// Target of a step.
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

/// The part to request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Landmarks behind this `seq`.
    pub after: i64,
    /// It is the part before those that are there, and not what changed.
    pub is_earlier: bool,
}

/// The parsed reply.
#[derive(Debug, Default)]
pub struct Answer {
    pub marks: Vec<Mark>,
    pub next: Option<i64>,
    /// Messages that are new to the reader.
    pub new: Option<i64>,
}

/// Where a step leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stepped {
    To(i64),
    /// There is no such landmark in this direction.
    Nowhere,
    /// The landmarks in this direction aren't there yet: the step is taken once they are.
    Waits,
}

#[derive(Debug, Default)]
pub struct Landmarks {
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
    /// The page begins with the last part of a session. Returns the first `seq` of it.
    pub fn open(&mut self, last_seq: i64) -> i64 {
        self.earlier = (last_seq - PART).max(0) + 1;
        self.earlier
    }

    /// The landmarks from a `seq` on changed.
    pub fn change(&mut self, from: i64) {
        self.stale = Some(self.stale.map_or(from, |stale| stale.min(from)));
    }

    /// Returns what to ask for now: what changed since, or else the part before those that are there.
    pub fn begin(&mut self) -> Option<Part> {
        let stale = self.stale.map(|from| Part { after: from - 1, is_earlier: false });
        let earlier = Part { after: (self.earlier - 1 - PART).max(0), is_earlier: true };
        let part = stale.or((self.earlier > 1).then_some(earlier))?;
        if self.backoff.gave_up() || std::mem::replace(&mut self.loading, true) {
            return None;
        }
        self.stale = None;
        Some(part)
    }

    /// Takes the answer to a part. Returns the milliseconds until the next one is asked for.
    pub fn take(&mut self, part: Part, answer: Answer) -> i32 {
        self.backoff = Backoff::default();
        let end = if part.is_earlier { self.earlier - 1 } else { answer.next.unwrap_or(i64::MAX) };
        let marks = self.marks.get_or_insert_default();
        marks.retain(|mark| mark.seq <= part.after || mark.seq > end);
        marks.extend(answer.marks.into_iter().filter(|mark| mark.seq <= end));
        marks.sort_by_key(|mark| mark.seq);
        self.drawn = None;
        if part.is_earlier {
            self.earlier = part.after + 1;
            return 0;
        }
        let Some(next) = answer.next else { return PAUSE };
        self.change(next + 1);
        0
    }

    /// A part couldn't be had. Returns the milliseconds until it is asked for again, if it is.
    pub fn fail(&mut self, part: Part, status: u16, is_live: bool) -> Option<i32> {
        if !part.is_earlier {
            self.change(part.after + 1);
        }
        self.backoff.after(status, PAUSE, is_live)
    }

    /// The pause is over.
    pub fn finish(&mut self) {
        self.loading = false;
    }

    /// The server answers again.
    pub fn resume(&mut self) {
        self.backoff = Backoff::default();
    }

    /// Takes the step that waited for the marks.
    pub fn take_waiting(&mut self) -> Option<(Step, i32)> {
        self.waiting.take()
    }

    /// To the next landmark from a `seq` on, or the one before it.
    pub fn step(&mut self, goal: Step, way: i32, from: i64) -> Stepped {
        let mut wanted = self.marks.iter().flatten().filter(|mark| goal.includes(mark.kind)).map(|mark| mark.seq);
        let next = if way > 0 { wanted.find(|seq| *seq > from) } else { wanted.take_while(|seq| *seq < from).last() };
        let nearer = if way > 0 { from + 1 < self.earlier } else { next.is_none() && self.earlier > 1 };
        if self.marks.is_none() || nearer {
            self.waiting = Some((goal, way));
            return Stepped::Waits;
        }
        next.map_or(Stepped::Nowhere, Stepped::To)
    }

    /// Those that are there; None until they were loaded.
    pub fn marks(&self) -> Option<&[Mark]> {
        self.marks.as_deref()
    }

    /// Approvals that are still open: they alone say what they ask.
    pub fn open_approvals(&self) -> Vec<Mark> {
        let open = |mark: &&Mark| mark.kind == MarkKind::Approval && !mark.words.is_empty();
        self.marks.iter().flatten().filter(open).cloned().collect()
    }

    /// Returns true if the marks have to be drawn for this height of everything.
    pub fn is_drawn_anew(&mut self, all: f64) -> bool {
        self.drawn.replace(all as i64) != Some(all as i64)
    }

    /// The prompt whose turn is at the top of the view.
    pub fn sticky(&self) -> Option<i64> {
        self.sticky
    }

    /// Takes the row at the top of the view. Returns the prompt of its turn, unless it is the one that is shown: None
    /// if none is to be shown.
    pub fn stick(&mut self, top: Option<i64>) -> Option<Option<&Mark>> {
        let above = top.zip(self.marks.as_deref()).and_then(|(seq, marks)| prompt_above(marks, seq));
        let seq = above.map(|mark| mark.seq);
        (std::mem::replace(&mut self.sticky, seq) != seq).then_some(above)
    }

    /// Returns the message at a position of the rail, from 0 to 1, and the text of its mark.
    pub fn point(&self, window: &Window, share: f64) -> (i64, String) {
        let at = share * RAIL;
        let far = |mark: &Mark| (place_of(window, mark) - at).abs();
        let nearest = self.marks.iter().flatten().min_by(|a, b| far(a).total_cmp(&far(b)));
        let Some(mark) = nearest.filter(|mark| far(mark) < NEAR) else {
            return (window.seq_at(share * window.top(window.len())), String::new());
        };
        let words = match mark.kind {
            MarkKind::Prompt => mark.words.as_str(),
            MarkKind::Edit => "Code edit",
            MarkKind::Approval => "Approval",
            MarkKind::Error => "Error",
        };
        (mark.seq, words.to_owned())
    }
}

/// The prompt whose turn a row belongs to, unless it is the row itself.
fn prompt_above(marks: &[Mark], seq: i64) -> Option<&Mark> {
    let before = marks.get(..marks.partition_point(|mark| mark.seq <= seq))?;
    before.iter().rfind(|mark| mark.kind == MarkKind::Prompt).filter(|mark| mark.seq < seq)
}

/// A short line for each mark of a kind; those that would lie on each other are one. `path` draws it at `{y}`.
pub fn lines(window: &Window, marks: &[Mark], kind: MarkKind, path: &str) -> String {
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

/// A share of everything as a percentage. In hundredths: printing fractions is a twentieth of the WebAssembly.
pub fn percent(px: f64, all: f64) -> String {
    let hundredths = (px / all * 10_000.0).clamp(0.0, 10_000.0).round() as i64;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// From where a step goes that nothing is chosen for, at the first row in view: a landmark in view is the next one, and
/// one whose head is above the view the one before.
pub fn step_from(seq: i64, offset: f64, way: i32) -> i64 {
    match way > 0 {
        true => seq - 1,
        false if offset < 0.0 => seq + 1,
        false => seq,
    }
}

#[cfg(test)]
mod tests;

//! Many edits of one file become its net change.
//!
//! The known parts of a file are those that its edits touched. A [`Known`] part holds the same lines as they were
//! before the first edit and as they are after the last one. An edit with a line number joins the parts that it touches
//! and moves those behind it. One without is searched for in the known parts, and in the text that was read of the file
//! before it and after it: a step of which both texts are the same only shows what is there. If an edit contradicts the
//! known parts, somebody else changed the file in between: they are put aside, and the parts begin anew. So they do
//! with each edit once the allowed work is done.

use crate::Allowance;
use model::view::FileChange;

/// One edit, in the order in which they happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Step<'a> {
    /// None: the file is created.
    pub old: Option<&'a str>,
    /// None: the file is deleted.
    pub new: Option<&'a str>,
    /// Line at which both texts begin, from 1, in the file before this edit. None where unknown.
    pub first_line: Option<u32>,
    /// True if the texts are the whole file.
    pub is_whole: bool,
    /// Which one of the caller's edits it is.
    pub edit: usize,
}

/// A part of a file before all edits, and after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The text before all edits; None if there was no file.
    pub old: Option<String>,
    /// The text after all edits; None if the file is gone.
    pub new: Option<String>,
    /// Where the texts begin, from 1; None where unknown.
    pub first_line: Option<(u32, u32)>,
    /// True if the texts are the whole file rather than a fragment of it.
    pub is_whole: bool,
    /// The first edit of a part whose place is unknown: nothing else says which part it is.
    pub edit: Option<usize>,
}

/// The net change of all edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Net {
    /// From before the first edit to after the last one. A file that is made and deleted again is `Deleted`, without a
    /// part.
    pub change: FileChange,
    /// In the order of the file, without those whose edits took each other back.
    pub parts: Vec<Part>,
    /// True if the file changed between the edits in a way that none of them tells, or if there are too many to follow.
    pub is_broken: bool,
}

/// Folds the edits of one file. Edits that were made at once, with their lines in the file before all of them, come from the
/// last to the first. Takes what it does from the allowance.
pub fn fold<'a>(steps: impl IntoIterator<Item = Step<'a>>, allowance: &mut Allowance) -> Net {
    let mut file = File { left: allowance.folded, ..File::default() };
    for step in steps {
        file.apply(&step);
    }
    allowance.folded = file.left;
    file.net()
}

/// Lines with their ends.
type Lines = Vec<String>;

#[derive(Debug, Clone)]
struct Known {
    /// Lines before it, in the file as it was and as it is.
    old_at: usize,
    new_at: usize,
    /// None: there was no file, or there is none.
    old: Option<Lines>,
    new: Option<Lines>,
    is_whole: bool,
    edit: usize,
}

impl Known {
    fn new_len(&self) -> usize {
        self.new.as_ref().map_or(0, Vec::len)
    }

    fn growth(&self) -> isize {
        self.new_len() as isize - self.old.as_ref().map_or(0, Vec::len) as isize
    }

    fn is_change(&self) -> bool {
        self.old != self.new
    }

    fn placed(self) -> Part {
        // A message may name any line, which other edits then move further.
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1);
        let first_line = Some((number(self.old_at), number(self.new_at)));
        Part { first_line, edit: None, ..self.loose() }
    }

    fn loose(self) -> Part {
        Part {
            old: self.old.map(|lines| lines.concat()),
            new: self.new.map(|lines| lines.concat()),
            first_line: None,
            is_whole: self.is_whole,
            edit: Some(self.edit),
        }
    }
}

#[derive(Debug, Default)]
struct File {
    /// In the order of the file, not touching each other.
    known: Vec<Known>,
    /// Edits of unknown place.
    loose: Vec<Known>,
    /// Text that was read since the file's last change: the number of lines before it, and the text.
    seen: Vec<(usize, String)>,
    /// Parts that were known before somebody else changed the file.
    aside: Vec<Part>,
    /// True if there was a file before the first edit. None before that.
    was_there: Option<bool>,
    is_broken: bool,
    /// Bytes that may still be gone through.
    left: u64,
}

/// Returns the work of processing lines: their bytes, plus a constant for each.
fn work<'l>(lines: impl IntoIterator<Item = &'l String>) -> u64 {
    lines.into_iter().map(|line| (line.len() + LINE) as u64).sum()
}

/// Work of a line or a part in addition to its bytes.
const LINE: usize = 32;

fn lines(text: &str) -> Lines {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

impl File {
    fn apply(&mut self, step: &Step<'_>) {
        if step.old.is_some() || step.new.is_some() {
            self.was_there.get_or_insert(step.old.is_some());
        }
        if self.left == 0 {
            return self.alone(step);
        }
        if let (Some(old), Some(line)) = (step.old, if step.is_whole { Some(1) } else { step.first_line }) {
            self.settle(line.saturating_sub(1) as usize, old);
        }
        match (step.old, step.new) {
            (None, None) => {}
            (Some(old), Some(new)) if !step.is_whole => {
                if old == new {
                    let line = step.first_line.unwrap_or(1);
                    return self.seen.push((line.saturating_sub(1) as usize, new.to_owned()));
                }
                self.spend((self.known.len() * LINE) as u64);
                if self.known.iter().any(|part| part.is_whole && part.new.is_none()) {
                    self.put_aside();
                }
                match step.first_line {
                    Some(line) => {
                        self.seen.clear();
                        self.window(line.saturating_sub(1) as usize, lines(old), lines(new));
                    }
                    None => self.fragment(old, new, step.edit),
                }
            }
            (old, new) => self.whole(old.map(lines), new.map(lines)),
        }
    }

    fn spend(&mut self, work: u64) {
        self.left = self.left.saturating_sub(work);
    }

    /// Too much was done already: the edit isn't looked for in what is known.
    fn alone(&mut self, step: &Step<'_>) {
        if step.old == step.new {
            return;
        }
        self.put_aside();
        let part = Known {
            old_at: 0,
            new_at: 0,
            old: step.old.map(lines),
            new: step.new.map(lines),
            is_whole: step.is_whole || step.old.is_none() || step.new.is_none(),
            edit: step.edit,
        };
        match step.first_line {
            Some(line) if !part.is_whole => {
                let at = line.saturating_sub(1) as usize;
                self.aside.push(Known { old_at: at, new_at: at, ..part }.placed());
            }
            _ if part.is_whole => self.known = vec![part],
            _ => self.loose.push(part),
        }
    }

    /// The whole file is replaced, created or deleted.
    fn whole(&mut self, before: Option<Lines>, new: Option<Lines>) {
        self.spend(work(before.iter().flatten()) + work(self.known.iter().flat_map(|part| part.old.iter().flatten())));
        let old = match (&before, self.known.as_slice()) {
            // An edit that creates a file that is known replaces it.
            (None, [part]) if part.is_whole => Some(part.old.clone()),
            (Some(before), [part]) if part.is_whole => (part.new.as_ref() == Some(before)).then(|| part.old.clone()),
            // The text that it replaces is unknown.
            (None, parts) if parts.iter().any(|part| part.old.is_some()) => None,
            (None, _) => Some(None),
            // The file with all changes taken back, as far as they are known.
            (Some(before), parts) => undone(before, parts).map(Some),
        };
        let old = old.unwrap_or_else(|| {
            self.put_aside();
            before
        });
        self.loose.clear();
        self.seen.clear();
        self.known = vec![Known { old_at: 0, new_at: 0, old, new, is_whole: true, edit: 0 }];
    }

    /// Lines of a known place are replaced.
    fn window(&mut self, at: usize, old: Lines, new: Lines) {
        let end = at + old.len();
        let touches = |part: &Known| part.is_whole || (part.new_at <= end && at <= part.new_at + part.new_len());
        let behind = || self.known.iter().position(|part| part.new_at > end).unwrap_or(self.known.len());
        let first = self.known.iter().position(touches).unwrap_or_else(behind);
        let count = self.known[first..].iter().take_while(|part| touches(part)).count();
        let growth: isize = self.known[..first].iter().map(Known::growth).sum();
        let touched = self.known[first..first + count].iter().flat_map(|part| part.old.iter().chain(&part.new));
        let work = work(touched.flatten()) + work(old.iter().chain(&new)) + (self.known.len() * LINE) as u64;
        self.spend(work);
        let Some(joined) = join(&self.known[first..first + count], at, &old, &new, growth) else {
            self.put_aside();
            return self.window(at, old, new);
        };
        let shift = new.len() as isize - old.len() as isize;
        self.known.splice(first..first + count, [joined]);
        for later in &mut self.known[first + 1..] {
            later.new_at = later.new_at.saturating_add_signed(shift);
        }
    }

    /// A text is replaced, somewhere.
    fn fragment(&mut self, old: &str, new: &str, edit: usize) {
        self.spend(self.seen.iter().map(|(_, text)| (text.len() + LINE) as u64).sum());
        let mut seen = self.seen.iter().enumerate().rev();
        let read = seen.find_map(|(at, (line, text))| Some((at, *line, found(text, old, new)?)));
        if let Some((at, line, Found { line: within, old: was, new: is })) = read {
            let text = self.seen[at].1.replacen(old, new, 1);
            // Other text that was read may be outdated.
            self.seen = vec![(line, text)];
            return self.window(line + within, was, is);
        }
        self.seen.clear();
        let mut looked = 0;
        let mut replaced = |part: &Known| {
            looked += work(part.new.iter().flatten());
            let text = part.new.as_ref()?.concat();
            (!old.is_empty() && text.contains(old)).then(|| lines(&text.replacen(old, new, 1)))
        };
        let in_known = self.known.iter().enumerate().find_map(|(at, part)| Some((at, replaced(part)?)));
        let mut loose = self.loose.iter().enumerate();
        let in_loose = if in_known.is_none() { loose.find_map(|(at, part)| Some((at, replaced(part)?))) } else { None };
        self.spend(looked);
        if let Some((at, text)) = in_known {
            let shift = text.len() as isize - self.known[at].new_len() as isize;
            self.known[at].new = Some(text);
            for later in &mut self.known[at + 1..] {
                later.new_at = later.new_at.saturating_add_signed(shift);
            }
        } else if let Some((at, text)) = in_loose {
            self.loose[at].new = Some(text);
        } else {
            let (old, new) = (Some(lines(old)), Some(lines(new)));
            self.loose.push(Known { old_at: 0, new_at: 0, old, new, is_whole: false, edit });
        }
    }

    /// A text of a known place: it may hold what edits of unknown place left behind.
    fn settle(&mut self, at: usize, text: &str) {
        let mut placed: Vec<Known> = Vec::new();
        let before = self.known.last().map_or(0, |part| part.new_at + part.new_len() + 1);
        let of_loose = work(self.loose.iter().flat_map(|part| part.old.iter().chain(&part.new)).flatten());
        self.spend(of_loose + (self.loose.len() * (text.len() + self.loose.len())) as u64);
        if self.left == 0 {
            return;
        }
        self.loose.retain(|part| {
            let (old, new) = (part.old.iter().flatten(), part.new.iter().flatten());
            let Some(found) = found(text, &new.cloned().collect::<String>(), &old.cloned().collect::<String>()) else {
                return true;
            };
            let new_at = at + found.line;
            let end = new_at + found.old.len();
            let is_apart = placed.iter().all(|other| end < other.new_at || other.new_at + other.new_len() < new_at);
            // A part after it may have been known earlier, at another position.
            let settles = is_apart && new_at >= before;
            if settles {
                placed.push(Known { old_at: 0, new_at, old: Some(found.new), new: Some(found.old), ..part.clone() });
            }
            !settles
        });
        placed.sort_by_key(|part| part.new_at);
        for mut part in placed {
            let growth: isize = self.known.iter().map(Known::growth).sum();
            part.old_at = part.new_at.saturating_add_signed(-growth);
            self.known.push(part);
        }
    }

    fn put_aside(&mut self) {
        self.is_broken = true;
        self.aside.extend(self.known.drain(..).filter(Known::is_change).map(Known::placed));
    }

    fn net(self) -> Net {
        let change = match self.known.iter().find(|part| part.is_whole) {
            Some(part) if part.new.is_none() => FileChange::Deleted,
            _ if self.was_there == Some(false) => FileChange::Added,
            _ => FileChange::Modified,
        };
        let known = self.known.into_iter().filter(Known::is_change).map(Known::placed);
        let loose = self.loose.into_iter().filter(Known::is_change).map(Known::loose);
        Net { change, parts: self.aside.into_iter().chain(known).chain(loose).collect(), is_broken: self.is_broken }
    }
}

/// Where a text is.
struct Found {
    /// Lines before it.
    line: usize,
    /// The lines that hold it, and the same with another text in its place.
    old: Lines,
    new: Lines,
}

/// Looks for what one text says in another one. None where it isn't there, or more than once.
fn found(text: &str, wanted: &str, other: &str) -> Option<Found> {
    let mut places = text.match_indices(wanted).map(|(at, _)| at);
    let start = places.next().filter(|_| !wanted.trim().is_empty())?;
    if places.next().is_some() {
        return None;
    }
    let end = start + wanted.len();
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = if wanted.ends_with('\n') { end } else { text[end..].find('\n').map_or(text.len(), |at| end + at + 1) };
    let with = |middle: &str| lines(&format!("{}{middle}{}", &text[from..start], &text[end..to]));
    Some(Found { line: text[..from].matches('\n').count(), old: with(wanted), new: with(other) })
}

/// A file before the known changes. None where it isn't what they left behind.
fn undone(file: &[String], parts: &[Known]) -> Option<Lines> {
    let mut out = Vec::with_capacity(file.len());
    let mut at = 0;
    for part in parts {
        let end = part.new_at + part.new_len();
        if file.get(part.new_at..end)? != part.new.as_deref().unwrap_or_default() {
            return None;
        }
        out.extend_from_slice(file.get(at..part.new_at)?);
        out.extend(part.old.iter().flatten().cloned());
        at = end;
    }
    out.extend_from_slice(file.get(at..)?);
    Some(out)
}

/// One part of those that a window touches and the window itself; `growth` is what the parts before them added. None where
/// they contradict each other.
fn join(touched: &[Known], at: usize, old: &[String], new: &[String], growth: isize) -> Option<Known> {
    let end = at + old.len();
    let start = touched.first().map_or(at, |part| part.new_at.min(at));
    // From `start` to the last known line, as it was and as it is before the window.
    let (mut was, mut is): (Lines, Lines) = (Vec::new(), Vec::new());
    let mut done = start;
    let unknown = |from: usize, to: usize| old.get(from.checked_sub(at)?..to.checked_sub(at)?);
    for part in touched {
        if part.new_at > done {
            let lines = unknown(done, part.new_at)?;
            was.extend_from_slice(lines);
            is.extend_from_slice(lines);
        }
        was.extend(part.old.iter().flatten().cloned());
        is.extend(part.new.iter().flatten().cloned());
        done = part.new_at + part.new_len();
    }
    if end > done {
        let lines = unknown(done, end)?;
        was.extend_from_slice(lines);
        is.extend_from_slice(lines);
    }
    if is.get(at - start..end - start)? != old {
        return None;
    }
    is.splice(at - start..end - start, new.iter().cloned());
    let old_at = match touched.first() {
        Some(part) if part.new_at <= at => part.old_at,
        _ => start.saturating_add_signed(-growth),
    };
    Some(Known {
        old_at,
        new_at: start,
        old: touched.iter().all(|part| part.old.is_some()).then_some(was),
        new: Some(is),
        is_whole: touched.iter().any(|part| part.is_whole),
        edit: 0,
    })
}

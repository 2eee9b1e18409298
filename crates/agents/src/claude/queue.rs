//! Prompts and events that came in while the agent worked.
//!
//! It waits in a queue, of which the transcript tells by `queue-operation` lines. `dequeue` begins a turn with it, and it
//! comes again as a user line. `remove` gives it to the model in the middle of the turn: some versions repeat it as an
//! attachment then, others nowhere, so that the line of the removal is all there is of a person's prompt.
//!
//! Newer versions say in the removal what was removed, and why. Older ones don't, and at the end of a turn they clear
//! events as well. So there a prompt counts as taken with the first removal behind it, until a later line says otherwise.
//!
//! `queued` turns them into messages. The context that the model saw is derived from the same queue.

use super::blocks::joined_text;
use super::obj::Obj;
use super::peers::peers;
use super::said::tagged;
use model::Role;

/// The beginning of the reasons of removals that gave something to the model, as `absorbed_mid_turn`.
const ABSORBED: &str = "absorbed";

/// The queue of a session. `P` is the place of a line.
pub(crate) struct Queue<P> {
    waiting: Vec<Waiting<P>>,
    /// Prompts that are shown as taken, as long as a line may still repeat them.
    taken: Vec<Taken<P>>,
    /// How many of these were taken by the operations just before.
    in_batch: usize,
    /// Prompts that may have been taken, since a removal didn't say what it removed. The agent went on since.
    guessed: Vec<Taken<P>>,
    /// True if the operation just before took something from the queue that no person typed.
    took_other: bool,
    /// Prompts that a line has shown since the agent went on, without having waited here.
    shown: Vec<String>,
    /// The words that attachments gave to the model since then, each with the id of its command.
    given: Vec<(String, String)>,
}

impl<P> Default for Queue<P> {
    fn default() -> Self {
        Self {
            waiting: Vec::new(),
            taken: Vec::new(),
            in_batch: 0,
            guessed: Vec::new(),
            took_other: false,
            shown: Vec::new(),
            given: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QueuedKind {
    /// Typed by a person.
    Prompt,
    /// A prompt that an attachment or a user line shows already.
    Shown,
    /// A task in the background reports to the agent.
    Notification,
    /// The program tells itself of a task that it started.
    Event,
}

/// An entry of the queue, and the line that queued it.
#[derive(Clone)]
pub(crate) struct Waiting<P> {
    what: QueuedKind,
    pub text: String,
    pub at: P,
}

struct Taken<P> {
    /// Where it was taken.
    at: P,
    prompt: Waiting<P>,
    /// True if the removal names it.
    named: bool,
    /// The command's id in the removal. An attachment with the same id has its words.
    command: Option<String>,
}

/// The meaning of a prompt's line for the removals before it.
pub(crate) enum Shown<P> {
    /// It belongs to no removal.
    New,
    /// The prompt of this removal is shown here.
    Taken(P),
    /// As [`Self::Taken`], for a removal before the agent went on, which took something else.
    Guessed(P),
}

impl<P: Clone> Queue<P> {
    /// Takes what a line queues. Returns what of it is for people to read.
    pub fn enqueue(&mut self, line: &Obj, at: &P) -> String {
        let text = line.raw("content").map(joined_text).unwrap_or_default();
        let (what, readable) = classify(&text);
        self.waiting.push(Waiting { what, text, at: at.clone() });
        readable
    }

    /// A turn begins with what a line takes: a user line repeats it. Returns the removals that gave nothing to the model after all.
    pub fn dequeue(&mut self, line: &Obj) -> Vec<P> {
        let batch = self.in_batch;
        let no_prompt = self.count(QueuedKind::Prompt) == 0;
        let mut back = Vec::new();
        if batch > 0 && no_prompt && self.count(QueuedKind::Event) >= batch {
            // As many events still wait as prompts went: the removals cleared the events, and the prompts begin turns.
            for taken in self.taken.split_off(self.taken.len().saturating_sub(batch)) {
                back.push(taken.at);
                self.pop(&[QueuedKind::Event]);
                self.waiting.push(taken.prompt);
            }
            self.in_batch = 0;
        }
        let taken = name_of(line).and_then(|text| self.pop_named(&text));
        let taken = taken.or_else(|| {
            self.pop(&[QueuedKind::Prompt, QueuedKind::Shown, QueuedKind::Notification, QueuedKind::Event])
        });
        self.took_other = taken.is_some_and(|taken| !matches!(taken.what, QueuedKind::Prompt | QueuedKind::Shown));
        back
    }

    /// Takes a removal. Returns the prompt that it gave to the model.
    pub fn remove(&mut self, line: &Obj, at: &P) -> Option<Waiting<P>> {
        let given = line.filled("reason").is_none_or(|reason| reason.starts_with(ABSORBED));
        let command = line.filled("commandUuid");
        let by_command = || self.given.iter().find(|(id, _)| command.as_ref() == Some(id));
        let name = name_of(line).or_else(|| by_command().map(|(_, text)| text.clone()));
        let removed = match &name {
            Some(text) => self.pop_named(text).or_else(|| self.never_queued(at, text)),
            None => self.pop(&[QueuedKind::Shown, QueuedKind::Prompt, QueuedKind::Event, QueuedKind::Notification]),
        };
        let prompt = removed.filter(|it| given && it.what == QueuedKind::Prompt && !it.text.trim().is_empty())?;
        let named = name.is_some();
        self.in_batch = if named { 0 } else { self.in_batch + 1 };
        self.taken.push(Taken { at: at.clone(), prompt: prompt.clone(), named, command });
        Some(prompt)
    }

    /// The prompts go back into the field.
    pub fn clear_prompts(&mut self) {
        self.waiting.retain(|waiting| waiting.what != QueuedKind::Prompt);
    }

    /// An attachment gives a command to the model. Returns the removal that only has the command's id, and was thought to be about
    /// another prompt.
    pub fn give(&mut self, command: String, text: &str) -> Option<P> {
        let wrong = |taken: &Taken<P>| {
            !taken.named && taken.command.as_ref() == Some(&command) && taken.prompt.text.trim() != text.trim()
        };
        let wrong = self.taken.iter().position(wrong).map(|index| self.taken.remove(index));
        let back = wrong.map(|taken| {
            self.in_batch = self.in_batch.saturating_sub(1);
            self.pop_named(text);
            self.waiting.insert(0, taken.prompt);
            taken.at
        });
        self.given.push((command, text.to_owned()));
        back
    }

    /// A line of the session's own conversation shows a person's prompt: it isn't shown a second time.
    pub fn show(&mut self, text: &str) -> Shown<P> {
        let same = |other: &Waiting<P>| other.what == QueuedKind::Prompt && other.text.trim() == text.trim();
        let took_other = std::mem::take(&mut self.took_other);
        if let Some(index) = self.taken.iter().position(|taken| same(&taken.prompt)) {
            return Shown::Taken(self.taken.remove(index).at);
        }
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| same(waiting)) {
            waiting.what = QueuedKind::Shown;
        } else if let Some(index) = self.guessed.iter().position(|taken| took_other && same(&taken.prompt)) {
            // The turn begins with another prompt than was left in the queue: the removal took what was thought to be left.
            return Shown::Guessed(self.guessed.remove(index).at);
        } else {
            self.shown.push(text.to_owned());
        }
        Shown::New
    }

    /// A prompt of another conversation of the file is shown.
    pub fn show_elsewhere(&mut self) {
        self.took_other = false;
    }

    /// Another line than one of the queue. Once the agent has gone on, no line repeats what it was given: the removals of which this
    /// is so come back.
    pub fn leave(&mut self, agent_goes_on: bool) -> Vec<P> {
        self.in_batch = 0;
        if !agent_goes_on {
            return Vec::new();
        }
        self.took_other = false;
        self.shown.clear();
        self.given.clear();
        let taken = std::mem::take(&mut self.taken);
        let settled = taken.iter().map(|taken| taken.at.clone()).collect();
        self.guessed.extend(taken.into_iter().filter(|taken| !taken.named));
        settled
    }

    /// A prompt that only its removal names: the file may not hold the line that queued it.
    fn never_queued(&self, at: &P, text: &str) -> Option<Waiting<P>> {
        let is_shown = self.shown.iter().any(|shown| shown.trim() == text.trim());
        (!is_shown).then(|| Waiting { what: classify(text).0, text: text.to_owned(), at: at.clone() })
    }

    /// Takes the oldest of the first kind that waits.
    fn pop(&mut self, kinds: &[QueuedKind]) -> Option<Waiting<P>> {
        let at = kinds.iter().find_map(|kind| self.waiting.iter().position(|waiting| waiting.what == *kind))?;
        Some(self.waiting.remove(at))
    }

    /// Takes the oldest with this text.
    fn pop_named(&mut self, text: &str) -> Option<Waiting<P>> {
        let at = self.waiting.iter().position(|waiting| waiting.text.trim() == text.trim())?;
        Some(self.waiting.remove(at))
    }

    fn count(&self, kind: QueuedKind) -> usize {
        self.waiting.iter().filter(|waiting| waiting.what == kind).count()
    }
}

/// Returns the content that an operation names.
fn name_of(line: &Obj) -> Option<String> {
    line.raw("content").map(joined_text).filter(|text| !text.trim().is_empty())
}

/// Returns the kind of an entry, and the text of it that people read.
fn classify(text: &str) -> (QueuedKind, String) {
    if let Some(peers) = peers(text) {
        let words: Vec<String> = peers.into_iter().map(|said| said.content).collect();
        return (QueuedKind::Notification, words.join("\n\n"));
    }
    match tagged(text.trim_start()).filter(|said| said.role != Role::User) {
        Some(said) => (QueuedKind::Notification, said.content),
        None => match Obj::parse(text).filter(|event| event.has("task_id")) {
            Some(event) => (QueuedKind::Event, event.filled("description").unwrap_or_else(|| text.to_owned())),
            None => (QueuedKind::Prompt, text.to_owned()),
        },
    }
}

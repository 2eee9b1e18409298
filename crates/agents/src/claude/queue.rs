//! What was typed, or came in, while the agent worked.
//!
//! It waits in a queue, of which the transcript tells by `queue-operation` lines. `dequeue` begins a turn with it, and it
//! comes again as a user line. `remove` gives it to the model in the middle of the turn: some versions repeat it as an
//! attachment then, others nowhere, so that the line of the removal is all there is of a person's prompt.
//!
//! Newer versions say in the removal what was removed, and why. Older ones don't, and at the end of a turn they clear
//! events as well. So there a prompt counts as taken with the first removal behind it, until a later line says otherwise.

use super::at::{At, extras};
use super::blocks::joined_text;
use super::obj::Obj;
use super::peers::peers;
use super::said::tagged;
use super::state::State;
use model::{Micros, Role};
use serde_json::json;

const REMOVED: &str = "Removed from the queue";

/// The beginning of the reasons of removals that gave something to the model, as `absorbed_mid_turn`.
const ABSORBED: &str = "absorbed";

#[derive(Default)]
pub(crate) struct Queue {
    waiting: Vec<Waiting>,
    /// Prompts that are shown as taken, as long as a line may still repeat them.
    taken: Vec<Taken>,
    /// How many of these were taken by the operations just before.
    in_batch: usize,
    /// Prompts that may have been taken, since a removal didn't say what it removed. The agent went on since.
    guessed: Vec<Taken>,
    /// Did the operation just before take something from the queue that no person typed?
    took_other: bool,
    /// Prompts that a line has shown since the agent went on, without having waited here.
    shown: Vec<String>,
    /// What attachments gave to the model since then: the id of the command, and its words.
    given: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Typed by a person.
    Prompt,
    /// A prompt that an attachment or a user line shows already.
    Shown,
    /// A task in the background reports to the agent.
    Notification,
    /// The program tells itself of a task that it started.
    Event,
}

#[derive(Clone)]
struct Waiting {
    what: What,
    text: String,
    at: At,
}

struct Taken {
    /// Where it was taken.
    at: At,
    prompt: Waiting,
    /// Does the removal name it?
    named: bool,
    /// The command's id in the removal. An attachment with the same id tells its words.
    command: Option<String>,
}

impl Queue {
    /// Takes the oldest of the first kind that waits.
    fn pop(&mut self, kinds: &[What]) -> Option<Waiting> {
        let at = kinds.iter().find_map(|kind| self.waiting.iter().position(|waiting| waiting.what == *kind))?;
        Some(self.waiting.remove(at))
    }

    /// Takes the oldest with this text.
    fn pop_named(&mut self, text: &str) -> Option<Waiting> {
        let at = self.waiting.iter().position(|waiting| waiting.text.trim() == text.trim())?;
        Some(self.waiting.remove(at))
    }

    fn count(&self, kind: What) -> usize {
        self.waiting.iter().filter(|waiting| waiting.what == kind).count()
    }
}

impl State {
    pub fn queue_operation(&mut self, at: &At, line: &Obj) {
        let operation = line.filled("operation").unwrap_or_else(|| "operation".to_owned());
        match operation.as_str() {
            "enqueue" => self.enqueue(at, line),
            "dequeue" => self.dequeue(at, line),
            "remove" => self.remove(at, line),
            "popAll" => {
                self.queue.waiting.retain(|waiting| waiting.what != What::Prompt);
                self.aside(at, "queue-operation", "Queue taken back to the prompt");
            }
            _ => self.aside(at, "queue-operation", operation),
        }
    }

    fn enqueue(&mut self, at: &At, line: &Obj) {
        let text = line.raw("content").map(joined_text).unwrap_or_default();
        let (what, readable) = classify(&text);
        let content = if readable.is_empty() { "Queued".to_owned() } else { format!("Queued: {readable}") };
        self.aside(at, "queue-operation", content);
        self.queue.waiting.push(Waiting { what, text, at: at.clone() });
    }

    /// A turn begins with it: a user line repeats it.
    fn dequeue(&mut self, at: &At, line: &Obj) {
        let batch = self.queue.in_batch;
        let no_prompt = self.queue.count(What::Prompt) == 0;
        if batch > 0 && no_prompt && self.queue.count(What::Event) >= batch {
            // As many events still wait as prompts went: the removals cleared the events, and the prompts begin turns.
            let prompts = self.queue.taken.split_off(self.queue.taken.len().saturating_sub(batch));
            for taken in prompts {
                self.put_back(&taken);
                self.queue.pop(&[What::Event]);
                self.queue.waiting.push(taken.prompt);
            }
            self.queue.in_batch = 0;
        }
        let taken = name_of(line).and_then(|text| self.queue.pop_named(&text));
        let taken = taken.or_else(|| self.queue.pop(&[What::Prompt, What::Shown, What::Notification, What::Event]));
        self.queue.took_other = taken.is_some_and(|taken| !matches!(taken.what, What::Prompt | What::Shown));
        self.aside(at, "queue-operation", "Taken from the queue");
    }

    fn remove(&mut self, at: &At, line: &Obj) {
        let reason = line.filled("reason");
        let given = reason.is_none_or(|reason| reason.starts_with(ABSORBED));
        let command = line.filled("commandUuid");
        let by_command = || self.queue.given.iter().find(|(id, _)| command.as_ref() == Some(id));
        let name = name_of(line).or_else(|| by_command().map(|(_, text)| text.clone()));
        let removed = match &name {
            Some(text) => self.queue.pop_named(text).or_else(|| self.never_queued(at, text)),
            None => self.queue.pop(&[What::Shown, What::Prompt, What::Event, What::Notification]),
        };
        let removed = removed.filter(|it| given && it.what == What::Prompt && !it.text.trim().is_empty());
        let Some(prompt) = removed else { return self.aside(at, "queue-operation", REMOVED) };
        let mut draft = at.text(&at.id, Role::User, "user", prompt.text.as_str());
        if prompt.at.time > Micros(0) {
            draft.metadata = Some(extras("queued", json!({ "at": prompt.at.time })));
        }
        self.book.sessions[at.session].first_prompt(&prompt.text);
        // The words are in the line of the queueing.
        self.book.keep(at.session, draft, prompt.at.span);
        self.book.change(at.session, &at.id, at.span);
        let named = name.is_some();
        self.queue.in_batch = if named { 0 } else { self.queue.in_batch + 1 };
        self.queue.taken.push(Taken { at: at.clone(), prompt, named, command });
    }

    /// What a removal names although no line queued it: the file may not hold that line.
    fn never_queued(&mut self, at: &At, text: &str) -> Option<Waiting> {
        let is_shown = self.queue.shown.iter().any(|shown| shown.trim() == text.trim());
        (!is_shown).then(|| Waiting { what: classify(text).0, text: text.to_owned(), at: at.clone() })
    }

    /// An attachment gives something to the model. A removal that only has the id of the command was about this.
    pub fn command_is_given(&mut self, command: Option<String>, text: &str) {
        let Some(command) = command else { return };
        let wrong = |taken: &Taken| {
            !taken.named && taken.command.as_ref() == Some(&command) && taken.prompt.text.trim() != text.trim()
        };
        if let Some(index) = self.queue.taken.iter().position(wrong) {
            let taken = self.queue.taken.remove(index);
            self.put_back(&taken);
            self.queue.in_batch = self.queue.in_batch.saturating_sub(1);
            self.queue.pop_named(text);
            self.queue.waiting.insert(0, taken.prompt);
        }
        self.queue.given.push((command, text.to_owned()));
    }

    /// A line shows a person's prompt: it isn't shown a second time.
    pub fn prompt_is_shown(&mut self, session: usize, text: &str) {
        let same = |other: &Waiting| other.what == What::Prompt && other.text.trim() == text.trim();
        let took_other = std::mem::take(&mut self.queue.took_other);
        if session != self.main {
            return;
        }
        if let Some(index) = self.queue.taken.iter().position(|taken| same(&taken.prompt)) {
            let taken = self.queue.taken.remove(index);
            self.put_back(&taken);
        } else if let Some(waiting) = self.queue.waiting.iter_mut().find(|waiting| same(waiting)) {
            waiting.what = What::Shown;
        } else if let Some(index) = self.queue.guessed.iter().position(|taken| took_other && same(&taken.prompt)) {
            // The turn begins with another prompt than was left in the queue: the removal took what was thought to be left.
            let taken = self.queue.guessed.remove(index);
            let at = &taken.at;
            self.book.keep(at.session, at.aside(&at.id, "queue-operation", REMOVED), at.span);
            self.book.release(at.session, &at.id);
        } else {
            self.queue.shown.push(text.to_owned());
        }
    }

    /// It wasn't taken here after all.
    fn put_back(&mut self, taken: &Taken) {
        let at = &taken.at;
        if let Some(draft) = self.book.touch(at.session, &at.id) {
            *draft = at.aside(&at.id, "queue-operation", REMOVED);
        }
        self.book.release(at.session, &at.id);
    }

    /// Another line than one of the queue. Once the agent has gone on, no line repeats what it was given.
    pub fn leave_queue(&mut self, agent_goes_on: bool) {
        self.queue.in_batch = 0;
        if agent_goes_on {
            self.queue.took_other = false;
            self.queue.shown.clear();
            self.queue.given.clear();
            for taken in std::mem::take(&mut self.queue.taken) {
                self.book.release(taken.at.session, &taken.at.id);
                if !taken.named {
                    self.queue.guessed.push(taken);
                }
            }
        }
    }
}

/// What an operation says that it is about.
fn name_of(line: &Obj) -> Option<String> {
    line.raw("content").map(joined_text).filter(|text| !text.trim().is_empty())
}

/// Who said it, and what of it is for people to read.
fn classify(text: &str) -> (What, String) {
    if let Some(peers) = peers(text) {
        let words: Vec<String> = peers.into_iter().map(|said| said.content).collect();
        return (What::Notification, words.join("\n\n"));
    }
    match tagged(text.trim_start()).filter(|said| said.role != Role::User) {
        Some(said) => (What::Notification, said.content),
        None => match Obj::parse(text).filter(|event| event.has("task_id")) {
            Some(event) => (What::Event, event.filled("description").unwrap_or_else(|| text.to_owned())),
            None => (What::Prompt, text.to_owned()),
        },
    }
}

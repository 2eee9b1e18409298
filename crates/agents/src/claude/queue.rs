//! What was typed, or came in, while the agent worked.
//!
//! It waits in a queue, of which the transcript tells by `queue-operation` lines. `dequeue` begins a turn with it, and it
//! comes again as a user line. `remove` gives it to the model in the middle of the turn: newer versions repeat it as an
//! attachment then, older ones nowhere, so that the line of the removal is all there is of a person's prompt. But `remove`
//! doesn't say what it removes, and at the end of a turn it clears events as well. So a prompt counts as taken with the
//! first removal behind it, until a line right behind says otherwise.

use super::at::{At, extras};
use super::blocks::joined_text;
use super::obj::Obj;
use super::said::tagged;
use super::state::State;
use model::{Micros, Role};
use serde_json::json;

const REMOVED: &str = "Removed from the queue";

#[derive(Default)]
pub(crate) struct Queue {
    waiting: Vec<Waiting>,
    /// Prompts that are shown as taken, as long as a line may still repeat them.
    taken: Vec<Taken>,
    /// How many of these were taken by the operations just before.
    in_batch: usize,
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
}

impl Queue {
    /// Takes the oldest of the first kind that waits.
    fn pop(&mut self, kinds: &[What]) -> Option<Waiting> {
        let at = kinds.iter().find_map(|kind| self.waiting.iter().position(|waiting| waiting.what == *kind))?;
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
            "dequeue" => self.dequeue(at),
            "remove" => self.remove(at),
            "popAll" => {
                self.queue.waiting.retain(|waiting| waiting.what != What::Prompt);
                self.aside(at, "queue-operation", "Queue taken back to the prompt");
            }
            _ => self.aside(at, "queue-operation", operation),
        }
    }

    fn enqueue(&mut self, at: &At, line: &Obj) {
        let text = line.raw("content").map(joined_text).unwrap_or_default();
        let said = tagged(text.trim_start()).filter(|said| said.role != Role::User);
        let (what, readable) = match said {
            Some(said) => (What::Notification, said.content),
            None => match Obj::parse(&text).filter(|event| event.has("task_id")) {
                Some(event) => (What::Event, event.filled("description").unwrap_or_else(|| text.clone())),
                None => (What::Prompt, text.clone()),
            },
        };
        let content = if readable.is_empty() { "Queued".to_owned() } else { format!("Queued: {readable}") };
        self.aside(at, "queue-operation", content);
        self.queue.waiting.push(Waiting { what, text, at: at.clone() });
    }

    /// A turn begins with it: a user line repeats it.
    fn dequeue(&mut self, at: &At) {
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
        self.queue.pop(&[What::Prompt, What::Shown, What::Notification, What::Event]);
        self.aside(at, "queue-operation", "Taken from the queue");
    }

    fn remove(&mut self, at: &At) {
        let removed = self.queue.pop(&[What::Shown, What::Prompt, What::Event, What::Notification]);
        let Some(prompt) = removed.filter(|it| it.what == What::Prompt && !it.text.trim().is_empty()) else {
            return self.aside(at, "queue-operation", REMOVED);
        };
        let mut draft = at.text(&at.id, Role::User, "user", prompt.text.as_str());
        if prompt.at.time > Micros(0) {
            draft.metadata = Some(extras("queued", json!({ "at": prompt.at.time })));
        }
        self.book.sessions[at.session].first_prompt(&prompt.text);
        // The words are in the line of the queueing.
        self.book.keep(at.session, draft, prompt.at.span);
        self.book.change(at.session, &at.id, at.span);
        self.queue.in_batch += 1;
        self.queue.taken.push(Taken { at: at.clone(), prompt });
    }

    /// A line shows a person's prompt: it isn't shown a second time.
    pub fn prompt_is_shown(&mut self, session: usize, text: &str) {
        let same = |other: &Waiting| other.what == What::Prompt && other.text.trim() == text.trim();
        if session != self.main {
        } else if let Some(index) = self.queue.taken.iter().position(|taken| same(&taken.prompt)) {
            let taken = self.queue.taken.remove(index);
            self.put_back(&taken);
        } else if let Some(waiting) = self.queue.waiting.iter_mut().find(|waiting| same(waiting)) {
            waiting.what = What::Shown;
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
            for taken in std::mem::take(&mut self.queue.taken) {
                self.book.release(taken.at.session, &taken.at.id);
            }
        }
    }
}

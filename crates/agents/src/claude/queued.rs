//! Messages of what waited in the queue.

use super::at::{At, extras};
use super::obj::Obj;
use super::queue::Shown;
use super::state::State;
use model::{Micros, Role};
use serde_json::json;

const REMOVED: &str = "Removed from the queue";

impl State {
    pub fn queue_operation(&mut self, at: &At, line: &Obj) {
        let operation = line.filled("operation").unwrap_or_else(|| "operation".to_owned());
        match operation.as_str() {
            "enqueue" => {
                let readable = self.queue.enqueue(line, at);
                let content = if readable.is_empty() { "Queued".to_owned() } else { format!("Queued: {readable}") };
                self.aside(at, "queue-operation", content);
            }
            "dequeue" => {
                let back = self.queue.dequeue(line);
                for at in &back {
                    self.put_back(at);
                }
                self.aside(at, "queue-operation", "Taken from the queue");
            }
            "remove" => self.remove(at, line),
            "popAll" => {
                self.queue.clear_prompts();
                self.aside(at, "queue-operation", "Queue taken back to the prompt");
            }
            _ => self.aside(at, "queue-operation", operation),
        }
    }

    fn remove(&mut self, at: &At, line: &Obj) {
        let Some(prompt) = self.queue.remove(line, at) else { return self.aside(at, "queue-operation", REMOVED) };
        let mut draft = at.text(&at.id, Role::User, "user", prompt.text.as_str());
        if prompt.at.time > Micros(0) {
            draft.metadata = Some(extras("queued", json!({ "at": prompt.at.time })));
        }
        self.book.sessions[at.session].first_prompt(&prompt.text);
        // The words are in the line of the queueing.
        self.book.keep(at.session, draft, prompt.at.span);
        self.book.change(at.session, &at.id, at.span);
    }

    /// An attachment gives something to the model. A removal that only has the id of the command was about this.
    pub fn command_is_given(&mut self, command: Option<String>, text: &str) {
        let back = command.and_then(|command| self.queue.give(command, text));
        if let Some(at) = back {
            self.put_back(&at);
        }
    }

    /// A line shows a person's prompt: it isn't shown a second time.
    pub fn prompt_is_shown(&mut self, session: usize, text: &str) {
        if session != self.main {
            return self.queue.show_elsewhere();
        }
        match self.queue.show(text) {
            Shown::New => {}
            Shown::Taken(at) => self.put_back(&at),
            Shown::Guessed(at) => {
                self.book.keep(at.session, at.aside(&at.id, "queue-operation", REMOVED), at.span);
                self.book.release(at.session, &at.id);
            }
        }
    }

    /// It wasn't taken here after all.
    fn put_back(&mut self, at: &At) {
        if let Some(draft) = self.book.touch(at.session, &at.id) {
            *draft = at.aside(&at.id, "queue-operation", REMOVED);
        }
        self.book.release(at.session, &at.id);
    }

    /// Another line than one of the queue. Once the agent has gone on, no line repeats what it was given.
    pub fn leave_queue(&mut self, agent_goes_on: bool) {
        for at in self.queue.leave(agent_goes_on) {
            self.book.release(at.session, &at.id);
        }
    }
}

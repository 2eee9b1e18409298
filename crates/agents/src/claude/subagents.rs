//! Sub-agents, in three generations: side chains inside the file, lines inside progress lines, and files of their own.

use super::at::{At, hash};
use super::blocks::joined_text;
use super::obj::Obj;
use super::outcome::Outcome;
use super::state::State;
use model::RunOutcome;

impl State {
    /// The session of a line with `isSidechain` in its parent's file.
    pub fn side_session(&mut self, line: &Obj) -> usize {
        let uuid = line.filled("uuid").unwrap_or_default();
        let parent = line.filled("parentUuid");
        let known = parent.as_ref().and_then(|parent| self.sides.by_uuid.get(&hash(parent)).copied());
        let session = match (line.filled("agentId"), known) {
            (Some(agent), _) => self.child(self.main, &agent, None),
            (None, Some(session)) => session,
            // The chain's beginning isn't in the file: the line goes on with the one before.
            (None, None) if parent.is_some() && self.sides.last.is_some() => self.sides.last.unwrap_or(self.main),
            (None, None) => {
                let call_id = self.task_with_prompt(line);
                self.child(self.main, &uuid, call_id.as_deref())
            }
        };
        if !uuid.is_empty() {
            self.sides.by_uuid.insert(hash(&uuid), session);
        }
        self.sides.last = Some(session);
        session
    }

    /// The open Task call whose prompt is the line's text.
    fn task_with_prompt(&mut self, line: &Obj) -> Option<String> {
        let text = line.obj("message")?.raw("content").map(joined_text)?;
        let open = self.calls.open_in(self.main);
        let call_id = open
            .into_iter()
            .find(|id| !self.sides.taken.contains(id) && self.call_input(id, "prompt").as_deref() == Some(&text))?;
        self.sides.taken.push(call_id.clone());
        Some(call_id)
    }

    /// The result of a Task or Agent call names the sub-agent, whose lines are in a file of their own.
    /// With the result the sub-agent has ended, unless it goes on in the background.
    pub fn link_child(&mut self, at: &At, session: usize, call_id: &str, outcome: &Outcome, line: &Obj) {
        if let Some(agent) = line.obj("toolUseResult").and_then(|result| result.filled("agentId")) {
            self.child(session, &agent, Some(call_id));
        }
        if outcome.background {
            return;
        }
        let how = match outcome.state {
            "done" => RunOutcome::Done,
            "failed" => RunOutcome::Failed,
            _ => RunOutcome::Interrupted,
        };
        for child in &mut self.book.sessions {
            if child.facts.call_id.as_deref() == Some(call_id) {
                child.runs.end(how, Some(at.time));
            }
        }
    }
}

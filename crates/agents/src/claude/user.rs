//! User lines: prompts, tool results, and what else the program writes in the user's name.

use super::at::{At, extras, message_id};
use super::obj::{Obj, list, string};
use super::peers::peers;
use super::said::{COMPACT_SUMMARY, Said, TASK_NOTIFICATION, Turn, behind_notification, said};
use super::session::{ATTACHMENT, IMAGE, IMAGES};
use super::state::State;
use model::{Context, Part, Role, RunOutcome};
use serde_json::Value;

impl State {
    pub fn user(&mut self, at: &At, line: &Obj) {
        let content = line.obj("message").and_then(|message| message.raw("content")).or_else(|| line.raw("content"));
        let Some(raw) = content else { return self.aside(at, "user", "A message without content") };
        self.book.sessions[at.session].heard_at = at.time;
        let mut at = at.clone();
        if let Some(text) = string(raw) {
            let id = at.id.clone();
            return self.user_text(&mut at, line, &id, &text);
        }
        let blocks = list(raw).unwrap_or_default();
        if blocks.is_empty() {
            return self.aside(&at, "user", "A message without content");
        }
        let parsed: Vec<Option<Obj>> = blocks.iter().map(|raw| Obj::parse(raw)).collect();
        let kind = |block: &Option<Obj>| block.as_ref().and_then(|block| block.string("type")).unwrap_or_default();
        let results = parsed.iter().filter(|block| kind(block) == "tool_result").count();
        if results == 0
            && !line.is_true("isMeta")
            && parsed.iter().all(|block| matches!(kind(block).as_str(), "image" | "document"))
        {
            // Images without words are a prompt as well.
            self.begin_turn(at.session, &at.block_id(0, blocks.len()), at.span.offset);
            self.begin_run(&mut at);
            let images = parsed.iter().filter(|block| kind(block) == "image").count();
            let title = match images {
                0 => ATTACHMENT,
                1 => IMAGE,
                _ => IMAGES,
            };
            self.book.sessions[at.session].first_prompt(title);
        }
        for (index, (raw, block)) in blocks.iter().zip(&parsed).enumerate() {
            let id = at.block_id(index, blocks.len());
            let Some(block) = block else {
                match string(raw) {
                    Some(text) => self.user_text(&mut at, line, &id, &text),
                    None => self.unknown_block(&at, "block", raw, &id),
                }
                continue;
            };
            match block.str("type").as_deref() {
                Some("text") => self.user_text(&mut at, line, &id, &block.str("text").unwrap_or_default()),
                Some("tool_result") => self.tool_result(&at, block, &id, line, results == 1),
                // The program passes files that a tool read to the model in the user's name.
                Some("image" | "document") if line.is_true("isMeta") => self.read_file(&at, block, &id, line),
                Some("image" | "document") => self.file(&at, block, &id, Role::User),
                other => self.unknown_block(&at, other.unwrap_or("block"), raw, &id),
            }
        }
    }

    /// A text on a user line, or in an attachment or a system line that carries one.
    pub fn user_text(&mut self, at: &mut At, line: &Obj, id: &str, text: &str) {
        if let Some(peers) = peers(text) {
            let lone = peers.len() == 1;
            for (n, peer) in peers.into_iter().enumerate() {
                let id = if lone { id.to_owned() } else { format!("{id}~{n}") };
                self.say_said(at, &id, peer, None);
            }
            return;
        }
        if let Some((report, behind)) = behind_notification(text, line) {
            self.user_text(at, line, id, report);
            return self.user_text(at, line, &format!("{id}~1"), behind);
        }
        let mut said = said(text, line);
        if said.role == Role::User && said.turn != Turn::Interrupts {
            self.prompt_is_shown(at.session, &said.content);
        } else if said.sender == TASK_NOTIFICATION {
            self.wakes(at, &mut said);
        }
        if said.sender == COMPACT_SUMMARY {
            self.sums_up(at.session, &mut said);
        }
        self.say_said(at, id, said, line.filled("sourceToolUseID"));
    }

    /// The summary says what the boundary before it says, and stands for both.
    fn sums_up(&mut self, session: usize, said: &mut Said) {
        let Some((boundary, figures)) = self.book.sessions[session].boundary.take() else { return };
        let id = message_id(&boundary);
        if let Some(draft) = self.book.touch(session, id.as_str()) {
            draft.part = Part::Replaced;
            said.metadata = Some(extras("compact", figures));
        }
        self.book.release(session, id.as_str());
    }

    pub fn say_said(&mut self, at: &mut At, id: &str, said: Said, call_id: Option<String>) {
        let Said { role, mut sender, name, mut context, content, metadata, turn } = said;
        let child = self.is_child(at.session);
        if turn == Turn::Begins || (turn == Turn::Causes && role == Role::User) {
            self.begin_turn(at.session, id, at.span.offset);
        }
        match turn {
            Turn::Begins => {
                // Several texts on one line are one prompt.
                if at.run.as_deref() != Some(at.id.as_str()) {
                    self.begin_run(at);
                }
                self.book.sessions[at.session].first_prompt(&content);
                if child {
                    // Not a person's words: no memory of people may hold them.
                    "agent".clone_into(&mut sender);
                    context = Context::Ephemeral;
                }
            }
            Turn::Causes => {
                let session = &mut self.book.sessions[at.session];
                if role == Role::User {
                    session.first_prompt(&content);
                }
                // A command's expansion follows on a line of its own: the command is the cause.
                if role == Role::User || session.cause.is_none() {
                    session.cause = Some((at.id.clone(), at.time));
                }
            }
            Turn::Interrupts => {
                self.cancel_calls(at.session);
                self.book.sessions[at.session].runs.end(RunOutcome::Interrupted, Some(at.time));
            }
            // The program itself answered the command.
            Turn::Nothing if role == Role::Tool => self.book.sessions[at.session].cause = None,
            // A command that a person ran is the title if there is no prompt.
            Turn::Nothing if role == Role::User => self.book.sessions[at.session].first_prompt(&content),
            Turn::Nothing => {}
        }
        let mut draft = at.text(id, role, &sender, content);
        draft.sender_name = name;
        draft.context = context;
        draft.metadata = metadata;
        draft.call_id = call_id;
        self.book.say(at.session, draft, at.span);
    }

    /// A notification on a line of its own begins a turn: people see what woke the agent, and which command it was.
    fn wakes(&mut self, at: &At, said: &mut Said) {
        let Some(metadata) = &mut said.metadata else { return };
        metadata.insert("task".to_owned(), true.into());
        let Some(fields) = metadata.get_mut(TASK_NOTIFICATION).and_then(Value::as_object_mut) else { return };
        let id = |key: &str| fields.get(key).and_then(Value::as_str);
        let task = id("task_id").or_else(|| id("agent_id")).map(str::to_owned);
        let status = task.as_deref().zip(id("status")).map(|(task, status)| self.task_is(at, task, status).to_owned());
        if let Some(status) = status {
            fields.insert("status".to_owned(), status.into());
        }
        if let Some(what) = task.and_then(|task| self.calls.task(&task)) {
            fields.insert("command".to_owned(), what.into());
        }
    }

    /// Returns true for a sub-agent's session.
    pub fn is_child(&self, session: usize) -> bool {
        session != self.main || self.agent_file
    }
}

//! Messages and their parts.

use super::{REDACTED, Session, in_short, milliseconds};
use crate::Span;
use crate::parts::at::{At, extras};
use crate::parts::blocks::cut;
use crate::parts::obj::{Obj, list, string};
use model::message_type::file::File;
use model::{Context, Role, RunOutcome, Spent, Usage};
use serde_json::{Map, json};

impl Session {
    /// A message with its parts; without them if these are files of their own. `place` is where it stands in the file.
    pub(super) fn message(&mut self, info: &Obj, parts: Option<Vec<&str>>, place: &str, span: Span) {
        let session = self.session(info.filled("sessionID"));
        let role = if info.str("role").as_deref() == Some("user") { Role::User } else { Role::Assistant };
        let times = info.obj("time");
        let time = |key: &str| times.as_ref().and_then(|times| milliseconds(times, key));
        let is_lone = parts.is_none();
        let own = self.id(session, info.filled("id"), place);
        let at = self.at(session, time("created"), own.clone(), span);
        if role == Role::User {
            if !is_lone {
                self.calls.end_all(&mut self.book, session, "orphaned");
                self.book.sessions[session].runs.begin(&own, at.time);
            }
        } else {
            self.origin.model = info.filled("modelID").or(self.origin.model.take());
            let model = self.origin.model.clone();
            let facts = &mut self.book.sessions[session];
            if is_lone {
                // Nobody knows its turn.
                facts.runs.begin(&own, at.time);
            }
            facts.runs.continue_or_begin(&own, at.time, model.as_deref());
            facts.set(|facts| &mut facts.model, model);
            if let Some(path) = info.obj("path").and_then(|path| path.filled("cwd")) {
                facts.set(|facts| &mut facts.cwd, Some(path));
            }
            self.spend(session, &own, info);
        }
        let at = self.at(session, None, own.clone(), span);
        let lone = if is_lone { self.summary(&at, role, info) } else { false };
        let mut count = usize::from(lone);
        for (n, raw) in parts.unwrap_or_default().into_iter().enumerate() {
            count += 1;
            if let Some(part) = Obj::parse(raw) {
                let id = self.id(session, part.filled("id"), &format!("{place}~{n}"));
                self.part(&At { id, ..at.clone() }, role, &part);
            } else {
                let id = format!("{own}~{n}");
                let draft = at.aside(&id, "unknown", cut(raw, 200));
                self.say(&at, draft);
            }
        }
        let failed = self.error(&at, info);
        if count == 0 && !failed {
            self.summary(&at, role, info);
        }
        let finish = info.str("finish");
        if role == Role::Assistant && !failed && finish.as_deref() != Some("tool-calls") || is_lone {
            let runs = &mut self.book.sessions[session].runs;
            let ended = time("completed").or_else(|| finish.is_some().then_some(at.time));
            if let Some(ended) = ended {
                runs.pause(RunOutcome::Done, ended);
            }
        }
    }

    /// Counts the tokens and the cost of a message.
    fn spend(&mut self, session: usize, own: &str, info: &Obj) {
        let Some(tokens) = info.obj("tokens") else { return };
        let cost = info.float("cost").filter(|cost| *cost >= 0.0);
        let times = info.obj("time");
        let moment = |key: &str| times.as_ref().and_then(|times| milliseconds(times, key));
        let spent = Spent {
            id: own.to_owned(),
            usage: usage(&tokens),
            cost_usd: cost,
            began_at: moment("created"),
            ended_at: moment("completed"),
            stop_reason: info.filled("finish"),
            ..Spent::default()
        };
        self.book.spent_ahead(session, spent);
    }

    /// Adds a message that shows the fields of a message without its parts.
    fn summary(&mut self, at: &At, role: Role, info: &Obj) -> bool {
        let kind = if role == Role::User { "user message" } else { "agent message" };
        let draft = at.aside(&at.id, "message", in_short(kind, info));
        self.say(at, draft);
        true
    }

    /// Why a message ended badly. False if it didn't.
    fn error(&mut self, at: &At, info: &Obj) -> bool {
        let Some(error) = info.obj("error") else { return false };
        let name = error.filled("name").unwrap_or_else(|| "error".to_owned());
        let data = error.obj("data");
        let message = data.as_ref().and_then(|data| data.filled("message")).or_else(|| error.filled("message"));
        let id = format!("{}~error", at.id);
        let runs = &mut self.book.sessions[at.session].runs;
        if name == "MessageAbortedError" {
            runs.end(RunOutcome::Interrupted, Some(at.time));
            self.calls.end_all(&mut self.book, at.session, "cancelled");
            self.say(at, at.interruption(&id));
        } else {
            runs.pause(RunOutcome::Failed, at.time);
            self.say(at, at.error(&id, &name, message.unwrap_or_else(|| name.clone()), Some(false)));
        }
        true
    }

    /// A part that is a file of its own.
    pub(super) fn lone_part(&mut self, part: &Obj, span: Span) {
        let message = part.filled("messageID").filter(|id| id != REDACTED);
        let session = self.session(part.filled("sessionID").or_else(|| message.clone()));
        let id = self.id(session, part.filled("id"), "part");
        let kind = part.str("type").unwrap_or_default();
        let asked = matches!(&*kind, "text" | "file" | "agent" | "subtask" | "compaction") && !part.has("time");
        let role = if asked { Role::User } else { Role::Assistant };
        let mut at = self.at(session, None, id, span);
        at.run = message.filter(|_| !asked);
        self.part(&at, role, part);
    }

    /// A part of a message of this role.
    fn part(&mut self, at: &At, role: Role, part: &Obj) {
        let kind = part.filled("type").unwrap_or_default();
        let time = part.obj("time").and_then(|times| milliseconds(&times, "start"));
        let mut at = at.clone();
        if let Some(time) = time {
            self.book.sessions[at.session].seen_at(time);
            at.time = time;
        }
        let at = &at;
        match kind.as_str() {
            "text" => self.text(at, role, part),
            "reasoning" => {
                let text = part.string("text").unwrap_or_default();
                let mut draft = at.text(&at.id, Role::Model, "thinking", text);
                if draft.content.trim().is_empty() {
                    draft.metadata = Some(extras("redacted", true));
                }
                self.say(at, draft);
            }
            "tool" => self.call(at, part),
            "file" => self.file(at, role, part),
            "subtask" => self.subtask(at, part),
            "compaction" => {
                let mut draft = at.aside(&at.id, "compact_boundary", "Conversation compacted");
                draft.metadata = Some(extras("compact", Map::new()));
                self.say(at, draft);
            }
            "retry" => {
                let error = part.obj("error");
                let name = error.as_ref().and_then(|error| error.filled("name")).unwrap_or_else(|| "retry".to_owned());
                let data = error.and_then(|error| error.obj("data")).and_then(|data| data.filled("message"));
                let message = data.unwrap_or_else(|| "The request was made again".to_owned());
                self.say(at, at.error(&at.id, &name, message, Some(true)));
            }
            "patch" => {
                let files = part.raw("files").and_then(list).unwrap_or_default();
                let files: Vec<_> = files.into_iter().filter_map(string).collect();
                let draft = at.aside(&at.id, "patch", format!("Changed: {}", files.join(", ")));
                self.say(at, draft);
            }
            _ => self.aside(at, &kind, part),
        }
    }

    fn text(&mut self, at: &At, role: Role, part: &Obj) {
        let text = part.string("text").unwrap_or_default();
        let draft = if part.is_true("synthetic") || part.is_true("ignored") {
            // Written by the program; what is ignored isn't given to the model.
            let mut draft = at.text(&at.id, Role::System, "synthetic", text);
            draft.context = if part.is_true("ignored") { Context::None } else { Context::Ephemeral };
            draft
        } else if role == Role::User {
            let facts = &mut self.book.sessions[at.session];
            facts.first_prompt(&text);
            // A sub-agent's prompt isn't a person's words: no memory of people may hold them.
            let is_child = facts.facts.parent.is_some();
            let mut draft = at.text(&at.id, role, if is_child { "agent" } else { "user" }, text);
            if is_child {
                draft.context = Context::Ephemeral;
            }
            draft
        } else {
            at.text(&at.id, role, "bot", text)
        };
        self.say(at, draft);
    }

    /// A command of a person that starts another agent.
    fn subtask(&mut self, at: &At, part: &Obj) {
        let agent = part.filled("agent").unwrap_or_default();
        let words = part.filled("description").unwrap_or_default();
        self.book.sessions[at.session].first_prompt(&words);
        let prompt = part.filled("prompt").unwrap_or_default();
        let mut draft = at.text(&at.id, Role::System, "subtask", format!("Subtask for {agent}: {words}\n\n{prompt}"));
        draft.context = Context::Ephemeral;
        self.say(at, draft);
    }

    fn file(&mut self, at: &At, role: Role, part: &Obj) {
        let file = self.read_file(part);
        self.say(at, at.file(&at.id, role, file));
    }

    /// The text and the payload of a file.
    pub(super) fn read_file(&mut self, part: &Obj) -> (String, File) {
        let mime = part.filled("mime").unwrap_or_else(|| "application/octet-stream".to_owned());
        let kind = if mime.starts_with("image/") { "image" } else { "document" };
        let block = json!({ "type": kind, "mimeType": mime, "url": part.filled("url") }).to_string();
        match Obj::parse(&block) {
            Some(block) => self.book.file(&block, part.filled("filename")),
            None => (String::new(), File { files: Vec::new() }),
        }
    }
}

/// Returns the tokens of a message. Some providers count reasoning beside the output.
pub(crate) fn usage(tokens: &Obj) -> Usage {
    let count = |tokens: &Obj, name: &str| tokens.int(name).unwrap_or(0).clamp(0, 1 << 40);
    let cache = |name: &str| tokens.obj("cache").map_or(0, |cache| count(&cache, name));
    let (input, output, reasoning) = (count(tokens, "input"), count(tokens, "output"), count(tokens, "reasoning"));
    let (cache_read, cache_write) = (cache("read"), cache("write"));
    let is_beside = count(tokens, "total") == input + output + reasoning + cache_read + cache_write;
    Usage { input, output: output + if is_beside { reasoning } else { 0 }, cache_read, cache_write }
}

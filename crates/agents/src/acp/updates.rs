//! Updates: what an agent tells of its session, piece by piece.

use super::Messages;
use crate::parts::at::{At, derived_id, envelope, extras, message_id};
use crate::parts::blocks::{cut, result_text};
use crate::parts::book::Book;
use crate::parts::calls::{NewCall, about, payload};
use crate::parts::edits::{Finished, message, of_both, of_patch};
use crate::parts::files::files_in;
use crate::parts::obj::{Obj, list};
use crate::parts::patch::unified;
use crate::parts::result::Result;
use crate::parts::session::TitleRank;
use crate::parts::todos;
use model::envelope::EditState;
use model::message_type::tool_call::ToolKind;
use model::{Context, Role, Spent, Usage};
use serde_json::{Map, Value};

/// How many texts are kept, for pieces that come late.
const KEPT: usize = 16;

/// The state of one session's conversation.
#[derive(Default)]
pub(super) struct Talk {
    /// The text that goes on, if pieces without an id come: whose, and its id.
    open: Option<(&'static str, String)>,
    /// The prompt that a client sent, and how much of it the agent has repeated.
    pub prompt: Option<(String, String, usize)>,
    /// Texts of that prompt for the model alone.
    pub hidden: Vec<String>,
    /// The agent tells the session anew, which this log has already.
    pub replays: Option<String>,
    pub has_messages: bool,
    /// The session's cost so far, and its cost when the run began.
    cost: f64,
    cost_before: f64,
    usage: Option<String>,
}

impl Talk {
    /// A prompt begins a run.
    fn begin(&mut self) {
        (self.cost_before, self.open) = (self.cost, None);
    }

    /// Something else comes: a text without an id begins anew.
    pub fn end_text(&mut self) {
        self.open = None;
    }

    /// The turn is over: what comes now goes on with nothing before.
    pub fn end_turn(&mut self) {
        (self.open, self.prompt) = (None, None);
        self.hidden.clear();
    }
}

impl Messages {
    /// An update of a session, as changes to the book. `at` says which session, when and where it came from.
    pub(super) fn update(&mut self, at: &mut At, update: &Obj) {
        const BESIDES: [&str; 5] = [
            "usage_update",
            "session_info_update",
            "available_commands_update",
            "current_mode_update",
            "config_option_update",
        ];
        let kind = update.filled("sessionUpdate").unwrap_or_default();
        if self.is_replayed(at) {
            return;
        }
        if !kind.ends_with("_chunk") && !BESIDES.contains(&kind.as_str()) {
            self.talk(at.session).end_text();
        }
        match kind.as_str() {
            "user_message_chunk" => self.piece(at, "user", update, true),
            "agent_message_chunk" => self.piece(at, "agent", update, true),
            "agent_thought_chunk" => self.piece(at, "thought", update, true),
            "user_message" => self.piece(at, "user", update, false),
            "agent_message" => self.piece(at, "agent", update, false),
            "agent_thought" => self.piece(at, "thought", update, false),
            "tool_call" | "tool_call_update" => self.tool_call(at, update),
            "tool_call_content_chunk" => self.more_content(at, update),
            "plan" => self.plan(at, update),
            "plan_update" => self.plan(at, &update.obj("plan").unwrap_or_else(|| update.clone())),
            "usage_update" => self.usage(at, update),
            "session_info_update" => {
                if let Some(title) = update.filled("title") {
                    self.book.sessions[at.session].title(TitleRank::Agent, &title);
                }
                self.aside(at, &kind, update);
            }
            "current_mode_update" => {
                let mode = update.filled("currentModeId").or_else(|| update.filled("modeId")).unwrap_or_default();
                self.say(at, at.aside(&at.id, &kind, format!("Mode: {mode}")));
            }
            "available_commands_update" => {
                let commands = update.list("availableCommands").unwrap_or_default();
                let names: Vec<String> = commands.iter().filter_map(|raw| Obj::parse(raw)?.filled("name")).collect();
                self.say(at, at.aside(&at.id, &kind, format!("Commands: {}", names.join(", "))));
            }
            "config_option_update" => {
                self.options(at, update);
                self.aside(at, &kind, update);
            }
            "notice" => {
                let words = [update.filled("title"), update.filled("description")];
                let words: Vec<String> = words.into_iter().flatten().collect();
                self.say(at, at.aside(&at.id, "notice", words.join(": ")));
            }
            "compaction_update" => self.compacted(at, update),
            "state_update" => {
                self.aside(at, &kind, update);
                if update.str("state").as_deref() == Some("idle") {
                    self.end_turn(at, update);
                }
            }
            _ => self.aside(at, if kind.is_empty() { "update" } else { &kind }, update),
        }
    }

    pub(super) fn talk(&mut self, session: usize) -> &mut Talk {
        self.talks.entry(session).or_default()
    }

    /// Returns true if the line repeats earlier conversation. All such lines belong to one message that says so.
    fn is_replayed(&mut self, at: &At) -> bool {
        let Some(id) = self.talk(at.session).replays.clone() else { return false };
        if self.book.change(at.session, &id, at.span).is_none() {
            let id = format!("{}~replayed", at.id);
            let draft = at.aside(&id, "replayed", "The conversation so far, told anew");
            self.talk(at.session).replays = Some(draft.id.as_str().to_owned());
            self.book.keep(at.session, draft, at.span);
        }
        true
    }

    /// The agent speaks: where no prompt began a run, the update does.
    pub(super) fn ensure_run(&mut self, at: &mut At) {
        self.talk(at.session).has_messages = true;
        let runs = &mut self.book.sessions[at.session].runs;
        runs.continue_or_begin(&at.id, at.time, self.origin.model.as_deref());
        at.run = runs.id().map(str::to_owned);
    }

    /// A text, whole or a piece of it. Pieces belong together by their id, or until another update comes.
    fn piece(&mut self, at: &mut At, whose: &'static str, update: &Obj, is_piece: bool) {
        let raw = update.raw("content").unwrap_or("\"\"");
        let text = result_text(raw);
        if whose == "user" && self.is_echo(at, &text) {
            return;
        }
        if text.is_empty() && self.counts(at, update) {
            return;
        }
        let own = update.filled("messageId").map(|own| message_id(&own).as_str().to_owned());
        let open = self.talk(at.session).open.clone().filter(|(of, _)| *of == whose).map(|(_, id)| id);
        let id = own.or(open.filter(|_| is_piece)).unwrap_or_else(|| at.id.clone());
        self.talk(at.session).open = Some((whose, id.clone()));
        let files = files_in(raw, None);
        if let Some(draft) = self.book.change(at.session, &id, at.span) {
            if is_piece {
                draft.content.push_str(&text);
            } else {
                draft.content = text;
            }
            if whose == "user" {
                let prompt = draft.content.clone();
                self.book.sessions[at.session].first_prompt(&prompt);
            }
        } else if !text.is_empty() || files.is_empty() {
            if whose == "user" {
                self.begin_run(at, &id, &text);
            } else {
                self.ensure_run(at);
            }
            let draft = match whose {
                "user" => at.text(&id, Role::User, "user", text),
                "agent" => at.text(&id, Role::Assistant, "bot", text),
                _ => at.text(&id, Role::Model, "thinking", text),
            };
            self.keep_text(at, draft);
        }
        let role = if whose == "user" { Role::User } else { Role::Assistant };
        for (n, block) in files.iter().enumerate() {
            // Pieces of one message come in lines of their own.
            self.file(at, &derived_id(&at.id, "file", n), role, block);
        }
    }

    pub(super) fn keep_text(&mut self, at: &At, draft: model::Draft) {
        self.texts.push_back((at.session, draft.id.as_str().to_owned()));
        self.book.keep(at.session, draft, at.span);
        if self.texts.len() > KEPT
            && let Some((session, id)) = self.texts.pop_front()
        {
            self.book.release(session, &id);
        }
    }

    pub(super) fn file(&mut self, at: &At, id: &str, role: Role, block: &Obj) {
        let file = self.book.file(block, None);
        self.say(at, at.file(id, role, file));
    }

    /// A prompt begins a run.
    pub(super) fn begin_run(&mut self, at: &mut At, id: &str, text: &str) {
        self.calls.end_all(&mut self.book, at.session, "orphaned");
        let talk = self.talk(at.session);
        talk.begin();
        talk.has_messages = true;
        let session = &mut self.book.sessions[at.session];
        session.runs.begin(id, at.time);
        session.runs.uses(self.origin.model.as_deref());
        session.first_prompt(text);
        at.run = session.runs.id().map(str::to_owned);
    }

    /// Returns true if the text repeats the prompt that the client sent.
    fn is_echo(&mut self, at: &At, text: &str) -> bool {
        let talk = self.talk(at.session);
        let Some((id, prompt, done)) = &mut talk.prompt else { return false };
        if talk.hidden.iter().any(|hidden| hidden == text) {
            let id = id.clone();
            return self.book.change(at.session, &id, at.span).is_some();
        }
        let rest = prompt.get(*done..).unwrap_or_default();
        if text.is_empty() || !rest.trim_start_matches('\n').starts_with(text) {
            return false;
        }
        *done = prompt.len() - rest.trim_start_matches('\n').len() + text.len();
        let id = id.clone();
        self.book.change(at.session, &id, at.span).is_some()
    }

    /// Tokens of a request of the model, which come beside an empty piece of text. False if there are none.
    fn counts(&mut self, at: &mut At, update: &Obj) -> bool {
        let Some(used) = update.obj("_meta").and_then(|meta| meta.obj("usage")) else { return false };
        self.ensure_run(at);
        let (id, usage) = (at.id.clone(), usage(&used));
        self.book.spent(at.session, Spent { id, usage, ..Spent::default() });
        let words = format!("{} tokens read, {} written", usage.input, usage.output);
        self.say(at, at.aside(&at.id, "usage", words));
        true
    }

    /// A call of a tool: as it begins, or what changed of it. Lists take the place of older ones.
    pub(super) fn tool_call(&mut self, at: &mut At, update: &Obj) {
        let Some(call_id) = update.filled("toolCallId") else { return self.aside(at, "tool_call", update) };
        let input = match update.value("rawInput") {
            Some(Value::Object(fields)) => Some(fields),
            Some(other) => Some(Map::from_iter([("input".to_owned(), other)])),
            None => None,
        };
        // A permission request may name its call by the question: that isn't what the call is about.
        let is_known = self.calls.get(&call_id).is_some();
        let title = update.filled("title").filter(|title| !(is_known && title.trim_end().ends_with('?')));
        let kind = update.filled("kind").map(|kind| ToolKind::parse(&kind).unwrap_or(ToolKind::Other));
        let locations = update.list("locations").unwrap_or_default();
        // A command's place is the folder that it runs in.
        let place = locations.first().filter(|_| kind != Some(ToolKind::Execute));
        let path = place.and_then(|raw| Obj::parse(raw)?.filled("path"));
        if is_known {
            let changed = [
                input.filter(|input| !input.is_empty()).map(|input| ("input", Value::Object(input))),
                kind.map(|kind| ("kind", kind.as_str().into())),
            ];
            self.calls.extend(&mut self.book, at, &call_id, changed.into_iter().flatten().collect());
            self.retarget(at, &call_id, path, title.as_deref());
        } else {
            self.ensure_run(at);
            let meta = update.obj("_meta").and_then(|meta| meta.obj("claudeCode"));
            let name = update.filled("name").or_else(|| meta?.filled("toolName"));
            let tool = name.or_else(|| update.filled("kind")).unwrap_or_else(|| "tool".to_owned());
            let input = input.unwrap_or_default();
            let target = path.or_else(|| title.clone()).filter(|_| input.is_empty());
            let new = NewCall { call_id: call_id.clone(), tool, input, kind, target };
            self.calls.begin(&mut self.book, at, new);
        }
        let title = title.map(|title| ("title", title.into())).into_iter().collect();
        self.calls.extend(&mut self.book, at, &call_id, title);
        let content = update.list("content");
        if let Some(items) = &content {
            self.content(at, &call_id, items);
            if items.is_empty() && !self.output(&call_id).is_empty() {
                self.calls.extend(&mut self.book, at, &call_id, vec![("output", "".into())]);
            }
        }
        self.terminal(at, &call_id, update);
        let state = match update.str("status").as_deref() {
            // The agent did stop it when it was told to.
            Some("completed") if self.was_cancelled(&call_id) => "cancelled",
            Some("completed") => "done",
            Some("failed") if self.denied.contains(&call_id) => "denied",
            Some("failed") => "failed",
            Some("cancelled") => "cancelled",
            _ => return,
        };
        let said = self.output(&call_id);
        let text = if said.is_empty() { update.raw("rawOutput").map(result_text).unwrap_or_default() } else { said };
        let result = Result { state, text, ..Result::default() };
        self.calls.settle_by(&mut self.book, at, &call_id, &result);
        self.calls.finish(&mut self.book, at, &call_id, result);
    }

    /// A call begins with a general title, mostly, and says later what it is about: a path, or a title that says it.
    fn retarget(&mut self, at: &At, call_id: &str, path: Option<String>, title: Option<&str>) {
        let Some(call) = self.calls.get(call_id) else { return };
        let (session, id, tool) = (call.session, call.id.clone(), call.tool.clone());
        let Some(draft) = self.book.change(session, &id, at.span) else { return };
        let Some(payload) = payload(draft) else { return };
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        let by_title = text("target").is_none_or(|target| text("title") == Some(target));
        let Some(target) = path.or_else(|| title.filter(|_| by_title).map(str::to_owned)) else { return };
        payload.insert("target".to_owned(), target.as_str().into());
        draft.content = about(&tool, &target);
    }

    /// Adds the output and the exit code of a command that the agent runs in a terminal of its own. Several agents extend the
    /// protocol by this.
    fn terminal(&mut self, at: &At, call_id: &str, update: &Obj) {
        let Some(meta) = update.obj("_meta") else { return };
        let mut details = Vec::new();
        let pieces =
            ["terminal_output", "terminal_output_delta"].iter().filter_map(|key| meta.obj(key)?.filled("data"));
        let written: String = pieces.collect();
        if !written.is_empty() {
            details.push(("output", (self.output(call_id) + &written).into()));
        }
        let code = meta.obj("terminal_exit").and_then(|exit| exit.int("exit_code"));
        details.extend(code.map(|code| ("exit_code", code.into())));
        if !details.is_empty() {
            self.calls.extend(&mut self.book, at, call_id, details);
        }
    }

    /// A person interrupted the turn while the call went on.
    fn was_cancelled(&self, call_id: &str) -> bool {
        let payload = self.calls.payload(&self.book, call_id);
        payload.and_then(|payload| payload.get("state")?.as_str()) == Some("cancelled")
    }

    /// Returns the output of a call so far.
    fn output(&self, call_id: &str) -> String {
        let payload = self.calls.payload(&self.book, call_id);
        let field = |name: &str| payload?.get(name)?.as_str().map(str::to_owned);
        field("output").or_else(|| field("error")).unwrap_or_default()
    }

    /// The content of a call: words, files, and what it changes. Returns the words.
    fn content(&mut self, at: &At, call_id: &str, items: &[&str]) -> String {
        let Some(call) = self.calls.get(call_id) else { return String::new() };
        let (id, session) = (call.id.clone(), call.session);
        let (mut words, mut edits, mut files) = (Vec::new(), Vec::new(), 0);
        for raw in items {
            let Some(item) = Obj::parse(raw) else { continue };
            match item.str("type").as_deref() {
                Some("diff") => edits.extend(diff(&item)),
                Some("terminal") => {
                    if let Some(terminal) = item.filled("terminalId") {
                        self.terminals.insert(terminal, call_id.to_owned());
                    }
                }
                _ => {
                    let raw = item.raw("content").unwrap_or(raw);
                    words.push(result_text(raw));
                    for block in files_in(raw, None) {
                        let (content, file) = self.book.file(&block, None);
                        let draft = at.derived(&derived_id(&id, "file", files), call_id, content, envelope(file));
                        self.book.say(session, draft, at.span);
                        files += 1;
                    }
                }
            }
        }
        for (n, edit) in edits.into_iter().enumerate() {
            self.calls.derive(&mut self.book, at, call_id, ("edit", n), (edit.content, edit.metadata));
        }
        words.retain(|words| !words.is_empty());
        let words = words.join("\n");
        if !words.is_empty() {
            self.calls.extend(&mut self.book, at, call_id, vec![("output", words.as_str().into())]);
        }
        words
    }

    /// A piece more of what a call puts out.
    fn more_content(&mut self, at: &mut At, update: &Obj) {
        let call_id = update.filled("toolCallId").unwrap_or_default();
        let Some(raw) = update.raw("content").filter(|_| self.calls.get(&call_id).is_some()) else {
            return self.aside(at, "tool_call_content_chunk", update);
        };
        let before = self.output(&call_id);
        let new = self.content(at, &call_id, &[raw]);
        let output = if new.is_empty() { Vec::new() } else { vec![("output", (before + &new).into())] };
        self.calls.extend(&mut self.book, at, &call_id, output);
    }

    fn plan(&mut self, at: &mut At, plan: &Obj) {
        let entries = plan.value("entries").and_then(|entries| entries.as_array().cloned()).unwrap_or_default();
        let Some((content, metadata)) = todos::of_list(&entries) else { return self.aside(at, "plan", plan) };
        self.ensure_run(at);
        self.book.sessions[at.session].count_todos(&metadata);
        let mut draft = at.text(&at.id, Role::Assistant, "bot", content);
        draft.metadata = Some(metadata);
        self.say(at, draft);
    }

    /// How full the context is, and what the session has cost.
    fn usage(&mut self, at: &At, update: &Obj) {
        // It may come when the turn is over.
        let run = self.book.sessions[at.session].runs.last_id().map_or_else(|| at.id.clone(), str::to_owned);
        let cost = update.obj("cost");
        let is_dollars = cost.as_ref().is_some_and(|cost| cost.str("currency").is_none_or(|of| of == "USD"));
        let amount = cost.and_then(|cost| cost.float("amount")).filter(|_| is_dollars);
        let mut words = format!("{} tokens of context", update.int("used").unwrap_or(0));
        if let Some(size) = update.int("size") {
            words.push_str(&format!(" of {size}"));
        }
        if let Some(amount) = amount {
            words.push_str(&format!(", ${amount:.2} so far"));
            let talk = self.talk(at.session);
            talk.cost = amount;
            let new = (amount - talk.cost_before).max(0.0);
            let (id, usage) = (format!("{run}~cost"), Usage::default());
            self.book.spent(at.session, Spent { id, usage, cost_usd: Some(new), ..Spent::default() });
        }
        let draft = at.aside(&format!("{run}~usage"), "usage_update", words);
        let id = draft.id.as_str().to_owned();
        if let Some(last) = self.talk(at.session).usage.replace(id.clone()).filter(|last| *last != id) {
            self.book.release(at.session, &last);
        }
        self.book.keep(at.session, draft, at.span);
    }

    /// The model among options of a session.
    pub(super) fn options(&mut self, at: &At, of: &Obj) {
        let options = of.list("configOptions").unwrap_or_default();
        let mut options = options.into_iter().filter_map(Obj::parse);
        let model = options.find(|option| option.str("category").as_deref() == Some("model"));
        if let Some(model) = model.and_then(|option| option.filled("currentValue")) {
            self.origin.model = Some(model);
            let session = &mut self.book.sessions[at.session];
            session.runs.uses(self.origin.model.as_deref());
            session.set(|facts| &mut facts.model, self.origin.model.clone());
        }
    }

    fn compacted(&mut self, at: &At, update: &Obj) {
        let summary = update.filled("summary");
        let sender = if summary.is_some() { "compact_summary" } else { "compact_boundary" };
        let context = if summary.is_some() { Context::Turn } else { Context::None };
        let status = update.filled("status").unwrap_or_default();
        let content = summary.unwrap_or_else(|| format!("Conversation compacted ({})", cut(&status, 40)));
        let id = update.filled("compactionId").unwrap_or_else(|| at.id.clone());
        let mut draft = at.text(&id, Role::System, sender, content);
        draft.context = context;
        draft.metadata = Some(extras("compact", Map::new()));
        keep_once(&mut self.book, at, draft);
    }
}

/// Tokens, as the protocol counts them.
pub(super) fn usage(used: &Obj) -> Usage {
    let count = |name: &str| used.int(name).unwrap_or(0).clamp(0, 1 << 40);
    Usage {
        input: count("inputTokens"),
        output: count("outputTokens"),
        cache_read: count("cachedReadTokens"),
        cache_write: count("cachedWriteTokens"),
    }
}

/// A message that each update replaces.
fn keep_once(book: &mut Book, at: &At, draft: model::Draft) {
    let id = draft.id.as_str().to_owned();
    if let Some(known) = book.change(at.session, &id, at.span) {
        *known = draft;
    } else {
        book.keep(at.session, draft, at.span);
    }
}

/// The changes of files that an item of content is.
fn diff(item: &Obj) -> Vec<Finished> {
    if let Some(patch) = item.obj("patch").and_then(|patch| patch.string("text")) {
        return unified(&patch).iter().map(|file| of_patch(file, EditState::Proposed, None)).collect();
    }
    let Some(path) = item.filled("path") else {
        let changes = item.raw("changes").and_then(list).unwrap_or_default();
        let paths = changes.into_iter().filter_map(|raw| Obj::parse(raw)?.filled("path"));
        return paths.map(|path| message(&path, Vec::new(), EditState::Proposed, None)).collect();
    };
    let new = item.string("newText").unwrap_or_default();
    let pieces = of_both(item.string("oldText").as_deref(), Some(&new));
    vec![message(&path, pieces, EditState::Proposed, None)]
}

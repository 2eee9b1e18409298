//! Trajectories of SWE-agent and mini-SWE-agent: one JSON document for each run.
//!
//! SWE-agent writes its run twice, as steps (`trajectory`) and as the messages of its model (`history`). Steps are shown, with
//! the prompts of the history before them (`steps`). mini-SWE-agent writes messages alone (`chat`). `outcome` reads how the run
//! ended, what it took, and the patch that it handed in.
//!
//! Nothing in these files has an id but some calls of tools: ids of messages are `<file name>-<hash of the folder's and its
//! name>~<list>~<n>`.

mod chat;
mod outcome;
mod steps;

use crate::parts::at::{At, file_key, message_id, sha256};
use crate::parts::blocks::cut;
use crate::parts::book::{Book, Line};
use crate::parts::calls::{Calls, NewCall};
use crate::parts::contents::Contents;
use crate::parts::document::Document;
use crate::parts::obj::{Obj, string};
use crate::parts::short::fields_in_short;
use crate::{SessionKey, Span};
use model::message_type::tool_call::ToolKind;
use model::{Draft, MessageId, Micros, Origin};
use serde_json::{Map, Value};
use std::collections::{HashSet, VecDeque};
use steps::{Held, Twins};

/// Reads one trajectory.
pub(crate) struct Trajectory {
    book: Book,
    calls: Calls,
    /// The only one of the book.
    session: usize,
    /// The key of the session.
    key: String,
    /// The prefix of the ids of messages.
    file_key: String,
    origin: Origin,
    /// Calls without a result: the agent's id of each, and ours.
    waiting: VecDeque<(String, String)>,
    /// Ids that calls were given. Some models give the same one again and again.
    given: HashSet<String>,
    held: Held,
    twins: Twins,
    /// How the run ended, which is said at the end of the document.
    info: Option<(String, Span)>,
    /// True once the usage is counted, by request or as a sum.
    is_counted: bool,
}

impl Trajectory {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "swe_agent";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 4;

    pub fn new(path: &str) -> Self {
        let mut names = path.split(['/', '\\']).rev();
        let name = names.next().unwrap_or_default();
        let name = name.strip_suffix(".json").unwrap_or(name);
        let stem = name.strip_suffix(".traj").unwrap_or(name);
        // Each run of a benchmark has a folder, with files of the same names as those of other runs.
        let folder = names.find(|folder| !folder.is_empty() && *folder != stem);
        let key = folder.map_or_else(|| stem.to_owned(), |folder| format!("{folder}.{stem}"));
        let mut book = Book::default();
        Self {
            calls: Calls::default(),
            session: book.session(&key),
            book,
            // Files of one name in two folders have nothing in common.
            file_key: format!("{}-{}", file_key(stem), &sha256(key.as_bytes())[..8]),
            key,
            origin: Origin::default(),
            waiting: VecDeque::new(),
            given: HashSet::new(),
            held: Held::default(),
            twins: Twins::default(),
            info: None,
            is_counted: false,
        }
    }

    /// Returns the data shared by all messages of an entry or a field.
    fn at(&mut self, id: String, time: Option<Micros>, span: Span) -> At {
        self.book.begin_line(Line::default());
        self.book.at(self.session, time, id, self.origin.clone(), span)
    }

    fn id(&self, list: &str, index: usize) -> String {
        format!("{}~{list}~{index}", self.file_key)
    }

    fn say(&mut self, at: &At, draft: Draft) {
        self.book.say(at.session, draft, at.span);
    }

    /// A message that shows only what there is, for what has no better form.
    fn aside(&mut self, at: &At, kind: &str, raw: &str) {
        const MOST: usize = 200;
        let content = match (Obj::parse(raw), string(raw)) {
            (Some(object), _) => fields_in_short(kind, &object),
            (None, Some(text)) => format!("{}: {}", kind.replace('_', " "), cut(&text, MOST)),
            (None, None) => format!("{}: {}", kind.replace('_', " "), cut(raw, MOST)),
        };
        self.say(at, at.aside(&at.id, kind, content));
    }

    /// The agent speaks: where no prompt began a run, the entry does.
    fn ensure_run(&mut self, at: &mut At) {
        let runs = &mut self.book.sessions[at.session].runs;
        if runs.id().is_none() {
            runs.begin(message_id(&at.id).as_str(), at.time);
            runs.uses(self.origin.model.as_deref());
        }
        at.run = runs.id().map(str::to_owned);
        runs.alive(at.time);
    }

    /// A call begins. `own` is the agent's id of it. Returns ours.
    fn begin_call(&mut self, at: &At, own: Option<String>, n: usize, call: Action) -> String {
        let by_place = if n == 0 { format!("{}~call", at.id) } else { format!("{}~call~{n}", at.id) };
        let call_id = own.clone().filter(|own| self.given.insert(own.clone())).unwrap_or(by_place);
        let Action { tool, input, target } = call;
        let kind = kind_of(&tool, &input);
        self.calls.begin(&mut self.book, at, NewCall { call_id: call_id.clone(), tool, input, kind, target });
        self.waiting.push_back((own.unwrap_or_else(|| call_id.clone()), call_id.clone()));
        call_id
    }

    /// The agent goes on: calls before get no result any more.
    fn give_up_calls(&mut self) {
        if !self.waiting.is_empty() {
            self.waiting.clear();
            self.calls.end_all(&mut self.book, self.session, "orphaned");
        }
    }

    fn model(&mut self, model: Option<String>) {
        if model.is_some() {
            self.origin.model = model;
            let session = &mut self.book.sessions[self.session];
            session.runs.uses(self.origin.model.as_deref());
            session.set(|facts| &mut facts.model, self.origin.model.clone());
        }
    }

    fn cwd(&mut self, cwd: Option<String>) {
        if cwd.is_some() && cwd != self.origin.cwd {
            self.origin.cwd = cwd;
            let cwd = self.origin.cwd.clone();
            let session = &mut self.book.sessions[self.session];
            if session.facts.project.is_none() {
                session.set(|facts| &mut facts.project, cwd.clone());
            }
            session.set(|facts| &mut facts.cwd, cwd);
        }
    }
}

/// The tool and the input of a call.
struct Action {
    tool: String,
    input: Map<String, Value>,
    /// Its target, where the input doesn't have it.
    target: Option<String>,
}

impl Action {
    /// A command as the agent's shell takes it: one of SWE-agent's own tools, or anything else.
    fn command(text: &str) -> Self {
        let word = text.split_whitespace().next().unwrap_or_default();
        let is_own = OWN.iter().any(|(tool, _)| *tool == word) || word.starts_with("exit_");
        let tool = if is_own { word } else { "bash" };
        let rest = text.trim().strip_prefix(word).map(str::trim).filter(|rest| is_own && !rest.is_empty());
        Self {
            tool: tool.to_owned(),
            input: Map::from_iter([("command".to_owned(), Value::from(text))]),
            target: rest.map(str::to_owned),
        }
    }

    /// A call of the model's API: `{id, function: {name, arguments}}`.
    fn of_call(call: &Obj) -> Option<Self> {
        let function = call.obj("function").unwrap_or_else(|| call.clone());
        let tool = function.filled("name")?;
        let raw = function.raw("arguments").or_else(|| function.raw("input")).unwrap_or("{}");
        let text = string(raw);
        let input = match crate::parts::obj::value(text.as_deref().unwrap_or(raw)) {
            Value::Object(fields) if text.as_deref().is_none_or(|text| Obj::parse(text).is_some()) => fields,
            _ => Map::from_iter([("input".to_owned(), Value::from(text.as_deref().unwrap_or(raw)))]),
        };
        // For an editor, the path says more than its command.
        let path = input.get("path").and_then(Value::as_str).filter(|_| input.contains_key("command"));
        let target = path.map(str::to_owned);
        Some(Self { tool, input, target })
    }
}

/// SWE-agent's own tools. The first word of a command names one.
const OWN: [(&str, ToolKind); 19] = [
    ("append", ToolKind::Edit),
    ("create", ToolKind::Edit),
    ("edit", ToolKind::Edit),
    ("filemap", ToolKind::Read),
    ("find_file", ToolKind::Search),
    ("goto", ToolKind::Read),
    ("insert", ToolKind::Edit),
    ("open", ToolKind::Read),
    ("open_site", ToolKind::Fetch),
    ("scroll_down", ToolKind::Read),
    ("scroll_up", ToolKind::Read),
    ("search_dir", ToolKind::Search),
    ("search_file", ToolKind::Search),
    ("search_files", ToolKind::Search),
    ("str_replace_editor", ToolKind::Edit),
    ("submit", ToolKind::Other),
    ("undo_edit", ToolKind::Edit),
    ("view_image", ToolKind::Read),
    ("wait", ToolKind::Other),
];

fn kind_of(tool: &str, input: &Map<String, Value>) -> Option<ToolKind> {
    let views = || {
        let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
        command == "view" || command.starts_with("str_replace_editor view")
    };
    match tool {
        "bash" => Some(ToolKind::Execute),
        "str_replace_editor" if views() => Some(ToolKind::Read),
        _ if tool.starts_with("exit_") => Some(ToolKind::Other),
        _ => OWN.iter().find(|(own, _)| *own == tool).map(|(_, kind)| *kind),
    }
}

impl Contents for Trajectory {
    fn note(&mut self, span: Span, text: &str) {
        self.release_steps();
        let at = self.at(format!("{}~{}", self.file_key, span.offset), None, span);
        self.say(&at, at.aside(&at.id, "note", text));
        self.book.note(at.session, span.offset, text.to_owned());
    }

    fn note_at(&self, offset: u64) -> (SessionKey, MessageId) {
        (SessionKey(self.key.clone()), message_id(&format!("{}~{offset}", self.file_key)))
    }

    fn end(&mut self) {
        self.release_steps();
        self.give_up_calls();
        self.end_run();
        self.release_repeats();
    }

    fn book(&mut self) -> &mut Book {
        &mut self.book
    }
}

impl Document for Trajectory {
    const LISTS: &'static [&'static str] = &["trajectory", "history", "messages"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        match name {
            "info" => return self.info(raw, span),
            "replay_config" => self.replay_config(raw),
            _ => {}
        }
        let at = self.at(format!("{}~{name}", self.file_key), None, span);
        self.aside(&at, name, raw);
    }

    fn entry(&mut self, list: &str, index: usize, raw: &str, span: Span) {
        let list = if list.is_empty() { "messages" } else { list };
        let Some(entry) = Obj::parse(raw) else {
            let at = self.at(self.id(list, index), None, span);
            return self.aside(&at, list, raw);
        };
        match list {
            "trajectory" => self.step(index, raw, &entry, span),
            "history" => self.history(index, &entry, span),
            _ => self.message(list, index, &entry, span),
        }
    }
}

//! The agents, a line each: how their files are known, where they lie, and who reads them.

mod detect;

use crate::acp::Messages;
use crate::aider;
use crate::antigravity::Steps;
use crate::chat_host::Chat as HostChat;
use crate::claude;
use crate::cline::Task;
use crate::codex::Rollout;
use crate::copilot::Events;
use crate::crush;
use crate::cursor::{self, Cursor};
use crate::droid::Droid;
use crate::gemini::Chat;
use crate::goose;
use crate::grok;
use crate::hermes;
use crate::kimi::Wire;
use crate::kiro;
use crate::opencode::Session;
use crate::openhands::Conversation;
use crate::parts::document::WholeFile;
use crate::parts::either::Either;
use crate::parts::lines::{JsonLines, TextLines};
use crate::parts::obj::Obj;
use crate::pi::Tree;
use crate::qwen::Log;
use crate::reader::Reader;
use crate::swe_agent::Trajectory;

/// One agent's kind of file.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// Its name in the store, of sessions and of sources: `claude_code`. An agent with files of several kinds has it on
    /// several lines, which read the same version.
    pub name: &'static str,
    /// Its name for people: `Claude Code`.
    pub title: &'static str,
    /// A mark that stands for it where there is little room.
    pub glyph: char,
    /// The kind of its files, for people: `a transcript of Claude Code`.
    pub file: &'static str,
    /// The command that goes on with a session, which is followed by the session's own id.
    pub resume: Option<&'static str>,
    /// Where it keeps its files.
    pub folders: &'static [Folder],
    /// Who reads them; None as long as nobody does.
    pub reading: Option<Reading>,
    pub(crate) detect: Detect,
}

/// How a file is read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Grows when the same bytes would be read as other messages.
    pub version: i32,
    /// The extension of a small file beside, of the same name, that the reader takes as well: `meta.json`. Behind a slash, the name of
    /// a file in the same folder.
    pub sidecar: Option<&'static str>,
    /// Makes the reader of a file, given its path and the bytes of the file beside it.
    pub open: fn(&str, Option<&[u8]>) -> Box<dyn Reader>,
}

/// A folder in which an agent keeps files, anywhere below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folder {
    /// The folder that `path` is relative to, where the variable isn't set.
    pub base: Base,
    /// The path from there: `.claude`.
    pub path: &'static str,
    /// A variable of the environment that names another folder instead of both: `CLAUDE_CONFIG_DIR`.
    pub variable: Option<&'static str>,
    /// The folder inside: `projects`. Empty if it is the folder itself.
    pub inside: &'static str,
    /// How the names of its files end: `.jsonl`. With a folder before it, `agent-transcripts/.txt`, below such a folder only.
    pub endings: &'static [&'static str],
    /// Each folder right below it is a project, which a person allows or not by itself; else it is allowed as a whole.
    pub by_project: bool,
    /// Its files lie right in it, beside folders that hold much else.
    pub shallow: bool,
}

/// A folder of a person, by platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The home folder: `$HOME`, or `%USERPROFILE%`.
    Home,
    /// Settings: `$XDG_CONFIG_HOME` or `~/.config`; `~/Library/Application Support` on macOS; `%APPDATA%` on Windows.
    Config,
    /// Data: `$XDG_DATA_HOME` or `~/.local/share`, on macOS too; `%LOCALAPPDATA%` on Windows.
    Data,
}

/// How a file is known by its content.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Detect {
    /// By a record of it, or by the fields of a document.
    Record(fn(&Obj) -> bool),
    /// By a line of text.
    Line(fn(&str) -> bool),
    /// By the text that it begins with.
    Text(fn(&str) -> bool),
    /// By tables of a database.
    Tables(&'static [&'static str]),
}

/// Two lines are the same if their files are.
impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

impl Eq for Agent {}

impl Folder {
    const fn home(path: &'static str, inside: &'static str, variable: Option<&'static str>) -> Self {
        Self { base: Base::Home, path, variable, inside, endings: &[".jsonl"], by_project: false, shallow: false }
    }

    const fn endings(self, endings: &'static [&'static str]) -> Self {
        Self { endings, ..self }
    }

    const fn by_project(self) -> Self {
        Self { by_project: true, ..self }
    }

    /// Returns its name below the folder that it is relative to, whatever the variable says: `.claude/projects`.
    pub fn name(&self) -> String {
        [self.path, self.inside].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }

    /// How many folders deep its files lie at most.
    pub const fn depth(&self) -> usize {
        if self.shallow { 1 } else { usize::MAX }
    }
}

impl Reading {
    /// Returns the path of the file beside a transcript that the reader takes as well, if it takes one, and its most bytes.
    pub fn beside(&self, path: &std::path::Path) -> Option<(std::path::PathBuf, u64)> {
        let sidecar = self.sidecar?;
        Some(match sidecar.strip_prefix('/') {
            Some(file) => (path.with_file_name(file), 16 << 20),
            None => (path.with_extension(sidecar), 1 << 20),
        })
    }
}

impl Agent {
    const fn new(name: &'static str, title: &'static str, glyph: char, file: &'static str, detect: Detect) -> Self {
        Self { name, title, glyph, file, resume: None, folders: &[], reading: None, detect }
    }
    const fn folders(self, folders: &'static [Folder]) -> Self {
        Self { folders, ..self }
    }
    const fn resume(self, command: &'static str) -> Self {
        Self { resume: Some(command), ..self }
    }
    const fn read(
        self,
        version: i32,
        sidecar: Option<&'static str>,
        open: fn(&str, Option<&[u8]>) -> Box<dyn Reader>,
    ) -> Self {
        Self { reading: Some(Reading { version, sidecar, open }), ..self }
    }
}

use Detect::{Line, Record, Tables, Text};

/// Where Verbatim keeps the transcripts that it writes itself, of agents that write none: a folder of the server.
pub const LOGS: Folder = Folder::home("", "", None);

/// Where Claude Code keeps its transcripts.
pub const CLAUDE: Folder = Folder::home(".claude", "projects", Some("CLAUDE_CONFIG_DIR")).by_project();

/// The kind of a document that is built from one of Cursor's databases.
pub const CURSOR_CHAT: &str = "a chat of Cursor's command line";

/// Why Cline's `ui_messages.json` isn't read by itself.
const SEEN_TASK: &str = "what a person saw of a task, without `api_conversation_history.json` beside it, which is read";

/// Where Goose keeps its database, and its sessions of before it had one.
const GOOSE: Folder =
    Folder { base: Base::Data, ..Folder::home("goose", "sessions", None) }.endings(&[".db", ".jsonl"]);

/// Where Kiro keeps its database.
const KIRO: Folder = Folder { shallow: true, ..Folder::home("kiro-cli", "", None) }.endings(&["data.sqlite3"]);

/// Where Crush keeps the list of its projects, each of which has a database: `projects.json`.
pub const CRUSH: Folder =
    Folder { base: Base::Data, shallow: true, ..Folder::home("crush", "", Some("CRUSH_GLOBAL_DATA")) }
        .endings(&["crush.db"]);

/// All agents. The first line whose test fits says whose a record is; the last one's fits most.
pub static AGENTS: &[Agent] = &[
    Agent::new(
        crate::chat_host::CHAT_HOST,
        "Chat host",
        '❞',
        "a chat of the older chat host",
        Record(detect::chat_host),
    )
    .read(HostChat::VERSION, None, |path, _| Box::new(JsonLines::new(HostChat::new(path)))),
    Agent::new(Rollout::NAME, "Codex", '◎', "a Codex rollout", Record(detect::codex))
        .resume("codex resume")
        .folders(&[
            Folder::home(".codex", "sessions", Some("CODEX_HOME")).endings(&[".jsonl", ".jsonl.zst"]),
            Folder::home(".codex", "archived_sessions", Some("CODEX_HOME")).endings(&[".jsonl", ".jsonl.zst"]),
        ])
        .read(Rollout::VERSION, None, |path, _| Box::new(JsonLines::new(Rollout::new(path)))),
    Agent::new("codex_exec", "Codex", '◎', "a stream of Codex events", Record(detect::codex_events)),
    Agent::new(Chat::NAME, "Gemini CLI", '✦', "a Gemini CLI session", Record(detect::gemini))
        .folders(&[Folder::home(".gemini", "tmp", None).endings(&[".json", ".jsonl"])])
        .read(Chat::VERSION, None, |path, _| {
            Box::new(Either::new(
                path,
                |path| Box::new(JsonLines::new(Chat::new(path))),
                |path| Box::new(WholeFile::new(Chat::new(path))),
            ))
        }),
    Agent::new(Log::NAME, "Qwen Code", '❋', "a Qwen Code session", Record(detect::qwen))
        .resume("qwen --resume")
        .folders(&[Folder::home(".qwen", "projects", None)])
        .read(Log::VERSION, None, |path, _| Box::new(JsonLines::new(Log::new(path)))),
    Agent::new(Session::NAME, "OpenCode", '▣', "an OpenCode session", Record(detect::opencode))
        .resume("opencode --session")
        .folders(&[
            Folder { base: Base::Data, ..Folder::home("opencode", "storage", None) }.endings(&[".json"]),
            // Its database, which `store::opencode` reads.
            Folder { base: Base::Data, shallow: true, ..Folder::home("opencode", "", None) }.endings(&[".db"]),
        ])
        .read(Session::VERSION, None, |path, _| Box::new(WholeFile::new(Session::new(path)))),
    Agent::new(Events::NAME, "Copilot CLI", '◉', "a Copilot CLI session", Record(detect::copilot))
        .resume("copilot --resume")
        .folders(&[Folder::home(".copilot", "session-state", Some("COPILOT_HOME"))])
        .read(Events::VERSION, None, |path, _| Box::new(JsonLines::new(Events::new(path)))),
    Agent::new(Conversation::NAME, "OpenHands", '▤', "an OpenHands event log", Record(detect::openhands)).read(
        Conversation::VERSION,
        None,
        |path, _| {
            Box::new(Either::new(
                path,
                |path| Box::new(JsonLines::new(Conversation::new(path))),
                |path| Box::new(WholeFile::new(Conversation::new(path))),
            ))
        },
    ),
    Agent::new(Trajectory::NAME, "SWE-agent", '▥', "a SWE-agent trajectory", Record(detect::swe_agent)).read(
        Trajectory::VERSION,
        None,
        |path, _| Box::new(WholeFile::new(Trajectory::new(path))),
    ),
    Agent::new(Messages::NAME, "ACP", '⇄', "an ACP log", Record(detect::acp)).read(
        Messages::VERSION,
        None,
        |path, _| Box::new(JsonLines::new(Messages::new(path))),
    ),
    Agent::new(Droid::NAME, "Factory Droid", '⬡', "a Factory Droid session", Record(detect::droid))
        .resume("droid --resume")
        .folders(&[Folder::home(".factory", "sessions", None)])
        .read(Droid::VERSION, Some("settings.json"), |path, settings| {
            Box::new(JsonLines::new(Droid::new(path, settings)))
        }),
    Agent::new(Tree::NAME, "Pi", 'π', "a Pi session", Record(detect::pi))
        .resume("pi --session")
        .folders(&[Folder::home(".pi/agent", "sessions", Some("PI_CODING_AGENT_DIR"))])
        .read(Tree::VERSION, None, |path, _| Box::new(JsonLines::new(Tree::new(path)))),
    // It writes the form of Pi's, from which it was made; its own program goes on with a session.
    Agent::new("openclaw", "OpenClaw", '⋔', "an OpenClaw session", Record(detect::openclaw))
        .folders(&[Folder::home(".openclaw", "agents", Some("OPENCLAW_STATE_DIR"))])
        .read(Tree::VERSION, None, |path, _| Box::new(JsonLines::new(Tree::new(path)))),
    Agent::new(Wire::NAME, "Kimi", '☾', "a Kimi session", Record(detect::kimi))
        .folders(&[Folder::home(".kimi-code", "sessions", Some("KIMI_CODE_HOME")).endings(&["wire.jsonl"])])
        .read(Wire::VERSION, None, |path, _| Box::new(JsonLines::new(Wire::new(path)))),
    Agent::new(Steps::NAME, "Antigravity", '⇡', "an Antigravity session", Record(detect::antigravity)).read(
        Steps::VERSION,
        None,
        |path, _| Box::new(JsonLines::new(Steps::new(path))),
    ),
    Agent::new(Cursor::NAME, "Cursor", '▸', "a Cursor session", Record(detect::cursor))
        .folders(&[
            Folder::home(".cursor", "projects", None).endings(&[".jsonl", "agent-transcripts/.txt"]),
            // A database for each chat, which `store::cursor_chat` reads.
            Folder::home(".cursor", "chats", None).endings(&["store.db"]),
        ])
        .read(Cursor::VERSION, None, |path, _| Box::new(JsonLines::new(Cursor::new(path)))),
    Agent::new(Cursor::NAME, "Cursor", '▸', CURSOR_CHAT, Record(detect::cursor_chat)).read(
        Cursor::VERSION,
        None,
        |path, _| Box::new(WholeFile::new(cursor::chat::Chat::new(path))),
    ),
    Agent::new(Cursor::NAME, "Cursor", '▸', "a Cursor transcript in plain text", Text(detect::cursor_text)).read(
        Cursor::VERSION,
        None,
        |path, _| Box::new(TextLines::new(cursor::text::Text::new(path))),
    ),
    Agent::new(hermes::Session::NAME, "Hermes", '▦', "a Hermes session", Record(detect::hermes))
        .folders(&[Folder::home(".hermes", "sessions", Some("HERMES_HOME")).endings(&[".json"])])
        .read(hermes::Session::VERSION, None, |path, _| Box::new(WholeFile::new(hermes::Session::new(path)))),
    Agent::new(kiro::History::NAME, "Kiro", '◈', "a Kiro session", Record(detect::kiro))
        .folders(&[Folder::home(".kiro", "sessions", None).endings(&[".json", ".jsonl"])])
        .read(kiro::History::VERSION, None, |path, _| {
            Box::new(Either::new(
                path,
                |path| Box::new(JsonLines::new(kiro::History::new(path))),
                |path| Box::new(WholeFile::new(kiro::History::new(path))),
            ))
        }),
    Agent::new(grok::Chat::NAME, "Grok", '⌀', "a Grok session", Record(detect::grok))
        .resume("grok --resume")
        .folders(&[Folder::home(".grok", "sessions", Some("GROK_HOME")).endings(&["chat_history.jsonl"])])
        .read(grok::Chat::VERSION, None, |path, _| Box::new(JsonLines::new(grok::Chat::new(path)))),
    Agent::new(crush::Session::NAME, "Crush", '♡', "a Crush session", Record(detect::crush)).read(
        crush::Session::VERSION,
        None,
        |path, _| Box::new(WholeFile::new(crush::Session::new(path))),
    ),
    Agent::new(goose::Session::NAME, "Goose", '◠', "a Goose session", Record(detect::goose)).folders(&[GOOSE]).read(
        goose::Session::VERSION,
        None,
        |path, _| {
            Box::new(Either::new(
                path,
                |path| Box::new(JsonLines::new(goose::Session::new(path))),
                |path| Box::new(WholeFile::new(goose::Session::new(path))),
            ))
        },
    ),
    Agent::new(
        "claude_history",
        "Claude Code",
        '✻',
        "Claude Code's history of prompts",
        Record(detect::claude_history),
    ),
    Agent::new(Task::ROO, "Roo Code", '◨', "a task of Roo Code", Record(detect::roo))
        .folders(&[Folder {
            base: Base::Config,
            ..Folder::home("Code/User/globalStorage/rooveterinaryinc.roo-cline", "tasks", None)
        }
        .endings(&["api_conversation_history.json"])])
        .read(Task::VERSION, Some(Task::SEEN), |path, seen| Box::new(WholeFile::new(Task::new(path, seen)))),
    Agent::new(Task::NAME, "Cline", '◧', "a task of Cline or of a program made from it", Record(detect::cline))
        .folders(&[
            Folder {
                base: Base::Config,
                ..Folder::home("Code/User/globalStorage/saoudrizwan.claude-dev", "tasks", None)
            }
            .endings(&["api_conversation_history.json"]),
            Folder::home(".cline/data", "tasks", None).endings(&["api_conversation_history.json"]),
        ])
        .read(Task::VERSION, Some(Task::SEEN), |path, seen| Box::new(WholeFile::new(Task::new(path, seen)))),
    Agent::new("chat", "Chat", '❝', "a list of chat messages", Record(detect::chat)),
    Agent::new(Task::NAME, "Cline", '◧', SEEN_TASK, Record(detect::task_as_seen)),
    Agent::new(Cursor::NAME, "Cursor", '▸', "a database of Cursor's chats", Tables(&["blobs", "meta"])),
    Agent::new(Cursor::NAME, "Cursor", '▸', "a database of Cursor's editor", Tables(&["ItemTable", "cursorDiskKV"]))
        .folders(&[Folder {
            base: Base::Config,
            shallow: true,
            ..Folder::home("Cursor/User", "globalStorage", None).endings(&["state.vscdb"])
        }]),
    // Databases of which `store::session_rows` makes documents.
    Agent::new(
        crush::Session::NAME,
        "Crush",
        '♡',
        "a database of Crush",
        Tables(&["goose_db_version", "messages", "sessions"]),
    ),
    Agent::new(
        hermes::Session::NAME,
        "Hermes",
        '▦',
        "a database of Hermes",
        Tables(&["messages", "messages_fts", "schema_version", "sessions"]),
    )
    .folders(&[
        Folder { shallow: true, ..Folder::home(".hermes", "", Some("HERMES_HOME")) }.endings(&["state.db"]),
        Folder::home(".hermes", "profiles", Some("HERMES_HOME")).endings(&["state.db"]),
    ]),
    Agent::new(
        goose::Session::NAME,
        "Goose",
        '◠',
        "a database of Goose",
        Tables(&["messages", "schema_version", "sessions"]),
    ),
    Agent::new(kiro::History::NAME, "Kiro", '◈', "a database of Kiro", Tables(&["auth_kv", "conversations"])).folders(
        &[
            Folder { base: Base::Data, ..KIRO },
            // On macOS.
            Folder { base: Base::Config, ..KIRO },
        ],
    ),
    Agent::new(aider::History::NAME, "Aider", 'ⓐ', "a chat history of Aider", Line(detect::aider)).read(
        aider::History::VERSION,
        None,
        |path, _| Box::new(TextLines::new(aider::History::new(path))),
    ),
    Agent::new(claude::Reader::NAME, "Claude Code", '✻', "a transcript of Claude Code", Record(detect::claude))
        .resume("claude --resume")
        .folders(&[CLAUDE])
        .read(claude::Reader::VERSION, Some("meta.json"), |path, meta| Box::new(claude::Reader::new(path, meta))),
];

/// Returns the agent that keeps its files in a folder that a path leads through: `~/.openclaw/agents`.
pub fn keeper(path: &str) -> Option<&'static Agent> {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    let is_in = |folder: &Folder| {
        let inside: Vec<&str> = folder.path.split('/').chain([folder.inside]).filter(|part| !part.is_empty()).collect();
        parts.windows(inside.len()).any(|window| window == inside)
    };
    AGENTS.iter().find(|agent| agent.folders.iter().any(is_in))
}

/// Returns the line of an agent whose files are this: `a chat of Cursor's command line`.
pub fn agent_of(file: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.file == file)
}

/// Returns the agent of this name; of several lines one that is read.
pub fn agent(name: &str) -> Option<&'static Agent> {
    let mut lines = AGENTS.iter().filter(|agent| agent.name == name);
    lines.clone().find(|agent| agent.reading.is_some()).or_else(|| lines.next())
}

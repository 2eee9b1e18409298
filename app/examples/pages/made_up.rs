//! Data made up for looking at the pages, and for their snapshots.

use api::cost::{Budgets, ContextMeter, Cost};
use api::imports::{FailedFile, ImportJob};
use api::messages::{Asks, ChangedFile, Changes, Display, EditRef, Entry, HiddenRow, MessagePage, TodoState};
use api::projects::{Project, ProjectState, Projects, UnreadFolder};
use api::search::{Hit, SearchCounts, SearchPage, SearchQuery, Snippet};
use api::sessions::{Facet, Facets, ListSessions, SessionDetail, SessionPage, SessionRef, SourceInfo};
use app::clock::Clock;
use app::look::Look;
use app::page::Assets;
use app::pages::inbox::InboxPage;
use app::pages::panel::PanelData;
use app::pages::session::{Dev, FilterData, PanelState, SessionPageData};
use app::pages::sessions::SessionsPage;
use app::pages::{
    folders::FoldersPage, login::LoginPage, offline::OfflinePage, problem::ProblemPage, search::SearchPageData,
};
use app::shell::{ShellData, Waiting};
use app::transcript::{self, TranscriptOptions, Verbosity};
use jiff::tz::TimeZone;
use model::envelope::{TodoInfo, TodoInfoState};
use model::message_type::todo::{TodoItem, TodoStatus};
use model::view::FileChange;
use model::{
    AssistantName, Draft, Message, MessageId, Micros, Provenance, Role, Session, SessionId, SessionState, Usage,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const NOW: Micros = Micros(1_763_700_000 * Micros::SECOND);
const MINUTE: i64 = 60 * Micros::SECOND;
const HOUR: i64 = 60 * MINUTE;

fn id(text: &str) -> SessionId {
    SessionId::parse(text).unwrap_or_else(|_| unreachable!("a made-up id is an id"))
}

fn one(n: i64, title: &str, project: &str, branch: &str, state: SessionState, ago: i64) -> Session {
    let at = Micros(NOW.0 - ago);
    Session {
        id: id(&format!("0199-{n}")),
        agent: if n % 4 == 3 { "codex" } else { "claude_code" }.to_owned(),
        agent_session_id: Some(format!("7d1c0b52-{n}")),
        parent: None,
        forked_from: None,
        call_id: None,
        title: title.to_owned(),
        machine: None,
        project: format!("/home/mara/{project}"),
        cwd: Some(format!("/home/mara/{project}")),
        branch: Some(branch.to_owned()),
        model: Some(if n % 4 == 3 { "gpt-5.1" } else { "opus-4.5" }.to_owned()),
        version: Some("2.0.14".to_owned()),
        state,
        created_at: Micros(at.0 - 2 * HOUR),
        last_activity_at: at,
        archived_at: None,
        pinned_at: None,
        deleted_at: None,
        ended_at: None,
        heartbeat_at: None,
        live: None,
        registered: false,
        key_id: None,
        delivered_seq: 0,
        last_seq: 212,
        message_count: 31 * n + 7,
        lines_added: if n % 3 == 0 { 0 } else { 66 * n },
        lines_removed: if n % 3 == 0 { 0 } else { 8 * n },
        todos_open: n % 5,
        todos_done: if n % 2 == 0 { 3 } else { 0 },
        todos_cancelled: 0,
        parent_missing: n == 3,
        child_count: if n == 1 { 2 } else { 0 },
        usage: Usage { input: 12_400 * n, output: 3_100 * n, cache_read: 190_000 * n, cache_write: 22_000 * n },
        cost_usd: (n % 2 == 0).then_some(0.42 * n as f64),
        computed_usd: None,
    }
}

fn all() -> Vec<Session> {
    use SessionState::{Done, Failed, Idle, Lost, NeedsYou, Working};
    vec![
        one(1, "Fix the login race on token refresh", "lantern", "wt/login-race", NeedsYou, 42 * Micros::SECOND),
        one(2, "Choose the migration path", "atlas-ui", "feat/tenants", NeedsYou, 3 * MINUTE),
        one(3, "Split the parser module", "quarry", "refactor/parser", Working, 12 * Micros::SECOND),
        one(
            4,
            "Docs for the webhook API, with every signature and all of its retries written out",
            "webhooks-api",
            "docs",
            Working,
            5 * MINUTE,
        ),
        one(5, "Bump dependencies", "atlas-ui", "chore/deps", Done, HOUR),
        one(6, "Flaky pagination test", "webhooks-api", "main", Failed, 2 * HOUR),
        one(7, "Rename Tenant to Workspace", "atlas-ui", "feat/tenants", Done, 3 * HOUR),
        one(8, "Cache the session lookup", "lantern", "perf/lookup", Idle, 4 * HOUR),
        one(9, "Rate limits per agent key", "webhooks-api", "main", Idle, 26 * HOUR),
        one(10, "Export as single-file HTML", "quarry", "feat/export", Idle, 30 * HOUR),
        one(11, "Benchmark the feed on PostgreSQL", "quarry", "bench", Lost, 3 * 24 * HOUR),
        one(12, "Import from the old store", "quarry", "feat/import", Idle, 40 * 24 * HOUR),
    ]
}

fn facets() -> Facets {
    let facet = |value: &str, sessions| Facet { value: value.to_owned(), sessions };
    Facets {
        machines: Vec::new(),
        projects: [("quarry", 58), ("lantern", 31), ("webhooks-api", 22), ("atlas-ui", 19), ("dotfiles", 6)]
            .map(|(name, n)| facet(&format!("/home/mara/{name}"), n))
            .into(),
        agents: vec![facet("claude_code", 96), facet("codex", 38)],
    }
}

fn shell(recent: Vec<Session>) -> ShellData {
    ShellData {
        preferences: api::preferences::Preferences::default(),
        look: Look::default(),
        build: "b1".to_owned(),
        assets: Assets::default(),
        clock: Clock { now: NOW, zone: TimeZone::UTC },
        sessions: if recent.is_empty() { 0 } else { 148 },
        waiting: if recent.is_empty() { Waiting::default() } else { Waiting { folders: 1, bytes: 4_000_000 } },
        asks: if recent.is_empty() { Vec::new() } else { vec!["0199-1/9".to_owned(), "0199-2/4".to_owned()] },
        recent,
        projects: facets().projects,
        cursor: "120".to_owned(),
        role: api::people::PersonRole::Owner,
        condition: None,
    }
}

/// The inbox without anything in it.
pub fn inbox() -> InboxPage {
    InboxPage {
        asks: Asks { total: Some(0), ..Asks::default() },
        limit: 20,
        known: BTreeSet::new(),
        assistants: BTreeMap::new(),
        shell: ShellData { asks: Vec::new(), ..shell(all()) },
    }
}

fn project(name: &str, files: i64, bytes: i64, state: ProjectState) -> Project {
    Project {
        path: format!("/home/mara/.claude/projects/-home-mara-{name}"),
        name: name.to_owned(),
        agent: "claude_code".to_owned(),
        files,
        bytes,
        state,
        polled: name == "quarry",
        leads_to: None,
        skipped: Vec::new(),
        sessions: if state == ProjectState::Following || state == ProjectState::Paused { files } else { 0 },
    }
}

fn projects(projects: Vec<Project>) -> Projects {
    Projects {
        roots: vec!["/home/mara/.claude/projects".to_owned(), "/home/mara/.config/claude/projects".to_owned()],
        projects,
        unread: vec![UnreadFolder {
            path: "/home/mara/.hermes".to_owned(),
            agent: "hermes".to_owned(),
            what: "a database of Hermes".to_owned(),
            files: 1,
            bytes: 4_300_000,
        }],
    }
}

pub fn sessions() -> SessionsPage {
    SessionsPage {
        budgets: Budgets::default(),
        pinned: Vec::new(),
        asks: Vec::new(),
        list: SessionPage {
            sessions: all(),
            total: 148,
            all: 148,
            next: Some("c1".to_owned()),
            facets: facets(),
            said: Some([("0199-2".to_owned(), "**Done**: all `12` files moved".to_owned())].into()),
            cursor: "120".to_owned(),
        },
        query: ListSessions::default(),
        imports: Vec::new(),
        shell: shell(all()),
    }
}

pub fn sessions_filtered_out() -> SessionsPage {
    let mut data = sessions();
    data.list.sessions.clear();
    (data.list.total, data.list.next) = (0, None);
    data.query = ListSessions {
        q: Some("zeppelin".to_owned()),
        project: vec!["/home/mara/gone".to_owned()],
        ..ListSessions::default()
    };
    data
}

pub fn sessions_importing() -> SessionsPage {
    let mut data = sessions();
    data.list = SessionPage {
        sessions: Vec::new(),
        total: 0,
        all: 0,
        next: None,
        facets: Facets::default(),
        said: None,
        cursor: "1".to_owned(),
    };
    data.imports = vec![job()];
    data.shell = shell(Vec::new());
    data
}

fn job() -> ImportJob {
    ImportJob {
        id: 1,
        files: 130,
        files_done: 41,
        bytes: 323_000_000,
        bytes_done: 98_000_000,
        sessions: 40,
        messages: 18_204,
        ..ImportJob::default()
    }
}

fn message(seq: i64, role: Role, content: &str, metadata: Option<Value>) -> Entry {
    let message_id = MessageId::parse(format!("m-{seq}")).unwrap_or_else(|_| unreachable!("a made-up id is an id"));
    let mut draft = Draft::text(message_id, role, role.as_str(), content, Micros(NOW.0 - (300 - seq) * MINUTE));
    draft.metadata = metadata.and_then(|m| m.as_object().cloned());
    draft.provenance = Provenance::Reader;
    let display = match (role, draft.message_type()) {
        (Role::System | Role::Model, _) => Display::Dev,
        (_, "TOOL_CALL") => Display::Collapsed,
        _ => Display::Shown,
    };
    let message = Message { session_id: id("0199-1"), seq, revision: 1, draft, records: Vec::new(), received_at: NOW };
    Entry { summary: content.lines().next().unwrap_or_default().to_owned(), ..Entry::of(message, display) }
}

fn envelope(message_type: &str, payload: &Value) -> Value {
    json!({ "message_type": message_type, "version": 1, "payload": payload })
}

fn entries() -> Vec<Entry> {
    let old = "fn wait(s: u64) -> Duration {\n    Duration::from_secs(s)\n}\n";
    let new = "/// How long the slower tab may still use the token before.\nfn wait(seconds: u64) -> Duration {\n    Duration::from_secs(seconds)\n}\n";
    let todos = json!({"todos": [
        {"id": "1", "content": "Reproduce the race with two tabs", "status": "completed"},
        {"id": "2", "content": "Write a test that fails before the fix", "status": "in_progress"},
        {"id": "3", "content": "Note it in the changelog", "status": "pending"}]});
    let command = json!({"tool_name": "Bash", "input": {"command": "cargo test -p auth"}, "output": "running 2 tests\ntest one ... ok\ntest two ... FAILED\n", "error": "exit code 101"});
    vec![
        message(201, Role::System, "You work in the folder /home/mara/lantern.", None),
        message(
            202,
            Role::User,
            "About one login in 200 ends on the login page again. Please find out why, with a test that fails before the fix.",
            None,
        ),
        message(203, Role::Model, "The row is read without a lock.", None),
        message(
            204,
            Role::Assistant,
            "I will look at how a refresh token is rotated.\n\n1. The row is read **without a lock**.\n2. There is no memory of the token before.\n\n```rust\nconst GRACE: Duration = Duration::from_secs(10);\n```",
            None,
        ),
        message(205, Role::Assistant, "Plan", Some(envelope("TODO", &todos))),
        message(206, Role::Assistant, "Ran the tests", Some(envelope("TOOL_CALL", &command))),
        message(
            207,
            Role::Assistant,
            "Edited refresh.rs",
            Some(envelope(
                "CODE_EDIT",
                &json!({"edits": [{"file_path": "/home/mara/lantern/src/refresh.rs", "old_content": old, "new_content": new, "language": "rust"}]}),
            )),
        ),
        message(
            208,
            Role::Assistant,
            "The slower tab gets the same pair again for **ten seconds**. Theft detection stays as it was.",
            None,
        ),
    ]
}

pub fn session(dev: Dev) -> SessionPageData {
    let session = Session {
        todos_open: 2,
        todos_done: 1,
        ..one(
            1,
            "Fix the login race on token refresh",
            "lantern",
            "wt/login-race",
            SessionState::Working,
            42 * Micros::SECOND,
        )
    };
    let (messages, hidden): (Vec<_>, Vec<_>) =
        entries().into_iter().partition(|e| dev == Dev::On || e.display != Display::Dev);
    let hidden = hidden.into_iter().map(HiddenRow::from).collect();
    let page = MessagePage { messages, hidden, from: 201, to: 212, last_seq: 212, cursor: "120".to_owned() };
    let options = TranscriptOptions { dev: dev == Dev::On, ..TranscriptOptions::new(id("0199-1"), 212, NOW) };
    SessionPageData {
        may_export_originals: true,
        detail: SessionDetail {
            assistant: AssistantName { name: "Claude Code".to_owned(), replaces: vec!["claude_code".to_owned()] },
            session,
            ancestors: Vec::new(),
            forked_from: Some(SessionRef { id: "0199-8".to_owned(), title: "Cache the session lookup".to_owned() }),
            sources: vec![SourceInfo {
                id: "s1".to_owned(),
                path: "/home/mara/.claude/projects/-home-mara-lantern/7d1c0b52.jsonl".to_owned(),
                size: 1_204_811,
                sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
            }],
            resume_command: Some(
                "cd -- /home/mara/lantern && claude --resume 7d1c0b52-0000-4000-8000-000000000001".to_owned(),
            ),
            cost_with_sub_agents: Some(Cost { usd: Some(1.26), computed_usd: Some(1.26), unpriced: Vec::new() }),
            cost: Cost { usd: Some(0.84), computed_usd: Some(0.84), unpriced: Vec::new() },
            meter: Some(ContextMeter { used: 122_000, limit: 200_000, requests_left: Some(18) }),
            hidden_count: 41,
            cursor: "120".to_owned(),
        },
        edited: Some(3),
        agent: None,
        chunks: vec![(5, transcript::page(page, &options))],
        dev,
        verbosity: Verbosity::Normal,
        filter: FilterData::default(),
        panel: PanelData::Todos(TodoState {
            todos: [
                ("1", "Reproduce the race with two tabs", TodoStatus::Completed),
                ("2", "Write a test that fails before the fix", TodoStatus::InProgress),
                ("3", "Note it in the changelog", TodoStatus::Pending),
                ("4", "Change the cookie format", TodoStatus::Completed),
            ]
            .map(|(id, content, status)| TodoItem { id: id.to_owned(), content: content.to_owned(), status })
            .into(),
            todo_info: [("4".to_owned(), TodoInfo { state: Some(TodoInfoState::Cancelled), ..TodoInfo::default() })]
                .into(),
            seq: Some(205),
            message_id: Some("m-205".to_owned()),
        }),
        panel_state: PanelState::WhereItFits,
        at: None,
        shell: shell(all()),
    }
}

pub fn session_changes() -> SessionPageData {
    let edit = |seq, state: &str| EditRef {
        message_id: format!("m-{seq}"),
        seq,
        index: 0,
        state: state.to_owned(),
        added: 11,
        removed: 6,
    };
    let file = |path: &str, change, edits| ChangedFile {
        path: path
            .strip_prefix("../")
            .map_or(format!("/home/mara/lantern/{path}"), |path| format!("/home/mara/{path}")),
        change,
        added: 46,
        removed: 8,
        edits,
    };
    let files = vec![
        file("crates/auth/src/refresh.rs", FileChange::Modified, vec![edit(207, "applied"), edit(190, "failed")]),
        file("crates/auth/tests/refresh_race.rs", FileChange::Added, vec![edit(180, "applied")]),
        file("../lantern-docs/notes.txt", FileChange::Deleted, vec![edit(120, "applied")]),
    ];
    SessionPageData {
        panel: PanelData::Changes(Changes { files, added: 138, removed: 24 }),
        panel_state: PanelState::Open,
        ..session(Dev::Off)
    }
}

pub fn session_about() -> SessionPageData {
    SessionPageData { panel: PanelData::About, panel_state: PanelState::Open, ..session(Dev::Off) }
}

pub fn session_agents() -> SessionPageData {
    let children = vec![one(21, "Reviewer: lock order", "lantern", "wt/login-race", SessionState::Done, HOUR)];
    SessionPageData { panel: PanelData::Agents(children), panel_state: PanelState::Open, ..session(Dev::Off) }
}

pub fn search() -> SearchPageData {
    let hit = |n: i64, role, message_type: &str, before: &str, marked: &str, after: &str| Hit {
        session_id: format!("0199-{}", n / 10),
        session_title: if n < 20 { "Fix the login race on token refresh" } else { "Cache the session lookup" }
            .to_owned(),
        project: "/home/mara/lantern".to_owned(),
        agent: "claude_code".to_owned(),
        message_id: format!("m-{n}"),
        seq: n,
        role,
        provenance: Provenance::Reader,
        files: if message_type == "CODE_EDIT" {
            vec!["/home/ines/slipway/src/board.rs".to_owned()]
        } else {
            Vec::new()
        },
        message_type: message_type.to_owned(),
        created_at: Micros(NOW.0 - n * HOUR),
        snippet: Snippet {
            text: format!("{before}{marked}{after}"),
            marks: vec![(before.len(), before.len() + marked.len())],
        },
    };
    let hits = vec![
        hit(
            11,
            Role::Assistant,
            "TEXT",
            "Both tabs hold the same ",
            "refresh token",
            ". The first one rotates it; the second one then presents one that is no longer current.",
        ),
        hit(
            12,
            Role::User,
            "TEXT",
            "Fix the login race on ",
            "token refresh",
            ": about one login in 200 ends on the login page again.",
        ),
        hit(13, Role::Assistant, "CODE_EDIT", "crates/auth/src/refresh.rs   pub async fn ", "refresh", "(&self)"),
        hit(14, Role::Tool, "TOOL_CALL", "test second_", "refresh", "_within_grace ... FAILED"),
        hit(21, Role::Assistant, "TODO", "Keep the ", "refresh token", " out of the **cache key**"),
        hit(22, Role::Assistant, "TODO", "1. Keep the ", "refresh token", " out of the **cache key**"),
    ];
    SearchPageData {
        query: SearchQuery { q: "refresh token".to_owned(), ..SearchQuery::default() },
        result: Some(Ok(SearchPage {
            hits,
            total: 19,
            total_is_floor: false,
            next: Some("c".to_owned()),
            counts: SearchCounts::default(),
        })),
        facets: facets(),
        assistants: ["0199-1", "0199-2"].map(|id| (id.to_owned(), "Claude Code".to_owned())).into(),
        session: Some(SessionRef { id: "0199-1".to_owned(), title: "Fix the login race on token refresh".to_owned() }),
        shell: shell(all()),
    }
}

pub fn search_start() -> SearchPageData {
    SearchPageData { query: SearchQuery::default(), result: None, session: None, ..search() }
}

pub fn folders() -> FoldersPage {
    let waiting = [("lantern", 31, 48), ("quarry", 58, 212), ("webhooks-api", 22, 37), ("private-notes", 12, 4)]
        .map(|(name, files, mb)| project(name, files, mb * 1_000_000, ProjectState::Waiting));
    FoldersPage { projects: projects(waiting.into()), imports: Vec::new(), shell: shell(Vec::new()) }
}

pub fn folders_known() -> FoldersPage {
    let states = [ProjectState::Waiting, ProjectState::Following, ProjectState::Paused, ProjectState::Excluded];
    let names = ["lantern", "quarry", "webhooks-api", "private-notes"];
    let known = states.into_iter().zip(names).map(|(state, name)| project(name, 31, 48_000_000, state)).collect();
    let failed = vec![FailedFile {
        path: "/home/mara/.claude/projects/x/9.jsonl".to_owned(),
        reason: "Permission denied".to_owned(),
    }];
    FoldersPage { projects: projects(known), imports: vec![ImportJob { failed, ..job() }], shell: shell(all()) }
}

pub fn folders_none() -> FoldersPage {
    FoldersPage { projects: projects(Vec::new()), imports: Vec::new(), shell: shell(Vec::new()) }
}

pub fn folders_imported() -> FoldersPage {
    let failed = |path: &str| FailedFile { path: path.to_owned(), reason: "not a transcript".to_owned() };
    let failed = vec![failed("/home/mara/notes/a.jsonl"), failed("/home/mara/notes/b.jsonl")];
    let nothing = ImportJob { id: 2, done: true, files: 2, files_done: 2, failed, ..ImportJob::default() };
    let imports = vec![ImportJob { done: true, ..job() }, nothing];
    FoldersPage { projects: projects(Vec::new()), imports, shell: shell(all()) }
}

pub fn login() -> LoginPage {
    LoginPage { host: "127.0.0.1:7117".to_owned(), build: "b1".to_owned(), ..LoginPage::default() }
}

pub fn offline() -> OfflinePage {
    OfflinePage { script: String::new(), look: Look::default(), build: "b1".to_owned(), assets: Assets::default() }
}

pub fn problem() -> ProblemPage {
    ProblemPage {
        status: 404,
        title: "There is no such session".to_owned(),
        hint: Some("It may have been forgotten together with its folder".to_owned()),
        look: Look::default(),
        build: "b1".to_owned(),
        assets: Assets::default(),
    }
}

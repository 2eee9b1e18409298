//! A session as its row.

use crate::columns::{columns, text};
use crate::step::table::{Cell, Kind, Row, Table, Verb};
use crate::{Queue, StoreError, Sums};
use model::message_type::todo::TodoProgress;
use model::session::{Live, LiveState, SessionMachine, SessionState, StateFacts, session_state};
use model::text::{TitleWorth, of_a_plan};
use model::worktree::repository;
use model::{Micros, RunOutcome, Session, SessionFacts, SessionId, Usage};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Replaces a column that is marked with it.
macro_rules! live {
    ($of_column:expr) => {
        $of_column
    };
}

/// Writes the row's type, its columns and their values. Those marked `[live]` are what [`LIVE_SESSION`] holds.
macro_rules! row {
    ($($([$live:ident])? $field:ident: $Type:ty,)+) => {
        columns! {
            #[derive(Debug, Clone, PartialEq)]
            pub(crate) struct SessionRow { $(pub $field: $Type,)+ }
        }

        const LIVE_COLUMNS: &[(&str, Kind)] = &[$($($live!((stringify!($field), <$Type as Cell>::KIND)),)?)+];
        pub(crate) const SESSION_COLUMNS: &[(&str, Kind)] = &[$((stringify!($field), <$Type as Cell>::KIND)),+];

        impl SessionRow {
            pub(crate) fn values(&self) -> Row<'_> {
                vec![$(self.$field.value()),+]
            }

            /// Returns the values of [`LIVE_SESSION`].
            pub(crate) fn live_values(&self) -> Row<'_> {
                vec![$($($live!(self.$field.value()),)?)+]
            }

            /// Returns true if all that differs from an earlier row is in the columns of [`LIVE_SESSION`].
            pub(crate) fn is_live_change(&self, before: &Self) -> bool {
                true $(&& ($($live!(true) ||)? self.$field == before.$field))+
            }
        }
    };
}

/// Columns that are written when a session is made, and never again: two indexes hold nothing else.
const MADE_WITH: &[&str] = &["rid", "id", "agent", "key", "key_id", "create_hash"];

pub(crate) static SESSION: LazyLock<Table> = LazyLock::new(|| {
    let changes = SESSION_COLUMNS.iter().map(|(name, _)| *name).filter(|name| !MADE_WITH.contains(name));
    let changes: Vec<String> = changes.map(|name| format!("{name} = excluded.{name}")).collect();
    Table {
        name: "session",
        columns: SESSION_COLUMNS.into(),
        has_workspace: true,
        verb: Verb::Insert(format!(" ON CONFLICT (rid) DO UPDATE SET {}", changes.join(", ")).into()),
    }
});

/// The columns that most posts change. A row is wide, and writing all of it costs as much as a message.
pub(crate) static LIVE_SESSION: Table =
    Table { name: "session", columns: Cow::Borrowed(LIVE_COLUMNS), has_workspace: false, verb: Verb::Update };

/// The columns, to be selected.
pub(crate) static SELECTED: LazyLock<String> =
    LazyLock::new(|| SESSION_COLUMNS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "));

row! {
    [live] rid: i64,
    id: String,
    agent: String,
    key: String,
    parent_key: Option<String>,
    forked_from: Option<String>,
    call_id: Option<String>,
    title: Option<String>,
    first_prompt: Option<String>,
    project: Option<String>,
    cwd: Option<String>,
    branch: Option<String>,
    model: Option<String>,
    version: Option<String>,
    created_at: i64,
    [live] last_at: i64,
    archived_at: Option<i64>,
    [live] last_seq: i64,
    [live] message_count: i64,
    [live] lines_added: i64,
    [live] lines_removed: i64,
    [live] todos_open: i64,
    [live] todos_done: i64,
    [live] todos_cancelled: i64,
    [live] approvals_open: i64,
    [live] ask_seq: i64,
    [live] user_seq: i64,
    runs_open: i64,
    last_outcome: Option<String>,
    input: i64,
    output: i64,
    cache_read: i64,
    cache_write: i64,
    cost_usd: Option<f64>,
    own_title: Option<String>,
    ended_at: Option<i64>,
    failed: i64,
    [live] heartbeat_at: Option<i64>,
    deleted_at: Option<i64>,
    [live] delivered_seq: i64,
    [live] queued_seq: i64,
    [live] waiting_seq: i64,
    begun_run: Option<String>,
    key_id: Option<String>,
    create_hash: Option<Vec<u8>>,
    pinned_at: Option<i64>,
    [live] texts_open: i64,
    [live] calls_open: i64,
    [live] words_seq: i64,
    [live] changed_pos: i64,
    live_state: Option<String>,
    live_reason: Option<String>,
    live_at: Option<i64>,
    purged_at: Option<i64>,
    has_parent: i64,
    listed: i64,
    [live] needs_you: i64,
    driven: i64,
    [live] beats: i64,
    machine_id: Option<String>,
}

/// The title of a session that was read from a file in which nobody said anything: its key means nothing to people.
const NOTHING_SAID: &str = "Nothing was said";

/// An open run that shows no sign of life for so long was left behind: its session is idle, not lost.
const ABANDONED: i64 = 10 * 60 * Micros::SECOND;

impl SessionRow {
    /// A row that nothing is known of. Its times are set by [`SessionRow::seen`].
    pub(crate) fn new(rid: i64, id: &SessionId, agent: String, key: String) -> Self {
        Self {
            rid,
            id: id.as_str().to_owned(),
            agent,
            key,
            parent_key: None,
            forked_from: None,
            call_id: None,
            title: None,
            first_prompt: None,
            project: None,
            cwd: None,
            branch: None,
            model: None,
            version: None,
            created_at: i64::MAX,
            last_at: 0,
            archived_at: None,
            last_seq: 0,
            message_count: 0,
            lines_added: 0,
            lines_removed: 0,
            todos_open: 0,
            todos_done: 0,
            todos_cancelled: 0,
            approvals_open: 0,
            ask_seq: 0,
            user_seq: 0,
            runs_open: 0,
            last_outcome: None,
            input: 0,
            output: 0,
            cache_read: 0,
            cache_write: 0,
            cost_usd: None,
            own_title: None,
            ended_at: None,
            failed: 0,
            heartbeat_at: None,
            deleted_at: None,
            delivered_seq: 0,
            queued_seq: 0,
            waiting_seq: 0,
            begun_run: None,
            key_id: None,
            create_hash: None,
            pinned_at: None,
            texts_open: 0,
            calls_open: 0,
            words_seq: 0,
            changed_pos: 0,
            live_state: None,
            live_reason: None,
            live_at: None,
            purged_at: None,
            has_parent: 0,
            listed: 0,
            needs_you: 0,
            driven: 0,
            beats: 0,
            machine_id: None,
        }
    }

    /// Returns the remains of a permanently deleted session: its identity, so that its file doesn't restore it.
    pub(crate) fn purged(&self, at: Micros) -> Self {
        let mut row = Self { purged_at: Some(at.0), ..self.clone() };
        (row.title, row.own_title, row.first_prompt, row.project) = (None, None, None, None);
        (row.cwd, row.branch, row.model, row.version) = (None, None, None, None);
        (row.call_id, row.forked_from, row.last_outcome, row.live_reason) = (None, None, None, None);
        (row.last_seq, row.message_count, row.lines_added, row.lines_removed) = (0, 0, 0, 0);
        (row.todos_open, row.todos_done, row.todos_cancelled) = (0, 0, 0);
        (row.approvals_open, row.ask_seq, row.user_seq) = (0, 0, 0);
        (row.runs_open, row.input, row.output, row.cache_read, row.cache_write) = (0, 0, 0, 0, 0);
        row.cost_usd = None;
        row
    }

    /// Decides whether the session is listed, and whether it waits for a person.
    pub(crate) fn decide_lists(&mut self) {
        let holds = self.last_seq > 0 || self.create_hash.is_some();
        let is_shown = self.archived_at.is_none() && self.deleted_at.is_none() && self.has_parent == 0;
        self.listed = i64::from(holds && is_shown);
        self.needs_you = i64::from(self.approvals_open > 0 || self.ask_seq > self.user_seq);
    }

    /// Absent facts leave what is stored; later facts win.
    pub(crate) fn apply(&mut self, facts: &SessionFacts, parent_key: Option<&str>, now: Micros) {
        let said = |value: &Option<String>| {
            value.as_deref().filter(|text| !text.trim().is_empty()).map(|value| text(value).into_owned())
        };
        let learn = |field: &mut Option<String>, value: Option<String>| {
            if value.is_some() {
                *field = value;
            }
        };
        learn(&mut self.parent_key, parent_key.map(str::to_owned).or_else(|| said(&facts.parent)));
        learn(&mut self.call_id, said(&facts.call_id));
        learn(&mut self.title, said(&facts.title));
        // A worktree is one project with its repository: the working folder tells which one it is.
        learn(&mut self.project, said(&facts.project).map(|project| repository(&project).0.to_owned()));
        learn(&mut self.cwd, said(&facts.cwd));
        learn(&mut self.branch, said(&facts.branch));
        learn(&mut self.model, said(&facts.model));
        learn(&mut self.version, said(&facts.version));
        // The first prompt stays the first, whatever part of the file is read later, unless a later one says more.
        let worth = |prompt: &Option<String>| prompt.as_deref().map(TitleWorth::of);
        let first = said(&facts.first_prompt);
        if worth(&first) > worth(&self.first_prompt) || (facts.restarted == Some(true) && first.is_some()) {
            self.first_prompt = first;
        }
        for at in [facts.first_at, facts.last_at].into_iter().flatten() {
            self.seen(at.min(now).0);
        }
        self.count_todos(facts.todos);
    }

    /// Counts the items of a list that replaces the one before.
    fn count_todos(&mut self, todos: Option<TodoProgress>) {
        let Some(todos) = todos else { return };
        let [open, done, cancelled] =
            [todos.open, todos.done, todos.cancelled].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        (self.todos_open, self.todos_done, self.todos_cancelled) = (open, done, cancelled);
    }

    /// Something happened at this time, which isn't to come: a clock that is ahead makes no session the latest for
    /// ever. A missing time (0) says nothing.
    pub(crate) fn seen(&mut self, at: i64) {
        if at > 0 {
            self.created_at = self.created_at.min(at);
            self.last_at = self.last_at.max(at);
        }
    }

    /// Adds the counts of a posted message.
    pub(crate) fn add(&mut self, sums: &Sums) {
        self.lines_added = self.lines_added.saturating_add(sums.lines_added);
        self.lines_removed = self.lines_removed.saturating_add(sums.lines_removed);
        if self.first_prompt.is_none() {
            self.first_prompt = sums.first_prompt.as_deref().map(|prompt| text(prompt).into_owned());
        }
        self.count_todos(sums.todos);
    }

    /// Counts the lines that a message adds to files and removes, in place of those of its stored row.
    pub(crate) fn count_lines(&mut self, before: (i64, i64), lines: (i64, i64)) {
        self.lines_added = self.lines_added.saturating_add(lines.0 - before.0);
        self.lines_removed = self.lines_removed.saturating_add(lines.1 - before.1);
    }

    /// Adds what a run took.
    pub(crate) fn add_usage(&mut self, usage: Usage, cost_usd: Option<f64>) {
        self.input = self.input.saturating_add(usage.input);
        self.output = self.output.saturating_add(usage.output);
        self.cache_read = self.cache_read.saturating_add(usage.cache_read);
        self.cache_write = self.cache_write.saturating_add(usage.cache_write);
        if let Some(cost) = cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
    }

    /// Takes out what all runs took.
    pub(crate) fn forget_runs(&mut self) {
        (self.input, self.output, self.cache_read, self.cache_write) = (0, 0, 0, 0);
        (self.runs_open, self.cost_usd, self.last_outcome) = (0, None, None);
    }

    /// A person spoke, or the agent came back: what had ended goes on.
    pub(crate) fn reopen(&mut self) {
        (self.ended_at, self.failed) = (None, 0);
    }

    pub(crate) fn end(&mut self, at: Micros, failed: bool) {
        (self.ended_at, self.failed) = (Some(at.0), i64::from(failed));
        // Nothing works any more. What was asked stands until it is answered, or taken back.
        self.heartbeat_at = None;
        self.leave_work();
    }

    pub(crate) fn queue(&self) -> Queue {
        Queue {
            queued_seq: self.queued_seq,
            waiting_seq: self.waiting_seq,
            has_open_run: self.begun_run.is_some(),
            delivered_seq: self.delivered_seq,
            heartbeat_at: self.heartbeat_at.map(Micros),
            ended: self.ended_at.is_some(),
        }
    }

    /// Returns the hooks' report, unless something newer is known. A driver's report stays valid even after newer lines
    /// of the transcript, because these rarely record that a turn was interrupted. "Working" expires after ten minutes,
    /// because nobody reports that an agent was killed.
    fn live(&self, now: Micros) -> Option<Live> {
        let (state, at) = (LiveState::parse(self.live_state.as_deref()?)?, self.live_at?);
        let is_stale = state == LiveState::Working && !Micros(at).is_within(ABANDONED, now);
        let reason = self.live_reason.clone().unwrap_or_default();
        let is_newest = self.driven != 0 || at >= self.last_at;
        (is_newest && !is_stale).then_some(Live { state, reason, at: Micros(at) })
    }

    /// Notes what the agent does, as its hooks or its driver report it.
    pub(crate) fn report(&mut self, live: &Live) {
        self.live_state = Some(live.state.as_str().to_owned());
        self.live_reason = Some(text(&live.reason).into_owned());
        self.live_at = Some(live.at.0);
    }

    pub(crate) fn state(&self, now: Micros) -> SessionState {
        let age = now.since(Micros(self.last_at));
        let observed = self.create_hash.is_none();
        let promises_signs = !observed && self.beats != 0;
        // A sub-agent isn't taken up again: what it broke off stays so. Nor does a transcript say that anybody gave up.
        let run_open = self.runs_open > 0 && (observed || age < ABANDONED || self.parent_key.is_some());
        let work_open = self.texts_open + self.calls_open > 0 && self.heartbeat_at.is_some();
        session_state(StateFacts {
            asks: self.approvals_open > 0 || self.ask_seq > self.user_seq,
            run_open: run_open || work_open,
            promises_signs,
            heartbeat_age: match self.heartbeat_at {
                // As old if it lies in the future: the clock was set back since.
                Some(at) => Some(now.since(Micros(at)).saturating_abs()),
                None => run_open.then_some(age),
            },
            ended: self.ended_at.is_some(),
            ended_with_error: self.failed != 0 || self.last_outcome.as_deref() == Some(RunOutcome::Failed.as_str()),
            live: self.live(now).map(|live| live.state),
        })
    }

    pub(crate) fn into_session(
        self,
        parent: Option<String>,
        child_count: i64,
        machine: Option<SessionMachine>,
        now: Micros,
    ) -> Result<Session, StoreError> {
        let (state, live) = (self.state(now), self.live(now));
        let id = |id: String| SessionId::parse(id).map_err(|error| StoreError::Corrupt(error.to_string()));
        // Some agents write a file at each start, whether anybody says something or not.
        let is_empty = self.message_count == 0 && self.create_hash.is_none() && self.parent_key.is_none();
        let last_resort = if is_empty { NOTHING_SAID } else { self.key.as_str() }.to_owned();
        Ok(Session {
            id: id(self.id)?,
            agent: self.agent,
            title: self.own_title.or_else(|| self.title.or(self.first_prompt).map(of_a_plan)).unwrap_or(last_resort),
            agent_session_id: Some(self.key),
            parent_missing: self.parent_key.is_some() && parent.is_none(),
            parent: parent.map(id).transpose()?,
            forked_from: self.forked_from.map(id).transpose()?,
            call_id: self.call_id,
            machine,
            project: self.project.unwrap_or_default(),
            cwd: self.cwd,
            branch: self.branch,
            model: self.model,
            version: self.version,
            state,
            created_at: Micros(self.created_at),
            last_activity_at: Micros(self.last_at),
            archived_at: self.archived_at.map(Micros),
            pinned_at: self.pinned_at.map(Micros),
            deleted_at: self.deleted_at.map(Micros),
            ended_at: self.ended_at.map(Micros),
            heartbeat_at: self.heartbeat_at.map(Micros),
            live,
            registered: self.create_hash.is_some(),
            key_id: self.key_id,
            delivered_seq: self.delivered_seq,
            last_seq: self.last_seq,
            message_count: self.message_count,
            lines_added: self.lines_added,
            lines_removed: self.lines_removed,
            todos_open: self.todos_open,
            todos_done: self.todos_done,
            todos_cancelled: self.todos_cancelled,
            child_count,
            usage: Usage {
                input: self.input,
                output: self.output,
                cache_read: self.cache_read,
                cache_write: self.cache_write,
            },
            cost_usd: self.cost_usd,
            computed_usd: None,
        })
    }
}

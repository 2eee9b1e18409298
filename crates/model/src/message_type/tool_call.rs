//! `TOOL_CALL`: a call of a tool, with its result once it exists.

mod kind;
mod numbered;
mod read;
mod test_counts;

pub use kind::ToolKind;
pub use numbered::Numbered;
pub use test_counts::TestCounts;

use super::Payload;
use crate::{Draft, Micros, Role, search_text::SearchText, terminal, text, words};
use serde::Serialize;
use serde_json::{Map, Value, json};

words! {
    /// State of a tool call.
    ToolState {
        /// No result yet.
        Running = "running",
        /// It succeeded.
        Done = "done",
        /// It failed: it has an `error`, or an exit code other than 0.
        Failed = "failed",
        /// A person or a rule denied it.
        Denied = "denied",
        /// Interrupted.
        Cancelled = "cancelled",
        /// Its session ended before a result came.
        Orphaned = "orphaned",
    }
}

/// A call of a tool. Further keys are kept; the accessors name those that readers add.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// Name of the tool, as the agent uses it: `Bash`, `mcp__board__add`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub tool_name: String,
    /// Input, as the agent sent it, including nulls.
    #[cfg_attr(feature = "schema", schemars(default))]
    pub input: Map<String, Value>,
    /// Output of the tool: a string, blocks of a model's API, or any JSON. Absent until the call has completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Error message. Absent if it didn't fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Further keys, unchanged: `state`, `kind`, `title`, `started_at`, `ended_at`, `duration_ms`, `exit_code` and
    /// others.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolCall {
    /// Makes a call without a result.
    pub fn new(tool_name: impl Into<String>, input: Map<String, Value>) -> Self {
        Self { tool_name: tool_name.into(), input, ..Self::default() }
    }

    /// Sets a further key; null removes it.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        match value.into() {
            Value::Null => {
                self.other.shift_remove(key);
            }
            value => {
                self.other.insert(key.to_owned(), value);
            }
        }
        self
    }

    /// Returns the field `state` if set. Otherwise an error or an exit code other than 0 means failure, and an output
    /// or an end means success.
    pub fn state(&self) -> ToolState {
        if let Some(said) = self.string("state").and_then(ToolState::parse) {
            return said;
        }
        let error = self.error.as_ref().is_some_and(|error| !error.is_empty());
        if error || self.exit_code().is_some_and(|code| code != 0) {
            ToolState::Failed
        } else if self.output.is_some() || self.exit_code().is_some() || self.ended_at().is_some() {
            ToolState::Done
        } else {
            ToolState::Running
        }
    }

    /// Returns the field `kind` if set, otherwise the kind of the tool's name.
    pub fn kind(&self) -> ToolKind {
        self.string("kind")
            .and_then(ToolKind::parse)
            .unwrap_or_else(|| ToolKind::from_tool_name(&self.tool_name, &self.input))
    }

    /// Returns the field `title`: the agent's description of the call.
    pub fn title(&self) -> Option<&str> {
        self.string("title").filter(|title| !title.is_empty())
    }

    /// Returns the field `started_at`.
    pub fn started_at(&self) -> Option<Micros> {
        self.integer("started_at").map(Micros)
    }

    /// Returns the field `ended_at`.
    pub fn ended_at(&self) -> Option<Micros> {
        self.integer("ended_at").map(Micros)
    }

    /// Returns the duration in milliseconds: the field `duration_ms` if set, otherwise the time from start to end.
    pub fn duration_ms(&self) -> Option<i64> {
        self.integer("duration_ms").or_else(|| Some(self.ended_at()?.since(self.started_at()?) / 1000))
    }

    /// Returns the field `exit_code` of a command; 0 means success.
    pub fn exit_code(&self) -> Option<i64> {
        self.integer("exit_code")
    }

    /// Returns the field `background`: true if it continues after the agent's turn.
    pub fn background(&self) -> bool {
        self.other.get("background").and_then(Value::as_bool).unwrap_or(false)
    }

    /// Returns the state of the background task that this call asks about, by the agent's own name: `running`,
    /// `completed`, `failed`.
    pub fn task_status(&self) -> Option<&str> {
        self.string("task_status").filter(|status| !status.is_empty())
    }

    /// Returns the note of the agent's program to the model after the output. It isn't part of the output.
    pub fn reminder(&self) -> Option<&str> {
        self.string("reminder").filter(|reminder| !reminder.trim().is_empty())
    }

    /// Returns the subject of the call in one line of at most 160 characters: a path, a command, a pattern or a URL.
    /// The field `target` has priority, because some inputs only have an id. None if the input has no subject.
    pub fn target(&self) -> Option<String> {
        const PLACES: [&str; 8] = ["file_path", "notebook_path", "command", "cmd", "pattern", "url", "query", "path"];
        // MCP tools often have a short title beside a long description.
        const HEADINGS: [&str; 3] = ["title", "subject", "name"];
        const WORDS: [&str; 17] = [
            "subject",
            "description",
            "skill",
            "title",
            "name",
            "task_id",
            "taskId",
            "bash_id",
            "shell_id",
            "prompt",
            "q",
            "search",
            "uri",
            "question",
            "message",
            "text",
            "selector",
        ];
        if let Some(said) = self.other.get("target").and_then(|target| one_line_of("target", target)) {
            return Some(said);
        }
        let headings: &[&str] = if self.tool_name.starts_with("mcp__") { &HEADINGS } else { &[] };
        let mut keys = PLACES.iter().chain(headings).chain(&WORDS);
        keys.find_map(|key| one_line_of(key, self.input.get(*key)?)).or_else(|| self.values())
    }

    /// Returns the input of an unknown tool: its first short values, numbers with their names.
    fn values(&self) -> Option<String> {
        const VALUES: usize = 3;
        const SHORT: usize = 60;
        let said = |(key, value): (&String, &Value)| match value {
            Value::String(text) if (1..=SHORT).contains(&text.trim().chars().count()) => {
                Some(text::one_line(text, SHORT))
            }
            Value::Number(number) => Some(format!("{} {number}", text::one_line(&key.replace('_', " "), SHORT))),
            _ => None,
        };
        let line = self.input.iter().filter_map(said).take(VALUES).collect::<Vec<_>>().join(", ");
        (!line.is_empty()).then_some(line)
    }

    /// Returns the output as text: a string unchanged, text blocks joined, anything else as JSON. None if there is no
    /// output.
    pub fn output_text(&self) -> Option<String> {
        match self.output.as_ref()? {
            Value::String(text) => Some(text.clone()),
            Value::Array(blocks) if !blocks.is_empty() && blocks.iter().all(|block| block.get("type").is_some()) => {
                let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
                Some(texts.join("\n"))
            }
            other => serde_json::to_string_pretty(other).ok(),
        }
    }

    /// Returns the output as a terminal shows it. The content of a file isn't interpreted.
    pub fn shown_output(&self) -> Option<String> {
        let text = self.output_text()?;
        Some(if self.kind() == ToolKind::Read { text } else { terminal::plain(&text) })
    }

    /// Returns the output for search, without images and terminal codes.
    fn searched_output(&self) -> String {
        match &self.output {
            Some(Value::String(_) | Value::Array(_)) => self.shown_output().unwrap_or_default(),
            Some(output) => {
                let mut text = SearchText::whole();
                text.push_strings(output);
                terminal::plain(&text.into_string())
            }
            None => String::new(),
        }
    }

    /// Returns the error as a terminal shows it.
    pub fn shown_error(&self) -> Option<String> {
        self.error.as_deref().map(terminal::plain)
    }

    /// Returns the call as markdown, with its whole input.
    pub fn markdown_with_input(&self) -> String {
        let is_told = self.is_told_by_target();
        let is_long = |value: &Value| value.as_str().is_some_and(|text| text.contains('\n'));
        let (long, short): (Map<_, _>, Map<_, _>) =
            self.input.clone().into_iter().filter(|_| !is_told).partition(|(_, value)| is_long(value));
        let short = (!short.is_empty()).then(|| serde_json::to_string_pretty(&short).unwrap_or_default());
        // As JSON they would be one long line of escapes.
        let long =
            long.iter().map(|(key, text)| format!("{key}:\n\n{}", text::fence("", text.as_str().unwrap_or_default())));
        self.markdown(short.map(|json| text::fence("json", &json)).into_iter().chain(long).collect())
    }

    /// Returns true if [`Self::target`] contains the whole input.
    pub fn is_told_by_target(&self) -> bool {
        let target = self.target();
        self.input.values().all(|value| value.as_str().is_some_and(|text| target.as_deref() == Some(text)))
    }

    fn markdown(&self, input: Vec<String>) -> String {
        let target = self.target().map_or(String::new(), |target| format!(" {}", text::code(&target)));
        let mut blocks = vec![match self.state() {
            ToolState::Done => format!("**{}**{target}", self.tool_name),
            state => format!("**{}**{target} ({state})", self.tool_name),
        }];
        blocks.extend(input);
        if let Some(error) = self.shown_error().filter(|error| !error.is_empty()) {
            blocks.push(text::fence("", &error));
        }
        if let Some(output) = self.shown_output().filter(|output| !output.is_empty()) {
            blocks.push(text::fence("", &output));
        }
        blocks.join("\n\n")
    }

    fn string(&self, key: &str) -> Option<&str> {
        self.other.get(key)?.as_str()
    }

    fn integer(&self, key: &str) -> Option<i64> {
        self.other.get(key)?.as_i64()
    }
}

/// Returns one line of a string, or of an array of strings as a command line. Of a text the first line, without heading
/// marks; lines of a command are joined, because its first line is rarely enough.
fn one_line_of(key: &str, value: &Value) -> Option<String> {
    const MAX_CHARS: usize = 160;
    let line = match value {
        Value::String(text) if matches!(key, "command" | "cmd" | "pattern" | "target") => {
            text::one_line(text, MAX_CHARS)
        }
        Value::String(text) => {
            let first = text.lines().map(text::block).find(|line| !line.trim().is_empty());
            text::one_line(first.unwrap_or_default(), MAX_CHARS)
        }
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            text::one_line(&words?.join(" "), MAX_CHARS)
        }
        _ => return None,
    };
    (!line.is_empty()).then_some(line)
}

impl Payload for ToolCall {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        let mut line = self.tool_name.clone();
        if let Some(what) = self.target().or_else(|| self.title().map(str::to_owned)) {
            line.push_str(": ");
            line.push_str(&text::clip(&what, 120));
        }
        match (self.state(), self.shown_error()) {
            (ToolState::Done, _) => line,
            (ToolState::Failed, Some(error)) if !error.is_empty() => {
                format!("{line} (failed: {})", text::one_line(&error, 60))
            }
            (state, _) => format!("{line} ({state})"),
        }
    }

    fn to_markdown(&self) -> String {
        self.markdown(Vec::new())
    }

    fn search_text(&self, _draft: &Draft, text: &mut SearchText) {
        text.push(&self.tool_name);
        self.input.values().for_each(|value| text.push_strings(value));
        text.push(&self.shown_error().unwrap_or_default());
        text.push_output(&self.searched_output());
    }

    fn example() -> Self {
        let mut input = Map::new();
        input.insert("command".to_owned(), json!("cargo test parser"));
        input.insert("description".to_owned(), json!("Run the parser's tests"));
        Self { output: Some(json!("running 3 tests\ntest result: ok. 3 passed\n")), ..Self::new("Bash", input) }
            .with("kind", "execute")
            .with("duration_ms", 1840)
            .with("exit_code", 0)
    }
}

#[cfg(test)]
mod tests {
    use super::{ToolCall, ToolState};
    use serde_json::{Value, json};

    fn call(payload: Value) -> ToolCall {
        serde_json::from_value(payload).expect("a tool call")
    }

    #[test]
    fn the_state_is_derived_unless_it_is_said() {
        let cases = [
            (json!({}), ToolState::Running),
            (json!({"output": ""}), ToolState::Done),
            (json!({"output": false}), ToolState::Done),
            (json!({"ended_at": 5}), ToolState::Done),
            (json!({"error": ""}), ToolState::Running),
            (json!({"error": "no such file"}), ToolState::Failed),
            (json!({"output": "x", "exit_code": 3}), ToolState::Failed),
            (json!({"error": "rejected", "state": "denied"}), ToolState::Denied),
            (json!({"state": "cancelled"}), ToolState::Cancelled),
            (json!({"state": "orphaned"}), ToolState::Orphaned),
            (json!({"output": 1, "state": "of another time"}), ToolState::Done),
        ];
        for (mut payload, state) in cases {
            payload["tool_name"] = json!("x");
            assert_eq!(call(payload.clone()).state(), state, "{payload}");
        }
    }

    #[test]
    fn the_target_is_one_line() {
        let target = |input: Value| call(json!({"tool_name": "x", "input": input})).target();
        assert_eq!(target(json!({"description": "List", "command": "ls \\\n  -la"})).as_deref(), Some("ls \\ -la"));
        assert_eq!(target(json!({"command": ["git", "status"]})).as_deref(), Some("git status"));
        assert_eq!(target(json!({"pattern": "fn \\w+", "path": "src"})).as_deref(), Some("fn \\w+"));
        assert_eq!(target(json!({"command": 5, "all": true})).as_deref(), Some("command 5"));
        assert_eq!(target(json!({"all": true, "deep": {"n": 1}})), None);
        assert_eq!(target(json!({"prompt": "\n## Look\nat this"})).as_deref(), Some("Look"));
        assert_eq!(target(json!({"subject": "Mow", "description": "In rows"})).as_deref(), Some("Mow"));
        assert_eq!(target(json!({"name": "ada", "description": "In rows"})).as_deref(), Some("In rows"));
    }

    #[test]
    fn tools_of_servers_are_told_by_their_heading() {
        let target = |input: Value| call(json!({"tool_name": "mcp__board__add", "input": input})).target();
        assert_eq!(target(json!({"description": "## Why", "title": "Mow"})).as_deref(), Some("Mow"));
        assert_eq!(target(json!({"name": "Mow", "description": "In rows"})).as_deref(), Some("Mow"));
        assert_eq!(
            target(json!({"owner": "ada", "repo": "orchard", "issue_number": 12, "page": 2})).as_deref(),
            Some("ada, orchard, issue number 12")
        );
        assert_eq!(target(json!({"title": "Mow", "url": "https://a.example"})).as_deref(), Some("https://a.example"));
    }

    #[test]
    fn a_target_that_is_said_counts() {
        let of_task = json!({
            "tool_name": "TaskOutput", "input": {"task_id": "b1"}, "target": "make\n  hay", "task_status": "running",
        });
        assert_eq!(call(of_task.clone()).target().as_deref(), Some("make hay"));
        assert_eq!(call(of_task).task_status(), Some("running"));
    }

    #[test]
    fn duration_is_said_or_computed() {
        assert_eq!(call(json!({"tool_name": "x", "started_at": 1_000, "ended_at": 6_000})).duration_ms(), Some(5));
        assert_eq!(call(json!({"tool_name": "x", "duration_ms": 7, "ended_at": 6_000})).duration_ms(), Some(7));
        assert_eq!(call(json!({"tool_name": "x", "ended_at": 6_000})).duration_ms(), None);
    }
}

//! The facts of one session of the file.

use super::runs::Runs;
use super::todos::Tasks;
use model::message_type::todo::TodoProgress;
use model::text::{self, TitleWorth};
use model::todo_state::TodoState;
use model::{Micros, SessionFacts};
use serde_json::{Map, Value};

/// Where a title came from; a later one of at least the same rank replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TitleRank {
    None,
    /// A `summary` line about this conversation.
    Summary,
    /// The parent's name of the task.
    Task,
    /// Written by the agent.
    Agent,
    /// The agent's own name, which a person may have given.
    Name,
    /// Given by a person.
    Custom,
}

/// Commands that go on in a new session of the same name.
const CLEAR: [&str; 3] = ["/clear", "/new", "/reset"];

/// The state of a session that a rewind restores.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Standing {
    tasks: Tasks,
    todos: Option<TodoProgress>,
    first_prompt: Option<String>,
    prompt_worth: Option<TitleWorth>,
}

pub(crate) struct Session {
    pub key: String,
    pub facts: SessionFacts,
    /// True if the facts differ from those that were handed out.
    pub changed: bool,
    pub runs: Runs,
    pub tasks: Tasks,
    title_rank: TitleRank,
    /// The worth of the first prompt so far as a title.
    prompt_worth: Option<TitleWorth>,
    /// A name that was there before the first prompt, and whether `/clear` came between: then another session has it too.
    carried: Option<(String, bool)>,
    /// The time of the newest line that has one, for lines that have none.
    pub last_time: Micros,
    /// The time of the record before the one that is read.
    pub before_time: Micros,
    /// When the model was last told something, or said something itself: what it thinks next began then.
    pub heard_at: Micros,
    /// The id of a line that may begin a run if the agent answers it: a command, a notification.
    pub cause: Option<(String, Micros)>,
    /// How the last call went that didn't go well: others of the same step go down with it.
    pub trouble: &'static str,
    /// The message that says where older context was given up, and its figures, until the summary comes.
    pub boundary: Option<(String, Value)>,
    /// The call that asks a question and waits for an answer.
    pub question: Option<String>,
}

impl Session {
    pub fn new(key: String) -> Self {
        Self {
            key,
            facts: SessionFacts::default(),
            changed: true,
            runs: Runs::default(),
            tasks: Tasks::default(),
            title_rank: TitleRank::None,
            prompt_worth: None,
            carried: None,
            last_time: Micros(0),
            before_time: Micros(0),
            heard_at: Micros(0),
            cause: None,
            trouble: "failed",
            boundary: None,
            question: None,
        }
    }

    /// Sets a fact, and remembers that it changed.
    pub fn set<T: PartialEq>(&mut self, field: fn(&mut SessionFacts) -> &mut Option<T>, value: Option<T>) {
        if value.is_some() && *field(&mut self.facts) != value {
            *field(&mut self.facts) = value;
            self.changed = true;
        }
    }

    pub fn title(&mut self, rank: TitleRank, title: &str) {
        let title = title.trim();
        let title = if title.starts_with('<') { readable(title) } else { title.to_owned() };
        if rank < self.title_rank || title.is_empty() {
            return;
        }
        // The program writes the same name again and again.
        if self.carried.as_ref().is_some_and(|(name, cleared)| *cleared && *name == title) {
            return;
        }
        let unspoken = rank >= TitleRank::Name && self.prompt_worth.is_none();
        self.carried = unspoken.then(|| (title.clone(), false));
        self.title_rank = rank;
        self.set(|facts| &mut facts.title, Some(title));
    }

    /// A command or a lone word serves as the first prompt until there is one that says more.
    pub fn first_prompt(&mut self, prompt: &str) {
        let prompt = readable(prompt);
        let line = text::title(&prompt);
        let worth = TitleWorth::of(&prompt);
        let clears =
            CLEAR.contains(&prompt.trim()) && self.prompt_worth.is_none_or(|known| known == TitleWorth::Command);
        if let Some((_, cleared)) = self.carried.as_mut().filter(|_| clears) {
            *cleared = true;
        }
        if self.prompt_worth.is_some_and(|known| worth <= known) || line.is_empty() {
            return;
        }
        if let Some((name, true)) = &self.carried
            && !clears
        {
            let title = format!("{name}: {line}");
            self.set(|facts| &mut facts.title, Some(title));
        }
        self.prompt_worth = Some(worth);
        self.set(|facts| &mut facts.first_prompt, Some(line));
    }

    pub fn standing(&self) -> Standing {
        Standing {
            tasks: self.tasks.clone(),
            todos: self.todos(),
            first_prompt: self.facts.first_prompt.clone(),
            prompt_worth: self.prompt_worth,
        }
    }

    /// The conversation was taken back to where it stood so. `restarted` says that not even its first prompt holds.
    pub fn go_back(&mut self, to: Standing, restarted: bool) {
        self.tasks = to.tasks;
        self.recount_todos(to.todos);
        if restarted {
            self.set(|facts| &mut facts.restarted, Some(true));
            self.facts.first_prompt = to.first_prompt;
            self.prompt_worth = to.prompt_worth;
        }
    }

    /// How far the list has got; None before the first one.
    pub fn todos(&self) -> Option<TodoProgress> {
        self.facts.todos
    }

    /// Takes the counts of a list that holds from now on.
    pub fn count_todos(&mut self, metadata: &Map<String, Value>) {
        self.set(|facts| &mut facts.todos, Some(TodoState::of_metadata(metadata).progress()));
    }

    /// Takes back the counts of a list that doesn't hold any more.
    pub fn recount_todos(&mut self, before: Option<TodoProgress>) {
        self.set(|facts| &mut facts.todos, before.or(self.facts.todos.map(|_| TodoProgress::default())));
    }

    /// A line was written at this time.
    pub fn seen_at(&mut self, time: Micros) {
        self.last_time = time;
        if self.facts.first_at.is_none_or(|first| time < first) {
            self.set(|facts| &mut facts.first_at, Some(time));
        }
        if self.facts.last_at.is_none_or(|last| time > last) {
            self.set(|facts| &mut facts.last_at, Some(time));
        }
    }
}

/// A prompt as a person would read it: without the parts that the program put before it in tags, and without the marks of
/// what was attached. Where nothing else is left, what they hold or stand for.
fn readable(prompt: &str) -> String {
    let text = without_tags(prompt.trim());
    let mut rest = text;
    let mut images = 0;
    while let Some((mark, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && ["Image #", "Image: ", "Pasted text #", "...Truncated text #"].iter().any(|name| mark.starts_with(name))
    {
        images += usize::from(mark.starts_with("Image"));
        rest = behind.trim_start();
    }
    if !rest.is_empty() {
        return rest.to_owned();
    }
    match images {
        _ if text.is_empty() => String::new(),
        0 => ATTACHMENT.to_owned(),
        1 => IMAGE.to_owned(),
        _ => IMAGES.to_owned(),
    }
}

/// The title of a prompt that is nothing but what was attached. One word, which any prompt with words replaces.
pub(crate) const IMAGE: &str = "Image";
pub(crate) const IMAGES: &str = "Images";
pub(crate) const ATTACHMENT: &str = "Attachment";

/// Returns the text behind parts in tags such as `<ide_opened_file>`, else the text in the last of them. Elements of
/// HTML have names of one word, and are a person's.
fn without_tags(text: &str) -> &str {
    let mut text = text;
    while let Some((head, inside)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        let tag = head.split_whitespace().next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        if !tag.contains(['-', '_']) || !tag.chars().all(is_name) {
            break;
        }
        let (inner, behind) = inside.split_once(&format!("</{tag}>")).unwrap_or((inside, ""));
        text = if behind.trim().is_empty() { inner.trim() } else { behind.trim_start() };
    }
    text
}

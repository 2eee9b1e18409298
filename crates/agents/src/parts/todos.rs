//! Checklists: most agents hand in a whole list; Claude Code's Task tools change single items of one that we keep.

use super::at::envelope;
use super::obj::Obj;
use model::envelope::TodoInfoState;
use model::message_type::todo::{Todo, TodoItem, TodoStatus};
use model::todo_state::TodoState;
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq)]
struct TaskItem {
    id: String,
    content: String,
    status: String,
    active_form: Option<String>,
    priority: Option<String>,
    owner: Option<String>,
    /// Ids of items that must be done before.
    blocked_by: Vec<String>,
    /// The agent itself calls it by its id.
    has_number: bool,
}

impl TaskItem {
    /// One of a list that the Task tools change.
    fn numbered(id: String, content: String) -> Self {
        let status = "pending".to_owned();
        let (active_form, priority, owner) = (None, None, None);
        Self { id, content, status, active_form, priority, owner, blocked_by: Vec::new(), has_number: true }
    }

    fn is_open(&self) -> bool {
        !matches!(self.status.as_str(), "completed" | "cancelled" | "deleted")
    }

    fn wait_for(&mut self, ids: impl IntoIterator<Item = String>) {
        for id in ids {
            if id != self.id && !self.blocked_by.contains(&id) {
                self.blocked_by.push(id);
            }
        }
    }
}

/// The list that `TaskCreate`, `TaskUpdate` and `TaskList` work on.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Tasks(Vec<TaskItem>);

/// The TODO of a list that an agent hands in whole: its content and its envelope. Each entry is an object with its words in
/// `content`, `step`, `text`, `title` or `description`, and maybe `status`, `id`, `priority` and `activeForm`. None for an empty
/// list, which no TODO can hold.
pub(crate) fn of_list(entries: &[Value]) -> Option<(String, Map<String, Value>)> {
    const WORDS: [&str; 5] = ["content", "step", "text", "title", "description"];
    let mut items: Vec<TaskItem> = Vec::new();
    for (n, todo) in entries.iter().enumerate() {
        let get = |key: &str| text_of(todo, key);
        let id = get("id").or_else(|| todo.get("id").and_then(Value::as_i64).map(|id| id.to_string()));
        let id = id.filter(|id| items.iter().all(|item| item.id != *id)).unwrap_or_else(|| (n + 1).to_string());
        items.push(TaskItem {
            id,
            content: WORDS.iter().find_map(|key| get(key)).unwrap_or_else(|| "(no text)".to_owned()),
            status: get("status").unwrap_or_default(),
            active_form: get("activeForm").or_else(|| get("active_form")),
            priority: get("priority"),
            owner: None,
            blocked_by: Vec::new(),
            has_number: false,
        });
    }
    snapshot(&items)
}

impl Tasks {
    /// Carries out a successful Task tool call, and returns the new snapshot. None for other tools, and where nothing
    /// is known.
    pub fn apply(&mut self, tool: &str, input: &Value, line: &Obj) -> Option<(String, Map<String, Value>)> {
        let result = line.obj("toolUseResult");
        match tool {
            "TaskCreate" => self.create(input, &result?.obj("task")?)?,
            "TaskUpdate" => self.update(input, &result?)?,
            "TaskList" => self.read(&result?.list("tasks")?),
            _ => return None,
        }
        // Results of calls at the same time come in any order. Ids that are no numbers stay where they are, at the end.
        self.0.sort_by_key(|item| item.id.parse::<u64>().unwrap_or(u64::MAX));
        snapshot(&self.0)
    }

    fn create(&mut self, input: &Value, task: &Obj) -> Option<()> {
        let content = task.filled("subject").or_else(|| text_of(input, "subject"))?;
        let item =
            TaskItem { active_form: text_of(input, "activeForm"), ..TaskItem::numbered(id_of(task, "id")?, content) };
        let known = self.0.iter().any(|old| old.id == item.id);
        if known && self.0.iter().all(|old| matches!(old.status.as_str(), "completed" | "deleted")) {
            // Ids are counted per list: the agent began a new one.
            self.0.clear();
        }
        self.0.retain(|old| old.id != item.id);
        self.0.push(item);
        Some(())
    }

    fn update(&mut self, input: &Value, result: &Obj) -> Option<()> {
        if result.raw("success") == Some("false") {
            return None;
        }
        let id = id_of(result, "taskId").or_else(|| text_of(input, "taskId"))?;
        let item = self.item(&id);
        item.content = text_of(input, "subject").unwrap_or_else(|| std::mem::take(&mut item.content));
        item.status = text_of(input, "status").unwrap_or_else(|| std::mem::take(&mut item.status));
        item.active_form = text_of(input, "activeForm").or_else(|| item.active_form.take());
        item.owner = text_of(input, "owner").or_else(|| item.owner.take());
        item.wait_for(ids_in(input, "addBlockedBy"));
        let dropped = ids_in(input, "removeBlockedBy");
        item.blocked_by.retain(|id| !dropped.contains(id));
        for blocked in ids_in(input, "addBlocks") {
            self.item(&blocked).wait_for([id.clone()]);
        }
        let free = ids_in(input, "removeBlocks");
        for item in self.0.iter_mut().filter(|item| free.contains(&item.id)) {
            item.blocked_by.retain(|blocker| *blocker != id);
        }
        Some(())
    }

    /// Reads the list as the agent was told it.
    fn read(&mut self, tasks: &[&str]) {
        for task in tasks.iter().filter_map(|raw| Obj::parse(raw)) {
            let Some(id) = id_of(&task, "id") else { continue };
            let item = self.item(&id);
            item.content = task.filled("subject").unwrap_or_else(|| item.content.clone());
            item.status = task.filled("status").unwrap_or_else(|| item.status.clone());
            item.owner = task.filled("owner").or_else(|| item.owner.take());
            if let Some(ids) = task.value("blockedBy") {
                item.blocked_by = ids_of(&ids);
            }
        }
    }

    /// The item with this id. One that was made before the file begins is added.
    fn item(&mut self, id: &str) -> &mut TaskItem {
        let at = self.0.iter().position(|item| item.id == id).unwrap_or_else(|| {
            self.0.push(TaskItem::numbered(id.to_owned(), format!("Task {id}")));
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

fn text_of(input: &Value, key: &str) -> Option<String> {
    input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Ids are strings, and numbers in some versions.
fn id_of(from: &Obj, key: &str) -> Option<String> {
    from.filled(key).or_else(|| from.int(key).map(|id| id.to_string()))
}

/// Ids in a field of a call's input.
fn ids_in(input: &Value, key: &str) -> Vec<String> {
    input.get(key).map(ids_of).unwrap_or_default()
}

fn ids_of(list: &Value) -> Vec<String> {
    let id = |id: &Value| id.as_str().map(str::to_owned).or_else(|| id.as_i64().map(|id| id.to_string()));
    list.as_array().into_iter().flatten().filter_map(id).collect()
}

fn snapshot(items: &[TaskItem]) -> Option<(String, Map<String, Value>)> {
    let (mut todos, mut infos) = (Vec::new(), Map::new());
    for item in items {
        let (status, mut state) = match item.status.as_str() {
            "in_progress" => (Some(TodoStatus::InProgress), None),
            "completed" => (Some(TodoStatus::Completed), None),
            "cancelled" => (Some(TodoStatus::Completed), Some(TodoInfoState::Cancelled)),
            "deleted" => (None, Some(TodoInfoState::Deleted)),
            "blocked" => (Some(TodoStatus::Pending), Some(TodoInfoState::Blocked)),
            _ => (Some(TodoStatus::Pending), None),
        };
        let is_there = |id: &&String| items.iter().any(|item| item.id == **id && item.status != "deleted");
        let blocked_by: Vec<&str> = item.blocked_by.iter().filter(is_there).map(String::as_str).collect();
        let waits = blocked_by.iter().any(|id| items.iter().any(|other| other.id == *id && other.is_open()));
        if waits && status == Some(TodoStatus::Pending) {
            state = Some(TodoInfoState::Blocked);
        }
        // In the order in which they are stored, which isn't that of `TodoInfo`: in another one, a list that is read again
        // would count as changed.
        let info: [(&str, Option<Value>); 6] = [
            ("state", state.map(|state| state.as_str().into())),
            ("blocked_by", (!blocked_by.is_empty()).then(|| blocked_by.into())),
            ("number", item.has_number.then(|| item.id.as_str().into())),
            ("active_form", item.active_form.as_deref().map(Value::from)),
            ("priority", item.priority.as_deref().map(Value::from)),
            ("owner", item.owner.as_deref().map(Value::from)),
        ];
        let info: Map<_, _> = info.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        if !info.is_empty() {
            infos.insert(item.id.clone(), info.into());
        }
        let (id, content) = (item.id.clone(), item.content.clone());
        todos.extend(status.map(|status| TodoItem { id, content, status }));
    }
    if todos.is_empty() {
        return None;
    }
    let mut metadata = envelope(Todo { todos });
    if !infos.is_empty() {
        metadata.insert("todo_info".to_owned(), infos.into());
    }
    Some((TodoState::of_metadata(&metadata).summary(), metadata))
}

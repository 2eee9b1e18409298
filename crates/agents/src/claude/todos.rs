//! Checklists: `TodoWrite` hands in a whole list; the Task tools change single items of one that we keep.

use super::at::envelope;
use super::obj::Obj;
use serde_json::{Map, Value, json};

#[derive(Debug, Clone)]
struct Item {
    id: String,
    content: String,
    status: String,
    active_form: Option<String>,
    priority: Option<String>,
}

/// The list that `TaskCreate`, `TaskUpdate` and `TaskList` work on.
#[derive(Default)]
pub(crate) struct Tasks(Vec<Item>);

/// The list of a `TodoWrite`. None for other tools and for an empty list, which no TODO can hold.
pub(crate) fn from_write(tool: &str, input: &Value) -> Option<(String, Map<String, Value>)> {
    if tool != "TodoWrite" {
        return None;
    }
    let mut items: Vec<Item> = Vec::new();
    for (n, todo) in input.get("todos")?.as_array()?.iter().enumerate() {
        let get = |key: &str| todo.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let id = get("id").or_else(|| todo.get("id").and_then(Value::as_i64).map(|id| id.to_string()));
        let id = id.filter(|id| items.iter().all(|item| item.id != *id)).unwrap_or_else(|| (n + 1).to_string());
        items.push(Item {
            id,
            content: get("content").unwrap_or_else(|| "(no text)".to_owned()),
            status: get("status").unwrap_or_default(),
            active_form: get("activeForm"),
            priority: get("priority"),
        });
    }
    snapshot(&items)
}

/// Is it a `TodoWrite` that leaves nothing?
pub(crate) fn clears(input: &Value) -> bool {
    input.get("todos").and_then(Value::as_array).is_some_and(Vec::is_empty)
}

/// Items of a TODO that are open, and that are done.
pub(crate) fn count(metadata: &Map<String, Value>) -> (i64, i64) {
    let todos = metadata.get("payload").and_then(|payload| payload.get("todos")).and_then(Value::as_array);
    let todos = todos.map_or(&[][..], Vec::as_slice);
    let done = todos.iter().filter(|todo| todo.get("status").and_then(Value::as_str) == Some("completed")).count();
    ((todos.len() - done) as i64, done as i64)
}

impl Tasks {
    /// What a Task tool's success does to the list: the new snapshot. None for other tools, and where nothing is known.
    pub fn apply(&mut self, tool: &str, input: &Value, line: &Obj) -> Option<(String, Map<String, Value>)> {
        let result = line.obj("toolUseResult");
        let get = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        match tool {
            "TaskCreate" => {
                let task = result?.obj("task")?;
                let item = Item {
                    id: id_of(&task, "id")?,
                    content: task.filled("subject").or_else(|| get("subject"))?,
                    status: "pending".to_owned(),
                    active_form: get("activeForm"),
                    priority: None,
                };
                let known = self.0.iter().any(|old| old.id == item.id);
                if known && self.0.iter().all(|old| matches!(old.status.as_str(), "completed" | "deleted")) {
                    // Ids are counted per list: the agent began a new one.
                    self.0.clear();
                }
                self.0.retain(|old| old.id != item.id);
                self.0.push(item);
            }
            "TaskUpdate" => {
                let result = result?;
                if result.raw("success") == Some("false") {
                    return None;
                }
                let id = id_of(&result, "taskId").or_else(|| get("taskId"))?;
                let item = self.item(&id);
                if let Some(content) = get("subject") {
                    item.content = content;
                }
                if let Some(status) = get("status") {
                    item.status = status;
                }
                item.active_form = get("activeForm").or_else(|| item.active_form.take());
            }
            "TaskList" => {
                for raw in result?.list("tasks")? {
                    let Some(task) = Obj::parse(raw) else { continue };
                    let Some(id) = id_of(&task, "id") else { continue };
                    let item = self.item(&id);
                    item.content = task.filled("subject").unwrap_or_else(|| item.content.clone());
                    item.status = task.filled("status").unwrap_or_else(|| item.status.clone());
                }
            }
            _ => return None,
        }
        snapshot(&self.0)
    }

    /// The item with this id. One that was made before the file begins is added.
    fn item(&mut self, id: &str) -> &mut Item {
        let at = self.0.iter().position(|item| item.id == id).unwrap_or_else(|| {
            self.0.push(Item {
                id: id.to_owned(),
                content: format!("Task {id}"),
                status: "pending".to_owned(),
                active_form: None,
                priority: None,
            });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

/// Ids are strings, and numbers in some versions.
fn id_of(from: &Obj, key: &str) -> Option<String> {
    from.filled(key).or_else(|| from.int(key).map(|id| id.to_string()))
}

fn snapshot(items: &[Item]) -> Option<(String, Map<String, Value>)> {
    let (mut todos, mut infos) = (Vec::new(), Map::new());
    let (mut done, mut now) = (0, None);
    for item in items {
        let mut info = Map::new();
        let status = match item.status.as_str() {
            "in_progress" => "in_progress",
            "completed" => "completed",
            "cancelled" => {
                info.insert("state".to_owned(), json!("cancelled"));
                "completed"
            }
            "deleted" => {
                info.insert("state".to_owned(), json!("deleted"));
                "deleted"
            }
            "blocked" => {
                info.insert("state".to_owned(), json!("blocked"));
                "pending"
            }
            _ => "pending",
        };
        for (key, text) in [("active_form", &item.active_form), ("priority", &item.priority)] {
            if let Some(text) = text {
                info.insert(key.to_owned(), json!(text));
            }
        }
        if !info.is_empty() {
            infos.insert(item.id.clone(), Value::Object(info));
        }
        if status == "deleted" {
            continue;
        }
        done += usize::from(status == "completed");
        if status == "in_progress" && now.is_none() {
            now = Some(item.content.as_str());
        }
        todos.push(json!({ "id": item.id, "content": item.content, "status": status }));
    }
    if todos.is_empty() {
        return None;
    }
    let now = now.map_or(String::new(), |now| format!(", now: {now}"));
    let content = format!("{done}/{} done{now}", todos.len());
    let mut metadata = envelope("TODO", json!({ "todos": todos }));
    if !infos.is_empty() {
        metadata.insert("todo_info".to_owned(), Value::Object(infos));
    }
    Some((content, metadata))
}

//! An agent at work: a text that streams, a tool call whose result comes later, a diff, and a to-do list whose boxes
//! people may tick. The blocking client; the async one has the same methods.
//!
//! `VERBATIM_URL=http://127.0.0.1:7117 VERBATIM_KEY=vbt_... cargo run --package sdk --example stream`

use sdk::blocking::{Session, Verbatim};
use sdk::{Body, Edit, EndOutcome, Error, NewSession, TodoItem, TodoStatus, ToolCall};
use serde_json::{Map, Value};
use std::time::Duration;

fn main() -> Result<(), Error> {
    let new = NewSession { title: Some("Mend the parser".to_owned()), ..NewSession::from("mender") };
    let session = Verbatim::from_env()?.create_session(new)?;

    session.send_todo(plan(TodoStatus::InProgress, TodoStatus::Pending))?;

    let mut thought = session.stream_message()?;
    for word in "The loop reads one byte beyond the end: I look for the test that shows it.".split_inclusive(' ') {
        thought.append(word)?;
    }
    thought.finish()?;

    let mut input = Map::new();
    input.insert("command".to_owned(), Value::from("cargo test parser"));
    let call = ToolCall::new("Bash", input);
    let sent = session.send_tool_call(call.clone())?;
    let output = Some(Value::from("test parser::end ... FAILED\n"));
    session.update_tool_call(sent.id(), ToolCall { output, ..call }.with("exit_code", 101))?;

    session.send_code_edit(vec![Edit {
        file_path: "src/parser.rs".to_owned(),
        old_content: Some("    while at <= bytes.len() {\n".to_owned()),
        new_content: Some("    while at < bytes.len() {\n".to_owned()),
        language: Some("rust".to_owned()),
    }])?;

    session.send_todo(plan(TodoStatus::Completed, TodoStatus::InProgress))?;
    session.send_message("Mended. Is there anything else?")?;
    listen(&session)?;
    session.end(EndOutcome::Done)
}

fn plan(mend: TodoStatus, test: TodoStatus) -> Vec<TodoItem> {
    let item = |id: &str, content: &str, status| TodoItem { id: id.to_owned(), content: content.to_owned(), status };
    vec![item("1", "Mend the loop", mend), item("2", "Add a test", test)]
}

/// A few seconds for whoever watches.
#[expect(clippy::print_stdout, reason = "an example speaks to whoever runs it")]
fn listen(session: &Session) -> Result<(), Error> {
    for message in session.pending(Duration::from_secs(10))? {
        match message.body() {
            Body::Todo(ticks) => println!("{}", ticks.ticked()),
            _ => println!("Heard: {}", message.text()),
        }
    }
    Ok(())
}

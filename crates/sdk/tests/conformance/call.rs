//! Makes the call of a case, and writes what it returned as the fixtures do.

use futures::StreamExt as _;
use sdk::api::messages::Entry;
use sdk::model::message_type::code_edit::CodeEdit;
use sdk::model::message_type::file::File;
use sdk::model::message_type::todo::Todo;
use sdk::{Answer, Body, Decided, Error, Message, PostMessage, Sent, Structured, Verbatim, approval};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Returns the result of a call; an error is a result too.
pub async fn call(verbatim: &Verbatim, case: &Value) -> Value {
    made(verbatim, case).await.unwrap_or_else(|error| plain_error(&error))
}

/// The arguments of a call, by name.
struct Arguments(Map<String, Value>);

impl Arguments {
    /// Takes an argument. What isn't there reads as null.
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> T {
        let value = self.0.remove(name).unwrap_or_default();
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{name}: {value}: {error}"))
    }

    /// All that is left, as one value.
    fn rest<T: DeserializeOwned>(self) -> T {
        let rest = Value::Object(self.0);
        serde_json::from_value(rest.clone()).unwrap_or_else(|error| panic!("{rest}: {error}"))
    }

    /// Returns the fields beside an envelope.
    fn structured(mut self) -> Structured {
        let extras = self.take::<Option<Map<String, Value>>>("extras").unwrap_or_default();
        let version = self.take::<Option<i64>>("version").unwrap_or(1);
        Structured { extras, version, message: self.rest() }
    }
}

async fn made(verbatim: &Verbatim, case: &Value) -> Result<Value, Error> {
    let mut given = Arguments(case["call"]["arguments"].as_object().cloned().unwrap_or_default());
    let session = verbatim.session(case["session"].as_str().unwrap_or("s1"));
    let session = match case["after"].as_i64() {
        Some(after) => session.after(after),
        None => session,
    };
    Ok(match case["call"]["function"].as_str().unwrap_or_default() {
        "create_session" => json!({ "id": verbatim.create_session(given.rest::<sdk::NewSession>()).await?.id() }),
        "sessions" => whole(json!(verbatim.sessions(given.rest()).await?)),
        "me" => json!(verbatim.me().await?),
        "info" => whole(json!(session.info().await?)),
        "edit" => whole(json!(session.edit(given.rest()).await?)),
        "heartbeat" => {
            session.heartbeat().await?;
            Value::Null
        }
        "end" => {
            let outcome = given.take::<Option<sdk::EndOutcome>>("outcome").unwrap_or(sdk::EndOutcome::Done);
            session.end(outcome).await?;
            Value::Null
        }
        "send_message" | "send_text" => sent(session.send_message(given.rest::<PostMessage>()).await?),
        "send_messages" => {
            let all = session.send_messages(given.take("messages")).await?;
            all.into_iter().map(sent).collect()
        }
        "send_structured_message" => {
            let (message_type, payload): (String, Value) = (given.take("message_type"), given.take("payload"));
            sent(session.send_structured_message(&message_type, payload, given.structured()).await?)
        }
        "send_code_edit" => sent(session.send_code_edit(fields::<CodeEdit>(given, &["edits"]).edits).await?),
        "send_todo" => sent(session.send_todo(fields::<Todo>(given, &["todos"]).todos).await?),
        "send_tool_call" => sent(session.send_tool_call(tool_call(given)).await?),
        "send_file" => sent(session.send_file(fields::<File>(given, &["files"]).files).await?),
        "send_error" => {
            let names = ["error_type", "message", "frames", "retryable", "retry_at"];
            sent(session.send_error(fields(given, &names)).await?)
        }
        "send_chart" => sent(session.send_chart(fields(given, &["chart", "title", "x", "series", "unit"])).await?),
        "send_code_review" => {
            sent(session.send_code_review(fields(given, &["file_path", "comments", "summary"])).await?)
        }
        "send_progress" => sent(session.send_progress(progress(given)).await?),
        "update_progress" => {
            let message: String = given.take("message");
            plain(&session.update_progress(&message, progress(given)).await?)
        }
        "update" => {
            let message: String = given.take("message");
            plain(&session.update(&message, given.rest()).await?)
        }
        "update_tool_call" => {
            let message: String = given.take("message");
            plain(&session.update_tool_call(&message, tool_call(given)).await?)
        }
        "retract" => plain(&session.retract(&given.take::<String>("message")).await?),
        "message" => plain(&session.message(&given.take::<String>("id")).await?),
        "context" => json!(session.context(given.rest()).await?),
        "messages" => {
            let page = session.messages(given.rest()).await?;
            let messages: Vec<Value> = page.messages.iter().map(|entry| plain(&entry.clone().into())).collect();
            let mut page = json!(page);
            page["messages"] = messages.into();
            page
        }
        "pending" => {
            let wait = Duration::from_secs(given.take("wait"));
            session.pending(wait).await?.iter().map(plain).collect()
        }
        "ask" => {
            let question: String = given.take("question");
            answer(&session.ask(PostMessage { content: Some(question), ..given.rest() }).await?)
        }
        "approve" => decided(&session.ask_approval(approval::permission(&given.take::<String>("what"))).await?),
        "ask_approval" => decided(&session.ask_approval(given.take("approval")).await?),
        "request_approval" => {
            let approval = given.take("approval");
            json!({ "sent": sent(session.request_approval(approval, given.structured()).await?.sent) })
        }
        "approval.permission" => json!(approval::permission(&given.take::<String>("what"))),
        "approval.choose" => {
            let (question, labels): (String, Vec<String>) = (given.take("question"), given.take("labels"));
            json!(approval::choose(&question, &labels.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        "approval.plan" => json!(approval::plan(&given.take::<String>("title"), &given.take::<String>("body"))),
        "approval.form" => json!(approval::form(&given.take::<String>("title"), given.take("fields"))),
        "stream_message" => {
            let mut text = session.stream_message().await?;
            for piece in given.take::<Vec<String>>("pieces") {
                text.append(&piece).await?;
            }
            let end = given.take::<String>("end");
            plain(&if end == "finish" { text.finish().await? } else { text.fail().await? })
        }
        "watch" => {
            let after: Option<String> = given.take("after");
            let items: Vec<_> = session.watch(after).take(given.take("count")).collect().await;
            let item = |item: &Result<sdk::Event, Error>| match item {
                Ok(event) => json!({ "cursor": event.cursor, "change": event.change }),
                Err(error) => plain_error(error),
            };
            items.iter().map(item).collect()
        }
        other => panic!("nobody calls {other}"),
    })
}

/// A payload of the arguments with these names; the others are fields of the message.
fn fields<T: DeserializeOwned>(mut given: Arguments, names: &[&str]) -> T {
    given.0.retain(|name, _| names.contains(&name.as_str()));
    given.rest()
}

fn tool_call(mut given: Arguments) -> sdk::ToolCall {
    let other: Option<Map<String, Value>> = given.take("other");
    given.0.retain(|name, _| ["tool_name", "input", "output", "error"].contains(&name.as_str()));
    given.0.extend(other.unwrap_or_default());
    given.rest()
}

fn progress(mut given: Arguments) -> sdk::Progress {
    given.0.entry("state").or_insert_with(|| json!("running"));
    fields(given, &["label", "current", "total", "unit", "state", "eta_seconds"])
}

/// Sessions with the field that is left out where it is 0.
fn whole(mut value: Value) -> Value {
    let sessions = match value.get_mut("sessions").and_then(Value::as_array_mut) {
        Some(sessions) => sessions.iter_mut().collect(),
        None => vec![&mut value],
    };
    for session in sessions.into_iter().filter_map(Value::as_object_mut) {
        session.entry("delivered_seq").or_insert(json!(0));
    }
    value
}

fn plain(message: &Message) -> Value {
    let draft = message.draft();
    let body = match message.body() {
        Body::Unknown { .. } => "UNKNOWN",
        Body::Invalid { .. } => "INVALID",
        body => body.message_type(),
    };
    json!({
        "id": message.id(),
        "seq": message.seq(),
        "revision": message.revision(),
        "role": draft.role,
        "status": draft.status,
        "requires_user_input": draft.requires_user_input,
        "content": message.content(),
        "text": message.text(),
        "message_type": draft.message_type(),
        "payload": draft.payload().cloned().unwrap_or_else(|| json!({})),
        "body": body,
    })
}

fn sent(sent: Sent) -> Value {
    let queued: Vec<Value> = sent.queued_user_messages.iter().map(plain).collect();
    json!({ "message": plain(&sent.message), "pos": sent.pos, "replayed": sent.replayed, "queued_user_messages": queued })
}

fn answer(answer: &Answer) -> Value {
    let queued: Vec<Value> = answer.queued_user_messages.iter().map(plain).collect();
    json!({ "message": plain(&answer.message), "text": answer.text(), "queued_user_messages": queued })
}

fn decided(decided: &Decided) -> Value {
    let queued: Vec<Value> = decided.queued_user_messages.iter().map(plain).collect();
    json!({
        "state": decided.state,
        "allowed": decided.allowed(),
        "text": decided.text(),
        "decision": decided.decision,
        "action": decided.action,
        "queued_user_messages": queued,
    })
}

fn plain_error(error: &Error) -> Value {
    let kind = match error {
        Error::Setup(_) => "setup",
        Error::Unreachable(_) => "unreachable",
        Error::Busy(_) => "busy",
        Error::Unauthorized(_) => "unauthorized",
        Error::Forbidden(_) => "forbidden",
        Error::NotFound(_) => "not_found",
        Error::Conflict(_) => "conflict",
        Error::Changed(_) => "changed",
        Error::Invalid(_) => "invalid",
        Error::Server(_) => "server",
        Error::Withdrawn => "withdrawn",
        Error::Envelope(_) => "envelope",
        other => panic!("an error without a kind: {other}"),
    };
    let mut written = match (error, error.problem()) {
        (Error::Envelope(error), _) => {
            json!({ "code": error.code.as_str(), "pointer": error.problem.pointer, "expected": error.problem.expected })
        }
        (_, Some(problem)) => json!(problem),
        (_, None) => json!({}),
    };
    let field = written["field"].as_str().unwrap_or_default();
    if let Some(pointer) = field.strip_prefix("/message_metadata").map(str::to_owned) {
        written["pointer"] = pointer.into();
    }
    if let Ok(current) = serde_json::from_value::<Entry>(written["current"].clone()) {
        written["current"] = plain(&current.into());
    }
    written["kind"] = kind.into();
    json!({ "error": written })
}

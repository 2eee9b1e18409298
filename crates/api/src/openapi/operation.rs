//! Describes one endpoint of the table as an operation.

use super::{Book, fixed};
use crate::endpoint::{Access, Endpoint, EndpointVisitor, Input, Method, Reply};
use crate::keys::Scope;
use schemars::{JsonSchema as _, Schema};
use serde_json::{Map, Value, json};

impl EndpointVisitor for Book {
    fn visit<E: Endpoint>(&mut self) {
        let info = E::INFO;
        let mut parameters = parameters(&E::Path::json_schema(&mut self.inputs), "path");
        let mut statuses = vec![400, 401, 403, 405, 421, 431, 500, 503];
        if !parameters.is_empty() {
            // 404: no such session. 409: a prefix that several sessions share.
            statuses.extend([404, 409]);
        }
        let changes = info.method != Method::Get;
        let mut operation = describe(info.name, info.doc, topic(info.path), info.access, changes);
        if info.method == Method::Get {
            parameters.extend(self::parameters(&E::Input::json_schema(&mut self.inputs), "query"));
        } else {
            statuses.extend([408, 409, 413, 415, 429, 507]);
            operation["x-body-limit"] = json!(info.limit);
            if let Some(body) = self.body::<E::Input>() {
                operation["requestBody"] = body;
            }
        }
        if E::Input::IF_MATCH {
            parameters.push(json!({ "$ref": "#/components/parameters/IfMatch" }));
        }
        statuses.extend(E::Input::REFUSALS);
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        let reply = self.reply::<E::Reply>();
        let mut responses: Vec<(u16, Value)> =
            E::Reply::STATUSES.iter().map(|status| (*status, success(*status, E::Reply::STATUSES, &reply))).collect();
        statuses.sort_unstable();
        statuses.dedup();
        responses.extend(statuses.into_iter().map(|status| (status, fixed::problem(status, info.topic))));
        responses.sort_by_key(|(status, _)| *status);
        operation["responses"] = responses.into_iter().map(|(status, answer)| (status.to_string(), answer)).collect();
        self.put(info.path, info.method.as_str(), operation);
    }
}

impl Book {
    /// Returns the request body; None if the request has none.
    fn body<I: Input>(&mut self) -> Option<Value> {
        let inline = I::json_schema(&mut self.inputs);
        let properties = inline.get("properties")?.as_object()?;
        if properties.is_empty() {
            return None;
        }
        let required = inline.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
        let mut content = json!({ "schema": self.inputs.subschema_for::<I>() });
        if let Ok(example) = serde_json::from_str::<Value>(I::EXAMPLE) {
            content["example"] = example;
        }
        Some(json!({ "required": required, "content": { "application/json": content } }))
    }
}

/// Returns the fields that every operation has.
pub fn describe(name: &str, doc: &str, topic: &str, access: &[Access], changes: bool) -> Value {
    let doc = doc.trim();
    let (summary, rest) = doc.split_once(". ").unwrap_or((doc.trim_end_matches('.'), ""));
    let mut operation = json!({ "operationId": name, "summary": summary, "tags": [topic] });
    if !rest.is_empty() {
        operation["description"] = json!(rest);
    }
    operation["x-access"] = access.iter().map(|access| fixed::who(*access)).collect();
    if let Some(scope) = scope(name).filter(|_| access.contains(&Access::Agent)) {
        operation["x-scope"] = json!(scope.as_str());
    }
    operation["security"] = access.iter().map(|access| fixed::security(*access, changes)).collect();
    operation
}

/// Returns the scope that an agent's key needs. To read sessions of others, it needs `read_all` instead of `read`.
fn scope(name: &str) -> Option<Scope> {
    match name {
        "me" | "log_out" => None,
        "list_files" | "search" | "stats" => Some(Scope::ReadAll),
        "report_hook" | "wait_for_words" => Some(Scope::Hooks),
        "report_machine" | "compare_files" | "append_files" => Some(Scope::Forward),
        "create_session" | "edit_session" | "end_session" | "end_run" | "heartbeat" | "post_message"
        | "post_messages" | "update_message" | "retract_message" | "declare_type" | "upload_blob" => Some(Scope::Post),
        _ => Some(Scope::Read),
    }
}

/// Returns the properties of an object as parameters. Absent values are omitted, so no parameter can be null.
fn parameters(object: &Schema, place: &str) -> Vec<Value> {
    let required: Vec<&str> =
        object.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = object.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties
        .map(|(name, schema)| {
            let mut schema = present(schema.as_object().cloned().unwrap_or_default());
            let description = schema.remove("description");
            let needed = place == "path" || required.contains(&name.as_str()) || schema.contains_key("minLength");
            let mut parameter = json!({ "name": name, "in": place, "required": needed, "schema": schema });
            if let Some(description) = description {
                parameter["description"] = description;
            }
            if place == "query" && !needed {
                // Forms send their empty fields too: they count as absent.
                parameter["allowEmptyValue"] = json!(true);
            }
            parameter
        })
        .collect()
}

/// Returns the schema without null and without a default.
fn present(mut schema: Map<String, Value>) -> Map<String, Value> {
    schema.remove("default");
    if let Some(Value::Array(types)) = schema.get("type") {
        let first = types.iter().find(|word| *word != "null").cloned();
        schema.insert("type".to_owned(), first.unwrap_or_default());
    }
    let choice = schema.get("anyOf").and_then(Value::as_array);
    let choice = choice.and_then(|choices| choices.iter().find(|choice| choice["type"] != "null")).cloned();
    if let Some(Value::Object(choice)) = choice {
        schema.remove("anyOf");
        schema.extend(choice);
    }
    schema
}

fn success(status: u16, all: &[u16], reply: &Schema) -> Value {
    let mut answer = json!({
        "description": fixed::success(status),
        "content": { "application/json": { "schema": reply } },
    });
    if status == 200 && all.contains(&201) {
        answer["headers"] = json!({ "Idempotent-Replayed": { "$ref": "#/components/headers/IdempotentReplayed" } });
    }
    answer
}

/// Returns the section of the reference for a path.
fn topic(path: &str) -> &'static str {
    let parts: Vec<&str> = path.split('/').skip(2).collect();
    match parts.as_slice() {
        ["sessions", _, "messages" | "pending" | "todos" | "ticks" | "changes", ..] => "Messages",
        ["sessions" | "unread", ..] => "Sessions",
        ["keys", ..] => "Keys",
        ["files" | "search" | "stats", ..] => "Search and statistics",
        ["projects" | "imports", ..] => "Folders and imports",
        _ => "Server",
    }
}

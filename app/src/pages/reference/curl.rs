//! Calls to be copied into a shell.

use super::operation::Operation;
use super::text;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shell::small_icon;
use api::people::PersonRole;
use leptos::prelude::*;

/// Text for a shell, with a button that copies it.
pub fn block(command: String) -> Part {
    part! {
        <div class="codeblock curl">
            <pre tabindex="0"><code>{command.clone()}</code></pre>
            <button type="button" class="btn quiet tiny" data-action=PageAction::Copy.name() data-text=command>{small_icon(Glyph::COPY)}<span>"Copy"</span></button>
        </div>
    }
}

/// Returns the example of an operation. Public ones, such as the log-in, have none, and what a machine sends hasn't.
pub fn example(operation: &Operation<'_>) -> Option<Part> {
    let command = command(operation)?;
    Some(part! { <h4>"Example"</h4>{block(command)} })
}

/// Returns the credential of a call: the one with the fewest permissions.
fn credential(operation: &Operation<'_>) -> Option<&'static str> {
    let value = operation.value;
    let may = |who: &str| value["x-access"].as_array().into_iter().flatten().any(|word| word == who);
    let may_people = || PersonRole::WORDS.iter().any(|role| may(role));
    // A key reads its own sessions, unless it was made for more.
    if value["x-scope"] == "forward" {
        None
    } else if may("agent") && value["x-scope"] != "read_all" {
        Some("-H \"Authorization: Bearer $VERBATIM_KEY\"")
    } else if may("local") {
        Some("-H \"Authorization: Bearer $VERBATIM_LOCAL\"")
    } else if may_people() && operation.method == "get" {
        Some("-b cookies.txt")
    } else {
        may_people()
            .then_some("-b cookies.txt -H \"X-Verbatim-Secret: $VERBATIM_SECRET\" \\\n  -H \"Origin: $VERBATIM_URL\"")
    }
}

fn command(operation: &Operation<'_>) -> Option<String> {
    let value = operation.value;
    let stream = !value["x-events"].is_null();
    let mut query: Vec<String> = Vec::new();
    for parameter in value["parameters"].as_array().into_iter().flatten() {
        if parameter["in"] == "query" && parameter["required"] == true {
            let name = text(&parameter["name"]);
            let example = parameter["example"].as_str().unwrap_or("parser");
            query.push(format!("{name}={example}"));
        }
    }
    if stream {
        query.push("session=$SESSION".to_owned());
    }
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    let mut lines = vec![format!("curl \"$VERBATIM_URL{}{query}\"", variables(operation.path))];
    lines.push(credential(operation)?.to_owned());
    let content = value["requestBody"]["content"].as_object().and_then(|content| content.iter().next());
    match content {
        Some((kind, content)) if kind == "application/json" => {
            lines.push("-H \"Content-Type: application/json\"".to_owned());
            lines.push(format!("-d {}", body(&content["example"])));
        }
        Some(_) => {
            lines.push("-H \"Content-Type: image/png\"".to_owned());
            lines.push("--data-binary @screenshot.png".to_owned());
        }
        None => {}
    }
    let implied = if content.is_some() { "post" } else { "get" };
    if operation.method != implied {
        lines[0] = lines[0].replacen("curl ", &format!("curl -X {} ", operation.method.to_uppercase()), 1);
    }
    if stream {
        lines[0] = lines[0].replacen("curl ", "curl -N ", 1);
    }
    Some(lines.join(" \\\n  "))
}

/// JSON for the shell. Where the example names a variable, the shell fills it in.
fn body(example: &serde_json::Value) -> String {
    let json = serde_json::to_string(example).unwrap_or_default();
    if json.contains('$') {
        return format!("\"{}\"", json.replace('\\', r"\\").replace('"', r#"\""#));
    }
    format!("'{}'", json.replace('\'', r"'\''"))
}

/// `{session}` as `$SESSION`.
pub fn variables(path: &str) -> String {
    let mut out = String::new();
    for (index, piece) in path.split(['{', '}']).enumerate() {
        if index % 2 == 0 {
            out.push_str(piece);
        } else {
            out.push('$');
            out.push_str(&piece.to_uppercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::operation::all;
    use super::command;
    use serde_json::json;

    #[test]
    fn a_call_can_be_copied() {
        let document = json!({ "paths": { "/v1/sessions/{session}/messages": { "post": {
            "operationId": "post_message", "x-access": ["owner", "agent"], "x-scope": "post",
            "requestBody": { "content": { "application/json": { "example": { "content": "It's `done`" } } } },
        } } } });
        let operations = all(&document);
        assert_eq!(
            command(&operations[0]).as_deref(),
            Some(
                "curl \"$VERBATIM_URL/v1/sessions/$SESSION/messages\" \\\n  \
                 -H \"Authorization: Bearer $VERBATIM_KEY\" \\\n  -H \"Content-Type: application/json\" \\\n  \
                 -d '{\"content\":\"It'\\''s `done`\"}'"
            )
        );
    }
}

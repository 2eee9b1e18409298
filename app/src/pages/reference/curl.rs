//! Calls to be copied into a shell.

use super::operation::Operation;
use super::text;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shell::small_icon;
use leptos::prelude::*;

/// Text for a shell, with a button that copies it.
pub fn block(command: String) -> Part {
    part! {
        <div class="codeblock curl">
            <pre tabindex="0"><code>{command.clone()}</code></pre>
            <button type="button" class="btn quiet tiny" data-action="copy" data-text=command>{small_icon(Glyph::COPY)}<span>"Copy"</span></button>
        </div>
    }
}

pub fn example(operation: &Operation<'_>) -> Option<Part> {
    // What only a browser does has no example.
    let by_program = operation.value["x-access"].as_array()?.iter().any(|who| who != "owner");
    by_program.then(|| part! { <h4>"Example"</h4>{block(command(operation))} })
}

fn command(operation: &Operation<'_>) -> String {
    let value = operation.value;
    let mut query: Vec<String> = Vec::new();
    for parameter in value["parameters"].as_array().into_iter().flatten() {
        if parameter["in"] == "query" && parameter["required"] == true {
            let name = text(&parameter["name"]);
            let example = parameter["schema"]["enum"][0].as_str().unwrap_or("parser");
            query.push(format!("{name}={example}"));
        }
    }
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    let mut lines = vec![format!("curl \"$VERBATIM{}{query}\"", variables(operation.path))];
    lines.push("-H \"Authorization: Bearer $VERBATIM_KEY\"".to_owned());
    let content = value["requestBody"]["content"].as_object().and_then(|content| content.iter().next());
    match content {
        Some((kind, content)) if kind == "application/json" => {
            lines.push("-H \"Content-Type: application/json\"".to_owned());
            let example = serde_json::to_string(&content["example"]).unwrap_or_default();
            lines.push(format!("-d '{}'", example.replace('\'', r"'\''")));
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
    if value["responses"]["200"]["content"].get("text/event-stream").is_some() {
        lines[0] = lines[0].replacen("curl ", "curl -N ", 1);
    }
    lines.join(" \\\n  ")
}

/// `{session}` as `$SESSION`.
fn variables(path: &str) -> String {
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
            "operationId": "post_message",
            "requestBody": { "content": { "application/json": { "example": { "content": "It's `done`" } } } },
        } } } });
        let operations = all(&document);
        assert_eq!(
            command(&operations[0]),
            "curl \"$VERBATIM/v1/sessions/$SESSION/messages\" \\\n  -H \"Authorization: Bearer $VERBATIM_KEY\" \\\n  \
             -H \"Content-Type: application/json\" \\\n  -d '{\"content\":\"It'\\''s `done`\"}'"
        );
    }
}
